// How to place bodies by the angles of their joints: two rods on hinges along y, at 0.4 rad and 0.9 rad below the
// horizontal.

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/frame_along.hpp"
#include "liegrad/elements/joints/revolute_joint.hpp"
#include "liegrad/lie/se3.hpp"
using namespace liegrad;
using Pose = lie::SE3<double>;
using Vector = lie::Vec<double, 3>;

/// A turn about the y axis, and a way along x.
Pose turn(double angle) {
  return Pose(lie::SO3<double>::exp(Vector(0, angle, 0)), Vector(0, 0, 0));
}
Pose along(double x) { return Pose(lie::SO3<double>::identity(), Vector(x, 0, 0)); }

int main() {
  dae::System system("two rods");
  for (const std::string rod : {"upper", "lower"}) {
    system.add_node(rod, lie::NodeGroup::so3xr3());
    system.add(rod, elements::RigidBody{}, {rod}, {.values = {{"m", 2}, {"J1", 0.01}}});
    system.add_frame(rod + ".left", rod, elements::frame_along({-0.5, 0, 0}, {0, 1, 0}));
    system.add_frame(rod + ".right", rod, elements::frame_along({0.5, 0, 0}, {0, 1, 0}));
  }
  system.add_frame("wall", "ground", elements::frame_along({0, 0, 0}, {0, 1, 0}));
  system.add("shoulder", elements::RevoluteJoint{}, {"wall", "upper.left"});
  system.add("elbow", elements::RevoluteJoint{}, {"upper.right", "lower.left"});

  // From joint to joint: turn, then half a rod to its centre, the other half to the next joint.
  const Pose upper = turn(0.4) * along(0.5);
  const Pose lower = upper * along(0.5) * turn(0.9 - 0.4) * along(0.5);
  for (const auto& [rod, pose] : {std::pair("upper", upper), std::pair("lower", lower)}) {
    const auto coeffs = pose.coeffs();  // quaternion, position
    system.set_initial_configuration(rod, std::vector<double>(coeffs.begin(), coeffs.end()));
  }

  dae::IntegrateOptions options;  // would refuse rods that do not meet in their joints
  options.t_end = 0.5;
  const dae::Solution solution = dae::integrate(system, options);
  if (!solution.summary.is_complete()) return std::puts(solution.summary.message.c_str()), 1;

  dae::Outputs outputs(system);
  std::vector<double> start(outputs.size());
  outputs.evaluate(solution.samples.front(), {}, start);
  const double* x = &start[outputs.offset("lower.x")];
  std::printf("the lower rod starts at (%.6f, %.6f, %.6f) m\n", x[0], x[1], x[2]);
  const double height = -std::sin(0.4) - 0.5 * std::sin(0.9);
  std::printf("largest |Phi| below 1e-12: %s\n",
              solution.summary.max_position_residual < 1e-12 ? "yes" : "no");
  return std::abs(x[2] - height) < 1e-12 && solution.summary.max_position_residual < 1e-12 ? 0 : 1;
}
