// How to prescribe a motion and read the torque that it takes: a crank that swings by ±0.5 rad at 2 Hz.

#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/coordinates/driven_coordinate.hpp"
#include "liegrad/elements/coordinates/joint_angle.hpp"
#include "liegrad/elements/frame_along.hpp"
#include "liegrad/elements/joints/revolute_joint.hpp"
using namespace liegrad;

int main() {
  // The hinge is along y; the centre of mass lies 0.3 m beside it.
  dae::System system("driven crank");
  system.add_node("crank", lie::NodeGroup::so3xr3());
  system.add("crank", elements::RigidBody{}, {"crank"},
             {.values = {{"m", 2}, {"J2", 0.05}, {"gravity3", 0}}});
  system.add_frame("wall", "ground", elements::frame_along({0, 0, 0}, {0, 1, 0}));
  system.add_frame("crank.end", "crank", elements::frame_along({-0.3, 0, 0}, {0, 1, 0}));
  system.add("hinge", elements::RevoluteJoint{}, {"wall", "crank.end"});
  system.set_initial_configuration("crank", {1, 0, 0, 0, 0.3, 0, 0});

  // The angle of the hinge becomes a coordinate of its own, and the drive says what it is.
  system.add_node("angle", lie::NodeGroup::rn(1));
  system.add("measured", elements::JointAngle{}, {"wall", "crank.end", "angle"});
  system.add("motor", elements::DrivenCoordinate<elements::HarmonicLaw>{}, {"angle"},
             {.values = {{"amplitude", 0.5}, {"frequency", 2}}});

  // The law starts with a speed; initial velocities that do not fit are moved to the constraints.
  dae::IntegrateOptions options;
  options.t_end = 1.1;
  options.alpha.consistency.project = true;
  const dae::Solution solution = dae::integrate(system, options);
  if (!solution.summary.is_complete()) return std::puts(solution.summary.message.c_str()), 1;

  dae::Outputs outputs(system);
  std::vector<double> end(outputs.size());
  outputs.evaluate(solution.final, {}, end);
  const double rate = 4 * std::numbers::pi, angle = 0.5 * std::sin(rate * 1.1);
  const double torque = -(0.05 + 2 * 0.3 * 0.3) * rate * rate * angle;
  const double found_angle = end[outputs.column("angle.x")],
               found_torque = end[outputs.column("motor.lambda")];
  std::printf("angle  %10.6f rad, expected %10.6f\n", found_angle, angle);
  std::printf("torque %10.5f N m, expected %10.5f\n", found_torque, torque);
  const bool is_right = std::abs(found_angle - angle) < 1e-9 &&
                        std::abs(found_torque - torque) < 1e-3 * std::abs(torque);
  return is_right ? 0 : 1;
}
