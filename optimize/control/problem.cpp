#include "liegrad/control/problem.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/ad/kernel_spec.hpp"
#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::control {

using dae::index;

Problem::Problem(dae::System system, std::string name)
    : system_(system.build()), name_(name.empty() ? system_->name() : std::move(name)) {
  control_bounds_.resize(system_->controls().size());
  control_guess_.assign(system_->controls().size(), 0.0);
  control_units_.resize(system_->controls().size());
  coordinate_units_.resize(index(system_->dof()));
  end_configuration_ = system_->initial_configuration();
  end_position_fixed_.assign(index(system_->dof()), false);
  end_velocity_.assign(index(system_->dof()), std::numeric_limits<double>::quiet_NaN());
  if (system_->controls().empty()) {
    refuse("its system has no controls; add an element that has some, such as a ControlledTorque");
  }
}

void Problem::refuse(const std::string& sentence) const {
  throw InvalidArgument("problem '" + name_ + "': " + sentence);
}

void Problem::check(const std::string& what, const Interval& interval) const {
  if (interval.lower <= interval.upper) return;
  refuse("the bounds of " + what + " exclude everything: the lower one is " +
         std::to_string(interval.lower) + ", the upper one " + std::to_string(interval.upper));
}

void Problem::set_horizon(double t_end) {
  if (!(t_end > 0) || !std::isfinite(t_end)) {
    refuse("the horizon is " + std::to_string(t_end) + "; it must be positive and finite");
  }
  horizon_ = t_end;
  horizon_bounds_ = {t_end, t_end};
}

void Problem::set_free_horizon(double guess, Interval bounds) {
  set_horizon(guess);
  // A time that shrinks to nothing is never meant; a step of it must have a length.
  bounds.lower = std::max(bounds.lower, 1e-3 * guess);
  check("the horizon", bounds);
  if (guess < bounds.lower || guess > bounds.upper) {
    refuse("the guess of the horizon, " + std::to_string(guess) + ", is outside its bounds");
  }
  horizon_bounds_ = bounds;
}

int Problem::control_index(const std::string& control) const {
  const std::vector<std::string>& names = system_->controls();
  const auto found = std::find(names.begin(), names.end(), control);
  if (found == names.end()) refuse(dae::unknown_name_message("control", control, names));
  return static_cast<int>(found - names.begin());
}

void Problem::set_control_bounds(const std::string& control, const Interval& bounds) {
  check("control '" + control + "'", bounds);
  control_bounds_[index(control_index(control))] = bounds;
}

void Problem::set_control_unit(const std::string& control, const std::string& unit) {
  control_units_[index(control_index(control))] = unit;
}

void Problem::set_coordinate_unit(const std::string& node, int coordinate,
                                  const std::string& unit) {
  coordinate_units_[index(dof_of(node, coordinate))] = unit;
}

void Problem::set_control_guess(const std::string& control, double value) {
  if (!std::isfinite(value)) refuse("the guess of control '" + control + "' is not finite");
  control_guess_[index(control_index(control))] = value;
}

void Problem::free_parameter(const std::string& parameter, const Interval& bounds) {
  check("parameter '" + parameter + "'", bounds);
  free_parameters_[system_->parameter_index(parameter)] = bounds;
}

int Problem::dof_of(const std::string& node, int coordinate) const {
  const lie::GroupList& space = system_->configuration_space();
  const int i = system_->node_index(node);
  if (coordinate < 0 || coordinate >= space.group(i).dof()) {
    refuse("node '" + node + "' has no coordinate " + std::to_string(coordinate) +
           "; they are counted from 0 to " + std::to_string(space.group(i).dof() - 1));
  }
  return space.dof_offset(i) + coordinate;
}

std::vector<int> Problem::dofs_of(const std::string& node,
                                  const std::vector<int>& coordinates) const {
  const lie::GroupList& space = system_->configuration_space();
  const int i = system_->node_index(node);
  if (coordinates.empty()) return ad::range(space.dof_offset(i), space.group(i).dof());
  std::vector<int> list;
  for (const int coordinate : coordinates) list.push_back(dof_of(node, coordinate));
  return list;
}

void Problem::bound_velocity(const std::string& node, int coordinate, const Interval& bounds) {
  check("a velocity of '" + node + "'", bounds);
  velocity_bounds_.push_back({dof_of(node, coordinate), bounds});
}

void Problem::bound_coordinate(const std::string& node, int coordinate, const Interval& bounds) {
  check("a coordinate of '" + node + "'", bounds);
  const int dof = dof_of(node, coordinate), i = system_->node_index(node);
  const lie::GroupList& space = system_->configuration_space();
  if (!dae::is_linear(space.group(i))) {
    refuse("node '" + node +
           "' is not in R^n, so that its coordinates have no bounds; add a path constraint");
  }
  const double start = system_->initial_configuration()[index(space.coeff_offset(i) + coordinate)];
  if (start < bounds.lower || start > bounds.upper) {
    refuse("coordinate " + std::to_string(coordinate) + " of '" + node + "' starts at " +
           std::to_string(start) + ", outside its bounds");
  }
  coordinate_bounds_.push_back({dof, bounds});
}

void Problem::fix_end_configuration(const std::string& node, const std::vector<double>& coeffs,
                                    const std::vector<int>& coordinates) {
  const lie::GroupList& space = system_->configuration_space();
  const int i = system_->node_index(node);
  if (static_cast<int>(coeffs.size()) != space.group(i).num_coeffs()) {
    refuse("the configuration of '" + node + "' has " +
           std::to_string(space.group(i).num_coeffs()) + " coefficients, not " +
           std::to_string(coeffs.size()));
  }
  for (const double c : coeffs) {
    if (!std::isfinite(c)) refuse("the configuration of '" + node + "' at the end is not finite");
  }
  std::copy(coeffs.begin(), coeffs.end(), end_configuration_.begin() + space.coeff_offset(i));
  for (const int dof : dofs_of(node, coordinates)) end_position_fixed_[index(dof)] = true;
}

void Problem::fix_end_velocity(const std::string& node, const std::vector<int>& coordinates,
                               const std::vector<double>& values) {
  const std::vector<int> dofs = dofs_of(node, coordinates);
  if (!values.empty() && values.size() != dofs.size()) {
    refuse("the velocity of '" + node + "' at the end has " + std::to_string(values.size()) +
           " values for " + std::to_string(dofs.size()) + " coordinates");
  }
  for (std::size_t i = 0; i < dofs.size(); ++i) {
    const double value = values.empty() ? 0.0 : values[i];
    if (!std::isfinite(value)) refuse("the velocity of '" + node + "' at the end is not finite");
    end_velocity_[index(dofs[i])] = value;
  }
}

void Problem::make_periodic(const std::string& node) {
  for (const int dof : dofs_of(node, {})) {
    if (end_position_fixed_[index(dof)] || !std::isnan(end_velocity_[index(dof)])) {
      refuse("node '" + node + "' is periodic, so that its end cannot be fixed as well");
    }
    if (std::find(periodic_.begin(), periodic_.end(), dof) == periodic_.end()) {
      periodic_.push_back(dof);
    }
  }
  std::sort(periodic_.begin(), periodic_.end());
}

void Problem::add_constraint(std::vector<Constraint>& list, const std::string& name, Function f,
                             const Interval& interval) {
  check("constraint '" + name + "'", interval);
  list.push_back({name, std::move(f), interval});
}

void Problem::set_guess(std::function<std::vector<double>(double)> configuration) {
  guess_ = std::move(configuration);
}

}  // namespace liegrad::control
