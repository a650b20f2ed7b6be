#include "liegrad/optimize/fit/start_values.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/lie/so3.hpp"
#include "liegrad/optimize/fit/engine.hpp"

namespace liegrad::optimize {
namespace {

using dae::index;
using lie::SO3;
using Vec4 = lie::Vec<double, 4>;

/// The first times that have enough values for that many unknowns.
Recording first_samples(const Recording& recording, int num_unknowns) {
  std::vector<double> times;
  int values = 0;
  for (const Series& series : recording.series) {
    times.insert(times.end(), series.times.begin(), series.times.end());
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  constexpr std::size_t kLeast = 5;
  std::size_t count = 0;
  while (count < times.size() && (count < kLeast || values < 3 * num_unknowns)) {
    for (const Series& series : recording.series) {
      if (std::binary_search(series.times.begin(), series.times.end(), times[count])) {
        values += series.residual_size();
      }
    }
    count += 1;
  }
  Recording part = window_of(recording, {}, times[count - 1]);
  part.run_start = recording.run_start;
  return part;
}

/// A trial alone, with those of its unknowns free that are initial values without a given start.
struct Alone {
  FitProblem problem;
  std::vector<std::string> names;  ///< in the whole problem, by the unknowns here
  std::vector<int> fixed;          ///< those with a given start
};

Alone alone(const FitProblem& problem, const Unknowns& unknowns, int trial) {
  Alone result{{problem.system, {without_sensor_effects(problem, trial)}}, {}, {}};
  FitProblem& one = result.problem;
  if (!unknowns.initial().is_empty()) one.initial = unknowns.initial().base();
  const Eigen::VectorXd local = unknowns.local(trial, unknowns.start());
  const std::vector<double> values = unknowns.parameter_values(trial, local);
  for (std::size_t i = 0; i < values.size(); ++i) {
    one.system.set_parameter(problem.system.parameters()[i].name, values[i]);
  }
  for (int j = 0; j < unknowns.num_local(trial); ++j) {
    const Unknowns::Unknown& unknown = unknowns.list()[index(unknowns.global(trial, j))];
    const bool is_own = unknown.trial == trial || unknowns.num_trials() == 1;
    const bool is_coordinate = InitialCoordinates::has_form(problem.system, unknown.plain_name);
    if (!unknown.is_initial_value) continue;
    // A parameter with a given start has it in the system already, an initial value itself has not.
    const bool is_given = unknown.has_given_start || !is_own;
    if (is_given && !is_coordinate) continue;
    if (is_given) result.fixed.push_back(static_cast<int>(result.names.size()));
    if (is_coordinate) one.start[unknown.plain_name] = unknown.start;
    result.names.push_back(unknown.name);
    one.free.push_back(unknown.plain_name);
    if (std::isfinite(unknown.lower)) one.lower[unknown.plain_name] = unknown.lower;
    if (std::isfinite(unknown.upper)) one.upper[unknown.plain_name] = unknown.upper;
  }
  return result;
}

}  // namespace

std::vector<std::string> all_initial_values(const dae::System& system) {
  std::vector<std::string> names;
  for (const dae::Node& node : system.nodes()) {
    if (node.group.dof() == 0) continue;
    if (!node.first_order) names.push_back(node.name + ".q0");
    names.push_back(node.name + ".v0");
  }
  return names;
}

void give_trials_initial_values(FitProblem& problem) {
  const Unknowns unknowns(problem);
  const auto is_initial_value = [&](const std::string& name) {
    return std::ranges::any_of(unknowns.list(), [&](const Unknowns::Unknown& one) {
      return one.is_initial_value &&
             (one.plain_name == name || one.plain_name.starts_with(name + "["));
    });
  };
  const auto shared = std::ranges::stable_partition(problem.free, std::not_fn(is_initial_value));
  problem.per_trial.insert(problem.per_trial.end(), shared.begin(), shared.end());
  problem.free.erase(shared.begin(), shared.end());
  if (std::ranges::any_of(problem.per_trial, is_initial_value)) return;
  for (const std::string& name : all_initial_values(problem.system)) {
    problem.per_trial.push_back(name);
  }
}

void set_noise_to_spread(const std::vector<Recording>& recordings, FitEngine& engine) {
  const std::vector<std::string>& outputs = engine.residuals().outputs();
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    double sum = 0, squares = 0, count = 0;
    for (const Recording& recording : recordings) {
      for (const Series& series : recording.series) {
        if (series.output != outputs[k] || series.comparison == Comparison::kRotation) continue;
        for (const double value : series.values) {
          sum += value;
          squares += value * value;
          count += 1;
        }
      }
    }
    const double variance = count > 0 ? squares / count - sum * sum / (count * count) : 1;
    engine.noise()[k] = variance > 0 ? std::sqrt(variance) : 1;
  }
}

Recording without_sensor_effects(const FitProblem& problem, int trial) {
  const Unknowns unknowns(problem);
  const Eigen::VectorXd local = unknowns.local(trial, unknowns.start());
  const auto start = [&](SensorEffect effect, const std::string& of, double otherwise) {
    const int place = unknowns.sensor(trial, effect, of);
    return place < 0 ? otherwise : local(place);
  };
  Recording recording = problem.trials[index(trial)];
  for (Series& series : recording.series) {
    const double delay = start(SensorEffect::kDelay, series.output, 0);
    for (double& t : series.times) t -= delay;
    if (series.comparison == Comparison::kRotation) {
      lie::Vec<double, 3> offset;
      for (int i = 0; i < 3; ++i) {
        offset(i) = start(SensorEffect::kOffset, series.name() + "." + std::to_string(i + 1), 0);
      }
      for (std::size_t i = 0; i < series.times.size(); ++i) {
        Eigen::Map<Vec4> q(&series.values[4 * i]);
        q = (SO3<double>::from_coeffs(Vec4(q)) * SO3<double>::exp(-offset)).coeffs();
      }
      continue;
    }
    const double offset = start(SensorEffect::kOffset, series.name(), 0);
    const double gain = start(SensorEffect::kGain, series.name(), 1);
    for (double& value : series.values) value = (value - offset) / gain;
  }
  return recording;
}

FitProblem with_starts_from_data(const FitProblem& problem, const FitOptions& given) {
  const Unknowns unknowns(problem);
  FitOptions options = given;
  options.piece = 0;
  FitProblem result = problem;
  for (int trial = 0; trial < unknowns.num_trials(); ++trial) {
    Alone own = alone(problem, unknowns, trial);
    FitProblem& whole = own.problem;
    if (own.names.size() == own.fixed.size()) continue;
    // One run over a record that needs pieces says nothing: the first of them judges.
    if (given.piece > 0) {
      Recording& recording = whole.trials.front();
      const double first = recording.run_start.value_or(recording.first_time());
      Recording part =
          window_of(recording, {}, std::min(first + given.piece, recording.last_time()));
      part.run_start = recording.run_start;
      recording = part;
    }
    FitProblem beginning = whole;
    beginning.trials = {first_samples(whole.trials.front(), static_cast<int>(whole.free.size()))};
    try {
      FitEngine engine(beginning, options), judge(whole, options);
      set_noise_to_spread(beginning.trials, engine);
      judge.noise() = engine.noise();
      Eigen::VectorXd x = engine.unknowns().start();
      const double before = judge.cost(x);
      LeastSquaresOptions solver;
      solver.max_iterations = 100;
      solver.function_tolerance = 1e-12;
      engine.minimise(x, own.fixed, &solver);
      if (!(judge.cost(x) < before)) continue;
      for (std::size_t i = 0; i < own.names.size(); ++i) {
        result.start[own.names[i]] = x(static_cast<Eigen::Index>(i));
      }
    } catch (const Error&) {
      // The start of the system remains, and the fit itself says what is wrong with it.
      continue;
    }
  }
  return result;
}

}  // namespace liegrad::optimize
