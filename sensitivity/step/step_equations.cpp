#include "liegrad/sensitivity/step/step_equations.hpp"

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::index;

StepPlaces places_of(const StepEquations::Layout& at, Placing& placing) {
  StepPlaces places;
  // A step does not depend on λ and s at its start; the places of those at its end are never read there.
  placing.set_parameters(ad::range(at.parameters, at.controls - at.parameters));
  places.start = placing.motion({at.start.q, at.start.v, at.start.v_dot, at.end.lambda, at.end.s,
                                 at.controls, at.start_time});
  places.end = placing.motion(
      {at.end.q, at.end.v, at.end.v_dot, at.end.lambda, at.end.s, at.controls, at.end_time});
  places.start_a = at.start.a;
  places.end_a = at.end.a;
  places.stabilizer = at.stabilizer;
  places.horizon = at.h;
  places.fraction = placing.take(1);
  places.base = placing.velocities();
  places.method = placing.take(kNumMethodNumbers);
  return places;
}

}  // namespace

StepEquations::Layout::Layout(const dae::Model& system) {
  Placing next(system);
  start = {next.velocities(), next.velocities(), next.velocities(), next.velocities()};
  end = {next.velocities(), next.velocities(),  next.velocities(),
         next.velocities(), next.multipliers(), next.algebraic()};
  stabilizer = next.multipliers();
  parameters = next.parameters();
  controls = next.controls();
  start_time = next.take(1);
  end_time = next.take(1);
  h = next.take(1);
  size = next.size();
}

StepEquations::StepEquations(const dae::Model& system, dae::Formulation formulation,
                             const dae::AlphaMethod& method, ad::Backend backend)
    : SumAtPoint(Layout(system).size,
                 3 * system.dof() + EquationRows(system, dae::constraint_rows(formulation)).size),
      model_(system.shared()),
      layout_(system) {
  Placing placing(system, layout_.size);
  places_ = places_of(layout_, placing);
  numbers_.assign(index(placing.size()), 0.0);
  TermList terms(sum_, backend);
  StepTerms(system, formulation, dae::sigma_form(method.sigma), terms).add_step(places_, 0);

  const std::vector<double> parameters = system.parameter_values();
  std::copy(parameters.begin(), parameters.end(), numbers_.begin() + layout_.parameters);
  numbers_[index(places_.fraction)] = 1;
  set_method_numbers(method, std::span(numbers_).subspan(index(places_.method)));
  const std::vector<double> q = system.initial_configuration();
  set_references(q, q);
}

void StepEquations::set_references(std::span<const double> start, std::span<const double> end) {
  const lie::GroupList& space = model_->configuration_space();
  const std::span<double> numbers(numbers_);
  set_views(space, start, places_.start.views, numbers);
  set_views(space, end, places_.end.views, numbers);
  space.minus<double>(end, start, numbers.subspan(index(places_.base), index(model_->dof())));
}

}  // namespace liegrad::sensitivity
