// Two rods of 1 m, released horizontally: the upper one on a hinge, the lower one on a ball joint.

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/system/outputs.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/frame_along.hpp"
#include "liegrad/elements/joints/revolute_joint.hpp"
#include "liegrad/elements/joints/spherical_joint.hpp"
using namespace liegrad;

int main() {
  dae::System system("two rods");
  for (const char* rod : {"upper", "lower"}) {
    system.add_node(rod, lie::NodeGroup::so3xr3());
    system.add(rod, elements::RigidBody{}, {rod},
               {.values = {{"m", 2}, {"J1", 0.01}, {"J2", 0.17}, {"J3", 0.17}}});
    // Frames at both ends, with z along the axis of the hinge.
    for (const double end : {-0.5, 0.5}) {
      system.add_frame(std::string(rod) + (end < 0 ? ".left" : ".right"), rod,
                       elements::frame_along({end, 0, 0}, {0, 1, 0}));
    }
  }
  system.add_frame("wall", "ground", elements::frame_along({0, 0, 0}, {0, 1, 0}));
  system.add("hinge", elements::RevoluteJoint{}, {"wall", "upper.left"});
  system.add("ball", elements::SphericalJoint{}, {"upper.right", "lower.left"});
  // Quaternions w, x, y, z, then positions; the lower rod turns about the ball joint, out of the plane.
  system.set_initial_configuration("upper", {1, 0, 0, 0, 0.5, 0, 0});
  system.set_initial_configuration("lower", {1, 0, 0, 0, 1.5, 0, 0});
  system.set_initial_velocity("lower", {0, 0, 2, 0, 1, 0});

  dae::IntegrateOptions options;
  options.t_end = 1;
  const dae::Solution solution = dae::integrate(system, options);
  if (!solution.summary.is_complete()) return std::puts(solution.summary.message.c_str()), 1;

  dae::Outputs outputs(*system.build());
  std::vector<double> start(outputs.size()), end(outputs.size());
  outputs.evaluate(solution.samples.front(), {}, start);
  outputs.evaluate(solution.final, {}, end);
  const double* x = &end[outputs.offset("lower.x")];
  const double* force = &end[outputs.offset("ball.lambda")];
  const double drift = end[outputs.offset("energy")] - start[outputs.offset("energy")];
  std::printf("lower rod at (%.6f, %.6f, %.6f) m\n", x[0], x[1], x[2]);
  std::printf("force in the ball joint %.4f N\n", std::hypot(force[0], force[1], force[2]));
  std::printf("energy changed by %.1e J\n", drift);
  return std::abs(drift) < 1e-5 ? 0 : 1;
}
