#include "liegrad/sensitivity/step/radau_step_equations.hpp"

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::index;

int rows_of(const dae::Model& system, int stages) {
  const int elements = EquationRows(system, {.position = true, .velocity = true}).size;
  return stages * (2 * system.dof() + elements) + system.dof() + system.num_algebraic() +
         system.num_multipliers();
}

RadauPlaces places_of(const dae::Model& system, const RadauStepEquations::Layout& layout,
                      Placing& placing) {
  RadauPlaces places;
  // A step does not depend on v̇, λ and s at its start; the places of those of a stage are never read there.
  const RadauStepEquations::Layout::Stage& first = layout.stages.front();
  placing.set_parameters(ad::range(layout.parameters, layout.h - layout.parameters));
  places.start = placing.motion({layout.start.q, layout.start.v, first.v_dot, first.lambda, first.s,
                                 layout.start.controls, layout.start.time});
  for (const RadauStepEquations::Layout::Stage& at : layout.stages) {
    places.stages.push_back(
        placing.motion({at.q, at.v, at.v_dot, at.lambda, at.s, at.controls, at.time}));
    places.stabilizers.push_back(at.stabilizer);
    places.bases.push_back(placing.velocities());
  }
  places.horizon = layout.h;
  places.fraction = placing.take(1);
  places.method =
      placing.take(RadauTerms::num_method_numbers(system, static_cast<int>(layout.stages.size())));
  return places;
}

}  // namespace

RadauStepEquations::Layout::Layout(const dae::Model& system, int num_stages) {
  Placing next(system);
  start = {next.velocities(), next.velocities(), next.controls(), next.take(1)};
  for (int i = 0; i < num_stages; ++i) {
    stages.push_back({next.velocities(), next.velocities(), next.velocities(), next.multipliers(),
                      next.algebraic(), next.multipliers(), next.controls(), next.take(1)});
  }
  end = {next.velocities(), next.multipliers(), next.algebraic()};
  parameters = next.parameters();
  h = next.take(1);
  size = next.size();
}

RadauStepEquations::RadauStepEquations(const dae::Model& system, int stages, ad::Backend backend)
    : SumAtPoint(Layout(system, stages).size, rows_of(system, stages)),
      model_(system.shared()),
      layout_(system, stages) {
  Placing placing(system, layout_.size);
  places_ = places_of(system, layout_, placing);
  numbers_.assign(index(placing.size()), 0.0);
  TermList terms(sum_, backend);
  RadauTerms step(system, stages, terms);
  stage_size_ = step.stage_size();
  weights_.assign(step.weights().begin(), step.weights().end());
  step.add_stages(places_, 0);
  const MotionLayout motion(system);
  MotionPlaces end = places_.stages.back();
  end.put(motion.v_dot, system.dof(), layout_.end.v_dot);
  end.put(motion.lambda, system.num_multipliers(), layout_.end.lambda);
  end.put(motion.s, system.num_algebraic(), layout_.end.s);
  step.add_accelerations(end, step.stages_size());

  const std::vector<double> parameters = system.parameter_values();
  std::copy(parameters.begin(), parameters.end(), numbers_.begin() + layout_.parameters);
  numbers_[index(places_.fraction)] = 1;
  step.set_method_numbers(std::span(numbers_).subspan(index(places_.method)));
  set_references(std::vector(index(stages + 1), system.initial_configuration()));
}

void RadauStepEquations::set_references(const std::vector<std::vector<double>>& references) {
  const lie::GroupList& space = model_->configuration_space();
  const std::span<double> numbers(numbers_);
  set_views(space, references.front(), places_.start.views, numbers);
  for (std::size_t i = 0; i < places_.stages.size(); ++i) {
    set_views(space, references[i + 1], places_.stages[i].views, numbers);
    space.minus<double>(references[i + 1], references.front(),
                        numbers.subspan(index(places_.bases[i]), index(model_->dof())));
  }
}

}  // namespace liegrad::sensitivity
