#include "liegrad/sensitivity/step/step_terms.hpp"

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::sensitivity {

using dae::ElementFunction;
using dae::Formulation;
using dae::index;

void set_method_numbers(const dae::AlphaMethod& method, std::span<double> numbers) {
  const dae::AlphaParameters& p = method.parameters;
  const double list[kNumMethodNumbers] = {p.alpha_m, p.alpha_f, p.beta, p.gamma, method.sigma};
  std::copy(std::begin(list), std::end(list), numbers.begin());
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
    owner_.terms_.add(owner_.defects_[part], numbers, rows);
  }

  StepTerms& owner_;
  const StepPlaces& places_;
  int first_row_;
};

StepTerms::StepTerms(const dae::Model& system, Formulation formulation, dae::SigmaForm form,
                     TermList& terms)
    : ElementTerms(system, terms),
      formulation_(formulation),
      rows_(system, dae::constraint_rows(formulation)),
      defects_([form](StepPart part) { return defect_recording(part, form); }) {}

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
