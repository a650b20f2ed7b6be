#include "liegrad/control/phased_problem.hpp"

#include <algorithm>

#include "liegrad/ad/kernel_spec.hpp"
#include "liegrad/dae/system/element_kind.hpp"
#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::control {
namespace {

using dae::index;

bool are_same(const lie::NodeGroup& a, const lie::NodeGroup& b) {
  return a.kind == b.kind && a.dof() == b.dof();
}

int find_node(const dae::Model& system, const std::string& name) {
  for (std::size_t i = 0; i < system.nodes().size(); ++i) {
    if (system.nodes()[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

int control_index(const dae::Model& system, const std::string& name) {
  const std::vector<std::string>& names = system.controls();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw InvalidArgument(dae::unknown_name_message("control", name, names));
  }
  return static_cast<int>(found - names.begin());
}

bool contains(const std::vector<Link::Pair>& list, int after) {
  return std::any_of(list.begin(), list.end(),
                     [after](const Link::Pair& pair) { return pair.after == after; });
}

}  // namespace

Link::Link(const dae::Model& before, const dae::Model& after, std::string place)
    : before_(before), after_(after), place_(std::move(place)) {
  given_positions_.assign(index(after.dof()), true);
  given_velocities_.assign(index(after.dof()), true);
  const lie::GroupList &from = before.configuration_space(), &to = after.configuration_space();
  for (int node = 0; node < to.size(); ++node) {
    const int other = find_node(before, after.nodes()[index(node)].name);
    if (other < 0) continue;
    if (!are_same(from.group(other), to.group(node))) {
      refuse("node '" + after.nodes()[index(node)].name +
             "' is of another group in the phase before; rename one of them");
    }
    nodes_.push_back({other, node});
    for (int i = 0; i < to.group(node).dof(); ++i) {
      const Pair pair{from.dof_offset(other) + i, to.dof_offset(node) + i};
      positions_.push_back(pair);
      velocities_.push_back(pair);
      given_positions_[index(pair.after)] = given_velocities_[index(pair.after)] = false;
    }
  }
}

void Link::refuse(const std::string& sentence) const {
  throw InvalidArgument(place_ + ": " + sentence);
}

std::vector<int> Link::dofs_of(const std::string& node, const std::vector<int>& coordinates) const {
  const lie::GroupList& space = after_.configuration_space();
  const int i = after_.node_index(node);
  if (coordinates.empty()) return ad::range(space.dof_offset(i), space.group(i).dof());
  std::vector<int> list;
  for (const int coordinate : coordinates) {
    if (coordinate < 0 || coordinate >= space.group(i).dof()) {
      refuse("node '" + node + "' has no coordinate " + std::to_string(coordinate) +
             "; they are counted from 0 to " + std::to_string(space.group(i).dof() - 1));
    }
    list.push_back(space.dof_offset(i) + coordinate);
  }
  return list;
}

void Link::free_configuration(const std::string& node, const std::vector<int>& coordinates) {
  const int i = after_.node_index(node);
  if (!coordinates.empty() && !dae::is_linear(after_.configuration_space().group(i))) {
    refuse("node '" + node +
           "' is not in R^n, so that its configuration jumps as a whole; add a condition");
  }
  for (const int dof : dofs_of(node, coordinates)) {
    std::erase_if(positions_, [dof](const Pair& pair) { return pair.after == dof; });
    given_positions_[index(dof)] = false;
  }
}

void Link::free_velocity(const std::string& node, const std::vector<int>& coordinates) {
  for (const int dof : dofs_of(node, coordinates)) {
    std::erase_if(velocities_, [dof](const Pair& pair) { return pair.after == dof; });
    given_velocities_[index(dof)] = false;
  }
}

void Link::keep_control(const std::string& control) {
  const Pair pair{control_index(before_, control), control_index(after_, control)};
  if (!contains(controls_, pair.after)) controls_.push_back(pair);
}

void Link::add(const std::string& name, Function f, const Interval& interval) {
  if (!(interval.lower <= interval.upper)) {
    refuse("the bounds of condition '" + name + "' exclude everything");
  }
  conditions_.push_back({name, std::move(f), interval});
}

/// A joint is inherited if the phase before has it with the same parameters, and if nothing that it joins may jump.
bool Link::inherits(const dae::PlacedElement& element) const {
  const int found = before_.find_element(element.name);
  if (found < 0) return false;
  const dae::PlacedElement& old = before_.elements()[index(found)];
  if (before_.kind_of(old).shape().type != after_.kind_of(element).shape().type ||
      old.nodes.size() != element.nodes.size() ||
      old.parameters.size() != element.parameters.size()) {
    return false;
  }
  const std::vector<double> p_old = before_.parameter_values(), p = after_.parameter_values();
  for (std::size_t i = 0; i < element.parameters.size(); ++i) {
    if (p_old[index(old.parameters[i])] != p[index(element.parameters[i])]) return false;
  }
  const lie::GroupList& space = after_.configuration_space();
  for (std::size_t k = 0; k < element.nodes.size(); ++k) {
    if (before_.nodes()[index(old.nodes[k])].name != after_.nodes()[index(element.nodes[k])].name) {
      return false;
    }
    const int first = space.dof_offset(element.nodes[k]);
    for (int i = 0; i < space.group(element.nodes[k]).dof(); ++i) {
      if (!contains(positions_, first + i) || !contains(velocities_, first + i)) return false;
    }
  }
  return true;
}

std::vector<int> Link::new_constraints() const {
  const lie::GroupList& space = after_.configuration_space();
  std::vector<int> list;
  for (std::size_t i = 0; i < after_.elements().size(); ++i) {
    const dae::PlacedElement& element = after_.elements()[i];
    if (after_.kind_of(element).shape().constraints == 0 || inherits(element)) continue;
    // Initial values of the system satisfy joints between nodes that start from them.
    bool is_given = true;
    for (const int node : element.nodes) {
      for (int k = 0; k < space.group(node).dof(); ++k) {
        const std::size_t dof = index(space.dof_offset(node) + k);
        is_given = is_given && given_positions_[dof] && given_velocities_[dof];
      }
    }
    if (!is_given) list.push_back(static_cast<int>(i));
  }
  return list;
}

std::vector<double> Link::start_behind(const std::vector<double>& end) const {
  std::vector<double> start = after_.initial_configuration();
  const lie::GroupList &from = before_.configuration_space(), &to = after_.configuration_space();
  for (const auto& [old, node] : nodes_) {
    std::copy_n(end.begin() + from.coeff_offset(old), to.group(node).num_coeffs(),
                start.begin() + to.coeff_offset(node));
  }
  return start;
}

std::string PhasedProblem::place_of(std::size_t phase) const {
  return "problem '" + name_ + "', phase " + std::to_string(phase + 1);
}

void PhasedProblem::check_grid(std::size_t phase, int steps,
                               const std::vector<double>& mesh) const {
  if (steps >= 2 || !mesh.empty()) return;
  throw InvalidArgument(place_of(phase) + ": " + std::to_string(steps) +
                        " steps are too few; a horizon has at least 2");
}

int PhasedProblem::add_phase(Problem problem, int steps, std::vector<double> mesh) {
  const std::string place = place_of(phases_.size());
  if (!problem.periodic().empty()) {
    throw InvalidArgument(place + ": a periodic problem has no phases before and behind it");
  }
  check_grid(phases_.size(), steps, mesh);
  if (size() > 0) links_.emplace_back(phase(size() - 1).problem.system(), problem.system(), place);
  phases_.push_back({std::move(problem), steps, std::move(mesh)});
  return size() - 1;
}

void PhasedProblem::set_grid(int phase, int steps, std::vector<double> mesh) {
  const std::size_t k = phase_index(phase);
  check_grid(k, steps, mesh);
  phases_[k].steps = mesh.empty() ? steps : static_cast<int>(mesh.size()) - 1;
  phases_[k].mesh = std::move(mesh);
}

void PhasedProblem::set_problem(int phase, Problem problem) {
  const std::size_t k = phase_index(phase);
  if (&problem.system() != &phases_[k].problem.system()) {
    throw InvalidArgument(place_of(k) +
                          ": its problem can be replaced by a copy of it only, since links belong "
                          "to its system");
  }
  phases_[k].problem = std::move(problem);
}

std::size_t PhasedProblem::phase_index(int phase) const {
  if (phase < 0 || phase >= size()) {
    throw InvalidArgument("problem '" + name_ + "': there is no phase " + std::to_string(phase) +
                          ", counted from 0");
  }
  return index(phase);
}

std::size_t PhasedProblem::link_index(int phase) const {
  if (phase < 1 || phase >= size()) {
    throw InvalidArgument("problem '" + name_ + "': there is no link that leads to phase " +
                          std::to_string(phase) + ", counted from 0");
  }
  return index(phase - 1);
}

void PhasedProblem::bound_total_time(const Interval& bounds) {
  if (!(bounds.lower <= bounds.upper)) {
    throw InvalidArgument("problem '" + name_ + "': the bounds of its time exclude everything");
  }
  total_time_ = bounds;
  has_total_time_ = true;
}

}  // namespace liegrad::control
