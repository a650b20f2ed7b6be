// Switching functions against closed forms, and controls against switching functions.

#include "liegrad/control/switching.hpp"

#include <gtest/gtest.h>

#include "liegrad/control/nlp.hpp"
#include "liegrad/control/problems/built_in.hpp"
#include "liegrad/dae/system/element.hpp"

namespace liegrad::control {
namespace {

Solution solved(const Problem& problem, int steps) {
  SolveOptions options;
  options.transcription.steps = steps;
  return solve(problem, options);
}

struct PushedMass {
  dae::ElementShape shape() const {
    return {
        .type = "pushed_mass", .nodes = {{dae::NodeRole::kCoordinates, 1}}, .controls = {"force"}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    balance.row(0, 0) += at.acceleration_coordinates(0)(0) - at.control(0);
  }
};

/// A unit mass that is moved by 1 from rest to rest in the least time, with forces of at most 1.
Problem least_time() {
  dae::System system("mass");
  system.add_node("x", lie::NodeGroup::rn(1));
  system.add("motor", PushedMass{}, {"x"});
  Problem problem(std::move(system), "least_time");
  problem.set_free_horizon(3);
  problem.set_control_bounds("motor.force", {-1, 1});
  problem.fix_end_configuration("x", {1});
  problem.fix_end_velocity("x");
  problem.add_end_cost([](const auto& at) { return at.time(); });
  return problem;
}

// T = 2. From H = 1 + p_x v + p_v u = 0 at both ends S = p_v goes from -1 to 1, linear in time.
TEST(Switching, FunctionsAreThoseOfTheClosedForm) {
  const Problem problem = least_time();
  for (const int stages : {0, 2, 3}) {
    SCOPED_TRACE(stages);
    SolveOptions options;
    options.transcription.steps = 50;
    options.transcription.radau_stages = stages;
    const Solution solution = solve(problem, options);
    ASSERT_EQ(solution.summary.status, Status::kSolved) << solution.summary.message;
    EXPECT_NEAR(solution.summary.t_end, 2, 2e-3);
    const Certificate& certificate = solution.certificate;
    ASSERT_EQ(certificate.switching.size(), 51u);
    for (std::size_t n = 1; n < 50; ++n) {
      EXPECT_NEAR(certificate.switching[n][0], solution.states[n].t - 1, 3e-2) << n;
    }
    EXPECT_EQ(certificate.switches, std::vector<int>{1});
    EXPECT_LT(certificate.switching_disagreement, 1e-7);
  }
}

TEST(Switching, ControlsThatContradictThemAreConvicted) {
  const Problem problem = least_time();
  TranscriptionOptions options;
  options.steps = 20;
  Transcription transcription(problem, options);
  Nlp nlp(transcription);
  Solution solution = solved(problem, 20);
  const LagrangianGradient gradient(nlp, {solution.x, solution.multipliers, {}, {}});
  Certificate certificate;
  find_switching(transcription, solution, gradient.values, gradient.sizes, certificate);
  EXPECT_LT(certificate.switching_disagreement, 1e-7);
  for (std::vector<double>& u : solution.controls) u[0] = -u[0];
  find_switching(transcription, solution, gradient.values, gradient.sizes, certificate);
  EXPECT_GT(certificate.switching_disagreement, 0.3);
}

TEST(Switching, FunctionsOfControlsWithoutBoundsAreZero) {
  for (const std::string name : {"reorientation", "spherical_pendulum", "crane"}) {
    const Problem problem = make_problem(name);
    for (const int stages : {0, 3}) {
      SolveOptions options;
      options.transcription.steps = 40;
      options.transcription.radau_stages = stages;
      const Solution solution = solve(problem, options);
      ASSERT_EQ(solution.summary.status, Status::kSolved) << solution.summary.message;
      EXPECT_LT(solution.certificate.switching_disagreement, 1e-7) << name;
      for (const int count : solution.certificate.switches) EXPECT_EQ(count, 0) << name;
    }
  }
}

TEST(Switching, TimeOptimalTurnsFollowThem) {
  const Certificate certificate =
      solved(make_problem("time_optimal_reorientation"), 100).certificate;
  EXPECT_LT(certificate.switching_disagreement, 1e-6);
  int switches = 0;
  for (const int count : certificate.switches) switches += count;
  EXPECT_GE(switches, 5);  // [BilimoriaWie1993]: five, where the turn about the axis has one
}

}  // namespace
}  // namespace liegrad::control
