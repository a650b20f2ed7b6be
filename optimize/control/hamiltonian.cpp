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
  sensitivity::StepTerms steps(problem_.system(), options_.formulation,
                               dae::sigma_form(method().sigma), terms);
  const auto shifted = [shift](MotionPlaces places) {
    for (int& i : places.motion) i += shift;
    for (int& i : places.views) i += shift;
    return places;
  };
  for (int n = 0; n < layout_.num_steps; ++n) {
    StepPlaces step = steps_[index(n)];
    step.start = shifted(step.start);
    step.end = shifted(step.end);
    for (int* const place :
         {&step.start_a, &step.end_a, &step.stabilizer, &step.fraction, &step.base, &step.method}) {
      *place += shift;
    }
    step.horizon = n;
    steps.add_step(step, rows_.step_to(n + 1));
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
    if (layout_.has_times) later += weights[index(rows_.step_to(n) + rows_.times)];
    derivatives[index(n - 1)] = derivatives[index(n - 1)] / step_share(n) - later;
  }
  return derivatives;
}

}  // namespace liegrad::control
