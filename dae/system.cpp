#include "liegrad/dae/system.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/dae/nearest_name.hpp"

namespace liegrad::dae {
namespace {

constexpr const char* kGround = "ground";

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
  const bool is_place = what == std::string_view("node") || what == std::string_view("frame");
  const bool used = is_place ? node_by_name_.contains(name) || frames_.contains(name)
                    : what == std::string_view("parameter") ? parameter_by_name_.contains(name)
                                                            : element_by_name_.contains(name);
  if (used) {
    throw InvalidArgument("there are two " + std::string(is_place ? "nodes or frame" : what) +
                          "s named '" + name + "'; names must differ");
  }
  if (is_place && name == kGround) {
    throw InvalidArgument("the name 'ground' belongs to the node that does not move; a " +
                          std::string(what) + " needs another name");
  }
}

void System::add_parameter(const ParameterSpec& parameter) {
  check_new_name("parameter", parameter.name);
  parameter_by_name_[parameter.name] = static_cast<int>(parameters_.size());
  parameters_.push_back(parameter);
}

void System::add_node(const std::string& name, const lie::NodeGroup& group) {
  check_new_name("node", name);
  append_node(name, group);
}

void System::append_node(const std::string& name, const lie::NodeGroup& group) {
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

void System::add_frame(const std::string& name, const std::string& body, const BodyFrame& frame) {
  const auto& [x, e] = frame;
  add_frame_with(name, body,
                 {{"X1", x[0], "m", "origin of the frame, in the body"},
                  {"X2", x[1], "m", "second component"},
                  {"X3", x[2], "m", "third component"},
                  {"e0", e[0], "1", "orientation of the frame in the body, a quaternion"},
                  {"e1", e[1], "1", "second component"},
                  {"e2", e[2], "1", "third component"},
                  {"e3", e[3], "1", "fourth component"}});
}

void System::add_planar_frame(const std::string& name, const std::string& body,
                              const PlanarBodyFrame& frame) {
  const auto& [x, d] = frame;
  add_frame_with(name, body,
                 {{"X1", x[0], "m", "origin of the frame, in the body"},
                  {"X2", x[1], "m", "second component"},
                  {"d1", d[0], "1", "direction of its x axis in the body"},
                  {"d2", d[1], "1", "second component"}});
}

void System::add_frame_with(const std::string& name, const std::string& body,
                            const std::vector<ParameterSpec>& parameters) {
  check_new_name("frame", name);
  const Attachment at = attachment("frame '" + name + "'", body);
  if (at.frame != nullptr) {
    throw InvalidArgument("frame '" + name + "': '" + body + "' is a frame itself; name its node");
  }
  const lie::NodeGroup& group = space_.group(at.node);
  const bool is_planar = parameters.size() < 5;
  const bool has_frames =
      group == ground_group() ||
      (is_planar ? group.kind == lie::GroupKind::kSE2 || group == lie::NodeGroup::rn(3)
                 : group.kind == lie::GroupKind::kSO3xR3 || group.kind == lie::GroupKind::kSE3);
  if (!has_frames) {
    throw InvalidArgument("frame '" + name + "': node '" + body + "' is no " +
                          (is_planar ? "planar" : "rigid") +
                          " body; frames are fixed in bodies or in the ground");
  }
  Frame frame;
  frame.node = at.node;
  for (ParameterSpec parameter : parameters) {
    frame.names.push_back(parameter.name);
    frame.parameters.push_back(static_cast<int>(parameters_.size()));
    parameter.name = name + "." + parameter.name;
    add_parameter(parameter);
    set_parameter(parameter.name, parameter.value);
  }
  frames_.emplace(name, std::move(frame));
}

System::Attachment System::attachment(const std::string& element, const std::string& name) {
  if (const auto frame = frames_.find(name); frame != frames_.end()) {
    return {frame->second.node, &frame->second};
  }
  if (name == kGround && !node_by_name_.contains(kGround)) append_node(kGround, ground_group());
  if (const auto node = node_by_name_.find(name); node != node_by_name_.end()) {
    return {node->second, nullptr};
  }
  std::vector<std::string> names = names_of(nodes_);
  for (const auto& [frame, unused] : frames_) names.push_back(frame);
  throw InvalidArgument(
      element + ": " +
      unknown_name_message(frames_.empty() ? "node" : "node or frame", name, names));
}

std::map<std::string, int> System::frame_parameters(
    const std::string& element, const ElementShape& shape,
    const std::vector<Attachment>& attachments) const {
  std::map<std::string, int> result;
  for (std::size_t k = 0; k < attachments.size() && k < shape.nodes.size(); ++k) {
    const Frame* const frame = attachments[k].frame;
    if (frame == nullptr) continue;
    const std::string& prefix = shape.nodes[k].frame;
    if (prefix.empty()) {
      throw InvalidArgument("element '" + element + "' of type '" + shape.type +
                            "' has no frame at its node " + std::to_string(k + 1) +
                            "; name the node itself");
    }
    for (std::size_t i = 0; i < frame->names.size(); ++i) {
      result[prefix + "." + frame->names[i]] = frame->parameters[i];
    }
  }
  return result;
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
                                          const ElementOptions& options,
                                          const std::map<std::string, int>& of_frames) {
  const auto check_known = [&](const std::string& name) {
    if (of_frames.contains(name)) {
      throw InvalidArgument("element '" + element + "': parameter '" + name +
                            "' belongs to the frame it is attached to; change it there");
    }
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
    if (const auto shared = of_frames.find(parameter.name); shared != of_frames.end()) {
      indices.push_back(shared->second);
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
  std::vector<Attachment> attachments;
  for (const std::string& node : nodes) {
    const Attachment at = attachment("element '" + name + "'", node);
    if (std::find(placed.nodes.begin(), placed.nodes.end(), at.node) != placed.nodes.end()) {
      throw InvalidArgument("element '" + name + "' connects node '" +
                            nodes_[static_cast<std::size_t>(at.node)].name +
                            "' with itself; it needs different nodes");
    }
    placed.nodes.push_back(at.node);
    attachments.push_back(at);
    groups.push_back(nodes_[static_cast<std::size_t>(at.node)].group);
  }
  const bool is_on_ground =
      !groups.empty() && std::all_of(groups.begin(), groups.end(), [](const lie::NodeGroup& group) {
        return group == ground_group();
      });
  if (is_on_ground) {
    throw InvalidArgument("element '" + name + "' is on the ground alone, which cannot move; " +
                          "name a body");
  }
  try {
    placed.kind = find_or_add_kind(std::move(model), groups);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument("element '" + name + "': " + error.what());
  }
  placed.parameters =
      place_parameters(name, shape, options, frame_parameters(name, shape, attachments));
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
