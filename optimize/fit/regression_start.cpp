#include "liegrad/optimize/fit/regression_start.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/optimize/fit/engine.hpp"
#include "liegrad/optimize/fit/start_values.hpp"

namespace liegrad::optimize {
namespace {

using dae::index;

/// Shared parameters that are no initial values, and nothing else.
FitProblem without_trials(const FitProblem& problem, const Unknowns& unknowns) {
  FitProblem one{problem.system, {}};
  one.ties = problem.ties;
  one.noise = problem.noise;
  one.admissible = problem.admissible;
  one.per_trial = all_initial_values(problem.system);
  for (int i = 0; i < unknowns.num_shared(); ++i) {
    const Unknowns::Unknown& unknown = unknowns.list()[index(i)];
    const bool is_parameter =
        std::find(problem.free.begin(), problem.free.end(), unknown.name) != problem.free.end();
    if (!is_parameter || unknown.is_initial_value) continue;
    one.free.push_back(unknown.name);
    one.start[unknown.name] = unknown.start;
    if (std::isfinite(unknown.lower)) one.lower[unknown.name] = unknown.lower;
    if (std::isfinite(unknown.upper)) one.upper[unknown.name] = unknown.upper;
    if (unknown.prior) one.prior[unknown.name] = *unknown.prior;
  }
  return one;
}

/// How long pieces must be for their samples to show their initial states, with as much left for the parameters.
double shortest_piece(const Recording& recording, std::size_t num_initial) {
  std::set<double> times;
  double values = 0;
  for (const Series& series : recording.series) {
    times.insert(series.times.begin(), series.times.end());
    values += static_cast<double>(series.times.size()) * series.residual_size();
  }
  const double count = static_cast<double>(times.size());
  const double wanted =
      std::max(6.0, std::ceil(2 * static_cast<double>(num_initial) * count / values));
  return (wanted + 0.5) * (recording.last_time() - recording.first_time()) / (count - 1);
}

/// So many pieces, spread over all of them, say enough.
std::vector<Recording> some_of(const std::vector<Recording>& pieces) {
  constexpr std::size_t kMost = 40;
  if (pieces.size() <= kMost) return pieces;
  std::vector<Recording> some;
  for (std::size_t i = 0; i < kMost; ++i) some.push_back(pieces[i * pieces.size() / kMost]);
  return some;
}

}  // namespace

FitProblem start_by_regression(const FitProblem& problem, const FitOptions& given) {
  const Unknowns unknowns(problem);
  FitProblem regression = without_trials(problem, unknowns);
  if (regression.free.empty()) return problem;
  FitOptions options = given;
  options.piece = 0;
  options.start_by_regression = false;
  options.solver.max_iterations = 100;
  options.solver.on_iteration = {};
  FitProblem whole = problem;
  for (int trial = 0; trial < unknowns.num_trials(); ++trial) {
    whole.trials[index(trial)] = without_sensor_effects(problem, trial);
  }
  const InitialCoordinates state(problem.system, whole.trials.front().first_time(),
                                 regression.per_trial, {});
  FitProblem result = problem;
  // Longer pieces show more, and need better values to begin with.
  constexpr double kGrowth = 4;
  for (double factor = 1;; factor *= kGrowth) {
    std::vector<Recording> pieces;
    bool is_short = false;
    for (const Recording& recording : whole.trials) {
      const double length = factor * shortest_piece(recording, state.names().size());
      const double duration = recording.last_time() - recording.first_time();
      is_short = is_short || 2 * length < duration;
      if (2 * length >= duration) continue;
      for (Recording& piece : pieces_of(recording, length)) pieces.push_back(std::move(piece));
    }
    if (!is_short) return result;
    regression.trials = some_of(pieces);
    try {
      const FitProblem started = with_starts_from_data(regression, options);
      FitEngine engine(started, options);
      set_noise_to_spread(whole.trials, engine);
      Eigen::VectorXd x = engine.unknowns().start();
      const double before = engine.cost(x);
      engine.minimise(x);
      if (!(engine.cost(x) < before)) return result;
      for (int i = 0; i < engine.unknowns().num_shared(); ++i) {
        const std::string& name = engine.unknowns().list()[index(i)].name;
        regression.start[name] = result.start[name] = x(i);
      }
    } catch (const InvalidArgument&) {
      throw;
    } catch (const Error&) {
      // What was found so far is a start; the fit itself says what is wrong with it.
      return result;
    }
  }
}

}  // namespace liegrad::optimize
