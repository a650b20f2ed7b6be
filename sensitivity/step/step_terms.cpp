#include "liegrad/sensitivity/step/step_terms.hpp"

#include <numeric>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::sensitivity {

using dae::ElementFunction;
using dae::Formulation;
using dae::index;

void MotionPlaces::put(int first, int count, int offset) {
  std::iota(motion.begin() + first, motion.begin() + first + count, offset);
}

void set_method_numbers(const dae::AlphaMethod& method, std::span<double> numbers) {
  const dae::AlphaParameters& p = method.parameters;
  const double list[kNumMethodNumbers] = {p.alpha_m, p.alpha_f, p.beta, p.gamma, method.sigma};
  std::copy(std::begin(list), std::end(list), numbers.begin());
}

void set_views(const lie::GroupList& space, std::span<const double> q, std::span<const int> views,
               std::span<double> numbers) {
  for (int i = 0; i < space.size(); ++i) {
    dae::NodeView::of<double>(space.group(i), q.subspan(index(space.coeff_offset(i))),
                              numbers.subspan(index(views[index(i)])));
  }
}

/// Adds the relations between both ends, part by part of a configuration space.
class StepTerms::Parts {
 public:
  Parts(StepTerms& owner, const StepPlaces& places, int first_row)
      : owner_(owner), places_(places), first_row_(first_row) {}

  template <template <class> class G>
  void turning(int /*node*/, int dof) {
    add(step_part_of<G>(), dof);
  }
  void linear(int dof, int count) {
    for (int i = 0; i < count; ++i) add(StepPart::kLinear, dof + i);
  }

 private:
  void add(StepPart part, int dof) {
    const int count = step_part_dof(part);
    const MotionLayout& layout = owner_.layout_;
    std::vector<int> numbers, rows;
    const auto append_motion = [&](const MotionPlaces& end, int a) {
      for (const int first : {layout.q, layout.v, layout.v_dot}) {
        for (int i = 0; i < count; ++i) numbers.push_back(end.motion[index(first + dof + i)]);
      }
      for (int i = 0; i < count; ++i) numbers.push_back(a + dof + i);
    };
    append_motion(places_.start, places_.start_a);
    append_motion(places_.end, places_.end_a);
    numbers.push_back(places_.horizon);
    numbers.push_back(places_.fraction);
    for (int i = 0; i < count; ++i) numbers.push_back(places_.base + dof + i);
    for (int i = 0; i < kNumMethodNumbers; ++i) numbers.push_back(places_.method + i);
    for (int relation = 0; relation < 3; ++relation) {
      for (int i = 0; i < count; ++i) {
        rows.push_back(first_row_ + relation * owner_.system_.dof() + dof + i);
      }
    }
    owner_.terms_.add(owner_.defect(part), numbers, rows);
  }

  StepTerms& owner_;
  const StepPlaces& places_;
  int first_row_;
};

StepTerms::StepTerms(const dae::Model& system, Formulation formulation, dae::SigmaForm form,
                     TermList& terms)
    : system_(system),
      layout_(system),
      formulation_(formulation),
      form_(form),
      rows_(system, dae::constraint_rows(formulation)),
      terms_(terms) {}

const ad::Recording& StepTerms::defect(StepPart part) {
  auto found = defects_.find(part);
  if (found == defects_.end()) {
    found = defects_.emplace(part, defect_recording(part, form_)).first;
  }
  return found->second;
}

void StepTerms::add_elements(ElementFunction function, dae::ConstraintRows rows,
                             const MotionPlaces& places, int first_row) {
  for (const dae::PlacedElement& element : system_.elements()) {
    const dae::ElementKind& kind = system_.kind_of(element);
    if (is_about_constraints(function) && kind.shape().constraints == 0) continue;
    std::vector<int> values = element_values(system_, element, function, rows);
    for (int& row : values) row += first_row;
    add_element(function, rows, element, places, values);
  }
}

void StepTerms::add_element(ElementFunction function, dae::ConstraintRows rows,
                            const dae::PlacedElement& element, const MotionPlaces& places,
                            const std::vector<int>& values) {
  const lie::GroupList& space = system_.configuration_space();
  const dae::ElementKind& kind = system_.kind_of(element);
  const ad::Recording& recording = kind.function_recording(function, rows);
  std::vector<int> numbers(index(recording.num_inputs()), TermList::kZero);
  const std::vector<int> inputs = kind.arguments(function);
  const std::vector<int> parts = element_arguments(system_, element, layout_);
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

void StepTerms::add_step(const StepPlaces& places, int first_row) {
  dae::for_each_part(system_.configuration_space(), Parts(*this, places, first_row));
  if (formulation_ == Formulation::kStabilized) {
    // The controls of a step are those at its end, also in B(q_n).
    MotionPlaces start = places.start;
    std::copy(places.end.motion.begin() + layout_.controls,
              places.end.motion.begin() + layout_.time, start.motion.begin() + layout_.controls);
    start.put(layout_.lambda, system_.num_multipliers(), places.stabilizer);
    add_elements(ElementFunction::kConstraintForce, {}, start, first_row);
  }
  add_elements(ElementFunction::kStep, dae::constraint_rows(formulation_), places.end,
               first_row + first_element_row());
}

}  // namespace liegrad::sensitivity
