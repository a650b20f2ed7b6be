// What stands behind a solution: the run of the integrator, the Hamiltonian, and conditions at the start that an optimiser
// would otherwise exploit.

#include "liegrad/control/certificate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "liegrad/control/problems/built_in.hpp"
#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/system/element.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::control {
namespace {

using dae::index;

Solution solved(const Problem& problem, int steps) {
  SolveOptions options;
  options.transcription.steps = steps;
  return solve(problem, options);
}

TEST(Certificate, RunsWithAFinerStepComeNearerWithOrderTwo) {
  for (const std::string name : {"reorientation", "spherical_pendulum", "two_link_arm"}) {
    SCOPED_TRACE(name);
    const Problem problem = make_problem(name);
    const Certificate coarse = solved(problem, 50).certificate;
    const Certificate fine = solved(problem, 100).certificate;
    ASSERT_TRUE(coarse.resimulated && fine.resimulated);
    EXPECT_LT(fine.resimulation_miss, coarse.resimulation_miss / 3);
  }
}

TEST(Certificate, TheHamiltonianOfASmoothOptimumIsConstantWithOrderTwo) {
  const Problem problem = make_problem("reorientation");
  const Certificate coarse = solved(problem, 50).certificate;
  const Certificate fine = solved(problem, 100).certificate;
  EXPECT_LT(coarse.hamiltonian_spread, 0.05);
  EXPECT_NEAR(std::log2(coarse.hamiltonian_spread / fine.hamiltonian_spread), 2, 0.1);
}

/// The grid of a solution is a run of the integrator: the same step, the same controls at its points.
TEST(Certificate, TheSolutionIsARunOfTheIntegrator) {
  for (const std::string name : {"cart_pole", "spherical_pendulum"}) {
    SCOPED_TRACE(name);
    const Problem problem = make_problem(name);
    const Solution solution = solved(problem, 60);
    dae::IntegrateOptions options = dae::alpha_steps();
    // Without constraints solutions are runs of the trapezoidal rule.
    if (problem.system().num_multipliers() == 0) {
      options.alpha.method.parameters = dae::AlphaParameters::newmark();
    }
    options.t_end = solution.summary.t_end;
    options.step = options.t_end / 60;
    options.controls = [&](double t, std::span<double> u) {
      const auto n = static_cast<std::size_t>(std::lround(t / options.step));
      std::copy(solution.controls[n].begin(), solution.controls[n].end(), u.begin());
    };
    const dae::Solution run = dae::integrate(problem.system(), options);
    std::vector<double> miss(index(problem.system().dof()));
    problem.system().configuration_space().minus<double>(run.final.q, solution.states.back().q,
                                                         miss);
    EXPECT_LT(dae::max_of(miss), 1e-6);
    for (std::size_t i = 0; i < miss.size(); ++i) {
      EXPECT_NEAR(run.final.v[i], solution.states.back().v[i], 1e-5);
    }
  }
}

TEST(Certificate, TheMemoryOfTheMethodIsNoControl) {
  const Problem problem = make_problem("reorientation");
  const Solution solution = solved(problem, 40);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(solution.states[0].a[i], solution.states[0].v_dot[i], 1e-10);
    EXPECT_NEAR(solution.states[0].v_dot[i], solution.controls[0][i], 1e-10);  // J = 1, at rest
  }
}

TEST(Certificate, TheSameOptimumIsFoundFromEveryStart) {
  const double exact = 12 * 4;
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> number(-20, 20);
  for (int start = 0; start < 4; ++start) {
    Problem problem = make_problem("reorientation");
    for (const char* const control : {"body.u1", "body.u2", "body.u3"}) {
      problem.set_control_guess(control, number(generator));
    }
    const Solution solution = solved(problem, 60);
    EXPECT_EQ(solution.summary.status, Status::kSolved);
    EXPECT_NEAR(solution.summary.cost / exact, 1, 4.0 / (60 * 60)) << start;
  }
}

TEST(Certificate, CostatesOfAReorientationAreThoseOfTheClosedForm) {
  // p_ω = -2u (H = u² + p_θ ω + p_ω u), and p_θ = -dp_ω/dt = 2 du/dt, which is constant: -24 θ/T³.
  const Solution solution = solved(make_problem("reorientation"), 100);
  for (const std::vector<double>& p : solution.costates) EXPECT_NEAR(p[2], -48, 0.1);
  EXPECT_NEAR(solution.certificate.hamiltonian_mean, -144, 0.1);
}

/// Turns beyond half a turn, which no single chart holds.
TEST(Recentring, TurnsFurtherThanOneChart) {
  const Problem problem =
      make_problem("reorientation", {{"angle", 5.5}, {"body.J2", 2}, {"axis1", 1}});
  const Solution solution = solved(problem, 80);
  EXPECT_EQ(solution.summary.status, Status::kSolved);
  double turned = 0;
  for (std::size_t n = 1; n < solution.states.size(); ++n) {
    std::vector<double> step(3);
    problem.system().configuration_space().minus<double>(solution.states[n].q,
                                                         solution.states[n - 1].q, step);
    turned += std::sqrt(step[0] * step[0] + step[1] * step[1] + step[2] * step[2]);
  }
  EXPECT_GT(turned, 5);
}

TEST(Certificate, ResimulatesTheCraneAtFineSteps) {
  // Steps at which Newton's iteration of index 3 meets its rounding errors.
  SolveOptions options;
  options.transcription.steps = 800;
  const Solution solution = solve(make_problem("crane"), options);
  ASSERT_EQ(solution.summary.status, Status::kSolved);
  ASSERT_TRUE(solution.certificate.resimulated);
  EXPECT_LT(solution.certificate.resimulation_miss, 1e-3);
}

/// A mass whose force has no value between the points of a grid of 20 steps: the search does not meet it, a finer run does.
struct HolesBetweenPoints {
  dae::ElementShape shape() const {
    return {.type = "holes_between_points",
            .nodes = {{dae::NodeRole::kCoordinates, 1}},
            .controls = {"force"}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    using std::cos, std::sqrt;
    const S window = sqrt(S(0.5) + cos(S(40 * std::acos(-1.0)) * at.time()));
    balance.row(0, 0) += at.acceleration_coordinates(0)(0) - at.control(0) + S(1e-3) * window;
  }
};

TEST(Certificate, SaysWhyARunCouldNotBeMade) {
  dae::System system("mass");
  system.add_node("x", lie::NodeGroup::rn(1));
  system.add("motor", HolesBetweenPoints{}, {"x"});
  Problem problem(std::move(system), "test");
  problem.set_horizon(1);
  problem.fix_end_configuration("x", {1});
  problem.fix_end_velocity("x");
  problem.add_running_cost(
      [](const auto& at) { return at.control("motor.force") * at.control("motor.force"); });
  const Solution solution = solved(problem, 20);
  ASSERT_EQ(solution.summary.status, Status::kSolved) << solution.summary.message;
  EXPECT_TRUE(solution.certificate.local_minimum);
  EXPECT_FALSE(solution.certificate.resimulated);
  // When and where.
  for (const char* const part : {"t = 0.0", "motor"}) {
    EXPECT_NE(solution.certificate.resimulation_failure.find(part), std::string::npos)
        << solution.certificate.resimulation_failure;
  }
}

}  // namespace
}  // namespace liegrad::control
