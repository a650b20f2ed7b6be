// The right-angle cantilever of [BruelsCardonaArnold2012, section 7.2], a classical benchmark of beams: two legs,
// clamped at the origin, the first along x and the second along y, set in motion by a force at the elbow out
// of their plane, which rises to 50 at t = 1 and is gone at t = 2. The paper prints no section; its stiffness
// and inertia here are those of [SimoVuQuoc1988].
//
// The first element is attached to the ground, so that there are no constraints. Nodes of the second leg have
// x along y of the ground; the elbow belongs to the first leg, and a frame turns its section for the second.

#include <cmath>
#include <map>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "beam_parameters.hpp"
#include "liegrad/dae/system/initial_function.hpp"
#include "liegrad/elements/coordinates/table_law.hpp"
#include "liegrad/elements/forces/applied_force.hpp"

namespace liegrad::models {
namespace {

/// Both legs straight, with as many nodes each: the first along x, the second along y.
struct RightAngle {
  template <class S>
  void operator()(std::span<const S> p, std::span<S> q, std::span<S>) const {
    const std::size_t nodes = q.size() / 14;
    for (std::size_t i = 0; i < nodes; ++i) {
      const S along = p[0] * S(static_cast<double>(i + 1) / static_cast<double>(nodes));
      q[7 * i + 4] = along;
      q[7 * (nodes + i) + 4] = p[0];
      q[7 * (nodes + i) + 5] = along;
    }
  }
};

}  // namespace

dae::System right_angle_beam(const Structure& structure) {
  constexpr double kLength = 10;
  const lie::NodeGroup& group = structure.body_group;
  dae::System system("right_angle_beam");
  const std::map<std::string, std::string> bind = add_beam_parameters(system, "",
                                                                      {.length = kLength,
                                                                       .EA = 1e6,
                                                                       .GA = 1e6,
                                                                       .GJ = 1e3,
                                                                       .EI = 1e3,
                                                                       .mass = 1,
                                                                       .J1 = 20,
                                                                       .J2 = 10});
  const lie::SO3<double> turn =
      lie::SO3<double>::exp(lie::Vec<double, 3>(0, 0, std::numbers::pi / 2));

  const auto leg = [&](const std::string& name, const elements::BeamAttachment& from,
                       const std::string& end, const lie::SE3<double>& start) {
    elements::StraightBeam row;
    row.name = name;
    row.elements = structure.bodies;
    row.from = from;
    row.to.name = end;
    row.group = group;
    row.start = start;
    row.length = kLength;
    row.values = {{"gravity3", 0}};
    row.bind = bind;
    add_beam_nodes(system, row);
    const auto pose = start * lie::SE3<double>(lie::SO3<double>::identity(), {kLength, 0, 0});
    const auto c = pose.coeffs();
    system.add_node(end, group);
    system.set_initial_configuration(end, {c.begin(), c.end()});
    add_beam(system, row);
  };
  leg("leg1", {"ground"}, "elbow", lie::SE3<double>::identity());
  const auto e = turn.coeffs();
  system.add_frame("elbow.leg2", "elbow", {.orientation = {e(0), e(1), e(2), e(3)}});
  leg("leg2", {"elbow.leg2", true}, "tip", lie::SE3<double>(turn, {kLength, 0, 0}));

  system.add("force",
             elements::AppliedForce<elements::LinearTableLaw>{
                 .law = elements::LinearTableLaw({0, 1, 2}, {0, 1, 0})},
             {"elbow"}, {.values = {{"f3", 50}}});
  system.set_initial_function(RightAngle{}, {"L"});
  return system;
}

}  // namespace liegrad::models
