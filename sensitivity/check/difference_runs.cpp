#include "liegrad/sensitivity/check/difference_runs.hpp"

#include <algorithm>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/text.hpp"
#include "liegrad/sensitivity/check/typical_value.hpp"
#include "liegrad/sensitivity/trajectory/full_convergence.hpp"

namespace liegrad::sensitivity {

using dae::index;

DifferenceRuns::DifferenceRuns(const Objective& objective, const dae::IntegrateOptions& options,
                               const VariableSpace& space, const dae::InitialValues& initial,
                               std::span<const double> parameters, bool grid_moves)
    : objective_(objective),
      options_(with_full_convergence(options)),
      space_(space),
      initial_(initial),
      parameters_(parameters.begin(), parameters.end()),
      reader_(objective, options, grid_moves) {
  // Perturbed values leave the constraints, and an inertia may become slightly impossible.
  options_.alpha.consistency.project = true;
  options_.alpha.consistency.check_elements = false;
}

std::vector<double> DifferenceRuns::values(std::span<const double> direction, double x) {
  const dae::Model& model = objective_.model();
  const VariableSpace::Parts along = space_.parts(direction);
  std::vector<double> parameters = parameters_;
  for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i] += x * along.parameters[i];

  // Initial values follow the parameters by the initial function, then the direction.
  dae::InitialValues initial = initial_;
  if (!options_.initial) {
    std::vector<double> of_start;
    for (const int i : model.initial_parameters()) of_start.push_back(parameters[index(i)]);
    model.initial_values(of_start, initial);
  }
  std::vector<double> delta(along.q.begin(), along.q.end());
  for (double& entry : delta) entry *= x;
  model.configuration_space().plus<double>(initial.q, delta, initial.q);
  for (std::size_t i = 0; i < initial.v.size(); ++i) initial.v[i] += x * along.v[i];

  const Grid& grid = space_.grid();
  const auto moved = [&](const Grid::Rates& rates) {
    return x * (rates.by_end * along.end + rates.by_step * along.step);
  };
  // Controls belong to the ends of steps and move with them.
  const auto controls_of = [&](long n, double t, std::span<double> controls) {
    std::fill(controls.begin(), controls.end(), 0.0);
    if (options_.controls) options_.controls(t, controls);
    for (std::size_t i = 0; i < controls.size(); ++i) {
      controls[i] += x * along.controls[static_cast<std::size_t>(n) * controls.size() + i];
    }
  };

  const std::unique_ptr<dae::Stepper> stepper = dae::make_stepper(model, options_);
  stepper->set_parameters(parameters);
  long now = 0;
  double step_begin = options_.t_start, step_end = options_.t_start;
  const auto unmoved = [&](double t) {
    if (now == 0) return options_.t_start;
    const double part = (t - step_begin) / (step_end - step_begin);
    return grid.time(now - 1) + part * (grid.time(now) - grid.time(now - 1));
  };
  stepper->set_control_law([&](double t, std::span<double> controls) {
    controls_of(t == step_begin ? std::max(now - 1, 0L) : now, unmoved(t), controls);
  });
  stepper->set_time(options_.t_start);
  dae::Consistency consistency(model, options_.alpha.consistency, options_.alpha.solver);
  consistency.set_parameters(parameters);
  const dae::State start =
      consistency.initial_state(options_.t_start, stepper->assembly().controls(), initial);
  stepper->start(start, grid.first_step() + moved(grid.first_step_rates()));

  const dae::ControlLaw within_step = [&](double t, std::span<double> controls) {
    controls_of(now, t, controls);
  };
  reader_.set_run(parameters, dae::RunTimes(options_.t_start, options_.t_end), within_step);
  std::vector<double> result(index(objective_.size()), 0.0);
  std::vector<double> before(model.controls().size()), after = before;
  controls_of(0, options_.t_start, before);
  reader_.read_start({stepper->state(), stepper->state(), grid.first_step(), before, before},
                     result);
  for (long n = 0; n < grid.num_steps(); ++n) {
    const double h = grid.step(n) + moved(grid.step_rates(n));
    const double t_end = grid.time(n + 1) + moved(grid.time_rates(n + 1));
    now = n + 1;
    step_begin = stepper->state().t;
    step_end = t_end;
    const dae::StepReport& report = stepper->step(h, t_end);
    if (!report.success) {
      throw Error("a run for differences failed at t = " + dae::number_text(t_end) + ": " +
                  report.message);
    }
    controls_of(n + 1, grid.time(n + 1), after);
    reader_.read_step({stepper->state(), stepper->next(), h, before, after},
                      n + 1 == grid.num_steps(), result);
    std::swap(before, after);
    stepper->accept();
    if (on_step_) on_step_();
  }
  return result;
}

Difference DifferenceRuns::derivative(int chosen, double step) {
  std::vector<double> direction(index(space_.size()), 0.0);
  const int position = space_.chosen()[index(chosen)];
  direction[index(position)] = 1;
  double scale = 1;
  const VariableSpace::Place place = space_.place(chosen);
  switch (place.kind) {
    case VariableSpace::Place::Kind::kParameter:
      scale = typical_value(objective_.model(), place.index).value;
      break;
    case VariableSpace::Place::Kind::kEnd: scale = options_.t_end - options_.t_start; break;
    case VariableSpace::Place::Kind::kStep: scale = space_.grid().first_step(); break;
    default: break;
  }
  return ridders_derivative([&](double x) { return values(direction, x); }, step * scale);
}

}  // namespace liegrad::sensitivity
