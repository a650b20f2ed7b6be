#include "liegrad/dae/system/element_check.hpp"

#include "liegrad/dae/system/element_kind.hpp"
#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/text.hpp"

namespace liegrad::dae {

Position<double>& ElementCheck::position_of(const PlacedElement& element) {
  std::optional<Position<double>>& position = positions_[index(element.kind)];
  if (!position) {
    const lie::GroupList& space = model_->configuration_space();
    std::vector<Position<double>::Node> nodes;
    for (const int node : element.nodes) {
      const lie::NodeGroup& group = space.group(node);
      nodes.push_back({group, std::vector<double>(index(NodeView::size(group)))});
    }
    position.emplace(std::move(nodes), std::vector<double>(element.parameters.size()),
                     std::vector<double>(element.controls.size()), 0.0, "an element",
                     names_of(model_->kind_of(element).shape().parameters));
  }
  return *position;
}

/// A force that acts beside a point would have a moment, which the point cannot take.
void ElementCheck::check_points(const PlacedElement& element, const Position<double>& at) const {
  const ElementShape& shape = model_->kind_of(element).shape();
  for (std::size_t k = 0; k < shape.nodes.size(); ++k) {
    const NodeSlot& slot = shape.nodes[k];
    const bool is_point =
        (slot.role == NodeRole::kPoint && at.group(static_cast<int>(k)) == lie::NodeGroup::rn(3)) ||
        (slot.role == NodeRole::kPlanarPoint &&
         at.group(static_cast<int>(k)) == lie::NodeGroup::rn(2));
    for (std::size_t i = 0; i < shape.parameters.size() && is_point; ++i) {
      const std::string& name = shape.parameters[i].name;
      if (!name.starts_with(slot.frame + ".X") || at.parameter(static_cast<int>(i)) == 0) continue;
      throw InvalidArgument("element '" + element.name + "' is attached beside the point '" +
                            model_->nodes()[index(element.nodes[k])].name + "', by " + name +
                            " = " + number_text(at.parameter(static_cast<int>(i))) +
                            "; a point takes no moment, so this must be 0");
    }
  }
}

void ElementCheck::check(std::span<const double> q, std::span<const double> parameters,
                         std::span<const double> controls, double t) {
  const lie::GroupList& space = model_->configuration_space();
  for (const PlacedElement& element : model_->elements()) {
    Position<double>& at = position_of(element);
    at.access_.set_owner("element '", element.name, "'");
    at.time_ = t;
    for (std::size_t k = 0; k < element.nodes.size(); ++k) {
      const int node = element.nodes[k];
      NodeView::of<double>(space.group(node), q.subspan(index(space.coeff_offset(node))),
                           at.nodes_[k].view);
    }
    for (std::size_t i = 0; i < element.parameters.size(); ++i) {
      at.parameters_[i] = parameters[index(element.parameters[i])];
    }
    for (std::size_t i = 0; i < element.controls.size(); ++i) {
      at.controls_[i] = controls[index(element.controls[i])];
    }
    check_points(element, at);
    const std::string validation_message = model_->kind_of(element).model().validation_message(at);
    if (validation_message.empty()) continue;
    throw InvalidArgument("element '" + element.name + "' " + validation_message);
  }
}

}  // namespace liegrad::dae
