// Motions that end as they began.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "liegrad/control/problems/turning_body.hpp"
#include "liegrad/control/solve.hpp"
#include "liegrad/dae/system/element.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::control {
namespace {

constexpr double kMass = 1.5, kStiffness = 4, kWeight = 0.3, kPeriod = 2.5;
constexpr double kOmega = 2 * std::numbers::pi / kPeriod;

/// m ẍ + k x = u.
struct Oscillator {
  dae::ElementShape shape() const {
    return {.type = "driven_oscillator",
            .nodes = {{dae::NodeRole::kCoordinates, 1}},
            .controls = {"u"}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    balance.row(0, 0) += kMass * at.acceleration_coordinates(0)(0) +
                         kStiffness * at.coordinates(0)(0) - at.control(0);
  }
};

/// The least ∫ (x - cos ωt)² + r u² dt over a period: x = A cos ωt with u = (k - mω²) x, so that
///
///     A = 1/(1 + r D²),   cost = T/2 · r D²/(1 + r D²),   D = k - mω².
Problem tracking() {
  dae::System system("oscillator");
  system.add_node("x", lie::NodeGroup::rn(1));
  system.add("spring", Oscillator{}, {"x"});
  Problem problem(std::move(system), "tracking");
  problem.set_horizon(kPeriod);
  problem.make_periodic("x");
  problem.add_running_cost([](const auto& at) {
    using std::cos;
    const auto& u = at.control("spring.u");
    using S = std::decay_t<decltype(u)>;
    const S away = at.coordinates("x")(0) - cos(kOmega * at.time());
    return S(away * away + kWeight * u * u);
  });
  return problem;
}

TEST(Periodic, AnOscillatorHasTheAmplitudeOfItsClosedForm) {
  const double d = kStiffness - kMass * kOmega * kOmega, share = kWeight * d * d;
  const double amplitude = 1 / (1 + share), cost = 0.5 * kPeriod * share / (1 + share);
  const Problem problem = tracking();
  double errors[2];
  for (int k = 0; k < 2; ++k) {
    SolveOptions options;
    options.transcription.steps = 50 << k;
    const Solution solution = solve(problem, options);
    ASSERT_TRUE(is_solved(solution.summary.status)) << solution.summary.message;
    EXPECT_TRUE(solution.certificate.local_minimum);
    EXPECT_NEAR(solution.states.front().q[0], solution.states.back().q[0], 1e-9);
    EXPECT_NEAR(solution.states.front().v[0], solution.states.back().v[0], 1e-9);
    EXPECT_TRUE(solution.certificate.resimulated);
    EXPECT_LT(solution.certificate.resimulation_miss, 1e-2);
    errors[k] = std::abs(solution.summary.cost / cost - 1);
    EXPECT_NEAR(solution.states.front().q[0], amplitude, 2e-2 / (1 << (2 * k)));
  }
  EXPECT_LT(errors[1], 2e-3);
  EXPECT_NEAR(errors[0] / errors[1], 4, 0.4);
}

// The cost reads positions and the time, which the stages of a Radau step have: its order is 4, that of linear controls.
TEST(Periodic, AnOscillatorHasItWithOrderFourInRadauSteps) {
  const double d = kStiffness - kMass * kOmega * kOmega, share = kWeight * d * d;
  const double cost = 0.5 * kPeriod * share / (1 + share);
  const Problem problem = tracking();
  double errors[2];
  for (int k = 0; k < 2; ++k) {
    SolveOptions options;
    options.transcription.steps = 10 << k;
    options.transcription.radau_stages = 3;
    const Solution solution = solve(problem, options);
    ASSERT_TRUE(is_solved(solution.summary.status)) << solution.summary.message;
    EXPECT_TRUE(solution.certificate.local_minimum);
    EXPECT_NEAR(solution.states.front().q[0], solution.states.back().q[0], 1e-9);
    errors[k] = std::abs(solution.summary.cost / cost - 1);
    // Of a run with a quarter of the step and another quadrature.
    EXPECT_LT(std::abs(solution.certificate.resimulation_cost_difference), 1e-4 * cost);
  }
  EXPECT_LT(errors[1], 1e-4);
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 4, 0.5);
}

// A body that turns round and round: its orientation is the same after a whole turn, which no chart contains.
TEST(Periodic, ABodyTurnsAllTheWayRound) {
  Problem problem(turning_body(), "spin");
  problem.set_horizon(1);
  problem.make_periodic("body");
  const double turn = 2 * std::numbers::pi;
  problem.set_guess([turn](double s) {
    return std::vector<double>{std::cos(0.5 * turn * s), 0, 0, std::sin(0.5 * turn * s)};
  });
  problem.add_running_cost(TorqueSquare{});
  // In the middle it must be half a turn away: without it rest would do.
  problem.add_path_constraint("spin", [](const auto& at) { return at.velocity("body")(2); },
                              {.lower = 0.5 * turn});
  SolveOptions options;
  options.transcription.steps = 40;
  const Solution solution = solve(problem, options);
  ASSERT_TRUE(is_solved(solution.summary.status)) << solution.summary.message;
  EXPECT_NEAR(solution.summary.cost, 0, 1e-8);
  for (const dae::State& state : solution.states) EXPECT_NEAR(state.v[2], turn, 1e-4);
}

TEST(Periodic, IsRefusedWhereItMakesNoSense) {
  Problem problem(turning_body(), "test");
  problem.fix_end_velocity("body");
  EXPECT_THROW(problem.make_periodic("body"), InvalidArgument);
  SolveOptions options;
  options.transcription.steps = 10;
  options.transcription.kind = TranscriptionKind::kShooting;
  EXPECT_THROW(solve(tracking(), options), InvalidArgument);
}

}  // namespace
}  // namespace liegrad::control
