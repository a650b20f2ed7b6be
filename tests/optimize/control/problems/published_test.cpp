// Values that others have published, and what certificates say of extremals that are no minima.

#include <gtest/gtest.h>

#include <cmath>

#include "liegrad/control/problems/built_in.hpp"

namespace liegrad::control {
namespace {

Solution solved(const std::string& name, const std::map<std::string, double>& given, int steps,
                const SolveOptions& given_options = {}) {
  const Problem problem = make_problem(name, given);
  SolveOptions options = given_options;
  options.transcription.steps = steps;
  Solution solution = solve(problem, options);
  // Without exact Hessians the last digits may be out of reach.
  const bool is_exact = options.hessian == HessianMode::kExact;
  EXPECT_TRUE(is_exact ? solution.summary.status == Status::kSolved
                       : is_solved(solution.summary.status))
      << name << ": " << solution.summary.message;
  return solution;
}

/// The limit of values with an error of order 2, from two grids.
double extrapolated(double coarse, double fine) { return fine + (fine - coarse) / 3; }

TEST(Published, TimeOptimalHalfTurnLeavesItsAxis) {
  // [BilimoriaWie1993]: 3.243.
  const Solution solution = solved("time_optimal_reorientation", {}, 200);
  EXPECT_NEAR(solution.summary.t_end, 3.2430, 5e-4);
  EXPECT_TRUE(solution.certificate.local_minimum);
  EXPECT_LT(std::abs(solution.certificate.hamiltonian_mean), 1e-8);
}

TEST(Published, TheTurnAboutTheAxisIsConvictedByItsInertia) {
  const Solution solution = solved("time_optimal_reorientation", {{"tilt", 0}}, 100);
  EXPECT_NEAR(solution.summary.t_end, 2 * std::sqrt(std::acos(-1.0)), 1e-3);
  EXPECT_FALSE(solution.certificate.local_minimum);
  EXPECT_GT(solution.certificate.negative, solution.certificate.equations);
}

TEST(Published, TimeOptimalQuarterTurn) {
  const double quarter = 0.5 * std::acos(-1.0);
  const double coarse =
      solved("time_optimal_reorientation", {{"angle", quarter}}, 60).summary.t_end;
  const double fine = solved("time_optimal_reorientation", {{"angle", quarter}}, 120).summary.t_end;
  EXPECT_NEAR(coarse, 2.4212, 2e-3);
  EXPECT_NEAR(extrapolated(coarse, fine), 2.4212, 5e-4);
}

TEST(Published, CartPole) {
  // [Kelly2017] and others: 58.8077.
  const Solution coarse = solved("cart_pole", {}, 200), fine = solved("cart_pole", {}, 400);
  EXPECT_NEAR(extrapolated(coarse.summary.cost, fine.summary.cost), 58.8077, 5e-4);
  EXPECT_TRUE(fine.certificate.local_minimum);
}

TEST(Published, TwoLinkArm) {
  // [Luus2000]: 2.9823.
  const Solution solution = solved("two_link_arm", {}, 200);
  EXPECT_NEAR(solution.summary.t_end, 2.9823, 3e-4);
  EXPECT_TRUE(solution.certificate.local_minimum);
}

TEST(Published, SphericalPendulumWithAndWithoutALimitOfItsReaction) {
  SolveOptions options;
  options.transcription.method = {.parameters = dae::AlphaParameters::from_spectral_radius(0.9)};
  EXPECT_NEAR(solved("spherical_pendulum", {}, 500, options).summary.cost, 27.0692, 5e-5);
  const Solution limited = solved("spherical_pendulum", {{"reaction_limit", 13}}, 500, options);
  EXPECT_NEAR(limited.summary.cost, 29.6944, 5e-5);
  EXPECT_TRUE(limited.certificate.local_minimum);
  for (const dae::State& state : limited.states) {
    double square = 0;
    for (const double x : state.lambda) square += x * x;
    EXPECT_LE(std::sqrt(square), 13 + 1e-5);
  }
}

TEST(Published, BodyWithThreeInertias) {
  // J = diag(1,2,3), 120° about (1,1,1), T = 1, ∫½|u|²: 98.17.
  const std::map<std::string, double> given = {{"body.J2", 2},
                                               {"body.J3", 3},
                                               {"angle", 2 * std::acos(-1.0) / 3},
                                               {"axis1", 1},
                                               {"axis2", 1}};
  const double coarse = solved("reorientation", given, 100).summary.cost / 2;
  const double fine = solved("reorientation", given, 200).summary.cost / 2;
  EXPECT_NEAR(coarse, 98.17, 0.02);
  // The limit: 98.1545 by the trapezoidal rule, 98.1534 with ρ∞ = 0.8.
  EXPECT_NEAR(extrapolated(coarse, fine), 98.154, 2e-3);
}

TEST(Constrained, TwoFormulationsApproachTheSameOptimum) {
  for (const std::string name :
       {"crane", "slider_crank_torque", "free_flyer", "spherical_pendulum"}) {
    SCOPED_TRACE(name);
    std::map<dae::Formulation, double> limit;
    for (const auto formulation : {dae::Formulation::kIndex3, dae::Formulation::kStabilized}) {
      SolveOptions options;
      options.transcription.formulation = formulation;
      const Solution coarse = solved(name, {}, 100, options), fine = solved(name, {}, 200, options);
      EXPECT_TRUE(fine.certificate.local_minimum);
      limit[formulation] = extrapolated(coarse.summary.cost, fine.summary.cost);
    }
    EXPECT_NEAR(limit[dae::Formulation::kIndex3] / limit[dae::Formulation::kStabilized], 1, 2e-4);
  }
}

// Methods that damp gain a cost of first order with their last controls; without damping the order is 2, and two grids are
// enough for what docs/control.md says.
TEST(Constrained, CostsWithoutDampingAreThoseOfTheDocument) {
  const std::map<std::string, double> known = {{"crane", 228.338544},
                                               {"slider_crank_torque", 1.91913448},
                                               {"free_flyer", 0.596614243},
                                               {"spherical_pendulum", 27.0681576},
                                               {"four_bar_torque", 1.71530271}};
  for (const auto& [name, cost] : known) {
    for (const auto formulation : {dae::Formulation::kIndex2, dae::Formulation::kStabilized}) {
      SolveOptions options;
      options.transcription.formulation = formulation;
      options.transcription.method =
          dae::AlphaMethod{.parameters = dae::AlphaParameters::newmark()};
      const Solution coarse = solved(name, {}, 100, options), fine = solved(name, {}, 200, options);
      EXPECT_TRUE(fine.certificate.local_minimum) << name;
      EXPECT_NEAR(extrapolated(coarse.summary.cost, fine.summary.cost) / cost, 1, 1.2e-5) << name;
    }
  }
}

TEST(Constrained, TheFreeFlyerKeepsItsMomentum) {
  const Solution solution = solved("free_flyer", {}, 100);
  const std::vector<double>& v = solution.states[50].v;
  EXPECT_NEAR(10 * v[0] + 2 * v[3], 0, 1e-8);
  EXPECT_NEAR(10 * v[1] + 2 * v[4], 0, 1e-8);
  EXPECT_GT(std::abs(v[2]), 0.05);  // the base turns meanwhile
}

TEST(LinearSolver, DoesNotChangeWhatIsFound) {
  SolveOptions blocks, mumps;
  blocks.linear_solver = LinearSolver::kBlocks;
  mumps.linear_solver = LinearSolver::kMumps;
  for (const std::string name : {"spherical_pendulum", "cart_pole", "two_link_arm"}) {
    const Solution a = solved(name, {}, 50, blocks), b = solved(name, {}, 50, mumps);
    EXPECT_EQ(a.summary.linear_solver, "blocks");
    EXPECT_EQ(b.summary.linear_solver, "mumps");
    EXPECT_NEAR(a.summary.cost, b.summary.cost, 1e-7 * std::abs(b.summary.cost)) << name;
    EXPECT_TRUE(a.certificate.local_minimum && b.certificate.local_minimum) << name;
  }
}

TEST(Hessian, IsExactSoThatTheLastIterationsConvergeQuadratically) {
  const std::map<std::string, double> given = {{"body.J2", 2}, {"body.J3", 3}, {"axis1", 1}};
  SolveOptions options;
  options.tolerance = 1e-12;
  const Solution solution = solved("reorientation", given, 50, options);
  // Errors e_{k+1} ≤ C e_k² while they are above rounding; the slope of a linear method would be 1.
  std::vector<double> errors;
  for (std::size_t i = 0; i < solution.primal_history.size(); ++i) {
    errors.push_back(std::max(solution.primal_history[i], solution.dual_history[i]));
  }
  double best = 0;
  for (std::size_t i = 1; i + 1 < errors.size(); ++i) {
    if (errors[i] > 0.1 || errors[i + 1] < 1e-13) continue;
    best = std::max(best, std::log(errors[i + 1]) / std::log(errors[i]));
  }
  EXPECT_GT(best, 1.7);
}

TEST(Hessian, NeedsAtMostHalfTheIterationsOfLimitedMemory) {
  SolveOptions exact, lbfgs;
  exact.tolerance = lbfgs.tolerance = 1e-8;
  lbfgs.hessian = HessianMode::kLimitedMemory;
  const std::map<std::string, double> general = {
      {"body.J2", 2}, {"body.J3", 3}, {"axis1", 1}, {"axis2", 1}};
  for (const std::string name : {"spherical_pendulum", "reorientation", "crane", "cart_pole"}) {
    const auto given = name == "reorientation" ? general : std::map<std::string, double>{};
    EXPECT_LE(2 * solved(name, given, 50, exact).summary.iterations,
              solved(name, given, 50, lbfgs).summary.iterations)
        << name;
  }
}

}  // namespace
}  // namespace liegrad::control
