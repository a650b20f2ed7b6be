#include "liegrad/sensitivity/step/radau_step_equations.hpp"

#include <tuple>
#include <utility>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::index;

int num_parameters(const dae::Model& system) {
  return static_cast<int>(system.parameters().size());
}
int num_controls(const dae::Model& system) { return static_cast<int>(system.controls().size()); }

int rows_of(const dae::Model& system, int stages) {
  const int elements = EquationRows(system, {.position = true, .velocity = true}).size;
  return stages * (2 * system.dof() + elements) + system.dof() + system.num_algebraic() +
         system.num_multipliers();
}

/// Takes the numbers behind the arguments.
class Placing {
 public:
  Placing(const dae::Model& system, const RadauStepEquations::Layout& layout)
      : system_(system), motion_(system), layout_(layout), next_(layout.size) {}

  int take(int count) { return std::exchange(next_, next_ + count); }

  MotionPlaces motion(const RadauStepEquations::Layout::Stage& at) {
    MotionPlaces places;
    places.motion.resize(index(motion_.size));
    places.put(motion_.q, system_.dof(), at.q);
    places.put(motion_.v, system_.dof(), at.v);
    places.put(motion_.v_dot, system_.dof(), at.v_dot);
    places.put(motion_.lambda, system_.num_multipliers(), at.lambda);
    places.put(motion_.s, system_.num_algebraic(), at.s);
    places.put(motion_.parameters, num_parameters(system_), layout_.parameters);
    places.put(motion_.controls, num_controls(system_), at.controls);
    places.put(motion_.time, 1, at.time);
    const lie::GroupList& space = system_.configuration_space();
    for (int i = 0; i < space.size(); ++i) {
      places.views.push_back(take(dae::NodeView::size(space.group(i))));
    }
    return places;
  }
  RadauPlaces places() {
    RadauPlaces all;
    // A step does not depend on v̇, λ and s at its start; the places of those of a stage are never read there.
    RadauStepEquations::Layout::Stage start = layout_.stages.front();
    std::tie(start.q, start.v, start.controls, start.time) =
        std::tie(layout_.start.q, layout_.start.v, layout_.start.controls, layout_.start.time);
    all.start = motion(start);
    for (const RadauStepEquations::Layout::Stage& stage : layout_.stages) {
      all.stages.push_back(motion(stage));
      all.stabilizers.push_back(stage.stabilizer);
      all.bases.push_back(take(system_.dof()));
    }
    all.horizon = layout_.h;
    all.fraction = take(1);
    all.method =
        take(RadauTerms::num_method_numbers(system_, static_cast<int>(layout_.stages.size())));
    return all;
  }

 private:
  const dae::Model& system_;
  MotionLayout motion_;
  const RadauStepEquations::Layout& layout_;
  int next_;
};

}  // namespace

RadauStepEquations::Layout::Layout(const dae::Model& system, int num_stages) {
  int next = 0;
  const auto take = [&next](int count) { return std::exchange(next, next + count); };
  const int dof = system.dof(), multipliers = system.num_multipliers();
  const int algebraic = system.num_algebraic(), u = num_controls(system);
  start = {take(dof), take(dof), take(u), take(1)};
  for (int i = 0; i < num_stages; ++i) {
    stages.push_back({take(dof), take(dof), take(dof), take(multipliers), take(algebraic),
                      take(multipliers), take(u), take(1)});
  }
  end = {take(dof), take(multipliers), take(algebraic)};
  parameters = take(num_parameters(system));
  h = take(1);
  size = next;
}

RadauStepEquations::RadauStepEquations(const dae::Model& system, int stages, ad::Backend backend)
    : SumAtPoint(Layout(system, stages).size, rows_of(system, stages)),
      model_(system.shared()),
      layout_(system, stages) {
  Placing placing(system, layout_);
  places_ = placing.places();
  numbers_.assign(index(placing.take(0)), 0.0);
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
