#include "liegrad/sensitivity/step/step_equations.hpp"

#include <utility>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::index;

/// Takes numbers in a row.
struct Counter {
  int next = 0;
  int take(int count) { return std::exchange(next, next + count); }
};

int num_parameters(const dae::Model& system) {
  return static_cast<int>(system.parameters().size());
}
int num_controls(const dae::Model& system) { return static_cast<int>(system.controls().size()); }

StepPlaces places_of(const dae::Model& system, const StepEquations::Layout& layout, int& size) {
  const MotionLayout motion(system);
  const int dof = system.dof();
  Counter counter{layout.size};
  StepPlaces places;
  const auto put_end = [&](MotionPlaces& end, int q, int v, int v_dot, int lambda, int s,
                           int time) {
    end.motion.resize(index(motion.size));
    end.put(motion.q, dof, q);
    end.put(motion.v, dof, v);
    end.put(motion.v_dot, dof, v_dot);
    end.put(motion.lambda, system.num_multipliers(), lambda);
    end.put(motion.s, system.num_algebraic(), s);
    end.put(motion.parameters, num_parameters(system), layout.parameters);
    end.put(motion.controls, num_controls(system), layout.controls);
    end.put(motion.time, 1, time);
    const lie::GroupList& space = system.configuration_space();
    for (int i = 0; i < space.size(); ++i) {
      end.views.push_back(counter.take(dae::NodeView::size(space.group(i))));
    }
  };
  // A step does not depend on λ and s at its start; the places of those at its end are never read there.
  put_end(places.start, layout.start.q, layout.start.v, layout.start.v_dot, layout.end.lambda,
          layout.end.s, layout.start_time);
  put_end(places.end, layout.end.q, layout.end.v, layout.end.v_dot, layout.end.lambda, layout.end.s,
          layout.end_time);
  places.start_a = layout.start.a;
  places.end_a = layout.end.a;
  places.stabilizer = layout.stabilizer;
  places.horizon = layout.h;
  places.fraction = counter.take(1);
  places.base = counter.take(dof);
  places.method = counter.take(kNumMethodNumbers);
  size = counter.next;
  return places;
}

}  // namespace

StepEquations::Layout::Layout(const dae::Model& system) {
  Counter counter;
  const int dof = system.dof();
  start = {counter.take(dof), counter.take(dof), counter.take(dof), counter.take(dof)};
  end = {counter.take(dof),
         counter.take(dof),
         counter.take(dof),
         counter.take(dof),
         counter.take(system.num_multipliers()),
         counter.take(system.num_algebraic())};
  stabilizer = counter.take(system.num_multipliers());
  parameters = counter.take(num_parameters(system));
  controls = counter.take(num_controls(system));
  start_time = counter.take(1);
  end_time = counter.take(1);
  h = counter.take(1);
  size = counter.next;
}

StepEquations::StepEquations(const dae::Model& system, dae::Formulation formulation,
                             const dae::AlphaMethod& method, ad::Backend backend)
    : SumAtPoint(Layout(system).size,
                 3 * system.dof() + EquationRows(system, dae::constraint_rows(formulation)).size),
      model_(system.shared()),
      layout_(system) {
  int size = 0;
  places_ = places_of(system, layout_, size);
  numbers_.assign(index(size), 0.0);
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
