// Derivatives of the nonlinear programs of all built-in problems, at points that satisfy nothing, against differences.

#include "liegrad/control/nlp.hpp"

#include <gtest/gtest.h>

#include <random>

#include "liegrad/control/problems/built_in.hpp"
#include "liegrad/dae/system/numbers.hpp"

#include "expect_derivatives.hpp"

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

void expect_derivatives_of(const Problem& problem, const TranscriptionOptions& options) {
  Transcription transcription(problem, options);
  Nlp nlp(transcription);
  std::mt19937 generator(11);
  expect_derivatives(nlp, random_point(transcription, generator),
                     [&](int i) { return transcription.variable_name(i); });
}

TEST(Nlp, HasTheDerivativesOfDifferencesForEveryProblem) {
  for (const BuiltInProblem& built_in : built_in_problems()) {
    if (built_in.make == nullptr) continue;  // see phases_test.cpp
    SCOPED_TRACE(built_in.name);
    std::map<std::string, double> given;
    if (built_in.name == "spherical_pendulum") given["reaction_limit"] = 13;
    const Problem problem = make_problem(built_in.name, given);
    for (const Formulation formulation : {Formulation::kIndex3, Formulation::kStabilized}) {
      expect_derivatives_of(
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
    expect_derivatives_of(
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
