// Searches that begin with what another one found.

#include <gtest/gtest.h>

#include "liegrad/control/continuation.hpp"
#include "liegrad/control/other_guess.hpp"
#include "liegrad/control/problems/built_in.hpp"
#include "liegrad/control/refine.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::control {
namespace {

SolveOptions steps_of(int steps) {
  SolveOptions options;
  options.transcription.steps = steps;
  return options;
}

TEST(Again, ASecondSearchHasTheBitsOfTheFirst) {
  // By more than half a turn: the first search moves the reference.
  const Problem problem = make_problem("time_optimal_reorientation", {{"angle", 2.5}});
  Solver solver(problem, steps_of(20));
  const Solution first = solver.solve(), second = solver.solve();
  EXPECT_TRUE(is_solved(first.summary.status));
  EXPECT_EQ(first.x, second.x);
  EXPECT_EQ(first.summary.iterations, second.summary.iterations);
}

TEST(Again, ASolutionIsLeftWithinThreeIterations) {
  for (const char* const name : {"spherical_pendulum", "cart_pole", "two_link_arm", "free_flyer"}) {
    const Problem problem = make_problem(name);
    Solver solver(problem, steps_of(40));
    const Solution first = solver.solve(), again = solver.solve_from(first);
    EXPECT_TRUE(is_solved(again.summary.status)) << name;
    EXPECT_LE(again.summary.iterations, 3) << name << " after " << first.summary.iterations;
    EXPECT_NEAR(again.summary.cost / first.summary.cost, 1, 1e-8) << name;
  }
}

TEST(Again, AnotherGridBeginsWithTheInterpolatedMotion) {
  const Problem problem = make_problem("spherical_pendulum", {{"reaction_limit", 13}});
  const Solution coarse = solve(problem, steps_of(40));
  const Solution cold = solve(problem, steps_of(100)),
                 warm = solve_from(coarse, problem, steps_of(100));
  EXPECT_TRUE(is_solved(warm.summary.status));
  EXPECT_NEAR(warm.summary.cost / cold.summary.cost, 1, 1e-7);
  EXPECT_LT(warm.summary.iterations, cold.summary.iterations);
}

TEST(Again, ASolutionOfAnotherSystemIsRefused) {
  const Solution solution = solve(make_problem("reorientation"), steps_of(4));
  try {
    solve_from(solution, make_problem("cart_pole"), steps_of(4));
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("another system"), std::string::npos) << error.what();
  }
}

TEST(Refine, EstimatesTheErrorOfAClosedForm) {
  const Problem problem = make_problem("reorientation", {{"angle", 3}});
  const Refined refined = refine(problem, steps_of(10), {.tolerance = 1e-4});
  ASSERT_TRUE(refined.reached);
  const RefinedGrid& last = refined.grids.back();
  const double exact = 12 * 9, error = std::abs(last.cost - exact);
  EXPECT_NEAR(last.order, 2, 0.05);
  EXPECT_NEAR(last.error / error, 1, 0.1);
  EXPECT_NEAR(last.extrapolated / exact, 1, 1e-6);
}

// The swing-up of the cart-pole has two valleys: the published one, where the cart goes forward at once, and a lower one,
// where it goes back first, which shooting finds from zero controls. Both values are those of a Hermite–Simpson
// transcription of order 4 with 480 steps.
TEST(Refine, TheCartPoleHasTwoMinima) {
  const Problem problem = make_problem("cart_pole");
  const Refined published = refine(problem, steps_of(100), {.tolerance = 2e-5});
  EXPECT_TRUE(published.solution.certificate.local_minimum);
  EXPECT_NEAR(published.grids.back().extrapolated, 58.807667, 1e-3);

  SolveOptions shooting = steps_of(40);
  shooting.transcription.kind = TranscriptionKind::kShooting;
  const Solution start = solve(problem, shooting);
  ASSERT_TRUE(is_solved(start.summary.status));
  const Refined lower = refine(problem, steps_of(100), {.tolerance = 2e-5}, &start);
  EXPECT_TRUE(lower.solution.certificate.local_minimum);
  EXPECT_NEAR(lower.grids.back().extrapolated, 57.944780, 1e-3);
  // What is missed shrinks with the square of the step: the optimiser exploits nothing.
  const std::size_t last = lower.grids.size() - 1;
  EXPECT_NEAR(lower.grids[last - 1].resimulation_miss / lower.grids[last].resimulation_miss, 4,
              0.5);
}

TEST(Follow, LowersALimitStepByStep) {
  const auto make = [](double limit) {
    return make_problem("spherical_pendulum", {{"reaction_limit", limit}});
  };
  const Followed followed = follow(make, 20, 13, 4, steps_of(30));
  ASSERT_TRUE(followed.reached);
  EXPECT_EQ(followed.path.front().value, 20);
  EXPECT_EQ(followed.path.back().value, 13);
  EXPECT_NEAR(followed.solution.summary.cost / solve(make(13), steps_of(30)).summary.cost, 1, 1e-7);
}

TEST(Follow, EndsWhereNothingIsFeasible) {
  // The body weighs 9.81 N.
  const auto make = [](double limit) {
    return make_problem("spherical_pendulum", {{"reaction_limit", limit}});
  };
  SolveOptions options = steps_of(20);
  options.max_iterations = 60;
  const Followed followed = follow(make, 13, 5, 1, options);
  EXPECT_FALSE(followed.reached);
  EXPECT_TRUE(is_solved(followed.solution.summary.status));
}

TEST(OtherGuess, IsDrawnByItsNumber) {
  const Problem problem = make_problem("cart_pole");
  const Problem one = with_other_guess(problem, 1), same = with_other_guess(problem, 1),
                two = with_other_guess(problem, 2);
  EXPECT_EQ(one.guess()(0.3), same.guess()(0.3));
  EXPECT_EQ(one.control_guess(), same.control_guess());
  EXPECT_NE(one.guess()(0.3), two.guess()(0.3));
}

}  // namespace
}  // namespace liegrad::control
