// Grids of unequal steps, given and refined.

#include "liegrad/control/mesh.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "liegrad/control/nlp.hpp"
#include "liegrad/control/problems/built_in.hpp"
#include "liegrad/control/refine.hpp"

#include "expect_derivatives.hpp"
#include "expect_sentence.hpp"

namespace liegrad::control {
namespace {

/// Steps that grow along the horizon, the last one about three times as long as the first.
std::vector<double> graded(int steps) {
  std::vector<double> mesh;
  for (int n = 0; n <= steps; ++n) {
    const double s = static_cast<double>(n) / steps;
    mesh.push_back(0.5 * (s + s * s));
  }
  return mesh;
}

SolveOptions on(std::vector<double> mesh) {
  SolveOptions options;
  options.transcription.mesh = std::move(mesh);
  return options;
}

TEST(Mesh, OfEqualStepsChangesNothing) {
  for (const char* const name : {"reorientation", "spherical_pendulum"}) {
    const Problem problem = make_problem(name);
    SolveOptions equal;
    equal.transcription.steps = 20;
    std::vector<double> mesh;
    for (int n = 0; n <= 20; ++n) mesh.push_back(n / 20.0);
    const Solution a = solve(problem, equal), b = solve(problem, on(mesh));
    ASSERT_EQ(b.summary.status, Status::kSolved);
    EXPECT_EQ(b.summary.steps, 20);
    EXPECT_NEAR(a.summary.cost, b.summary.cost, 1e-9 * a.summary.cost) << name;
  }
}

TEST(Mesh, OfUnequalStepsHasOrderTwo) {
  const Problem problem = make_problem("reorientation");  // 48
  double last = 0;
  for (const int steps : {20, 40}) {
    const Solution solution = solve(problem, on(graded(steps)));
    ASSERT_EQ(solution.summary.status, Status::kSolved);
    EXPECT_TRUE(solution.certificate.local_minimum);
    EXPECT_NEAR(solution.states[5].t, graded(steps)[5], 1e-15);
    const double error = std::abs(solution.summary.cost - 48);
    EXPECT_LT(error / 48, 10.0 / (steps * steps));
    if (last > 0) {
      EXPECT_NEAR(last / error, 4, 0.4);
    }
    last = error;
  }
}

/// The a of a method that damps belongs to a time within its step: where the next step is of another length, it is moved.
/// A run that took it as it is would leave the optimum by an order.
TEST(Mesh, WithAMethodThatDampsHasDerivativesAndShootingFindsTheSame) {
  const dae::AlphaMethod damped{.parameters = dae::AlphaParameters::from_spectral_radius(0.8)};
  TranscriptionOptions options{
      .mesh = graded(4), .method = damped, .backend = ad::Backend::kInterpreted};
  const Problem problem = make_problem("spherical_pendulum");
  Transcription transcription(problem, options);
  EXPECT_TRUE(transcription.layout().rescales);
  Nlp nlp(transcription);
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> number(-0.3, 0.3);
  std::vector<double> x = transcription.guess();
  for (double& component : x) component += number(generator);
  expect_derivatives(nlp, x, [&](int i) { return transcription.variable_name(i); });

  SolveOptions both = on(graded(30));
  both.transcription.method = damped;
  const Problem turn = make_problem("reorientation", {{"angle", 1}});
  const Solution simultaneous = solve(turn, both);
  both.transcription.kind = TranscriptionKind::kShooting;
  const Solution shooting = solve(turn, both);
  ASSERT_EQ(shooting.summary.status, Status::kSolved);
  EXPECT_NEAR(simultaneous.summary.cost, shooting.summary.cost, 1e-7 * simultaneous.summary.cost);
  EXPECT_NEAR(simultaneous.summary.cost, 12, 0.3);
}

TEST(Mesh, IsRefinedWhereErrorsAreLarge) {
  const Problem problem = make_problem("time_optimal_reorientation");
  SolveOptions options;
  options.transcription.steps = 40;
  const Refined refined = refine(problem, options, {.tolerance = 3e-5, .adapts = true});
  ASSERT_TRUE(refined.reached);
  const RefinedGrid& last = refined.grids.back();
  EXPECT_GT(last.step_ratio, 3);  // short steps where torques jump
  EXPECT_NEAR(last.cost, 3.2430, 3e-4);
  EXPECT_LT(last.steps, 40 * (1 << (refined.grids.size() - 1)));
  // Neighbours differ by a factor of two at most.
  const std::vector<GridState>& states = refined.solution.states;
  for (std::size_t n = 2; n < states.size(); ++n) {
    const double ratio = (states[n].t - states[n - 1].t) / (states[n - 1].t - states[n - 2].t);
    EXPECT_LT(std::max(ratio, 1 / ratio), 2.01) << n;
  }
}

TEST(Mesh, MistakesAreNamed) {
  const Problem problem = make_problem("reorientation");
  const auto solve_on = [&](std::vector<double> mesh) { solve(problem, on(std::move(mesh))); };
  EXPECT_SENTENCE(solve_on({0, 0.5, 0.9}), "from 0 at its start to 1");
  EXPECT_SENTENCE(solve_on({0.1, 0.5, 1}), "from 0 at its start to 1");
  EXPECT_SENTENCE(solve_on({0, 0.5, 0.5, 1}), "does not ascend from point 1");
  EXPECT_SENTENCE(solve_on({0, std::nan(""), 1}), "does not ascend");
  EXPECT_SENTENCE(solve_on({0, 1}), "at least 2");
}

}  // namespace
}  // namespace liegrad::control
