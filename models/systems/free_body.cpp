// One rigid body in free flight: initial pose and velocities are parameters, so that they can be fitted
// to measured motion together with the place of the tracked point.

#include "liegrad/dae/system/initial_function.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/bodies/tracked_point.hpp"
#include "liegrad/models/models.hpp"
#include "shared_gravity.hpp"

namespace liegrad::models {
namespace {

/// Position, rotation vector, angular velocity (body frame), velocity (inertial frame).
struct InitialFlight {
  bool body_frame = false;  ///< SE(3) has velocities in the body frame

  template <class S>
  void operator()(std::span<const S> p, std::span<S> q, std::span<S> v) const {
    const auto rotation = lie::SO3<S>::exp(lie::Vec<S, 3>(p[3], p[4], p[5]));
    lie::Vec<S, 3> u(p[9], p[10], p[11]);
    if (body_frame) u = rotation.matrix().transpose() * u;
    for (std::size_t i = 0; i < 4; ++i) q[i] = rotation.coeffs()(static_cast<Eigen::Index>(i));
    for (std::size_t i = 0; i < 3; ++i) {
      q[4 + i] = p[i];
      v[i] = p[6 + i];
      v[3 + i] = u(static_cast<Eigen::Index>(i));
    }
  }
};

}  // namespace

dae::System free_body(const Structure& structure) {
  dae::System system("free_body");
  add_gravity(system);
  std::vector<std::string> initial;
  const auto add_initial = [&](const std::string& name, const std::string& unit,
                               const std::string& meaning, const std::vector<double>& values) {
    for (std::size_t i = 0; i < 3; ++i) {
      initial.push_back("body." + name + std::to_string(i + 1));
      system.add_parameter({initial.back(), values[i], unit, meaning});
    }
  };
  add_initial("x", "m", "initial position", {0, 0, 1});
  add_initial("r", "rad", "initial rotation vector", {0, 0, 0});
  add_initial("omega", "rad/s", "initial angular velocity, in the body", {1, 5, 0.5});
  add_initial("u", "m/s", "initial velocity, in the inertial frame", {1, 0, 3});
  for (const char* name : {"body.X1", "body.X2", "body.X3"}) {
    system.add_parameter({name, 0, "m", "the tracked point in the body"});
  }
  system.add_node("body", structure.body_group);
  system.add(
      "body", elements::RigidBody{}, {"body"},
      {.values = {{"m", 1}, {"J1", 0.01}, {"J2", 0.02}, {"J3", 0.03}}, .bind = bound_to_gravity()});
  system.add("marker", elements::TrackedPoint{}, {"body"},
             {.bind = {{"X1", "body.X1"}, {"X2", "body.X2"}, {"X3", "body.X3"}}});
  system.set_initial_function(InitialFlight{structure.body_group.kind == lie::GroupKind::kSE3},
                              initial);
  return system;
}

}  // namespace liegrad::models
