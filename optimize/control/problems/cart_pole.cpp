// Swing-up of a pole on a cart in a given time, with the least ∫u² dt [Kelly2017, Section 6]:
//
//     (m1 + m2) ẍ + m2 l (θ̈ cos θ - θ̇² sin θ) = u,   l θ̈ + ẍ cos θ + g sin θ = 0,
//
// from hanging (θ = 0) at rest at x = 0 to standing (θ = π) at rest at x = distance.

#include <cmath>

#include "liegrad/control/problems/built_in.hpp"
#include "liegrad/dae/system/element.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::control {
namespace {

struct CartPole {
  dae::ElementShape shape() const {
    return {.type = "cart_pole",
            .nodes = {{dae::NodeRole::kCoordinates, 2}},
            .parameters = {{"m1", 1, "kg", "mass of the cart"},
                           {"m2", 0.3, "kg", "mass at the tip of the pole"},
                           {"l", 0.5, "m", "length of the pole"},
                           {"g", 9.81, "m/s^2", "gravity"}},
            .controls = {"u"}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    using std::cos, std::sin;
    const S &m1 = at.parameter(0), &m2 = at.parameter(1), &l = at.parameter(2);
    const S theta = at.coordinates(0)(1), omega = at.velocity_coordinates(0)(1);
    const S x_ddot = at.acceleration_coordinates(0)(0);
    const S theta_ddot = at.acceleration_coordinates(0)(1);
    const S c = cos(theta), s = sin(theta);
    balance.row(0, 0) +=
        (m1 + m2) * x_ddot + m2 * l * (theta_ddot * c - omega * omega * s) - at.control(0);
    balance.row(0, 1) += m2 * l * (l * theta_ddot + x_ddot * c + at.parameter(3) * s);
  }
};

Problem make(const Settings& settings) {
  const double distance = settings("distance"), force = settings("force_limit"),
               track = settings("track"), pi = std::acos(-1.0);
  dae::System system("cart_pole");
  system.add_node("state", lie::NodeGroup::rn(2));
  system.add("cart", CartPole{}, {"state"});
  settings.apply_to(system);
  Problem problem(std::move(system), "cart_pole");
  problem.set_horizon(settings("T"));
  if (!(force > 0)) throw InvalidArgument("force_limit must be positive");
  problem.set_control_bounds("cart.u", {-force, force});
  problem.set_control_unit("cart.u", "N");
  problem.set_coordinate_unit("state", 0, "m");
  problem.set_coordinate_unit("state", 1, "rad");
  problem.bound_coordinate("state", 0, {-track, track});
  problem.fix_end_configuration("state", {distance, pi});
  problem.fix_end_velocity("state");
  problem.add_running_cost(
      [](const auto& at) { return at.control("cart.u") * at.control("cart.u"); });
  return problem;
}

}  // namespace

BuiltInProblem cart_pole() {
  return {.name = "cart_pole",
          .description = "Swing a pole on a cart up in a given time, least integral of u^2",
          .parameters = {{"T", 2, "s", "the horizon"},
                         {"distance", 1, "m", "that the cart moves"},
                         {"force_limit", 20, "N", "of the force on the cart"},
                         {"track", 2, "m", "largest distance of the cart from its start"}},
          .make = make};
}

}  // namespace liegrad::control
