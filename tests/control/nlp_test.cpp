// Derivatives of the nonlinear programs of all built-in problems, at points that satisfy nothing, against differences.

#include "liegrad/control/nlp.hpp"

#include <gtest/gtest.h>

#include <random>

#include "liegrad/control/problems/built_in.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::control {
namespace {

using dae::Formulation;
using dae::index;

std::vector<double> random_point(const Transcription& transcription, std::mt19937& generator) {
  std::uniform_real_distribution<double> number(-0.4, 0.4);
  std::vector<double> x = transcription.guess();
  for (double& component : x) component += number(generator);
  return x;
}

void expect_derivatives(const Problem& problem, const TranscriptionOptions& options) {
  Transcription transcription(problem, options);
  Nlp nlp(transcription);
  std::mt19937 generator(11);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<double> x = random_point(transcription, generator);
  const int n = nlp.num_variables(), m = nlp.num_constraints();

  nlp.set_point(x);
  Eigen::MatrixXd j = Eigen::MatrixXd::Zero(m + 1, n), h = Eigen::MatrixXd::Zero(n, n);
  std::vector<double> entries(nlp.jacobian_pattern().size()), gradient(index(n));
  nlp.jacobian(entries);
  nlp.cost_gradient(gradient);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    j(nlp.jacobian_pattern()[k].first + 1, nlp.jacobian_pattern()[k].second) = entries[k];
  }
  j.row(0) = Eigen::Map<const Eigen::RowVectorXd>(gradient.data(), n);
  Eigen::VectorXd weights(m + 1);
  std::vector<double> multipliers;
  for (int i = 0; i <= m; ++i) {
    weights(i) = number(generator);
    if (i > 0) multipliers.push_back(weights(i));
  }
  std::vector<double> hessian(nlp.hessian_pattern().size());
  nlp.hessian(weights(0), multipliers, hessian);
  for (std::size_t k = 0; k < hessian.size(); ++k) {
    const auto& [row, column] = nlp.hessian_pattern()[k];
    h(row, column) = h(column, row) = hessian[k];
  }

  const auto values = [&] {
    nlp.set_point(x);
    std::vector<double> g(index(m));
    nlp.constraints(g);
    Eigen::VectorXd all(m + 1);
    all(0) = nlp.cost();
    all.tail(m) = Eigen::Map<const Eigen::VectorXd>(g.data(), m);
    return all;
  };
  const auto lagrangian_gradient = [&] {
    nlp.set_point(x);
    nlp.jacobian(entries);
    nlp.cost_gradient(gradient);
    Eigen::VectorXd sum = weights(0) * Eigen::Map<const Eigen::VectorXd>(gradient.data(), n);
    for (std::size_t k = 0; k < entries.size(); ++k) {
      sum(nlp.jacobian_pattern()[k].second) +=
          weights(nlp.jacobian_pattern()[k].first + 1) * entries[k];
    }
    return sum;
  };
  const double scale = std::max(j.cwiseAbs().maxCoeff(), h.cwiseAbs().maxCoeff());
  ASSERT_GT(j.cwiseAbs().maxCoeff(), 0.1);
  const auto difference = [&](int i, const auto& f) {
    const double at = x[index(i)];
    const auto central = [&](double step) {
      x[index(i)] = at + step;
      const Eigen::VectorXd up = f();
      x[index(i)] = at - step;
      const Eigen::VectorXd down = f();
      x[index(i)] = at;
      return Eigen::VectorXd((up - down) / (2 * step));
    };
    return Eigen::VectorXd((4 * central(1e-3) - central(2e-3)) / 3);
  };
  for (int i = 0; i < n; ++i) {
    EXPECT_LT((difference(i, values) - j.col(i)).cwiseAbs().maxCoeff(), 1e-7 * scale)
        << transcription.variable_name(i);
    EXPECT_LT((difference(i, lagrangian_gradient) - h.col(i)).cwiseAbs().maxCoeff(), 1e-7 * scale)
        << transcription.variable_name(i);
  }
}

TEST(Nlp, HasTheDerivativesOfDifferencesForEveryProblem) {
  for (const BuiltInProblem& built_in : built_in_problems()) {
    SCOPED_TRACE(built_in.name);
    std::map<std::string, double> given;
    if (built_in.name == "spherical_pendulum") given["reaction_limit"] = 13;
    const Problem problem = make_problem(built_in.name, given);
    for (const Formulation formulation : {Formulation::kIndex3, Formulation::kStabilized}) {
      expect_derivatives(
          problem, {.steps = 3, .formulation = formulation, .backend = ad::Backend::kInterpreted});
    }
  }
}

TEST(Nlp, HasThemForOtherMethodsAndFreeParameters) {
  const dae::AlphaParameters p = dae::AlphaParameters::from_spectral_radius(0.6);
  for (const double sigma : {1.0, p.optimal_sigma()}) {
    Problem problem = make_problem("time_optimal_reorientation");
    problem.free_parameter("body.J2", {0.5, 2});
    problem.add_running_cost([](const auto& at) {
      return at.parameter("body.J2") * at.control("body.u1") * at.control("body.u1") + at.time();
    });
    expect_derivatives(
        problem,
        {.steps = 3, .method = dae::AlphaMethod{p, sigma}, .backend = ad::Backend::kInterpreted});
  }
}

TEST(Nlp, DoesNotDependOnTheReference) {
  const Problem problem = make_problem("spherical_pendulum");
  Transcription transcription(problem, {.steps = 4, .backend = ad::Backend::kInterpreted});
  Nlp nlp(transcription);
  std::mt19937 generator(2);
  std::vector<double> x = random_point(transcription, generator);
  const auto values = [&] {
    nlp.set_point(x);
    std::vector<double> g(index(nlp.num_constraints()));
    nlp.constraints(g);
    g.push_back(nlp.cost());
    return g;
  };
  const std::vector<double> before = values();
  const double turn = transcription.largest_turn(x);
  transcription.recentre(x);
  EXPECT_LT(transcription.largest_turn(x), turn + 1e-12);
  const std::vector<double> after = values();
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after[i], before[i], 1e-11) << i;
}

}  // namespace
}  // namespace liegrad::control
