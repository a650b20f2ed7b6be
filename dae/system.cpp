#include "liegrad/dae/system.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/dae/nearest_name.hpp"

namespace liegrad::dae {
namespace {

std::vector<std::string> names_of(const std::vector<ParameterSpec>& parameters) {
  std::vector<std::string> names;
  for (const ParameterSpec& parameter : parameters) names.push_back(parameter.name);
  return names;
}

std::vector<std::string> names_of(const std::vector<Node>& nodes) {
  std::vector<std::string> names;
  for (const Node& node : nodes) names.push_back(node.name);
  return names;
}

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

void System::check_new_name(const char* what, const std::string& name) const {
  if (name.empty()) throw InvalidArgument(std::string("a ") + what + " needs a name");
  const bool used = what == std::string_view("node")        ? node_by_name_.contains(name)
                    : what == std::string_view("parameter") ? parameter_by_name_.contains(name)
                                                            : element_by_name_.contains(name);
  if (used) {
    throw InvalidArgument("there are two " + std::string(what) + "s named '" + name +
                          "'; names must differ");
  }
}

void System::add_parameter(const ParameterSpec& parameter) {
  check_new_name("parameter", parameter.name);
  parameter_by_name_[parameter.name] = static_cast<int>(parameters_.size());
  parameters_.push_back(parameter);
}

void System::add_node(const std::string& name, const lie::NodeGroup& group) {
  check_new_name("node", name);
  node_by_name_[name] = static_cast<int>(nodes_.size());
  nodes_.push_back({name, group});
  space_.append(group);
  std::vector<double> identity(static_cast<std::size_t>(group.num_coeffs()));
  lie::GroupList({group}).identity(std::span<double>(identity));
  configuration_.insert(configuration_.end(), identity.begin(), identity.end());
  velocity_.resize(static_cast<std::size_t>(space_.dof()), 0.0);
}

void System::add_first_order_state(const std::string& name, int n) {
  add_node(name, lie::NodeGroup::rn(n));
  nodes_.back().first_order = true;
}

int System::find_or_add_kind(std::shared_ptr<const ElementModel> model,
                             const std::vector<lie::NodeGroup>& groups) {
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    if (kinds_[i]->is_same(*model, groups)) return static_cast<int>(i);
  }
  kinds_.push_back(std::make_shared<const ElementKind>(std::move(model), groups));
  return static_cast<int>(kinds_.size()) - 1;
}

std::vector<int> System::place_parameters(const std::string& element, const ElementShape& shape,
                                          const ElementOptions& options) {
  const auto check_known = [&](const std::string& name) {
    const bool known = std::any_of(shape.parameters.begin(), shape.parameters.end(),
                                   [&](const ParameterSpec& p) { return p.name == name; });
    if (known) return;
    throw InvalidArgument("element '" + element + "': " +
                          unknown_name_message("parameter", name, names_of(shape.parameters)));
  };
  for (const auto& [name, value] : options.values) check_known(name);
  for (const auto& [name, target] : options.bind) check_known(name);

  std::vector<int> indices;
  for (ParameterSpec parameter : shape.parameters) {
    if (const auto bound = options.bind.find(parameter.name); bound != options.bind.end()) {
      indices.push_back(parameter_index(bound->second));
      continue;
    }
    if (const auto value = options.values.find(parameter.name); value != options.values.end()) {
      parameter.value = value->second;
    }
    parameter.name = element + "." + parameter.name;
    add_parameter(parameter);
    set_parameter(parameter.name, parameter.value);
    indices.push_back(static_cast<int>(parameters_.size()) - 1);
  }
  return indices;
}

void System::add_element(const std::string& name, std::shared_ptr<const ElementModel> model,
                         const std::vector<std::string>& nodes, const ElementOptions& options) {
  check_new_name("element", name);
  const ElementShape shape = model->shape();
  PlacedElement placed;
  placed.name = name;
  std::vector<lie::NodeGroup> groups;
  for (const std::string& node : nodes) {
    const auto found = node_by_name_.find(node);
    if (found == node_by_name_.end()) {
      throw InvalidArgument("element '" + name +
                            "': " + unknown_name_message("node", node, names_of(nodes_)));
    }
    if (std::find(placed.nodes.begin(), placed.nodes.end(), found->second) != placed.nodes.end()) {
      throw InvalidArgument("element '" + name + "' connects node '" + node +
                            "' with itself; it needs different nodes");
    }
    placed.nodes.push_back(found->second);
    groups.push_back(nodes_[static_cast<std::size_t>(found->second)].group);
  }
  try {
    placed.kind = find_or_add_kind(std::move(model), groups);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument("element '" + name + "': " + error.what());
  }
  placed.parameters = place_parameters(name, shape, options);
  for (const std::string& control : shape.controls) {
    placed.controls.push_back(static_cast<int>(controls_.size()));
    controls_.push_back(name + "." + control);
  }
  for (const std::string& other : options.reads_multipliers_of) {
    const int found = find_element(other);
    if (found < 0) {
      throw InvalidArgument("element '" + name + "' reads the multipliers of '" + other +
                            "', which is not an element of the system; add it first");
    }
    const PlacedElement& source = elements_[static_cast<std::size_t>(found)];
    for (int i = 0; i < kind_of(source).shape().constraints; ++i) {
      placed.multipliers_read.push_back(source.first_multiplier + i);
    }
  }
  if (static_cast<int>(placed.multipliers_read.size()) != shape.multipliers_read) {
    throw InvalidArgument("element '" + name + "' reads " + std::to_string(shape.multipliers_read) +
                          " multipliers; the elements it is given have " +
                          std::to_string(placed.multipliers_read.size()));
  }
  placed.first_multiplier = num_multipliers_;
  placed.first_algebraic = num_algebraic_;
  placed.first_output = num_element_outputs_;
  num_multipliers_ += shape.constraints;
  num_algebraic_ += shape.algebraic;
  for (const OutputSpec& output : shape.outputs) num_element_outputs_ += output.size;
  element_by_name_[name] = static_cast<int>(elements_.size());
  elements_.push_back(std::move(placed));
}

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
