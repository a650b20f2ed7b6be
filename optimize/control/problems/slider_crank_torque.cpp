// A slider–crank mechanism turns its crank by a given angle from rest to rest with the least ∫u² dt of the motor's torque,
// or ∫(u² + w|λ|²) dt with the force λ in the pin of the crank: crank and rod are slender, in absolute coordinates
// (x, y, θ), and all joints are constraints.

#include <cmath>
#include <numbers>

#include "liegrad/control/problems/built_in.hpp"
#include "liegrad/elements/planar/planar_torque.hpp"
#include "liegrad/elements/planar/slender_rod.hpp"
#include "liegrad/elements/planar/slider.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::control {
namespace {

/// Crank, rod, slider, hinge; the slider on the side of +x.
std::vector<double> at_crank_angle(double angle, double l1, double l2) {
  const double x = l1 * std::cos(angle), y = l1 * std::sin(angle);
  const double reach = std::sqrt(l2 * l2 - y * y);
  return {0.5 * x, 0.5 * y, angle, x + 0.5 * reach, 0.5 * y, -std::asin(y / l2), x + reach, x, y};
}

Problem make(const Settings& settings) {
  using elements::RodEnd;
  dae::System system("slider_crank_torque");
  system.add_node("crank", lie::NodeGroup::rn(3));
  system.add_node("rod", lie::NodeGroup::rn(3));
  system.add_node("slider", lie::NodeGroup::rn(1));
  system.add_node("hinge", lie::NodeGroup::rn(2));
  system.add("crank", elements::PlanarSlenderRod{}, {"crank"},
             {.values = {{"m", 0.36}, {"l", 0.3}}});
  system.add("rod", elements::PlanarSlenderRod{}, {"rod"}, {.values = {{"m", 0.15}, {"l", 0.6}}});
  system.add("slider", elements::Slider{}, {"slider"}, {.values = {{"m", 0.8}}});
  system.add("pin", elements::PlanarRodJoint{RodEnd::kStart}, {"ground", "crank"},
             {.bind = {{"l", "crank.l"}}});
  system.add("hinge1", elements::PlanarRodJoint{RodEnd::kTip}, {"hinge", "crank"},
             {.bind = {{"l", "crank.l"}}});
  system.add("hinge2", elements::PlanarRodJoint{RodEnd::kStart}, {"hinge", "rod"},
             {.bind = {{"l", "rod.l"}}});
  system.add("rail", elements::PlanarRodOnSlider{RodEnd::kTip}, {"ground", "slider", "rod"},
             {.bind = {{"l", "rod.l"}}});
  system.add("motor", elements::PlanarMotor{}, {"ground", "crank"});
  settings.apply_to(system);
  const double l1 = system.parameter("crank.l"), l2 = system.parameter("rod.l");
  if (!(l2 > l1)) {
    throw InvalidArgument("the rod must be longer than the crank: rod.l > crank.l");
  }
  const double start = settings("angle0"), turn = settings("angle");
  const auto set = [&](const std::vector<double>& q, auto&& put) {
    put("crank", std::vector<double>(q.begin(), q.begin() + 3));
    put("rod", std::vector<double>(q.begin() + 3, q.begin() + 6));
    put("slider", std::vector<double>{q[6]});
    put("hinge", std::vector<double>{q[7], q[8]});
  };
  set(at_crank_angle(start, l1, l2), [&](const char* node, const std::vector<double>& q) {
    system.set_initial_configuration(node, q);
  });

  Problem problem(std::move(system), "slider_crank_torque");
  problem.set_horizon(settings("T"));
  const std::vector<double> end = at_crank_angle(start + turn, l1, l2);
  problem.fix_end_configuration("crank", {end[0], end[1], end[2]}, {2});
  problem.fix_end_velocity("crank", {2});
  problem.add_running_cost(
      [](const auto& at) { return at.control("motor.torque") * at.control("motor.torque"); });
  if (settings.is_given("pin_weight")) {
    const double weight = settings("pin_weight");
    if (!(weight >= 0)) throw InvalidArgument("pin_weight must not be negative");
    problem.add_running_cost([weight](const auto& at) {
      const auto lambda = at.multipliers("pin");
      using S = std::decay_t<decltype(lambda(0))>;
      return S(S(weight) * (lambda(0) * lambda(0) + lambda(1) * lambda(1)));
    });
  }
  // From rest to rest.
  problem.set_guess(
      [=](double s) { return at_crank_angle(start + s * s * (3 - 2 * s) * turn, l1, l2); });
  return problem;
}

}  // namespace

BuiltInProblem slider_crank_torque() {
  return {
      .name = "slider_crank_torque",
      .description = "Turn the crank of a slider-crank from rest to rest, least integral of u^2",
      .parameters = {{"T", 1, "s", "the horizon"},
                     {"angle0", std::numbers::pi / 2, "rad", "of the crank at the start"},
                     {"angle", 2 * std::numbers::pi, "rad", "by which it turns"},
                     {"pin_weight", 0, "m^2",
                      "of the squared force in the crank's pin in the cost; none unless set"}},
      .make = make};
}

}  // namespace liegrad::control
