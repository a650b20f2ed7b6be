// Runs that reach their end and cannot be trusted say so, and good runs do not.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/run/trust_watch.hpp"
#include "liegrad/dae/start/consistency.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/coordinates/driven_coordinate.hpp"
#include "liegrad/elements/coordinates/laws.hpp"
#include "liegrad/models/models.hpp"

namespace liegrad::testing {
namespace {

using dae::IntegrateOptions;

IntegrateOptions until(double t_end, double step) {
  IntegrateOptions options = dae::alpha_steps();
  options.t_end = t_end;
  options.step = step;
  options.keep_samples = false;
  return options;
}

TEST(TrustWatch, DoubtsAWhipThatWasHalvedAllTheTime) {
  const dae::System system = models::make_model("chain", {.bodies = 50});
  const dae::Solution solution = dae::integrate(system, until(1.5, 1e-3));
  const dae::IntegrateSummary& summary = solution.summary;
  ASSERT_TRUE(summary.is_complete()) << summary.message;
  EXPECT_FALSE(summary.trusted);
  EXPECT_NE(summary.reason_for_doubt.find("attempts at steps failed and were halved"),
            std::string::npos)
      << summary.reason_for_doubt;
  EXPECT_NE(summary.reason_for_doubt.find("choose the stabilised formulation"), std::string::npos)
      << summary.reason_for_doubt;
}

TEST(TrustWatch, DoubtsMultipliersThatNothingDamps) {
  IntegrateOptions options = until(0.45, 1e-3);
  options.alpha.method.parameters = dae::AlphaParameters::from_spectral_radius(1);
  const dae::Solution solution = dae::integrate(models::make_model("heavy_top"), options);
  const dae::IntegrateSummary& summary = solution.summary;
  ASSERT_TRUE(summary.is_complete()) << summary.message;
  EXPECT_FALSE(summary.trusted);
  EXPECT_NE(summary.reason_for_doubt.find("spectral radius rho below 1"), std::string::npos)
      << summary.reason_for_doubt;
  for (const std::string& warning : summary.warnings) {
    EXPECT_EQ(warning.find("too long"), std::string::npos) << warning;
  }
}

/// Whether accelerations of ±1 length/s², in steps of 1 s, are too much for a wheel that turns at 1000 rad/s and moves at
/// a given speed, in lengths a second. At the speed 1 half of its kinetic energy is in the turning.
bool is_doubted(double length, double speed) {
  dae::System system("wheel");
  system.add_node("wheel", lie::NodeGroup::so3xr3());
  system.add("wheel", elements::RigidBody{}, {"wheel"});
  const double turning = 1000;
  system.set_parameter("wheel.m", 1);
  for (const char* name : {"wheel.J1", "wheel.J2", "wheel.J3"}) {
    system.set_parameter(name, length * length / (turning * turning));
  }
  const IntegrateOptions options = until(1, 1);
  dae::Consistency consistency(system, {}, dae::LinearSolverKind::kAutomatic);
  dae::MethodState state;
  state.begin(consistency.initial_state(0, {}));
  state.v = {turning, 0, 0, speed * length, 0, 0};
  state.step = 1;
  dae::TrustWatch watch(system, options);
  watch.start(state, consistency.assembly());
  for (int n = 0; n < 40; ++n) {
    dae::MethodState next = state;
    next.v_dot = {0, 0, 0, (n % 2 == 0 ? 1 : -1) * length, 0, 0};
    watch.observe(state, next);
    state = next;
  }
  return watch.doubt({}, state).has_value();
}

TEST(TrustWatch, ComparesNoSpeedWithTurning) {
  for (const double length : {1e-3, 1.0, 1e3}) {
    EXPECT_TRUE(is_doubted(length, 1)) << length;
    EXPECT_FALSE(is_doubted(length, 20)) << length;
  }
}

/// Whether a run is doubted that halved one step of a thousand and ends with twice the kinetic energy.
bool is_doubted_for_its_energy(const dae::System& system) {
  const IntegrateOptions options = until(1, 1e-3);
  dae::Consistency consistency(system, {}, dae::LinearSolverKind::kAutomatic);
  const dae::State initial = consistency.initial_state(0, {});
  const std::vector<double> parameters = system.parameter_values();
  dae::TrustWatch watch(system, options);
  watch.set_parameters(parameters);
  watch.start(initial, consistency.assembly());
  dae::State end = initial;
  end.t = 1;
  for (double& v : end.v) v = std::sqrt(2.0) * v;
  dae::IntegrateSummary summary;
  summary.steps = 1000;
  summary.failed_attempts = 1;
  return watch.doubt(summary, end).has_value();
}

TEST(TrustWatch, LetsDrivesDoWork) {
  dae::System system("wheel");
  system.add_node("wheel", lie::NodeGroup::so3xr3());
  system.add("wheel", elements::RigidBody{}, {"wheel"});
  system.set_initial_velocity("wheel", {1, 0, 0, 0, 0, 0});
  EXPECT_TRUE(is_doubted_for_its_energy(system));
  system.add_node("angle", lie::NodeGroup::rn(1));
  system.add("motor", elements::DrivenCoordinate<elements::SmoothStartLaw>{}, {"angle"},
             {.values = {{"omega", 0}, {"t_s", 1}}});
  EXPECT_FALSE(is_doubted_for_its_energy(system));
}

TEST(TrustWatch, TrustsGoodRuns) {
  for (const models::Model& model : models::all_models()) {
    const double t_end = model.name == "rotor" ? 0.05 : model.default_t_end;
    const dae::Solution solution =
        dae::integrate(models::make_model(model.name), until(t_end, model.default_step));
    EXPECT_TRUE(solution.summary.trusted) << model.name << solution.summary.reason_for_doubt;
  }
}

TEST(TrustWatch, DoubtsAToleranceThatSmallestStepsCannotReach) {
  IntegrateOptions options = until(2, 1e-3);
  options.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = 1e-8}, .smallest_step = 0.1};
  const dae::Solution solution = dae::integrate(models::make_model("pendulum"), options);
  EXPECT_EQ(solution.summary.termination, dae::Termination::kReachedEnd);
  EXPECT_FALSE(solution.summary.trusted);
  EXPECT_NE(solution.summary.reason_for_doubt.find("larger tolerance"), std::string::npos);
}

}  // namespace
}  // namespace liegrad::testing
