// A straight beam along x, clamped at the origin, with a force and a moment at its tip and its own weight. The
// section is that of a steel bar of 1 cm × 1 cm unless told otherwise. The clamp is a joint, so that its
// reactions are outputs.

#include <map>
#include <span>
#include <string>

#include "beam_parameters.hpp"
#include "liegrad/dae/system/element.hpp"
#include "liegrad/dae/system/initial_function.hpp"
#include "liegrad/elements/forces/applied_force.hpp"
#include "liegrad/elements/forces/applied_torque.hpp"
#include "liegrad/elements/joints/fixed_joint.hpp"
#include "liegrad/lie/relative_rotation.hpp"
#include "shared_gravity.hpp"

namespace liegrad::models {
namespace {

/// Displacement and rotation of a node that is at (L, 0, 0) without load.
struct TipMotion {
  dae::ElementShape shape() const {
    return {.type = "tip_motion",
            .nodes = {{dae::NodeRole::kRigidBody}},
            .parameters = {{"L", 1, "m", "where it is without load, along x"}},
            .outputs = {{"displacement", 3, "of the tip"},
                        {"rotation", 3, "rotation vector of the section at the tip"}}};
  }
  template <class S>
  lie::Vec<S, 6> outputs(const dae::Motion<S>& at) const {
    lie::Vec<S, 6> values;
    values << at.frame(0).position, lie::rotation::logarithm<S>(at.rotation(0));
    values(0) -= at.parameter(0);
    return values;
  }
};

/// All nodes on a straight line of the length L along x.
struct Straight {
  template <class S>
  void operator()(std::span<const S> p, std::span<S> q, std::span<S>) const {
    const std::size_t nodes = q.size() / 7;
    for (std::size_t i = 0; i < nodes; ++i) {
      q[7 * i + 4] = p[0] * S(static_cast<double>(i) / static_cast<double>(nodes - 1));
    }
  }
};

}  // namespace

dae::System cantilever(const Structure& structure) {
  dae::System system("cantilever");
  // E = 2.1e11, G = E/2.6, density 7850; shear factor 5/6, torsion constant 0.1406 b⁴.
  std::map<std::string, std::string> bind = bound_to_gravity(add_beam_parameters(system, "",
                                                                                 {.length = 1,
                                                                                  .EA = 2.1e7,
                                                                                  .GA = 6.73e6,
                                                                                  .GJ = 113.6,
                                                                                  .EI = 175,
                                                                                  .mass = 0.785,
                                                                                  .J1 = 1.308e-5,
                                                                                  .J2 = 6.54e-6}));
  add_gravity(system);
  system.add_parameter({"alpha", 0, "1/s", "damping proportional to mass"});
  system.add_parameter({"tau", 0, "s", "viscosity over stiffness"});
  bind["alpha"] = "alpha";
  bind["tau_E"] = bind["tau_G"] = "tau";

  // Nodes in the order of x.
  system.add_node("root", structure.body_group);
  elements::StraightBeam row{.name = "beam",
                             .elements = structure.bodies,
                             .from = {"root"},
                             .to = {"tip"},
                             .group = structure.body_group,
                             .bind = bind};
  add_beam_nodes(system, row);
  system.add_node("tip", structure.body_group);
  add_beam(system, row, /*damped=*/true);
  system.add("root", elements::FixedJoint{}, {"ground", "root"});
  system.add("tip.load", elements::AppliedForce<>{}, {"tip"});
  system.add("tip.moment", elements::AppliedTorque<>{}, {"tip"});
  system.add("tip", TipMotion{}, {"tip"}, {.bind = {{"L", "L"}}});
  system.set_initial_function(Straight{}, {"L"});
  return system;
}

}  // namespace liegrad::models
