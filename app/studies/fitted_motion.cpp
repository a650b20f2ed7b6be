#include "studies/fitted_motion.hpp"

#include <algorithm>

#include "liegrad/dae/start/consistency.hpp"
#include "studies/run_observer.hpp"

namespace liegrad::app {
namespace {

/// So many samples show a motion well.
constexpr int kSamples = 1000;

}  // namespace

dae::System fitted_system(const optimize::FitProblem& problem, const optimize::FitResult& result) {
  dae::System system = problem.system;
  const auto has = [&system](const std::string& name) {
    return std::any_of(system.parameters().begin(), system.parameters().end(),
                       [&name](const dae::ParameterSpec& one) { return one.name == name; });
  };
  for (const optimize::Estimate& estimate : result.parameters) {
    // "NAME@1" is that of the first trial; unknowns of sensors are none of the system.
    const std::size_t at = estimate.name.find('@');
    const std::string name = estimate.name.substr(0, at);
    const bool is_first = at == std::string::npos || estimate.name.substr(at) == "@1";
    if (is_first && has(name)) system.set_parameter(name, estimate.value);
  }
  for (const optimize::Tie& tie : problem.ties) {
    system.set_parameter(tie.parameter, tie.factor * system.parameter(tie.to));
  }
  return system;
}

void write_motion(const dae::System& system, const optimize::Recording& recording,
                  const optimize::FittedTrial& trial, dae::IntegrateOptions options,
                  const std::string& file) {
  options.t_start = trial.t_start;
  options.initial = trial.start;
  options.t_end = recording.run_end.value_or(recording.last_time());
  const double interval = (options.t_end - options.t_start) / kSamples;
  options.sample_interval = interval > options.step ? interval : 0;
  options.keep_samples = false;
  dae::Consistency consistency(system, options.alpha.consistency, options.alpha.solver);
  const std::vector<double> controls(system.controls().size(), 0.0);
  RunObserver observer(system, options, file, false);
  observer.start(consistency.initial_state(options.t_start, controls, trial.start));
  options.on_step = [&observer](const dae::MethodState& state) {
    observer.after_step(state);
    return true;
  };
  const dae::Solution solution = dae::integrate(system, options);
  observer.finish(solution.final);
  if (!solution.summary.is_complete()) throw Error(solution.summary.message);
}

}  // namespace liegrad::app
