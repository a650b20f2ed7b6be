#include "liegrad/sensitivity/step/munthe_kaas_step_equations.hpp"

#include "liegrad/dae/runge_kutta/munthe_kaas.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::index;
using Layout = MuntheKaasStepEquations::Layout;

/// A tableau that can be used.
const dae::ButcherTableau& checked(const dae::Model& system, const dae::ButcherTableau& tableau) {
  dae::make_munthe_kaas(system, tableau, {});  // says what is wrong
  return tableau;
}

/// The first stage of an explicit tableau is the start.
int stages_at_start(const dae::ButcherTableau& tableau) { return tableau.is_explicit() ? 1 : 0; }

MuntheKaasPlaces places_of(const Layout& layout, const dae::ButcherTableau& tableau,
                           Placing& placing) {
  MuntheKaasPlaces places;
  placing.set_parameters(ad::range(layout.parameters, layout.h - layout.parameters));
  const Layout::Start& start = layout.start;
  places.start = placing.motion(
      {start.q, start.v, start.v_dot, start.lambda, start.s, start.controls, start.time});
  if (stages_at_start(tableau) > 0) places.rates.push_back({start.v, start.v_dot});
  for (const Layout::Stage& at : layout.stages) {
    places.stages.push_back(
        {.motion = placing.motion({at.q, at.v, at.v_dot, at.lambda, at.s, at.controls, at.time}),
         .base = placing.velocities(),
         .p = at.p});
    if (at.p) places.rates.push_back({*at.p, at.v_dot});
  }
  if (layout.projection) {
    const Layout::Projection& by = *layout.projection;
    const Layout::Stage& last = layout.stages.back();
    places.projection = {.end = placing.motion({by.q, by.v, last.v_dot, last.lambda, last.s,
                                                last.controls, last.time}),
                         .base = placing.velocities(),
                         .position = {by.x, by.nu, by.sigma},
                         .velocity = {by.y, by.mu, by.tau}};
  }
  places.horizon = layout.h;
  places.fraction = placing.take(1);
  places.weights = placing.take(MuntheKaasTerms::num_weights(tableau));
  return places;
}

/// A step has as many equations.
int num_unknowns(const dae::Model& system, const Layout& layout) {
  const int dof = system.dof();
  const int accelerations = dof + system.num_multipliers() + system.num_algebraic();
  int count = layout.projection ? 2 * (dof + accelerations) : 0;
  for (const Layout::Stage& stage : layout.stages) count += (stage.p ? 3 : 2) * dof + accelerations;
  return count;
}

}  // namespace

Layout::Layout(const dae::Model& system, const dae::ButcherTableau& tableau) {
  Placing next(system);
  start = {next.velocities(), next.velocities(), next.velocities(), next.multipliers(),
           next.algebraic(),  next.controls(),   next.take(1)};
  int rates = stages_at_start(tableau);
  for (const StagePlace& place : stage_places(tableau)) {
    const bool has_rate = rates++ < static_cast<int>(place.weights.size());
    stages.push_back({.q = next.velocities(),
                      .v = next.velocities(),
                      .p = has_rate ? std::optional(next.velocities()) : std::nullopt,
                      .v_dot = next.velocities(),
                      .lambda = next.multipliers(),
                      .s = next.algebraic(),
                      .controls = next.controls(),
                      .time = next.take(1)});
  }
  if (system.num_multipliers() > 0) {
    projection = {.q = next.velocities(),
                  .v = next.velocities(),
                  .x = next.velocities(),
                  .nu = next.multipliers(),
                  .sigma = next.algebraic(),
                  .y = next.velocities(),
                  .mu = next.multipliers(),
                  .tau = next.algebraic()};
  }
  parameters = next.parameters();
  h = next.take(1);
  size = next.size();
}

MuntheKaasStepEquations::MuntheKaasStepEquations(const dae::Model& system,
                                                 const dae::ButcherTableau& tableau,
                                                 ad::Backend backend)
    : MuntheKaasStepEquations(system, tableau, backend, Layout(system, checked(system, tableau))) {}

MuntheKaasStepEquations::MuntheKaasStepEquations(const dae::Model& system,
                                                 const dae::ButcherTableau& tableau,
                                                 ad::Backend backend, const Layout& layout)
    : SumAtPoint(layout.size, num_unknowns(system, layout)),
      model_(system.shared()),
      layout_(layout) {
  Placing placing(system, layout_.size);
  places_ = places_of(layout_, tableau, placing);
  numbers_.assign(index(placing.size()), 0.0);
  TermList terms(sum_, backend);
  MuntheKaasTerms step(system, tableau, terms);
  step.add_step(places_, 0);

  const std::vector<double> parameters = system.parameter_values();
  std::ranges::copy(parameters, numbers_.begin() + layout_.parameters);
  numbers_[index(places_.fraction)] = 1;
  step.set_weights(std::span(numbers_).subspan(index(places_.weights)));
  set_references(std::vector(layout_.stages.size() + (layout_.projection ? 2 : 1),
                             system.initial_configuration()));
}

void MuntheKaasStepEquations::set_references(const std::vector<std::vector<double>>& references) {
  const lie::GroupList& space = model_->configuration_space();
  const std::span<double> numbers(numbers_);
  const auto set_base = [&](const std::vector<double>& from, const std::vector<double>& to,
                            int base) {
    space.minus<double>(to, from, numbers.subspan(index(base), index(model_->dof())));
  };
  set_views(space, references.front(), places_.start.views, numbers);
  for (std::size_t i = 0; i < places_.stages.size(); ++i) {
    set_views(space, references[i + 1], places_.stages[i].motion.views, numbers);
    set_base(references.front(), references[i + 1], places_.stages[i].base);
  }
  if (!places_.projection) return;
  const std::vector<double>&last = references[places_.stages.size()], &end = references.back();
  set_views(space, end, places_.projection->end.views, numbers);
  set_base(last, end, places_.projection->base);
}

}  // namespace liegrad::sensitivity
