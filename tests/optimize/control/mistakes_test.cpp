// Problems that make no sense get a sentence; problems that have no solution an honest status.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "liegrad/control/problems/built_in.hpp"
#include "liegrad/control/problems/turning_body.hpp"
#include "liegrad/dae/system/element.hpp"

#include "expect_sentence.hpp"

namespace liegrad::control {
namespace {

SolveOptions interpreted(int steps) {
  SolveOptions options;
  options.transcription.steps = steps;
  return options;
}

TEST(Mistakes, AreNamedWithTheirRemedy) {
  Problem problem(turning_body(), "test");
  EXPECT_SENTENCE(problem.set_horizon(0), "must be positive");
  EXPECT_SENTENCE(problem.set_horizon(std::nan("")), "must be positive");
  EXPECT_SENTENCE(problem.set_control_bounds("body.u1", {1, -1}), "exclude everything");
  EXPECT_SENTENCE(problem.set_control_bounds("body.w1", {-1, 1}), "body.u1");
  EXPECT_SENTENCE(problem.fix_end_configuration("bodi", {1, 0, 0, 0}), "body");
  EXPECT_SENTENCE(problem.fix_end_configuration("body", {1, 0}), "4 coefficients");
  EXPECT_SENTENCE(problem.fix_end_velocity("body", {3}), "counted from 0 to 2");
  EXPECT_SENTENCE(problem.bound_coordinate("body", 0, {0, 1}), "not in R^n");
  EXPECT_SENTENCE(problem.set_free_horizon(5, {1, 2}), "outside its bounds");
  EXPECT_SENTENCE(solve(problem, interpreted(1)), "at least 2");
  EXPECT_SENTENCE(make_problem("reorientatio"), "reorientation");
  EXPECT_SENTENCE(make_problem("reorientation", {{"angel", 1}}), "angle");
  EXPECT_SENTENCE(make_problem("reorientation", {{"axis3", 0}}), "zero");
  EXPECT_SENTENCE(make_problem("cart_pole", {{"track", -1}}), "exclude everything");
  SolveOptions options = interpreted(4);
  options.ipopt["max_iters"] = "3";
  EXPECT_SENTENCE(solve(make_problem("reorientation"), options), "no option 'max_iters'");
  options.ipopt = {{"max_iter", "three"}};
  EXPECT_SENTENCE(solve(make_problem("reorientation"), options), "takes a number");
}

TEST(Mistakes, ElementsAreAskedWhetherTheyMakeSense) {
  for (const int stages : {0, 2}) {
    SolveOptions options = interpreted(4);
    options.transcription.radau_stages = stages;
    EXPECT_SENTENCE(solve(make_problem("reorientation", {{"body.J1", -1}}), options),
                    "element 'body' has inertia J1 = -1; it must be positive");
  }
}

/// A pendulum whose end is where its joint does not let it be.
TEST(Unsolvable, ConditionsThatContradictAJointAreSaid) {
  Problem problem = make_problem("spherical_pendulum");
  problem.add_end_constraint("height", [](const auto& at) { return at.frame("body").position(2); },
                             {.lower = 1.5});
  SolveOptions options = interpreted(20);
  options.max_iterations = 200;
  const Solution solution = solve(problem, options);
  EXPECT_FALSE(is_solved(solution.summary.status)) << solution.summary.message;
  ASSERT_FALSE(solution.summary.violations.empty());
  EXPECT_GT(solution.summary.violations.front().size, 1e-2);
  EXPECT_EQ(solution.states.size(), 21U);
}

TEST(Mistakes, ASystemWithoutControlsIsRefused) {
  dae::System system("still");
  system.add_node("x", lie::NodeGroup::rn(1));
  EXPECT_SENTENCE(Problem(system, "test"), "has no controls");
}

/// A mass with two controls, of which one is read by nobody.
struct IdleControl {
  dae::ElementShape shape() const {
    return {.type = "idle_control",
            .nodes = {{dae::NodeRole::kCoordinates, 1}},
            .controls = {"force", "nothing"}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    balance.row(0, 0) += at.acceleration_coordinates(0)(0) - at.control(0);
  }
};

TEST(Mistakes, AControlThatActsOnNothingIsRefused) {
  const auto make = [] {
    dae::System system("mass");
    system.add_node("x", lie::NodeGroup::rn(1));
    system.add("motor", IdleControl{}, {"x"});
    return Problem(std::move(system), "test");
  };
  EXPECT_SENTENCE(make(), "reads its control 'nothing'");
}

TEST(Mistakes, APathConstraintThatTheStartViolatesIsRefused) {
  Problem problem = make_problem("reorientation");
  problem.add_path_constraint("lowest spin", [](const auto& at) { return at.velocity("body")(0); },
                              {.lower = 1});
  EXPECT_SENTENCE(solve(problem, interpreted(4)), "lowest spin at point 0 is violated");
}

TEST(Mistakes, AVelocityFixedOutsideItsBoundsIsRefused) {
  Problem problem = make_problem("reorientation");
  problem.bound_velocity("body", 0, {1, 2});
  EXPECT_SENTENCE(solve(problem, interpreted(4)), "outside its bounds, velocity, body");
}

TEST(Unsolvable, AnUnreachableTargetIsInfeasibleAndSaysWhere) {
  Problem problem = make_problem("reorientation");
  for (const char* const control : {"body.u1", "body.u2", "body.u3"}) {
    problem.set_control_bounds(control, {-0.1, 0.1});
  }
  const Solution solution = solve(problem, interpreted(20));
  EXPECT_FALSE(is_solved(solution.summary.status)) << solution.summary.message;
  EXPECT_EQ(solution.summary.violations.size(), 5U);
  EXPECT_GT(solution.summary.violations.front().size, 1e-3);
  EXPECT_FALSE(solution.summary.violations.front().name.empty());
  EXPECT_EQ(solution.states.size(), 21U);
}

/// A joint that can hold less than the weight: iterates turn ever further, and nobody asks them to stop.
TEST(Unsolvable, AReactionThatIsTooSmallIsNoRequestToStop) {
  SolveOptions options = interpreted(20);
  options.max_iterations = 300;
  const Solution solution =
      solve(make_problem("spherical_pendulum", {{"reaction_limit", 1}}), options);
  EXPECT_FALSE(is_solved(solution.summary.status));
  EXPECT_NE(solution.summary.status, Status::kInterrupted) << solution.summary.message;
  EXPECT_FALSE(solution.summary.violations.empty());
  EXPECT_EQ(solution.states.size(), 21u);
}

TEST(Unsolvable, LimitsAndInterruptsKeepTheLastIterate) {
  SolveOptions options = interpreted(20);
  options.max_iterations = 2;
  const Problem problem = make_problem("cart_pole");
  EXPECT_EQ(solve(problem, options).summary.status, Status::kIterations);
  options.max_iterations = 100;
  options.observe = [](int iteration, double, double) { return iteration < 3; };
  const Solution solution = solve(problem, options);
  EXPECT_EQ(solution.summary.status, Status::kInterrupted);
  EXPECT_EQ(solution.controls.size(), 21U);
}

// The optimum without the logarithm has |u3| = 12: the first whole step leads to where there is none.
TEST(Unsolvable, ALineSearchThatMeetsNaNTurnsBack) {
  Problem problem = make_problem("reorientation");
  problem.add_running_cost([](const auto& at) {
    using std::log;
    const auto& u = at.control("body.u3");
    using S = std::decay_t<decltype(u)>;
    return S(-log(S(100) - u * u));
  });
  const Solution solution = solve(problem, interpreted(20));
  EXPECT_TRUE(is_solved(solution.summary.status)) << solution.summary.message;
  for (const std::vector<double>& u : solution.controls) EXPECT_LT(std::abs(u[2]), 10);
  EXPECT_GT(solution.summary.iterations, 3);
}

TEST(Unsolvable, ACostThatIsNotFiniteIsSaid) {
  Problem problem = make_problem("reorientation");
  problem.add_running_cost([](const auto& at) {
    using S = std::decay_t<decltype(at.time())>;
    return S(1) / (at.control("body.u1") - at.control("body.u1"));
  });
  const Solution solution = solve(problem, interpreted(4));
  EXPECT_FALSE(is_solved(solution.summary.status));
  EXPECT_FALSE(solution.summary.message.empty());
}

/// A request is heard within a factorisation, a run and a certificate, not only between iterations.
TEST(Limits, ARequestToStopIsHeardInEverythingThatTakesLong) {
  for (const TranscriptionKind kind :
       {TranscriptionKind::kSimultaneous, TranscriptionKind::kShooting}) {
    long calls = 0, limit = std::numeric_limits<long>::max();
    SolveOptions options = interpreted(60);
    options.transcription.kind = kind;
    options.stop = [&] { return ++calls > limit; };
    const Problem problem = make_problem("spherical_pendulum");
    const Solution whole = solve(problem, options);
    ASSERT_EQ(whole.summary.status, Status::kSolved);
    EXPECT_TRUE(whole.certificate.is_complete);
    // More often than once a step of each iteration.
    EXPECT_GT(calls, 60 * whole.summary.iterations);
    const long all = calls;
    for (const double share : {0.0, 0.001, 0.3, 0.7}) {
      calls = 0;
      limit = static_cast<long>(share * static_cast<double>(all));
      const Solution stopped = solve(problem, options);
      // The certificate, whose run has the finest steps, asks more often than the search.
      const bool in_certificate = share > 0.01 && is_solved(stopped.summary.status);
      if (!in_certificate) {
        EXPECT_EQ(stopped.summary.status, Status::kInterrupted) << share;
      }
      EXPECT_FALSE(stopped.certificate.is_complete) << share;
      EXPECT_LE(calls, limit + 1) << share;  // it stays asked for
      EXPECT_EQ(stopped.states.size(), 61u);
    }
    calls = 0;
    limit = all - 20;
    const Solution late = solve(problem, options);
    EXPECT_EQ(late.summary.status, Status::kSolved);
    EXPECT_FALSE(late.certificate.is_complete);
  }
}

TEST(Limits, ATimeLimitEndsASearchWithinAFactorisation) {
  SolveOptions options = interpreted(2000);
  options.time_limit = 1e-3;
  const Solution solution = solve(make_problem("spherical_pendulum"), options);
  EXPECT_EQ(solution.summary.status, Status::kTime);
  EXPECT_EQ(solution.summary.iterations, 0);
  EXPECT_EQ(solution.states.size(), 2001u);
}

}  // namespace
}  // namespace liegrad::control
