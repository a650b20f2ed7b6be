// How nodes, frames, parameters and elements are added to a system: all that can be wrong is found out before
// anything changes.

#include <algorithm>
#include <cmath>

#include "liegrad/dae/system/element_kind.hpp"
#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/dae/system/system.hpp"

namespace liegrad::dae {
namespace {

constexpr const char* kGround = "ground";

std::vector<lie::NodeGroup> groups_of(const auto& attachments) {
  std::vector<lie::NodeGroup> groups;
  for (const auto& at : attachments) groups.push_back(at.group);
  return groups;
}

}  // namespace

void System::check_new_name(const char* what, const std::string& name) const {
  if (name.empty()) throw InvalidArgument(std::string("a ") + what + " needs a name");
  const bool is_place = what == std::string_view("node") || what == std::string_view("frame");
  const bool used =
      is_place ? model_->node_by_name_.contains(name) || model_->frames_.contains(name)
      : what == std::string_view("parameter") ? model_->parameter_by_name_.contains(name)
                                              : model_->element_by_name_.contains(name);
  if (used) {
    throw InvalidArgument("there are two " + std::string(is_place ? "nodes or frame" : what) +
                          "s named '" + name + "'; names must differ");
  }
  if (is_place && name == kGround) {
    throw InvalidArgument("the name 'ground' belongs to the node that does not move; a " +
                          std::string(what) + " needs another name");
  }
}

// Parameters.

void System::place_new_parameter(const ParameterSpec& parameter, PlacedParameters& placed) const {
  check_new_name("parameter", parameter.name);
  for (const ParameterSpec& other : placed.added) {
    if (other.name != parameter.name) continue;
    throw InvalidArgument("there are two parameters named '" + other.name + "'; names must differ");
  }
  if (!std::isfinite(parameter.value)) {
    throw InvalidArgument("the value of parameter '" + parameter.name +
                          "' is not finite; give it a number");
  }
  placed.indices.push_back(static_cast<int>(parameters().size() + placed.added.size()));
  placed.added.push_back(parameter);
}

void System::append_parameters(const std::vector<ParameterSpec>& parameters) {
  Model& model = edit();
  for (const ParameterSpec& parameter : parameters) {
    model.parameter_by_name_[parameter.name] = static_cast<int>(model.parameters_.size());
    model.parameters_.push_back(parameter);
  }
}

void System::add_parameter(const ParameterSpec& parameter) {
  PlacedParameters placed;
  place_new_parameter(parameter, placed);
  append_parameters(placed.added);
}

// Nodes and frames.

void System::add_node(const std::string& name, const lie::NodeGroup& group) {
  add_node_with(name, group, false);
}

void System::add_first_order_state(const std::string& name, int n) {
  add_node_with(name, lie::NodeGroup::rn(n), true);
}

void System::add_node_with(const std::string& name, const lie::NodeGroup& group, bool first_order) {
  check_new_name("node", name);
  if (group.kind == lie::GroupKind::kRn && group.n < 1) {
    throw InvalidArgument("node '" + name + "' is in R^" + std::to_string(group.n) +
                          "; it needs at least one coordinate");
  }
  append_node(name, group, first_order);
}

void System::append_node(const std::string& name, const lie::NodeGroup& group, bool first_order) {
  Model& model = edit();
  model.node_by_name_[name] = static_cast<int>(model.nodes_.size());
  model.nodes_.push_back({name, group, first_order});
  model.space_.append(group);
  std::vector<double> identity(static_cast<std::size_t>(group.num_coeffs()));
  lie::GroupList({group}).identity(std::span<double>(identity));
  model.configuration_.insert(model.configuration_.end(), identity.begin(), identity.end());
  model.velocity_.resize(static_cast<std::size_t>(model.dof()), 0.0);
}

void System::append_ground_for(const std::vector<Attachment>& attachments) {
  for (const Attachment& at : attachments) {
    if (at.node == configuration_space().size()) append_node(kGround, ground_group(), false);
  }
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
  const bool is_planar = parameters.size() < 5;
  const bool has_frames = at.group == ground_group() ||
                          (is_planar ? is_planar_body(at.group) : is_rigid_body(at.group));
  if (!has_frames) {
    throw InvalidArgument("frame '" + name + "': node '" + body + "' is no " +
                          (is_planar ? "planar" : "rigid") +
                          " body; frames are fixed in bodies or in the ground");
  }
  Frame frame;
  frame.node = at.node;
  PlacedParameters placed;
  for (ParameterSpec parameter : parameters) {
    frame.names.push_back(parameter.name);
    parameter.name = name + "." + parameter.name;
    place_new_parameter(parameter, placed);
  }
  frame.parameters = placed.indices;

  append_ground_for({at});
  append_parameters(placed.added);
  edit().frames_.emplace(name, std::move(frame));
}

System::Attachment System::attachment(const std::string& element, const std::string& name) const {
  if (const auto frame = model_->frames_.find(name); frame != model_->frames_.end()) {
    return {frame->second.node, configuration_space().group(frame->second.node), &frame->second};
  }
  if (const auto node = model_->node_by_name_.find(name); node != model_->node_by_name_.end()) {
    return {node->second, configuration_space().group(node->second), nullptr};
  }
  if (name == kGround) return {configuration_space().size(), ground_group(), nullptr};
  std::vector<std::string> names = names_of(nodes());
  for (const auto& [frame, unused] : model_->frames_) names.push_back(frame);
  throw InvalidArgument(
      element + ": " +
      unknown_name_message(model_->frames_.empty() ? "node" : "node or frame", name, names));
}

// Elements.

std::vector<System::Attachment> System::attachments(const std::string& element,
                                                    const std::vector<std::string>& nodes) const {
  std::vector<Attachment> list;
  for (const std::string& name : nodes) {
    const Attachment at = attachment("element '" + element + "'", name);
    for (const Attachment& other : list) {
      if (other.node != at.node) continue;
      throw InvalidArgument(
          "element '" + element + "' connects node '" +
          (at.node == configuration_space().size() ? kGround : node_name(at.node)) +
          "' with itself; it needs different nodes");
    }
    list.push_back(at);
  }
  const bool is_on_ground = !list.empty() && std::ranges::all_of(list, [](const Attachment& at) {
    return at.group == ground_group();
  });
  if (is_on_ground) {
    throw InvalidArgument("element '" + element +
                          "' is on the ground alone, which cannot move; name a body");
  }
  return list;
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

System::PlacedParameters System::place_parameters(
    const std::string& element, const ElementShape& shape, const ElementOptions& options,
    const std::map<std::string, int>& of_frames) const {
  const auto check_known = [&](const std::string& name) {
    if (of_frames.contains(name)) {
      throw InvalidArgument("element '" + element + "': parameter '" + name +
                            "' belongs to the frame it is attached to; change it there");
    }
    const std::vector<std::string> names = names_of(shape.parameters);
    if (std::ranges::find(names, name) != names.end()) return;
    throw InvalidArgument("element '" + element +
                          "': " + unknown_name_message("parameter", name, names));
  };
  for (const auto& [name, value] : options.values) check_known(name);
  for (const auto& [name, target] : options.bind) check_known(name);

  PlacedParameters placed;
  for (ParameterSpec parameter : shape.parameters) {
    if (const auto bound = options.bind.find(parameter.name); bound != options.bind.end()) {
      placed.indices.push_back(parameter_index(bound->second));
      continue;
    }
    if (const auto shared = of_frames.find(parameter.name); shared != of_frames.end()) {
      placed.indices.push_back(shared->second);
      continue;
    }
    if (const auto value = options.values.find(parameter.name); value != options.values.end()) {
      parameter.value = value->second;
    }
    parameter.name = element + "." + parameter.name;
    place_new_parameter(parameter, placed);
  }
  return placed;
}

std::vector<int> System::multipliers_of(const std::string& element, const ElementShape& shape,
                                        const std::vector<std::string>& others) const {
  std::vector<int> multipliers;
  for (const std::string& other : others) {
    const int found = find_element(other);
    if (found < 0) {
      throw InvalidArgument("element '" + element + "' reads the multipliers of '" + other +
                            "', which is not an element of the system; add it first");
    }
    const PlacedElement& source = elements()[static_cast<std::size_t>(found)];
    for (int i = 0; i < kind_of(source).shape().constraints; ++i) {
      multipliers.push_back(source.first_multiplier + i);
    }
  }
  if (static_cast<int>(multipliers.size()) != shape.multipliers_read) {
    throw InvalidArgument(
        "element '" + element + "' reads " + std::to_string(shape.multipliers_read) +
        " multipliers; the elements it is given have " + std::to_string(multipliers.size()));
  }
  return multipliers;
}

std::shared_ptr<const ElementKind> System::kind_for(
    const std::string& element, std::shared_ptr<const ElementModel> model,
    const std::vector<lie::NodeGroup>& groups) const {
  for (const std::shared_ptr<const ElementKind>& kind : kinds()) {
    if (kind->is_same(*model, groups)) return kind;
  }
  try {
    return std::make_shared<const ElementKind>(std::move(model), groups);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument("element '" + element + "': " + error.what());
  }
}

void System::add_element(const std::string& name, std::shared_ptr<const ElementModel> model,
                         const std::vector<std::string>& nodes, const ElementOptions& options) {
  check_new_name("element", name);
  const std::vector<Attachment> places = attachments(name, nodes);
  const std::shared_ptr<const ElementKind> kind =
      kind_for(name, std::move(model), groups_of(places));
  const ElementShape& shape = kind->shape();
  PlacedParameters parameters =
      place_parameters(name, shape, options, frame_parameters(name, shape, places));
  PlacedElement placed;
  placed.name = name;
  placed.multipliers_read = multipliers_of(name, shape, options.reads_multipliers_of);

  // From here on nothing is refused.
  append_ground_for(places);
  append_parameters(parameters.added);
  placed.parameters = std::move(parameters.indices);
  for (const Attachment& at : places) placed.nodes.push_back(at.node);
  Model& edited = edit();
  for (const std::string& control : shape.controls) {
    placed.controls.push_back(static_cast<int>(edited.controls_.size()));
    edited.controls_.push_back(name + "." + control);
  }
  const auto same = std::ranges::find(edited.kinds_, kind);
  placed.kind = static_cast<int>(same - edited.kinds_.begin());
  if (same == edited.kinds_.end()) edited.kinds_.push_back(kind);
  placed.first_multiplier = edited.num_multipliers_;
  placed.first_algebraic = edited.num_algebraic_;
  placed.first_output = edited.num_element_outputs_;
  edited.num_multipliers_ += shape.constraints;
  edited.num_algebraic_ += shape.algebraic;
  for (const OutputSpec& output : shape.outputs) edited.num_element_outputs_ += output.size;
  edited.element_by_name_[name] = static_cast<int>(edited.elements_.size());
  edited.elements_.push_back(std::move(placed));
}

}  // namespace liegrad::dae
