// A double pendulum in a vertical plane, for fits to measured swings: two arms in absolute coordinates, held by
// pivots with friction, so that the reactions of both joints are outputs.
//
// The x axis points down and the y axis to the right: angles are from hanging, absolute for both arms, and
// positive from x to y.

#include <cmath>

#include "liegrad/dae/system/initial_function.hpp"
#include "liegrad/elements/planar/pendulum_arm.hpp"
#include "liegrad/elements/planar/planar_body.hpp"
#include "liegrad/models/models.hpp"

namespace liegrad::models {
namespace {

/// Both arms at given angles and rates.
struct Swinging {
  template <class S>
  void operator()(std::span<const S> p, std::span<S> q, std::span<S> v) const {
    using std::cos, std::sin;
    const S &theta1 = p[0], &rate1 = p[1], &theta2 = p[2], &rate2 = p[3];
    const S &a1 = p[4], &l1 = p[5], &a2 = p[6];
    const S c1 = cos(theta1), s1 = sin(theta1), c2 = cos(theta2), s2 = sin(theta2);
    q[0] = a1 * c1;
    q[1] = a1 * s1;
    q[2] = theta1;
    q[3] = l1 * c1 + a2 * c2;
    q[4] = l1 * s1 + a2 * s2;
    q[5] = theta2;
    v[0] = -a1 * s1 * rate1;
    v[1] = a1 * c1 * rate1;
    v[2] = rate1;
    v[3] = -l1 * s1 * rate1 - a2 * s2 * rate2;
    v[4] = l1 * c1 * rate1 + a2 * c2 * rate2;
    v[5] = rate2;
  }
};

void add_arm(dae::System& system, const std::string& arm, double m, double inertia, double a) {
  system.add_parameter({arm + ".m", m, "kg", "mass"});
  system.add_parameter({arm + ".J", inertia, "kg m^2", "inertia about the centre of mass"});
  system.add_parameter({arm + ".a", a, "m", "from the pivot to the centre of mass"});
  system.add_node(arm, lie::NodeGroup::rn(3));
  system.add(arm + ".inertia", elements::PlanarBody{}, {arm},
             {.bind = {{"m", arm + ".m"},
                       {"J", arm + ".J"},
                       {"gravity1", "g"},
                       {"gravity2", "gravity_across"}}});
}

}  // namespace

dae::System double_pendulum(const Structure& /*structure*/) {
  dae::System system("double_pendulum");
  system.add_parameter({"g", 9.81, "m/s^2", "gravity, along x, which points down"});
  system.add_parameter({"gravity_across", 0, "m/s^2", "gravity along y, to the right"});
  add_arm(system, "arm1", 0.27, 0.0012, 0.11);
  system.add_parameter({"arm1.l", 0.17272, "m", "between its two pivots"});
  add_arm(system, "arm2", 0.18, 0.0014, 0.15);
  const auto add_initial = [&system](const std::string& name, double value, const char* unit,
                                     const char* meaning) {
    system.add_parameter({name, value, unit, meaning});
  };
  add_initial("arm1.theta0", 0.5, "rad", "initial angle from hanging");
  add_initial("arm1.rate0", 0, "rad/s", "its initial rate");
  add_initial("arm2.theta0", 0.4, "rad", "initial angle from hanging");
  add_initial("arm2.rate0", 0, "rad/s", "its initial rate");

  system.add("joint1", elements::ArmOnGround{}, {"ground", "arm1"}, {.bind = {{"a", "arm1.a"}}});
  system.add("joint2", elements::ArmOnArm{}, {"arm1", "arm2"},
             {.bind = {{"l", "arm1.l"}, {"a1", "arm1.a"}, {"a2", "arm2.a"}}});
  system.add("arm1", elements::ArmAngle{}, {"arm1"});
  system.add("arm2", elements::ArmAngle{}, {"arm2"});
  system.set_initial_function(Swinging{}, {"arm1.theta0", "arm1.rate0", "arm2.theta0", "arm2.rate0",
                                           "arm1.a", "arm1.l", "arm2.a"});
  return system;
}

}  // namespace liegrad::models
