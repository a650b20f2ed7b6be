#include "liegrad/dae/system.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/dae/nearest_name.hpp"

namespace liegrad::dae {
namespace {

void check_initial(const std::string& what, const std::string& node, std::size_t expected,
                   const std::vector<double>& values) {
  if (values.size() != expected) {
    throw InvalidArgument("initial " + what + " of node '" + node + "' has " +
                          std::to_string(values.size()) + " numbers; the node has " +
                          std::to_string(expected));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    throw InvalidArgument("initial " + what + " of node '" + node + "' is not finite in entry " +
                          std::to_string(i + 1));
  }
}

}  // namespace

void System::set_initial_configuration(const std::string& node, const std::vector<double>& coeffs) {
  const int i = node_index(node);
  check_initial("configuration", node, static_cast<std::size_t>(space_.group(i).num_coeffs()),
                coeffs);
  std::copy(coeffs.begin(), coeffs.end(), configuration_.begin() + space_.coeff_offset(i));
}

void System::set_initial_velocity(const std::string& node, const std::vector<double>& velocity) {
  const int i = node_index(node);
  check_initial("velocity", node, static_cast<std::size_t>(space_.group(i).dof()), velocity);
  std::copy(velocity.begin(), velocity.end(), velocity_.begin() + space_.dof_offset(i));
}

void System::set_initial(std::shared_ptr<const InitialFunction> f,
                         const std::vector<std::string>& parameters) {
  std::vector<int> indices;
  for (const std::string& name : parameters) indices.push_back(parameter_index(name));
  initial_function_ = std::move(f);
  initial_parameters_ = std::move(indices);
}

std::string System::constraint_name(int multiplier) const {
  for (const PlacedElement& element : elements_) {
    const int i = multiplier - element.first_multiplier;
    if (i >= 0 && i < kind_of(element).shape().constraints) {
      return element.name + "[" + std::to_string(i + 1) + "]";
    }
  }
  return "constraint " + std::to_string(multiplier + 1);
}

std::string System::algebraic_name(int state) const {
  for (const PlacedElement& element : elements_) {
    const int i = state - element.first_algebraic;
    if (i >= 0 && i < kind_of(element).shape().algebraic) {
      return element.name + ".s[" + std::to_string(i + 1) + "]";
    }
  }
  return "algebraic state " + std::to_string(state + 1);
}

std::string System::coordinate_name(int dof) const {
  for (int i = 0; i < space_.size(); ++i) {
    const int k = dof - space_.dof_offset(i);
    if (k >= 0 && k < space_.group(i).dof()) {
      return nodes_[static_cast<std::size_t>(i)].name + ".v[" + std::to_string(k + 1) + "]";
    }
  }
  return "velocity " + std::to_string(dof + 1);
}

std::vector<double> System::parameter_values() const {
  std::vector<double> values;
  values.reserve(parameters_.size());
  for (const ParameterSpec& parameter : parameters_) values.push_back(parameter.value);
  return values;
}

int System::parameter_index(const std::string& name) const {
  const auto found = parameter_by_name_.find(name);
  if (found != parameter_by_name_.end()) return found->second;
  throw InvalidArgument("system '" + name_ +
                        "': " + unknown_name_message("parameter", name, names_of(parameters_)));
}

void System::set_parameter(const std::string& name, double value) {
  const int i = parameter_index(name);
  if (!std::isfinite(value)) {
    throw InvalidArgument("the value of parameter '" + name + "' is not finite");
  }
  parameters_[static_cast<std::size_t>(i)].value = value;
  parameter_revision_.renew();
}

double System::parameter(const std::string& name) const {
  return parameters_[static_cast<std::size_t>(parameter_index(name))].value;
}

int System::node_index(const std::string& name) const {
  const auto found = node_by_name_.find(name);
  if (found != node_by_name_.end()) return found->second;
  throw InvalidArgument("system '" + name_ +
                        "': " + unknown_name_message("node", name, names_of(nodes_)));
}

int System::find_element(std::string_view name) const {
  const auto found = element_by_name_.find(name);
  return found == element_by_name_.end() ? -1 : found->second;
}

void System::apply_initial_function(std::vector<double>& q, std::vector<double>& v) const {
  q = configuration_;
  v = velocity_;
  if (initial_function_ == nullptr) return;
  std::vector<double> p;
  for (const int i : initial_parameters_) {
    p.push_back(parameters_[static_cast<std::size_t>(i)].value);
  }
  (*initial_function_)(p, q, v);
}

std::vector<double> System::initial_configuration() const {
  std::vector<double> q, v;
  apply_initial_function(q, v);
  return q;
}

std::vector<double> System::initial_velocity() const {
  std::vector<double> q, v;
  apply_initial_function(q, v);
  return v;
}

}  // namespace liegrad::dae
