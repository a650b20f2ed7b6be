// Several phases: against the same motion in one phase, against closed forms, and with mistakes.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "liegrad/control/continuation.hpp"
#include "liegrad/control/other_guess.hpp"
#include "liegrad/control/phased_program.hpp"
#include "liegrad/control/problems/built_in.hpp"
#include "liegrad/control/problems/rotation_target.hpp"
#include "liegrad/control/problems/turning_body.hpp"
#include "liegrad/control/refine.hpp"
#include "liegrad/control/solve_phases.hpp"
#include "liegrad/elements/bodies/point_mass.hpp"
#include "liegrad/elements/forces/actuators.hpp"
#include "liegrad/elements/joints/distance_joint.hpp"

#include "expect_derivatives.hpp"
#include "expect_sentence.hpp"

namespace liegrad::control {
namespace {

SolveOptions with_steps(int steps) {
  SolveOptions options;
  options.transcription.steps = steps;
  return options;
}

/// A body with three inertias, turned by an angle about a slanted axis within a time.
Problem turn(double time, const lie::Vec<double, 3>& rotation, bool ends) {
  dae::System system = turning_body();
  system.set_parameter("body.J2", 2);
  system.set_parameter("body.J3", 3);
  Problem problem(std::move(system), ends ? "turn" : "turn to somewhere");
  problem.set_horizon(time);
  problem.add_running_cost(TorqueSquare{});
  if (ends) {
    problem.fix_end_configuration("body", rotation_coeffs(rotation));
    problem.fix_end_velocity("body");
  }
  return problem;
}

TEST(Phases, TwoHalvesWithTheSameControlsAreTheWhole) {
  for (const double angle : {1.0, 3.0}) {
    const lie::Vec<double, 3> rotation = angle * lie::Vec<double, 3>(1, -2, 2) / 3;
    const Solution whole = solve(turn(1, rotation, true), with_steps(40));
    PhasedProblem halves("halves");
    halves.add_phase(turn(0.4, rotation, false), 16);
    halves.add_phase(turn(0.6, rotation, true), 24);
    for (const char* const control : {"body.u1", "body.u2", "body.u3"}) {
      halves.link(1).keep_control(control);
    }
    const PhasedSolution both = solve(halves);
    ASSERT_EQ(both.summary.status, Status::kSolved);
    EXPECT_TRUE(both.certificate.local_minimum);
    EXPECT_EQ(both.summary.linear_solver, whole.summary.linear_solver);
    EXPECT_NEAR(both.summary.cost, whole.summary.cost, 1e-8 * whole.summary.cost);
    EXPECT_NEAR(both.start_times[1], 0.4, 1e-15);
    for (std::size_t n = 0; n <= 40; ++n) {
      const Solution& phase = both.phases[n <= 16 ? 0 : 1];
      const std::size_t at = n <= 16 ? n : n - 16;
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(phase.controls[at][i], whole.controls[n][i], 1e-5) << n;
        EXPECT_NEAR(phase.states[at].v[i], whole.states[n].v[i], 1e-6) << n;
      }
    }
    // The Hamiltonian goes on through the link.
    EXPECT_NEAR(both.phases[0].certificate.hamiltonian_mean,
                both.phases[1].certificate.hamiltonian_mean,
                2e-2 * std::abs(both.phases[0].certificate.hamiltonian_mean));
  }
}

TEST(Phases, TheLeastTimeThroughAFreeAttitudeIsThatOfOnePhase) {
  const Problem one = make_problem("time_optimal_reorientation");
  const Solution whole = solve(one, with_steps(100));
  const auto part = [&](bool ends) {
    Problem problem(turning_body(), ends ? "second" : "first");
    for (const char* const control : {"body.u1", "body.u2", "body.u3"}) {
      problem.set_control_bounds(control, {-1, 1});
    }
    if (ends) {
      problem.set_free_horizon(2);
      problem.fix_end_configuration("body", rotation_coeffs({0, 0, std::acos(-1.0)}));
      problem.fix_end_velocity("body");
      problem.add_end_cost([](const auto& at) { return at.time(); });
    } else {
      problem.set_horizon(whole.summary.t_end / 2);
    }
    // The guess of the whole, cut in two.
    problem.set_guess(
        [guess = one.guess(), ends](double s) { return guess(ends ? 0.5 + 0.5 * s : 0.5 * s); });
    return problem;
  };
  PhasedProblem halves("halves");
  halves.add_phase(part(false), 50);
  halves.add_phase(part(true), 50);
  const PhasedSolution both = solve(halves);
  ASSERT_EQ(both.summary.status, Status::kSolved) << both.summary.message;
  EXPECT_TRUE(both.certificate.local_minimum);
  EXPECT_NEAR(both.summary.t_end, 3.2430, 1e-3);
  EXPECT_NEAR(both.summary.t_end, whole.summary.t_end, 5e-4);
}

/// A point on a line without gravity, moved by a force.
dae::System point(double mass) {
  dae::System system("point");
  system.add_node("point", lie::NodeGroup::rn(3));
  system.add("point", elements::PointMass{}, {"point"}, {.values = {{"m", mass}, {"gravity3", 0}}});
  system.add("drive", elements::ActuatorForce{}, {"point"});
  return system;
}

struct ForceSquare {
  template <class At>
  auto operator()(const At& at) const {
    const auto &f1 = at.control("drive.f1"), &f2 = at.control("drive.f2"),
               &f3 = at.control("drive.f3");
    using S = std::decay_t<decltype(f1)>;
    return S(f1 * f1 + f2 * f2 + f3 * f3);
  }
};

Problem drive(double mass, bool ends) {
  Problem problem(point(mass), ends ? "arrive" : "start");
  problem.set_horizon(1);
  problem.add_running_cost(ForceSquare{});
  if (ends) {
    problem.fix_end_configuration("point", {1, 0, 0});
    problem.fix_end_velocity("point");
  }
  return problem;
}

/// From rest at 0 to rest at 1 in two seconds; the velocity doubles after one. With the least cost of each phase,
/// 12 x² - 12 x v + 4 v² from rest, and likewise to rest, the least of their sum is 60/37 at x = 14/37, v = 18/37.
TEST(Phases, AJumpOfTheVelocityHasTheCostOfTheClosedForm) {
  double last_error = 0;
  for (const int steps : {40, 80}) {
    PhasedProblem problem("jump");
    problem.add_phase(drive(1, false), steps);
    problem.add_phase(drive(1, true), steps);
    problem.link(1).free_velocity("point");
    problem.link(1).add_condition("the velocity doubles", [](const auto& end, const auto& start) {
      const auto before = end.velocity("point"), after = start.velocity("point");
      using S = std::decay_t<decltype(before(0))>;
      return std::vector<S>{S(after(0) - S(2) * before(0)), S(after(1) - S(2) * before(1)),
                            S(after(2) - S(2) * before(2))};
    });
    const PhasedSolution solution = solve(problem);
    ASSERT_EQ(solution.summary.status, Status::kSolved);
    EXPECT_TRUE(solution.certificate.local_minimum);
    EXPECT_NEAR(solution.phases[0].states.back().v[0], 18.0 / 37, 1e-3);
    EXPECT_NEAR(solution.phases[1].states.front().v[0], 36.0 / 37, 2e-3);
    EXPECT_NEAR(solution.phases[1].states.front().q[0], 14.0 / 37, 1e-3);
    const double error = std::abs(solution.summary.cost - 60.0 / 37);
    EXPECT_LT(error, 4.0 / (steps * steps));
    if (last_error > 0) {
      EXPECT_NEAR(last_error / error, 4, 0.3);
    }
    last_error = error;
  }
}

TEST(Phases, AJumpThatIsFreeIsUsed) {
  PhasedProblem problem("free jump");
  problem.add_phase(drive(1, false), 20);
  problem.add_phase(drive(1, true), 20);
  problem.link(1).free_configuration("point", {0});
  const PhasedSolution solution = solve(problem);
  ASSERT_EQ(solution.summary.status, Status::kSolved);
  EXPECT_NEAR(solution.summary.cost, 0, 1e-9);  // it jumps to where it shall end
  EXPECT_NEAR(solution.phases[1].states.front().q[0], 1, 1e-6);
}

TEST(Phases, HaveTheDerivativesOfDifferences) {
  PhasedProblem problem("jump");
  for (const bool ends : {false, true}) {
    Problem phase = drive(ends ? 1 : 2, ends);
    phase.free_parameter("point.m", {0.5, 3});
    phase.set_free_horizon(1);
    problem.add_phase(std::move(phase), 3);
  }
  problem.bound_total_time({1, 3});
  problem.link(1).free_velocity("point");
  problem.link(1).add_condition("momentum", [](const auto& end, const auto& start) {
    const auto before = end.velocity("point"), after = start.velocity("point");
    using S = std::decay_t<decltype(before(0))>;
    return S(end.parameter("point.m") * before(0) * before(0) - after(0) * after(1));
  });
  const StopRequest never;
  PhasedProgram program(problem, {.backend = ad::Backend::kInterpreted}, never);
  std::mt19937 generator(5);
  std::uniform_real_distribution<double> number(-0.4, 0.4);
  std::vector<double> x = program.guess();
  for (double& component : x) component += number(generator);
  expect_derivatives(program, x, [](int i) { return std::to_string(i); });
}

TEST(Phases, ShareParametersOfTheSameName) {
  PhasedProblem problem("shared");
  for (const bool ends : {false, true}) {
    Problem phase = drive(2, ends);
    phase.free_parameter("point.m", {ends ? 0.7 : 0.5, 3});
    problem.add_phase(std::move(phase), 20);
  }
  const PhasedSolution solution = solve(problem);
  ASSERT_EQ(solution.summary.status, Status::kSolved);
  const auto mass =
      static_cast<std::size_t>(problem.phase(0).problem.system().parameter_index("point.m"));
  EXPECT_NEAR(solution.phases[0].parameters[mass], 0.7, 1e-6);
  EXPECT_NEAR(solution.phases[1].parameters[mass], 0.7, 1e-6);
  // 12 m²x²/T³ of one phase of two seconds.
  EXPECT_NEAR(solution.summary.cost, 12 * 0.49 / 8, 1e-2);
}

TEST(Phases, AJointThatBeginsIsSatisfiedFromItsStart) {
  PhasedProblem problem("catch");
  dae::System flying = point(1);
  flying.set_initial_configuration("point", {1, 0, 0});
  Problem free(std::move(flying), "fly");
  free.set_horizon(1);
  free.add_running_cost(ForceSquare{});
  problem.add_phase(std::move(free), 20);
  dae::System system = point(1);
  system.add("rod", elements::DistanceJoint{}, {"ground", "point"}, {.values = {{"l", 2}}});
  system.set_initial_configuration("point", {2, 0, 0});
  Problem held(std::move(system), "swing");
  held.set_horizon(1);
  held.add_running_cost(ForceSquare{});
  held.fix_end_configuration("point", {0, 2, 0}, {0, 2});
  held.fix_end_velocity("point", {0, 2});
  held.set_guess([](double s) {
    return std::vector<double>{2 * std::cos(1.5 * s), 2 * std::sin(1.5 * s), 0};
  });
  problem.add_phase(std::move(held), 20);
  const PhasedSolution solution = solve(problem);
  ASSERT_EQ(solution.summary.status, Status::kSolved) << solution.summary.message;
  const dae::State& start = solution.phases[1].states.front();
  EXPECT_NEAR(std::hypot(start.q[0], start.q[1], start.q[2]), 2, 1e-7);
  EXPECT_NEAR(start.q[0] * start.v[0] + start.q[1] * start.v[1] + start.q[2] * start.v[2], 0, 1e-7);
  EXPECT_GT(std::hypot(start.v[0], start.v[1]), 0.1);
  EXPECT_TRUE(solution.certificate.resimulated);
  EXPECT_LT(solution.certificate.resimulation_miss, 5e-2);
}

TEST(Phases, TheCraneThatDropsItsLoadIsOptimal) {
  SolveOptions options;
  options.transcription.method =
      dae::AlphaMethod{.parameters = dae::AlphaParameters::from_spectral_radius(1)};
  options.transcription.formulation = dae::Formulation::kStabilized;
  const PhasedSolution solution = solve(make_phased_problem("drop_payload", 60), options);
  ASSERT_EQ(solution.summary.status, Status::kSolved) << solution.summary.message;
  EXPECT_TRUE(solution.certificate.local_minimum);
  EXPECT_NEAR(solution.summary.t_end, 6, 1e-9);
  EXPECT_NEAR(solution.phases[0].states.back().q[3], 3, 1e-9);
  // The time of the drop is optimal: both phases have the same Hamiltonian.
  const double h = solution.phases[0].certificate.hamiltonian_mean;
  EXPECT_NEAR(solution.phases[1].certificate.hamiltonian_mean, h, 2e-2 * std::abs(h));
  EXPECT_LT(solution.certificate.resimulation_miss, 1e-2);
}

TEST(Phases, MistakesAreNamed) {
  PhasedProblem problem("test");
  EXPECT_SENTENCE(solve(problem), "has no phases");
  EXPECT_SENTENCE(problem.add_phase(drive(1, false), 1), "at least 2");
  problem.add_phase(drive(1, false), 4);
  EXPECT_SENTENCE(problem.link(1), "no link that leads to phase 1");
  Problem periodic(point(1), "round");
  periodic.make_periodic("point");
  EXPECT_SENTENCE(problem.add_phase(periodic, 4), "phase 2: a periodic problem");
  problem.add_phase(drive(1, true), 4);
  EXPECT_SENTENCE(problem.link(1).free_velocity("pont"), "point");
  EXPECT_SENTENCE(problem.link(1).free_velocity("point", {3}), "counted from 0 to 2");
  EXPECT_SENTENCE(problem.link(1).keep_control("drive.f4"), "drive.f");
  EXPECT_SENTENCE(problem.link(1).add_condition(
                      "nothing", [](const auto& end, const auto&) { return end.time(); }, {1, 0}),
                  "exclude everything");
  EXPECT_SENTENCE(problem.bound_total_time({2, 1}), "exclude everything");
  SolveOptions options;
  options.transcription.kind = TranscriptionKind::kShooting;
  EXPECT_SENTENCE(solve(problem, options), "simultaneous");
  options = {};
  options.find_gains = true;
  EXPECT_SENTENCE(solve(problem, options), "one phase only");
  problem.bound_total_time({2, 2});
  EXPECT_SENTENCE(solve(problem), "no phase has a free horizon");

  PhasedProblem other("other");
  other.add_phase(drive(1, false), 4);
  dae::System body("turning");
  body.add_node("point", lie::NodeGroup::so3());
  body.add("body", TurningBody{}, {"point"});
  EXPECT_SENTENCE(other.add_phase(Problem(body, "turn"), 4), "another group");
  PhasedProblem turns("turns");
  for (const bool ends : {false, true}) turns.add_phase(turn(1, {0, 0, 1}, ends), 4);
  EXPECT_SENTENCE(turns.link(1).free_configuration("body", {0}), "as a whole");
  EXPECT_SENTENCE(make_problem("drop_payload"), "has phases");
  EXPECT_SENTENCE(make_phased_problem("crane", 10), "one phase");
  EXPECT_SENTENCE(make_phased_problem("drop_payload", 10, {{"distence", 1}}), "distance");
}

/// A turn in two phases whose link lets the controls jump, which they do not use.
PhasedProblem two_turns(int steps) {
  PhasedProblem problem("two turns");
  for (const bool ends : {false, true}) problem.add_phase(turn(0.5, {0.4, -0.8, 0.8}, ends), steps);
  return problem;
}

TEST(Phases, ASolutionIsLeftWithinThreeIterations) {
  const PhasedProblem problem = two_turns(12);
  const PhasedSolution first = solve(problem), again = solve_from(first, problem);
  ASSERT_EQ(again.summary.status, Status::kSolved);
  EXPECT_LE(again.summary.iterations, 3);
  EXPECT_GT(first.summary.iterations, 3);
  EXPECT_NEAR(again.summary.cost, first.summary.cost, 1e-8 * first.summary.cost);
  // Another grid begins with the interpolated motion.
  const PhasedSolution finer = solve_from(first, two_turns(17)), fresh = solve(two_turns(17));
  ASSERT_EQ(finer.summary.status, Status::kSolved);
  EXPECT_NEAR(finer.summary.cost, fresh.summary.cost, 1e-7 * fresh.summary.cost);

  PhasedSolution half = first;
  half.phases.pop_back();
  EXPECT_SENTENCE(solve_from(half, problem), "has 1 phases, not 2");
  PhasedProblem changed = problem;
  EXPECT_SENTENCE(changed.set_problem(0, turn(0.5, {0, 0, 1}, false)), "by a copy of it only");
  EXPECT_SENTENCE(changed.set_grid(1, 1), "phase 2: 1 steps are too few");
  EXPECT_SENTENCE(changed.set_grid(2, 4), "no phase 2");
}

TEST(Phases, AreRefinedWithTheOrderOfOnePhase) {
  const RefinedPhases refined = refine(two_turns(6), {}, {.tolerance = 1e-4});
  ASSERT_TRUE(refined.reached);
  EXPECT_NEAR(refined.grids.back().order, 2, 0.1);
  for (std::size_t k = 0; k < refined.grids.size(); ++k) {
    EXPECT_EQ(refined.grids[k].steps, 12 << k);
  }
  // The same motion in one phase, on a grid of its own.
  const Problem whole = turn(1, {0.4, -0.8, 0.8}, true);
  const Refined one = refine(whole, with_steps(12), {.tolerance = 1e-4});
  EXPECT_NEAR(refined.grids.back().extrapolated, one.grids.back().extrapolated,
              1e-4 * one.grids.back().extrapolated);
  const RefinedPhases adapted = refine(two_turns(6), {}, {.tolerance = 1e-3, .adapts = true});
  ASSERT_TRUE(adapted.reached);
  EXPECT_GT(adapted.grids.back().step_ratio, 1.5);
}

TEST(Phases, AreFollowedAlongAParameter) {
  const auto make = [](double angle) {
    PhasedProblem problem("turns by " + std::to_string(angle));
    for (const bool ends : {false, true}) problem.add_phase(turn(0.5, {0, 0, angle}, ends), 10);
    return problem;
  };
  const FollowedPhases followed = follow(make, 0.5, 1.5, 2, {});
  ASSERT_TRUE(followed.reached);
  EXPECT_EQ(followed.path.size(), 3u);
  // About one axis the cost grows with the square of the angle.
  EXPECT_NEAR(followed.path[2].cost, 9 * followed.path[0].cost, 1e-6 * followed.path[2].cost);
}

TEST(Phases, HaveOtherGuessesThatAreDrawnByTheirNumber) {
  const PhasedProblem problem = two_turns(10);
  const PhasedProblem other = with_other_guess(problem, 3), same = with_other_guess(problem, 3);
  for (int k = 0; k < 2; ++k) {
    EXPECT_EQ(other.phase(k).problem.control_guess(), same.phase(k).problem.control_guess());
    EXPECT_NE(other.phase(k).problem.control_guess(), problem.phase(k).problem.control_guess());
    EXPECT_EQ(other.phase(k).problem.guess()(0.3), same.phase(k).problem.guess()(0.3));
  }
  const PhasedSolution found = solve(other);
  ASSERT_EQ(found.summary.status, Status::kSolved);
  EXPECT_NEAR(found.summary.cost, solve(problem).summary.cost, 1e-6 * found.summary.cost);
}

TEST(Phases, WhatCannotBeReachedIsToldWithItsPhase) {
  PhasedProblem problem("weak");
  for (const bool ends : {false, true}) {
    Problem phase = drive(1, ends);
    for (const char* const control : {"drive.f1", "drive.f2", "drive.f3"}) {
      phase.set_control_bounds(control, {-0.1, 0.1});
    }
    problem.add_phase(std::move(phase), 10);
  }
  const PhasedSolution solution = solve(problem);
  EXPECT_FALSE(is_solved(solution.summary.status));
  ASSERT_FALSE(solution.summary.violations.empty());
  EXPECT_EQ(solution.summary.violations.front().name.substr(0, 6), "phase ");
  EXPECT_GT(solution.summary.violations.front().size, 1e-3);
  EXPECT_EQ(solution.phases[1].states.size(), 11u);
}

}  // namespace
}  // namespace liegrad::control
