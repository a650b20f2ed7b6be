#include "liegrad/control/resimulation.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/control/nlp.hpp"
#include "liegrad/control/run_cost.hpp"
#include "liegrad/dae/simulator.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::control {
namespace {

using dae::index;

/// How much finer the run is.
constexpr int kRefinement = 4;
/// Of a run of Radau steps that cannot have fixed ones.
constexpr double kRelativeTolerance = 1e-9;

/// The controls of a solution, linear between the points of its grid or constant in each step.
class ControlsOf {
 public:
  ControlsOf(const Transcription& transcription, const Solution& solution)
      : solution_(solution), are_constant_(transcription.options().constant_controls) {}

  /// Constant ones are those of the step that ends at a time.
  void operator()(double t, std::span<double> u) const {
    const double rounding = are_constant_ ? kRounding * solution_.states.back().t : 0;
    (*this)(t, t - rounding, u);
  }
  /// Those of the step that a time is within.
  void operator()(double t, double within, std::span<double> u) const {
    const std::size_t n = solution_.place(within).step;
    const double start = solution_.states[n].t, end = solution_.states[n + 1].t;
    const double s = are_constant_ ? 1 : std::clamp((t - start) / (end - start), 0.0, 1.0);
    for (std::size_t i = 0; i < u.size(); ++i) {
      u[i] = (1 - s) * solution_.controls[n][i] + s * solution_.controls[n + 1][i];
    }
  }

 private:
  static constexpr double kRounding = 1e-9;  ///< of times, beside the horizon
  const Solution& solution_;
  bool are_constant_;
};

/// All steps are as short as a quarter of the shortest one, as far as there are not too many.
int num_fine_steps(const Transcription& transcription) {
  const int steps = transcription.layout().num_steps;
  double smallest = 1;
  for (int n = 1; n <= steps; ++n) smallest = std::min(smallest, transcription.step_share(n));
  return kRefinement * std::min(10 * steps, static_cast<int>(std::lround(1 / smallest)));
}

/// The cost of a run, by the quadrature of a transcription with as many steps.
double cost_of(const Problem& problem, TranscriptionOptions options, const Solution& solution,
               const ControlsOf& controls, const std::vector<dae::State>& states) {
  options.steps = static_cast<int>(states.size()) - 1;
  options.mesh.clear();
  options.backend = ad::Backend::kInterpreted;
  Transcription fine(problem, options);
  return fine.cost_of(solution.parameters, states, controls);
}

}  // namespace

void resimulate(const Transcription& transcription, const Solution& solution,
                const StopRequest& stop, Certificate& certificate) {
  const Problem& problem = transcription.problem();
  const int steps = num_fine_steps(transcription);
  dae::IntegrateOptions options = dae::alpha_steps();
  options.t_end = solution.summary.t_end;
  options.step = solution.summary.t_end / steps;
  if (transcription.has_stages()) {
    options.method = dae::Method::kRadau;
    options.radau.stages = transcription.options().radau_stages;
  } else {
    options.alpha.method = transcription.method();
  }
  const ControlsOf controls(transcription, solution);
  options.controls = controls;
  options.on_step = [&stop](const dae::State&) { return !stop.is_made(); };
  dae::RunValues values{.parameters = solution.parameters};
  if (!problem.periodic().empty() || transcription.start_is_linked()) {
    values.initial = {solution.states.front().q, solution.states.front().v};
    // Steps of index 3 leave errors of their order in velocities, and all leave rounding errors.
    options.alpha.consistency.project = true;
  }
  const auto run_in = [&](dae::Formulation formulation) {
    options.alpha.formulation = formulation;
    try {
      return dae::Simulator(problem.system(), options).run(values);
    } catch (const Error& error) {
      dae::Solution none;  // a solution without a run of its own is said to be one
      none.summary.message = error.what();
      return none;
    }
  };
  const dae::Formulation formulation = transcription.options().formulation;
  dae::Solution run = run_in(formulation);
  const auto has_ended = [&] { return run.summary.termination == dae::Termination::kReachedEnd; };
  // Newton's iteration for positions has rounding errors of ε/h² in accelerations; that for velocities has ε/h.
  if (!has_ended() && !stop.is_made() && formulation != dae::Formulation::kIndex2 &&
      !transcription.has_stages()) {
    run = run_in(dae::Formulation::kIndex2);
  }
  // That of fixed Radau steps may meet them too; with a tolerance it ends before.
  if (!has_ended() && !stop.is_made() && transcription.has_stages()) {
    options.adaptive = dae::AdaptiveOptions{
        .tolerance = {.relative = kRelativeTolerance, .absolute = kRelativeTolerance}};
    options.sample_interval = options.step;
    run = run_in(formulation);
  }
  if (!has_ended()) {
    if (!stop.is_made()) certificate.resimulation_failure = run.summary.message;
    return;
  }
  certificate.resimulated = true;

  const lie::GroupList& space = problem.system().configuration_space();
  std::vector<double> miss(index(space.dof()));
  space.minus<double>(run.final.q, solution.states.back().q, miss);
  certificate.resimulation_miss = dae::max_of(miss);
  for (std::size_t i = 0; i < miss.size(); ++i) {
    certificate.resimulation_miss = std::max(
        certificate.resimulation_miss, std::abs(run.final.v[i] - solution.states.back().v[i]));
  }
  if (static_cast<int>(run.samples.size()) == steps + 1) {
    certificate.resimulation_cost_difference =
        (transcription.has_stages()
             ? cost_of_run(problem, solution.parameters, run.samples, controls)
             : cost_of(problem, transcription.options(), solution, controls, run.samples)) -
        solution.summary.cost;
  }
}

}  // namespace liegrad::control
