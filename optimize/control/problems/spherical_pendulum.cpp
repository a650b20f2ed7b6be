// A rigid body on a spherical joint, in absolute coordinates: it hangs at rest and is moved to rest at 1.2 rad about y and
// then 0.8 rad about x by a torque in the body, with the least ∫|u|² dt. The reaction of the joint is an unknown of the
// problem, and can be limited.

#include "liegrad/control/problems/built_in.hpp"
#include "liegrad/control/problems/rotation_target.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/forces/actuators.hpp"
#include "liegrad/elements/joints/fixed_point.hpp"

namespace liegrad::control {
namespace {

const lie::Vec<double, 3> kArm(0, 0, -1);

std::vector<double> pose_coeffs(const lie::SO3<double>& rotation) {
  const auto c = rotation.coeffs();
  const lie::Vec<double, 3> x = rotation.matrix() * kArm;
  return {c(0), c(1), c(2), c(3), x(0), x(1), x(2)};
}

lie::SO3<double> way(double s) {
  return lie::SO3<double>::exp({0, 1.2 * s, 0}) * lie::SO3<double>::exp({0.8 * s, 0, 0});
}

Problem make(const Settings& settings) {
  dae::System system("spherical_pendulum");
  system.add_node("body", lie::NodeGroup::so3xr3());
  system.add("body", elements::RigidBody{}, {"body"},
             {.values = {{"m", 1}, {"J1", 0.1}, {"J2", 0.2}, {"J3", 0.1}}});
  system.add("joint", elements::FixedPoint{}, {"body"},
             {.values = {{"X1", kArm(0)}, {"X2", kArm(1)}, {"X3", kArm(2)}}});
  system.add("torque", elements::ActuatorTorque{elements::LoadAxes::kBody}, {"body"});
  settings.apply_to(system);
  system.set_initial_configuration("body", pose_coeffs(way(0)));

  Problem problem(std::move(system), "spherical_pendulum");
  problem.set_horizon(settings("T"));
  problem.fix_end_configuration("body", pose_coeffs(way(1)), {0, 1, 2});
  problem.fix_end_velocity("body", {0, 1, 2});
  problem.add_running_cost([](const auto& at) {
    const auto &u1 = at.control("torque.m1"), &u2 = at.control("torque.m2"),
               &u3 = at.control("torque.m3");
    using S = std::decay_t<decltype(u1)>;
    return S(u1 * u1 + u2 * u2 + u3 * u3);
  });
  if (settings.is_given("reaction_limit")) {
    const double limit = settings("reaction_limit");
    if (!(limit > 0)) throw InvalidArgument("reaction_limit must be positive");
    problem.add_path_constraint(
        "square of the reaction",
        [](const auto& at) {
          const auto lambda = at.multipliers("joint");
          using S = std::decay_t<decltype(lambda(0))>;
          return S(lambda(0) * lambda(0) + lambda(1) * lambda(1) + lambda(2) * lambda(2));
        },
        {.upper = limit * limit});
  }
  problem.set_guess([](double s) { return pose_coeffs(way(s)); });
  return problem;
}

}  // namespace

BuiltInProblem spherical_pendulum() {
  return {.name = "spherical_pendulum",
          .description = "Swing a body on a spherical joint to rest, its reaction limited or not",
          .parameters = {{"reaction_limit", 0, "N", "of the joint's force; none unless set"},
                         {"T", 1.5, "s", "the horizon"}},
          .make = make};
}

}  // namespace liegrad::control
