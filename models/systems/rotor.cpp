// The high-speed rotor of [HolzingerArnoldGerstmayr2025, section 7.2]: a rigid rotor at 200000 revolutions per
// minute in two elastic bearings, without gravity or unbalance. From the start a constant torque about the z
// axis of the ground acts on it, Eq. (86) with L = L_L + L_R, and its axis precesses.
//
// The values are those of Table 1 as printed. (Its damping, and its moments of inertia, belong to a mass of
// 1.233075 instead of 1.223.)

#include <map>
#include <numbers>
#include <span>
#include <string>

#include "liegrad/dae/system/initial_function.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/bodies/tracked_point.hpp"
#include "liegrad/elements/forces/applied_torque.hpp"
#include "liegrad/elements/forces/cartesian_spring.hpp"
#include "liegrad/models/models.hpp"

namespace liegrad::models {
namespace {

/// R = I, the centre of mass at the origin, a spin about the rotor's axis.
struct PureSpin {
  template <class S>
  void operator()(std::span<const S> p, std::span<S> /*q*/, std::span<S> v) const {
    v[0] = p[0];
  }
};

}  // namespace

dae::System rotor(const Structure& structure) {
  constexpr double kMass = 1.223, kLeft = 0.11, kRight = 0.09, kGravity = 9.81;
  constexpr double kStiffness = 4000, kDamping = 5.165093;
  dae::System system("rotor");
  system.add_parameter({"rotor.omega0", 2 * std::numbers::pi * 200000 / 60, "rad/s",
                        "initial angular velocity about its axis, the x axis of the body"});
  system.add_node("rotor", structure.body_group);
  system.add(
      "rotor", elements::RigidBody{}, {"rotor"},
      {.values = {
           {"m", kMass}, {"J1", 0.001541}, {"J2", 0.000812}, {"J3", 0.000812}, {"gravity3", 0}}});
  // Springs are relaxed at the start: their points of the ground have the parameters of those of the rotor.
  const auto add_bearing = [&](const std::string& name, double x, bool axial) {
    system.add(name, elements::TrackedPoint{}, {"rotor"}, {.values = {{"X1", x}}});
    std::map<std::string, std::string> points;
    for (const std::string component : {"X1", "X2", "X3"}) {
      points["a." + component] = points["b." + component] = name + "." + component;
    }
    system.add(name + ".bearing", elements::CartesianSpring{}, {"rotor", "ground"},
               {.values = {{"k1", axial ? kStiffness : 0},
                           {"k2", kStiffness},
                           {"k3", kStiffness},
                           {"d1", axial ? kDamping : 0},
                           {"d2", kDamping},
                           {"d3", kDamping}},
                .bind = points});
  };
  add_bearing("left", -kLeft, true);
  add_bearing("right", kRight, false);
  constexpr double kTorque = -((kLeft + kRight) / 2 - kLeft) * kMass * kGravity;
  system.add("load", elements::AppliedTorque<>{}, {"rotor"}, {.values = {{"m3", kTorque}}});
  system.set_initial_function(PureSpin{}, {"rotor.omega0"});
  return system;
}

}  // namespace liegrad::models
