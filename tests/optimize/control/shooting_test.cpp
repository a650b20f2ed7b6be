// Programs with the motion eliminated: their derivatives against differences and against sensitivities of the integrator,
// and what they find against the simultaneous transcription.

#include "liegrad/control/shooting.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "liegrad/control/problems/built_in.hpp"
#include "liegrad/dae/simulator.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::control {
namespace {

using dae::index;

constexpr double kFiniteDifferenceTolerance = 2e-5;

TranscriptionOptions shooting(TranscriptionKind kind, int steps, int segments = 3) {
  TranscriptionOptions options;
  options.kind = kind;
  options.steps = steps;
  options.segments = segments;
  return options;
}

Eigen::MatrixXd jacobian_of(ShootingProgram& program) {
  const int n = program.num_variables(), m = program.num_constraints();
  Eigen::MatrixXd j(m + 1, n);
  std::vector<double> gradient(index(n)), entries(program.jacobian_pattern().size());
  program.cost_gradient(gradient);
  program.jacobian(entries);
  for (int i = 0; i < n; ++i) j(0, i) = gradient[index(i)];
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const auto& [row, column] = program.jacobian_pattern()[k];
    j(row + 1, column) = entries[k];
  }
  return j;
}

Eigen::VectorXd values_of(ShootingProgram& program) {
  std::vector<double> g(index(program.num_constraints()));
  program.constraints(g);
  Eigen::VectorXd values(program.num_constraints() + 1);
  values(0) = program.cost();
  for (std::size_t i = 0; i < g.size(); ++i) values(static_cast<Eigen::Index>(i) + 1) = g[i];
  return values;
}

void expect_derivatives(const Problem& problem, const TranscriptionOptions& options) {
  Transcription transcription(problem, options);
  Nlp nlp(transcription);
  const StopRequest never;
  ShootingProgram program(transcription, nlp, never);
  std::mt19937 generator(2);
  std::uniform_real_distribution<double> number(-0.2, 0.2);
  std::vector<double> z = program.reduced(transcription.guess());
  for (double& x : z) x += number(generator);
  ASSERT_TRUE(program.set_point(z));
  const Eigen::MatrixXd j = jacobian_of(program);
  Eigen::VectorXd weights(program.num_constraints() + 1);
  for (double& w : weights) w = number(generator);
  std::vector<double> entries(program.hessian_pattern().size());
  program.hessian(weights(0), std::span(weights.data() + 1, index(program.num_constraints())),
                  entries);
  Eigen::MatrixXd h(z.size(), z.size());
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const auto& [row, column] = program.hessian_pattern()[k];
    h(row, column) = h(column, row) = entries[k];
  }
  // Some of the columns, from all parts of the horizon.
  for (std::size_t i = 0; i < z.size(); i += 1 + z.size() / 12) {
    const double step = 1e-5, at = z[i];
    std::vector<Eigen::VectorXd> value, gradient;
    for (const double sign : {1.0, -1.0}) {
      z[i] = at + sign * step;
      ASSERT_TRUE(program.set_point(z));
      value.push_back(values_of(program));
      gradient.push_back(jacobian_of(program).transpose() * weights);
    }
    z[i] = at;
    const auto column = static_cast<Eigen::Index>(i);
    const Eigen::VectorXd first = (value[0] - value[1]) / (2 * step);
    const Eigen::VectorXd second = (gradient[0] - gradient[1]) / (2 * step);
    EXPECT_LT((first - j.col(column)).cwiseAbs().maxCoeff(),
              kFiniteDifferenceTolerance * (1 + j.cwiseAbs().maxCoeff()));
    EXPECT_LT((second - h.col(column)).cwiseAbs().maxCoeff(),
              kFiniteDifferenceTolerance * (1 + h.cwiseAbs().maxCoeff()));
  }
}

TEST(Shooting, DerivativesAreThoseOfDifferences) {
  for (const std::string name : {"reorientation", "time_optimal_reorientation", "cart_pole"}) {
    SCOPED_TRACE(name);
    expect_derivatives(make_problem(name), shooting(TranscriptionKind::kShooting, 8));
  }
  expect_derivatives(make_problem("spherical_pendulum", {{"reaction_limit", 13}}),
                     shooting(TranscriptionKind::kShooting, 8));
  expect_derivatives(make_problem("cart_pole"), shooting(TranscriptionKind::kMultipleShooting, 8));
}

/// The eliminated motion is that of the integrator itself.
TEST(Shooting, RunsTheIntegrator) {
  const Problem problem = make_problem("spherical_pendulum");
  const TranscriptionOptions options = shooting(TranscriptionKind::kShooting, 20);
  Transcription transcription(problem, options);
  Nlp nlp(transcription);
  const StopRequest never;
  ShootingProgram program(transcription, nlp, never);
  std::vector<double> z = program.reduced(transcription.guess());
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = std::sin(0.3 * static_cast<double>(i));
  ASSERT_TRUE(program.set_point(z));
  const Iterate whole = program.expanded({.x = z});

  dae::IntegrateOptions run_options = dae::alpha_steps();
  run_options.t_end = problem.horizon();
  run_options.step = problem.horizon() / 20;
  run_options.alpha.method = transcription.method();
  run_options.controls = [&](double t, std::span<double> u) {
    const auto n = static_cast<int>(std::lround(t / run_options.step));
    const std::span<const double> at = transcription.controls(whole.x, n);
    std::copy(at.begin(), at.end(), u.begin());
  };
  dae::Simulator simulator(problem.system(), run_options);
  const dae::Solution& run = simulator.run();
  const dae::State end = transcription.state(whole.x, 20);
  for (std::size_t i = 0; i < end.v.size(); ++i) EXPECT_NEAR(end.v[i], run.final.v[i], 1e-8);
  for (std::size_t i = 0; i < end.q.size(); ++i) EXPECT_NEAR(end.q[i], run.final.q[i], 1e-9);
}

TEST(Shooting, FindsWhatTheSimultaneousTranscriptionFinds) {
  const std::map<std::string, double> general = {
      {"body.J2", 2}, {"body.J3", 3}, {"axis1", 1}, {"axis2", 1}};
  for (const std::string name : {"reorientation", "cart_pole", "crane"}) {
    SCOPED_TRACE(name);
    const Problem problem =
        make_problem(name, name == "reorientation" ? general : std::map<std::string, double>{});
    std::map<TranscriptionKind, Solution> found;
    for (const auto kind : {TranscriptionKind::kSimultaneous, TranscriptionKind::kMultipleShooting,
                            TranscriptionKind::kShooting}) {
      // Plain shooting of the unstable pole finds another valley.
      if (kind == TranscriptionKind::kShooting && name == "cart_pole") continue;
      SolveOptions options;
      options.transcription = shooting(kind, 40, 8);
      found[kind] = solve(problem, options);
      EXPECT_EQ(found[kind].summary.status, Status::kSolved);
      EXPECT_TRUE(found[kind].certificate.local_minimum);
    }
    const Solution& all = found[TranscriptionKind::kSimultaneous];
    for (const auto& [kind, solution] : found) {
      EXPECT_NEAR(solution.summary.cost / all.summary.cost, 1, 1e-8);
      // Costates come from the adjoint equations of the eliminated steps.
      EXPECT_NEAR(solution.costates.front()[0], all.costates.front()[0],
                  1e-4 * (1 + std::abs(all.costates.front()[0])));
    }
  }
}

TEST(Shooting, RefusesMoreSegmentsThanSteps) {
  SolveOptions options;
  options.transcription = shooting(TranscriptionKind::kMultipleShooting, 5, 6);
  EXPECT_THROW(solve(make_problem("reorientation"), options), InvalidArgument);
}

}  // namespace
}  // namespace liegrad::control
