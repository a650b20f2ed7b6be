// The worked example of docs/elements.md.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/coordinates/driven_coordinate.hpp"
#include "liegrad/elements/coordinates/joint_angle.hpp"
#include "liegrad/elements/forces/coordinate_spring.hpp"
#include "liegrad/elements/frame_along.hpp"
#include "liegrad/elements/joints/revolute_joint.hpp"

namespace liegrad::testing {
namespace {

dae::System driven_crank() {
  dae::System system("crank");
  system.add_node("crank", lie::NodeGroup::so3xr3());
  system.add_node("crank.angle", lie::NodeGroup::rn(1));
  system.add("crank", elements::RigidBody{}, {"crank"},
             {.values = {{"m", 3}, {"J1", 0.05}, {"gravity3", 0}}});

  // The axis of the hinge is along x; the centre of mass of the crank is 0.2 above it.
  system.add_frame("bearing", "ground", elements::frame_along({0, 0, 1}, {1, 0, 0}));
  system.add_frame("crank.bearing", "crank", elements::frame_along({0, 0, -0.2}, {1, 0, 0}));
  system.set_initial_configuration("crank", {1, 0, 0, 0, 0, 0, 1.2});

  system.add("hinge", elements::RevoluteJoint{}, {"bearing", "crank.bearing"});
  system.add("angle", elements::JointAngle{}, {"bearing", "crank.bearing", "crank.angle"});
  system.add("spring", elements::CoordinateSpring{}, {"crank.angle"},
             {.values = {{"k", 4}, {"d", 0.1}}});
  system.add("motor", elements::DrivenCoordinate<elements::SmoothStartLaw>{}, {"crank.angle"},
             {.values = {{"omega", 6}, {"t_s", 0.5}}});
  return system;
}

TEST(DrivenCrank, NeedsATorqueForItsInertiaAndForTheSpring) {
  const dae::System system = driven_crank();
  dae::IntegrateOptions options;
  options.t_end = 1.5;
  options.step = 1e-3;
  const dae::Solution solution = dae::integrate(system, options);
  ASSERT_TRUE(solution.summary.is_complete()) << solution.summary.message;

  dae::Outputs outputs(system);
  std::vector<double> numbers(static_cast<std::size_t>(outputs.size()));
  const auto number = [&](const std::string& name) {
    return numbers[static_cast<std::size_t>(outputs.column(name))];
  };
  const double inertia = 0.05 + 3 * 0.2 * 0.2;
  for (const dae::State& state : solution.samples) {
    outputs.evaluate(state, {}, numbers);
    const double phase = 2 * std::numbers::pi * std::min(state.t / 0.5, 1.0);
    const double angle = number("crank.angle.x"), rate = number("crank.angle.u");
    const double acceleration = 12 * (1 - std::cos(phase));
    ASSERT_NEAR(number("motor.lambda"), inertia * acceleration + 4 * angle + 0.1 * rate, 1e-3)
        << "t = " << state.t;
    ASSERT_NEAR(number("spring.force"), -4 * angle - 0.1 * rate, 1e-12);
    // The coordinate has no mass: what acts on it is in balance.
    ASSERT_NEAR(number("angle.lambda") + number("motor.lambda") + number("spring.force"), 0, 1e-9);
  }
  EXPECT_NEAR(number("crank.angle.x"), 6 * (1.5 - 0.25), 1e-10);  // more than a turn
}

}  // namespace
}  // namespace liegrad::testing
