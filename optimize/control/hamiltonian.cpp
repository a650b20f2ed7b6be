// The Hamiltonian along a solution, from the equations of the steps themselves.

#include "liegrad/control/transcription.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::control {

using dae::index;
using sensitivity::MotionPlaces;
using sensitivity::StepPlaces;

/// Each step gets a horizon of its own, in front of all other numbers: a sum with only these as arguments.
std::vector<double> Transcription::step_length_derivatives(
    std::span<const double> multipliers) const {
  const int shift = layout_.num_steps;
  sensitivity::KernelSum sum(shift, rows_.size);
  sensitivity::TermList terms(sum, ad::Backend::kInterpreted);
  const auto shifted = [shift](MotionPlaces places) {
    for (int& i : places.motion) i += shift;
    for (int& i : places.views) i += shift;
    return places;
  };
  if (has_stages()) {
    sensitivity::RadauTerms steps(problem_.system(), options_.radau_stages, terms);
    for (int n = 0; n < layout_.num_steps; ++n) {
      sensitivity::RadauPlaces step = radau_steps_[index(n)];
      step.start = shifted(step.start);
      for (MotionPlaces& stage : step.stages) stage = shifted(stage);
      for (std::vector<int>* const list : {&step.stabilizers, &step.bases}) {
        for (int& place : *list) place += shift;
      }
      step.fraction += shift;
      step.method += shift;
      step.horizon = n;
      add_radau_step(step, quadrature_ + shift, n + 1, steps, terms);
    }
  }
  std::optional<sensitivity::StepTerms> steps;
  if (!has_stages()) {
    steps.emplace(problem_.system(), options_.formulation, dae::sigma_form(method().sigma), terms);
  }
  for (int n = 0; n < layout_.num_steps && steps; ++n) {
    StepPlaces step = steps_[index(n)];
    step.start = shifted(step.start);
    step.end = shifted(step.end);
    for (int* const place :
         {&step.start_a, &step.end_a, &step.stabilizer, &step.fraction, &step.base, &step.method}) {
      *place += shift;
    }
    step.horizon = n;
    steps->add_step(step, rows_.step_to(n + 1));
    std::vector<int> inputs = point_functions_.numbers(step.start);
    const std::vector<int> end = point_functions_.numbers(step.end);
    inputs.insert(inputs.end(), end.begin(), end.end());
    inputs.insert(inputs.end(), {step.horizon, step.fraction});
    for (const ad::Recording& f : functions_.running_costs) {
      terms.add(f, inputs, std::array{rows_.cost});
    }
  }
  std::vector<double> numbers(index(shift), numbers_[index(horizon_)]);
  numbers.insert(numbers.end(), numbers_.begin(), numbers_.end());
  std::vector<double> weights(index(rows_.size), 1.0), derivatives(index(shift), 0.0);
  for (std::size_t i = 1; i < weights.size(); ++i) weights[i] = row_scales_[i] * multipliers[i - 1];
  sum.adjoint(numbers, 1, weights, derivatives);
  // h_n = φ_n T_n. A longer step moves all times behind it; ratios of steps are taken as given.
  double later = 0;
  for (int n = layout_.num_steps; n >= 1; --n) {
    double own = 0, of_stages = 0;
    if (layout_.has_times) {
      const std::size_t row = index(rows_.step_to(n) + rows_.times);
      later += weights[row];
      for (std::size_t i = 1; i < layout_.stages.size(); ++i) {
        own += radau_->c(static_cast<int>(i) - 1) * weights[row + i];
        of_stages += weights[row + i];
      }
    }
    derivatives[index(n - 1)] = derivatives[index(n - 1)] / step_share(n) - later - own;
    later += of_stages;
  }
  return derivatives;
}

}  // namespace liegrad::control
