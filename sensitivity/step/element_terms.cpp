#include "liegrad/sensitivity/step/element_terms.hpp"

#include <algorithm>
#include <numeric>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::sensitivity {

using dae::ElementFunction;
using dae::index;

void MotionPlaces::put(int first, int count, int offset) {
  std::iota(motion.begin() + first, motion.begin() + first + count, offset);
}

std::vector<int> Placing::views() {
  const lie::GroupList& space = system_->configuration_space();
  std::vector<int> result;
  for (int i = 0; i < space.size(); ++i) {
    result.push_back(take(dae::NodeView::size(space.group(i))));
  }
  return result;
}

MotionPlaces Placing::motion(const MotionOffsets& at, std::vector<int> views) const {
  MotionPlaces places;
  places.motion.resize(index(layout_.size));
  places.put(layout_.q, system_->dof(), at.q);
  places.put(layout_.v, system_->dof(), at.v);
  places.put(layout_.v_dot, system_->dof(), at.v_dot);
  places.put(layout_.lambda, system_->num_multipliers(), at.lambda);
  places.put(layout_.s, system_->num_algebraic(), at.s);
  std::ranges::copy(parameters_, places.motion.begin() + layout_.parameters);
  places.put(layout_.controls, layout_.time - layout_.controls, at.controls);
  places.put(layout_.time, 1, at.time);
  places.views = std::move(views);
  return places;
}

void set_views(const lie::GroupList& space, std::span<const double> q, std::span<const int> views,
               std::span<double> numbers) {
  for (int i = 0; i < space.size(); ++i) {
    dae::NodeView::of<double>(space.group(i), q.subspan(index(space.coeff_offset(i))),
                              numbers.subspan(index(views[index(i)])));
  }
}

void ElementTerms::add_elements(ElementFunction function, dae::ConstraintRows rows,
                                const MotionPlaces& places, int first_row) {
  for (const dae::PlacedElement& element : system_.elements()) {
    const dae::ElementKind& kind = system_.kind_of(element);
    if (is_about_constraints(function) && kind.shape().constraints == 0) continue;
    std::vector<int> values = element_values(system_, element, function, rows);
    for (int& row : values) row += first_row;
    add_element(function, rows, element, places, values);
  }
}

void ElementTerms::add_element(ElementFunction function, dae::ConstraintRows rows,
                               const dae::PlacedElement& element, const MotionPlaces& places,
                               const std::vector<int>& values) {
  const lie::GroupList& space = system_.configuration_space();
  const dae::ElementKind& kind = system_.kind_of(element);
  const ad::Recording& recording = kind.function_recording(function, rows);
  std::vector<int> numbers(index(recording.num_inputs()), TermList::kZero);
  const std::vector<int> inputs = kind.arguments(function);
  const std::vector<int> parts =
      element_arguments(system_, element, layout_, function == ElementFunction::kRate);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    numbers[index(inputs[i])] = places.motion[index(parts[i])];
  }
  const dae::ElementInputs in = kind.inputs(dae::kDirectForm);
  for (std::size_t k = 0; k < element.nodes.size(); ++k) {
    const int node = element.nodes[k];
    std::iota(numbers.begin() + in.nodes[k].view,
              numbers.begin() + in.nodes[k].view + dae::NodeView::size(space.group(node)),
              places.views[index(node)]);
  }
  terms_.add(recording, numbers, values);
}

int ElementTerms::accelerations_size() const {
  return system_.dof() + system_.num_algebraic() + system_.num_multipliers();
}

void ElementTerms::add_accelerations(const MotionPlaces& places, int first_row) {
  add_elements(ElementFunction::kStep, {.position = false, .velocity = false}, places, first_row);
  add_elements(ElementFunction::kAcceleration, {}, places,
               first_row + system_.dof() + system_.num_algebraic());
}

}  // namespace liegrad::sensitivity
