#include "liegrad/optimize/fit/regression_start.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/optimize/fit/acceleration_regression.hpp"
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

/// A fit to pieces that grow, each with a free initial state on the constraints. In a piece of a few samples the motion is
/// nearly that of its own initial state, and what parameters change of it is nearly linear in them. `trials` are recordings
/// of the outputs themselves.
FitProblem start_by_pieces(const FitProblem& problem, const std::vector<Recording>& trials,
                           FitProblem regression, FitOptions options) {
  options.piece = 0;
  options.start_by_regression = false;
  options.solver.max_iterations = 100;
  options.solver.on_iteration = {};
  const InitialCoordinates state(problem.system, trials.front().first_time(), regression.per_trial,
                                 {});
  FitProblem result = problem;
  // Longer pieces show more, and need better values to begin with.
  constexpr double kGrowth = 4;
  for (double factor = 1;; factor *= kGrowth) {
    std::vector<Recording> pieces;
    bool is_short = false;
    for (const Recording& recording : trials) {
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
      set_noise_to_spread(trials, engine);
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

/// Given starts of shared initial values are guesses as well: what the first samples show replaces them.
void forget_initial_values(const Unknowns& unknowns, FitProblem& problem) {
  for (int i = 0; i < unknowns.num_shared(); ++i) {
    const Unknowns::Unknown& unknown = unknowns.list()[index(i)];
    if (!unknown.is_initial_value || !unknown.has_given_start) continue;
    if (InitialCoordinates::has_form(problem.system, unknown.name)) continue;
    problem.system.set_parameter(unknown.name, unknown.start);
    problem.start.erase(unknown.name);
  }
}

}  // namespace

FitProblem start_by_regression(const FitProblem& problem, const FitOptions& options,
                               std::string& remark) {
  const Unknowns unknowns(problem);
  const FitProblem regression = without_trials(problem, unknowns);
  if (regression.free.empty()) return problem;
  std::vector<Recording> trials;
  for (int trial = 0; trial < unknowns.num_trials(); ++trial) {
    trials.push_back(without_sensor_effects(problem, trial));
  }
  std::vector<int> chosen;
  for (int i = 0; i < unknowns.num_shared(); ++i) {
    const std::string& name = unknowns.list()[index(i)].name;
    if (std::ranges::find(regression.free, name) != regression.free.end()) chosen.push_back(i);
  }
  AccelerationRegression equations(problem.system, unknowns, trials, options.run.controls, chosen);
  if (equations.reason_against()) {
    remark =
        "starts come from fits to short pieces of the data and not from the equations of motion: " +
        *equations.reason_against();
    return start_by_pieces(problem, trials, regression, options);
  }
  const Eigen::VectorXd x = equations.solve();
  FitProblem result = problem;
  for (const int i : chosen) result.start[unknowns.list()[index(i)].name] = x(i);
  forget_initial_values(unknowns, result);
  return result;
}

}  // namespace liegrad::optimize
