// The heavy top of [ArnoldCardonaBruels2015, section 2.4] and [BruelsCardonaArnold2012, section 7.1]: a
// body whose point at -X from the centre of mass is held at the origin by constraints. Fast by
// default; the slow top of the papers has a hundredth of the angular velocity.

#include "liegrad/dae/system/initial_function.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/joints/fixed_point.hpp"
#include "liegrad/models/models.hpp"
#include "shared_gravity.hpp"

namespace liegrad::models {
namespace {

/// R = I, x = X, velocities of a turn about the origin (in both groups, as R = I).
struct TurningAboutOrigin {
  template <class S>
  void operator()(std::span<const S> p, std::span<S> q, std::span<S> v) const {
    const lie::Vec<S, 3> omega(p[0], p[1], p[2]), centre(p[3], p[4], p[5]);
    const lie::Vec<S, 3> u = lie::rotation::cross<S>(omega, centre);
    for (std::size_t i = 0; i < 3; ++i) {
      q[4 + i] = centre(static_cast<Eigen::Index>(i));
      v[i] = omega(static_cast<Eigen::Index>(i));
      v[3 + i] = u(static_cast<Eigen::Index>(i));
    }
  }
};

}  // namespace

dae::System heavy_top(const Structure& structure) {
  dae::System system("heavy_top");
  add_gravity(system);
  system.add_parameter({"top.X1", 0, "m", "centre of mass from the fixed point, in the body"});
  system.add_parameter({"top.X2", 1, "m", "second component"});
  system.add_parameter({"top.X3", 0, "m", "third component"});
  system.add_parameter({"top.omega1", 0, "rad/s", "initial angular velocity, in the body"});
  system.add_parameter({"top.omega2", 150, "rad/s", "second component"});
  system.add_parameter({"top.omega3", -4.61538, "rad/s", "third component"});
  system.add_node("top", structure.body_group);
  system.add("top", elements::RigidBody{}, {"top"},
             {.values = {{"m", 15}, {"J1", 0.234375}, {"J2", 0.46875}, {"J3", 0.234375}},
              .bind = bound_to_gravity()});
  system.add("fixed_point", elements::FixedPoint{}, {"top"},
             {.bind = {{"X1", "top.X1"}, {"X2", "top.X2"}, {"X3", "top.X3"}}});
  system.set_initial_function(TurningAboutOrigin{}, {"top.omega1", "top.omega2", "top.omega3",
                                                     "top.X1", "top.X2", "top.X3"});
  return system;
}

}  // namespace liegrad::models
