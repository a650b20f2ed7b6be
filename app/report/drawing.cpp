#include "report/drawing.hpp"

#include <map>
#include <optional>
#include <string>

#include "liegrad/dae/system/drawing.hpp"
#include "liegrad/dae/system/element_drawings.hpp"
#include "liegrad/dae/system/node_view.hpp"

namespace liegrad::app {
namespace {

using dae::Drawing;
using nlohmann::ordered_json;

ordered_json json_of(const Drawing::V3& v) { return {v(0), v(1), v(2)}; }

const char* name_of(Drawing::JointKind kind) {
  switch (kind) {
    case Drawing::JointKind::kSpherical: return "spherical";
    case Drawing::JointKind::kRevolute: return "revolute";
    case Drawing::JointKind::kPrismatic: return "prismatic";
    case Drawing::JointKind::kRigid: return "rigid";
  }
  return "";
}

/// "leg1.beam12" as "leg1": elements of one beam have this in common.
std::string common_name(std::string name) {
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.pop_back();
  if (name.ends_with(".beam")) name.erase(name.size() - 5);
  return name;
}

class Collector {
 public:
  explicit Collector(const dae::Model& model) : model_(model) {}

  void add(const dae::ElementDrawing& one) {
    element_ = one.element;
    const Drawing& drawing = one.drawing;
    for (const Drawing::Box& box : drawing.boxes) {
      add_shape(box.centre.node, {{"kind", "box"},
                                  {"size", json_of(box.edges)},
                                  {"position", json_of(box.centre.in_body)}});
    }
    for (const Drawing::Sphere& sphere : drawing.spheres) {
      add_shape(sphere.centre.node, {{"kind", "sphere"},
                                     {"radius", sphere.radius},
                                     {"position", json_of(sphere.centre.in_body)}});
    }
    for (const Drawing::Rod& rod : drawing.rods) {
      add_shape(rod.node, {{"kind", "cylinder"},
                           {"from", json_of(rod.from)},
                           {"to", json_of(rod.to)},
                           {"radius", rod.radius}});
    }
    for (const Drawing::Joint& joint : drawing.joints) add_joint(joint);
    for (const Drawing::Point& support : drawing.supports) {
      joints_.push_back({{"kind", "ground"}, {"position", json_of(support.in_body)}});
    }
    for (const Drawing::Link& link : drawing.links) add_link(link);
    for (const Drawing::Force& force : drawing.forces) add_force(force);
  }

  /// In the order of the nodes of the model.
  ordered_json json() const {
    ordered_json bodies = ordered_json::array();
    for (const auto& [node, shapes] : shapes_) {
      bodies.push_back({{"name", model_.nodes()[static_cast<std::size_t>(node)].name},
                        {"kind", kind_of(node)},
                        {"shapes", shapes}});
    }
    return {{"bodies", bodies}, {"joints", joints_}, {"curves", curves_}, {"forces", forces_}};
  }

 private:
  /// The node of the model, or nothing for the ground.
  std::optional<int> node_of(int node_of_element) const {
    if (node_of_element == Drawing::kWorld) return std::nullopt;
    const int node = element_->nodes[static_cast<std::size_t>(node_of_element)];
    if (model_.configuration_space().group(node) == dae::ground_group()) return std::nullopt;
    return node;
  }
  /// Its name, after which it is one of the bodies; null for the ground.
  ordered_json body_of(int node_of_element) {
    const std::optional<int> node = node_of(node_of_element);
    if (!node) return nullptr;
    shapes_.try_emplace(*node, ordered_json::array());
    return model_.nodes()[static_cast<std::size_t>(*node)].name;
  }

  void add_shape(int node_of_element, ordered_json shape) {
    if (body_of(node_of_element).is_null()) return;
    shapes_[*node_of(node_of_element)].push_back(std::move(shape));
  }
  void add_joint(const Drawing::Joint& joint) {
    joints_.push_back({{"name", element_->name},
                       {"kind", name_of(joint.kind)},
                       {"body", body_of(joint.at.node)},
                       {"position", json_of(joint.at.in_body)},
                       {"axis", json_of(joint.axis)}});
  }
  ordered_json point(const Drawing::Point& at) {
    return {{"body", body_of(at.node)}, {"point", json_of(at.in_body)}};
  }
  /// What a body holds a link with: a thin line from its origin, as to its joints.
  void add_arm(const Drawing::Point& end) {
    if (end.in_body.isZero(0)) return;
    add_shape(end.node, {{"kind", "cylinder"},
                         {"from", {0.0, 0.0, 0.0}},
                         {"to", json_of(end.in_body)},
                         {"radius", 0.0}});
  }
  /// Links of one beam that meet become one curve.
  void add_link(const Drawing::Link& link) {
    const std::string name = common_name(element_->name);
    const ordered_json from = point(link.from), to = point(link.to);
    add_arm(link.from);
    add_arm(link.to);
    if (!curves_.empty() && curves_.back()["name"] == name &&
        curves_.back()["points"].back() == from) {
      curves_.back()["points"].push_back(to);
    } else {
      curves_.push_back({{"name", name}, {"points", {from, to}}});
    }
  }
  void add_force(const Drawing::Force& force) {
    const ordered_json body = body_of(force.at.node);
    ordered_json json = {{"output", element_->name + "." + force.output},
                         {"body", body},
                         {"point", json_of(force.at.in_body)}};
    if (force.is_in_body) json["axes"] = body;
    forces_.push_back(std::move(json));
  }

  /// Whether an element takes the node for a part of the plane.
  bool is_planar(int node) const {
    for (const dae::PlacedElement& element : model_.elements()) {
      const std::vector<dae::NodeSlot>& slots = model_.shape_of(element).nodes;
      for (std::size_t k = 0; k < slots.size(); ++k) {
        const dae::NodeRole role = slots[k].role;
        const bool is_in_plane = role == dae::NodeRole::kPlanarBody ||
                                 role == dae::NodeRole::kPlanarFrame ||
                                 role == dae::NodeRole::kPlanarPoint;
        if (is_in_plane && element.nodes[k] == node) return true;
      }
    }
    return false;
  }
  const char* kind_of(int node) const {
    const lie::NodeGroup& group = model_.configuration_space().group(node);
    switch (group.kind) {
      case lie::GroupKind::kSO3: return "rotation";
      case lie::GroupKind::kSO3xR3:
      case lie::GroupKind::kSE3: return "body";
      case lie::GroupKind::kSE2: return "planar_body";
      case lie::GroupKind::kSO2: return "other";
      case lie::GroupKind::kRn: break;
    }
    if (group.n == 2) return "planar_point";
    if (group.n != 3) return "other";
    return is_planar(node) ? "planar_body" : "point";
  }

  const dae::Model& model_;
  const dae::PlacedElement* element_ = nullptr;
  std::map<int, ordered_json> shapes_;
  ordered_json joints_ = ordered_json::array(), curves_ = joints_, forces_ = joints_;
};

}  // namespace

ordered_json drawing_json(const dae::Model& model, std::span<const double> parameters) {
  Collector collector(model);
  const std::vector<double> q = model.initial_configuration();
  for (const dae::ElementDrawing& one : dae::drawings_of(model, q, parameters)) collector.add(one);
  return collector.json();
}

}  // namespace liegrad::app
