// Where a mechanism starts: along the tree of its joints, or by projection where joints close loops.

#include <algorithm>
#include <cmath>
#include <set>

#include "liegrad/dae/start/consistency.hpp"
#include "liegrad/elements/coordinates/driven_coordinate.hpp"
#include "liegrad/elements/mechanism/mechanism.hpp"
#include "liegrad/elements/mechanism/tree_motion.hpp"

namespace liegrad::elements {
namespace {

/// On the way from the drawing to the initial values, coordinates are moved by so much at a time.
constexpr double kLargestTurn = 0.1;
constexpr int kFewestMoves = 20;

}  // namespace

std::vector<Mechanism::Branch> Mechanism::tree() const {
  std::vector<Branch> branches;
  std::set<std::string> reached = {"ground"};
  const auto grow = [&] {
    for (bool has_grown = true; has_grown;) {
      has_grown = false;
      for (const Joint& joint : joints_) {
        const bool has_a = reached.contains(joint.a), has_b = reached.contains(joint.b);
        if (has_a == has_b) continue;
        branches.push_back({&joint, has_b});
        reached.insert(has_a ? joint.b : joint.a);
        has_grown = true;
      }
    }
  };
  grow();
  for (const Body& body : bodies_) {
    if (reached.insert(body.name).second) grow();
  }
  return branches;
}

void Mechanism::set_tree_motion(dae::System& system, const std::vector<Branch>& tree) const {
  const auto place = [&system](const std::string& node) -> TreeMotion::Place {
    if (node == "ground") return {};
    const int i = system.node_index(node);
    return {system.configuration_space().coeff_offset(i),
            system.configuration_space().dof_offset(i)};
  };
  std::vector<TreeMotion::Link> links;
  std::vector<std::string> parameters;
  for (const auto& [joint, finds_a] : tree) {
    TreeMotion::Link link{joint->type, place(joint->a), place(joint->b), finds_a, {}};
    for (const char* const frame : {".a.", ".b."}) {
      for (const char* const own : {"X1", "X2", "X3", "e0", "e1", "e2", "e3"}) {
        parameters.push_back(joint->name + frame + own);
      }
    }
    for (const bool rate : {false, true}) {
      for (const Coordinate& coordinate : joint->coordinates) {
        const std::string unit = coordinate.name.ends_with("displacement") ? "m" : "rad";
        const std::string name = coordinate.name + (rate ? "_rate0" : "0");
        system.add_parameter(
            {name, rate ? coordinate.rate : coordinate.value, rate ? unit + "/s" : unit,
             rate ? "its rate at the start" : "coordinate of the joint at the start"});
        parameters.push_back(name);
        if (!rate)
          link.coordinates.push_back(coordinate.is_node ? place(coordinate.name)
                                                        : TreeMotion::Place{});
      }
    }
    links.push_back(link);
  }
  system.set_initial_function(TreeMotion(options_.group, links), parameters);
}

/// The drawing is a solution of all constraints. From there the coordinates that were set are moved to their values a
/// little at a time, held by drives, and all else follows by the least motion in the metric of the mass; at the end
/// the drives have the rates, and velocities follow in the same way.
void Mechanism::close_loops(dae::System& system) const {
  dae::System held(system.name());
  for (const dae::ParameterSpec& parameter : system.parameters()) {
    if (parameter.name.starts_with("gravity")) held.add_parameter(parameter);
  }
  for (const Body& body : bodies_) add_body_to(held, body);
  int moves = 0;
  std::vector<const Coordinate*> set;
  for (const Joint& joint : joints_) {
    add_joint_to(held, joint);
    for (const Coordinate& coordinate : joint.coordinates) {
      if (!coordinate.is_set && !coordinate.is_node) continue;
      if (joint.type == JointType::kUniversal || joint.type == JointType::kSpherical) {
        throw InvalidArgument("'" + coordinate.name +
                              "' cannot be set in a mechanism with closed " +
                              "loops; set angles and displacements of revolute, prismatic and " +
                              "cylindrical joints");
      }
      add_coordinate_to(held, joint, coordinate);
      if (!coordinate.is_set) continue;
      held.add(coordinate.name + ".hold", DrivenCoordinate<PolynomialLaw>{PolynomialLaw(2)},
               {coordinate.name});
      set.push_back(&coordinate);
      moves = std::max(
          {moves, kFewestMoves,
           static_cast<int>(std::min(1e6, std::ceil(std::abs(coordinate.value) / kLargestTurn)))});
    }
  }

  dae::Consistency consistency(held, {.project = true, .allow_redundant = true},
                               dae::LinearSolverKind::kAutomatic);
  dae::InitialValues now = {held.initial_configuration(), held.initial_velocity()};
  dae::State state;
  std::vector<double> parameters = held.parameter_values();
  for (int i = 1; i <= moves; ++i) {
    const auto set_parameter = [&](const std::string& name, double value) {
      parameters[static_cast<std::size_t>(held.parameter_index(name))] = value;
    };
    for (const Coordinate* coordinate : set) {
      set_parameter(coordinate->name + ".hold.c0", coordinate->value * i / moves);
      set_parameter(coordinate->name + ".hold.c1", i == moves ? coordinate->rate : 0);
    }
    consistency.set_parameters(parameters);
    try {
      consistency.set_initial_state(0, {}, now, state);
    } catch (const Error& error) {
      throw InvalidArgument("the loops of mechanism '" + system.name() +
                            "' do not close on the way from the drawing to the coordinates that " +
                            "were set, after " + dae::number_text(100.0 * (i - 1) / moves) +
                            " % of it: " + error.what());
    }
    now.q = state.q;
  }
  if (moves == 0) return;
  const lie::GroupList& space = held.configuration_space();
  for (const dae::Node& node : system.nodes()) {
    if (node.name == "ground") continue;
    const int i = held.node_index(node.name);
    const auto q = state.q.begin() + space.coeff_offset(i);
    const auto v = state.v.begin() + space.dof_offset(i);
    system.set_initial_configuration(node.name, {q, q + node.group.num_coeffs()});
    system.set_initial_velocity(node.name, {v, v + node.group.dof()});
  }
}

dae::System Mechanism::make_system() const {
  dae::System system = system_;
  const std::vector<Branch> branches = tree();
  if (branches.size() == joints_.size()) {
    set_tree_motion(system, branches);
  } else {
    close_loops(system);
  }
  return system;
}

}  // namespace liegrad::elements
