#include "liegrad/dae/system/element_drawings.hpp"

#include "liegrad/dae/system/element_kind.hpp"
#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {
namespace {

Position<double> position_of(const Model& model, const PlacedElement& element,
                             std::span<const double> q, std::span<const double> parameters) {
  const lie::GroupList& space = model.configuration_space();
  std::vector<Position<double>::Node> nodes;
  for (const int node : element.nodes) {
    const lie::NodeGroup& group = space.group(node);
    std::vector<double> view(index(NodeView::size(group)));
    NodeView::of<double>(group, q.subspan(index(space.coeff_offset(node))), view);
    nodes.push_back({group, std::move(view)});
  }
  std::vector<double> values;
  for (const int i : element.parameters) values.push_back(parameters[index(i)]);
  return {std::move(nodes),
          std::move(values),
          std::vector<double>(element.controls.size()),
          0.0,
          "element '" + element.name + "'",
          names_of(model.kind_of(element).shape().parameters)};
}

}  // namespace

std::vector<ElementDrawing> drawings_of(const Model& model, std::span<const double> q,
                                        std::span<const double> parameters) {
  std::vector<ElementDrawing> list;
  for (const PlacedElement& element : model.elements()) {
    const Position<double> at = position_of(model, element, q, parameters);
    list.push_back({&element, model.kind_of(element).model().drawing(at)});
  }
  return list;
}

}  // namespace liegrad::dae
