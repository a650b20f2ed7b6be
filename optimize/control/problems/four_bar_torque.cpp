// A closed four-bar linkage turns its crank by a given angle from rest to rest under gravity, with the least ∫u² dt of the
// motor's torque; the force in the pin of the crank can be limited. Crank, coupler and rocker are slender bars in absolute
// coordinates (x, y, θ), and all four hinges are constraints.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "liegrad/control/problems/built_in.hpp"
#include "liegrad/elements/planar/planar_body.hpp"
#include "liegrad/elements/planar/planar_revolute_joint.hpp"
#include "liegrad/elements/planar/planar_torque.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::control {
namespace {

struct Linkage {
  double crank, coupler, rocker, ground;

  /// Grashof: the crank is the shortest bar, and turns all the way round.
  bool turns_round() const {
    const double shortest = std::min({coupler, rocker, ground});
    const double longest = std::max({coupler, rocker, ground});
    return crank < shortest && crank + longest < coupler + rocker + ground - longest;
  }
  /// Crank, coupler, rocker; the rocker's hinge is above the line from the crank's tip to the far pivot.
  std::vector<double> at(double angle) const {
    const double x = crank * std::cos(angle), y = crank * std::sin(angle);
    const double dx = ground - x, dy = -y, distance = std::hypot(dx, dy);
    const double along =
        (coupler * coupler - rocker * rocker + distance * distance) / (2 * distance);
    const double across = std::sqrt(coupler * coupler - along * along);
    const double px = x + (along * dx - across * dy) / distance,
                 py = y + (along * dy + across * dx) / distance;
    return {0.5 * x,
            0.5 * y,
            angle,
            0.5 * (x + px),
            0.5 * (y + py),
            std::atan2(py - y, px - x),
            0.5 * (ground + px),
            0.5 * py,
            std::atan2(py, px - ground)};
  }
};

void add_bar(dae::System& system, const std::string& name, double mass, double length) {
  system.add_node(name, lie::NodeGroup::rn(3));
  system.add(name, elements::PlanarBody{}, {name},
             {.values = {{"m", mass}, {"J", mass * length * length / 12}, {"gravity2", -9.81}}});
  system.add_planar_frame(name + "_start", name, {.position = {-0.5 * length, 0}});
  system.add_planar_frame(name + "_tip", name, {.position = {0.5 * length, 0}});
}

Problem make(const Settings& settings) {
  const Linkage linkage{settings("crank_length"), settings("coupler_length"),
                        settings("rocker_length"), settings("ground_length")};
  if (!(linkage.crank > 0) || !linkage.turns_round()) {
    throw InvalidArgument(
        "the crank of the four-bar cannot turn round: it must be the shortest bar, and with the "
        "longest one shorter than the other two");
  }
  using elements::PlanarRevoluteJoint;
  dae::System system("four_bar_torque");
  add_bar(system, "crank", 0.5, linkage.crank);
  add_bar(system, "coupler", 1, linkage.coupler);
  add_bar(system, "rocker", 0.8, linkage.rocker);
  system.add_planar_frame("pivot", "ground", {.position = {linkage.ground, 0}});
  system.add("pin", PlanarRevoluteJoint{}, {"ground", "crank_start"});
  system.add("hinge1", PlanarRevoluteJoint{}, {"crank_tip", "coupler_start"});
  system.add("hinge2", PlanarRevoluteJoint{}, {"coupler_tip", "rocker_tip"});
  system.add("far_pin", PlanarRevoluteJoint{}, {"pivot", "rocker_start"});
  system.add("motor", elements::PlanarMotor{}, {"ground", "crank"});
  settings.apply_to(system);
  const double start = settings("angle0"), turn = settings("angle");
  const std::vector<double> first = linkage.at(start), last = linkage.at(start + turn);
  int next = 0;
  for (const char* const bar : {"crank", "coupler", "rocker"}) {
    system.set_initial_configuration(bar, {first.begin() + next, first.begin() + next + 3});
    next += 3;
  }

  Problem problem(std::move(system), "four_bar_torque");
  problem.set_horizon(settings("T"));
  problem.fix_end_configuration("crank", {last[0], last[1], last[2]}, {2});
  problem.fix_end_velocity("crank", {2});
  problem.add_running_cost(
      [](const auto& at) { return at.control("motor.torque") * at.control("motor.torque"); });
  if (settings.is_given("pin_limit")) {
    const double limit = settings("pin_limit");
    if (!(limit > 0)) throw InvalidArgument("pin_limit must be positive");
    problem.add_path_constraint("square of the force in the pin",
                                [](const auto& at) {
                                  const auto lambda = at.multipliers("pin");
                                  using S = std::decay_t<decltype(lambda(0))>;
                                  return S(lambda(0) * lambda(0) + lambda(1) * lambda(1));
                                },
                                {.upper = limit * limit});
  }
  // From rest to rest.
  problem.set_guess([=](double s) { return linkage.at(start + s * s * (3 - 2 * s) * turn); });
  return problem;
}

}  // namespace

BuiltInProblem four_bar_torque() {
  return {.name = "four_bar_torque",
          .description =
              "Turn the crank of a closed four-bar from rest to rest, least integral of "
              "u^2, the force in its pin limited or not",
          .parameters = {{"T", 1, "s", "the horizon"},
                         {"angle0", std::numbers::pi / 2, "rad", "of the crank at the start"},
                         {"angle", 2 * std::numbers::pi, "rad", "by which it turns"},
                         {"crank_length", 0.3, "m", "the shortest bar"},
                         {"coupler_length", 0.8, "m", "between crank and rocker"},
                         {"rocker_length", 0.6, "m", "to the far pivot"},
                         {"ground_length", 0.8, "m", "between the pivots"},
                         {"pin_limit", 0, "N", "of the force in the crank's pin; none unless set"}},
          .make = make};
}

}  // namespace liegrad::control
