#include "liegrad/optimize/fit/tracking_start.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/optimize/fit/engine.hpp"
#include "liegrad/optimize/fit/start_values.hpp"
#include "liegrad/optimize/fit/tracking_force.hpp"

namespace liegrad::optimize {
namespace {

using dae::index;

/// A run follows its record when residuals are a tenth of the spread of the data.
constexpr double kFollows = 0.1;

class Continuation {
 public:
  Continuation(const FitProblem& given, const FitOptions& options)
      : given_(given), problem_(given), options_(options), forces_(given.system, given.trials) {
    options_.piece = 0;
    options_.start_by_tracking = false;
    options_.solver.on_iteration = {};
  }

  /// Distance of runs with a gain from the data, as a part of their spread; infinite where they fail.
  double distance(double gain) {
    const std::unique_ptr<FitEngine> engine = engine_with(gain);
    const double count = static_cast<double>(engine->residuals().num_residuals());
    return std::sqrt(2 * engine->cost(engine->unknowns().start()) / count);
  }
  bool follows(double gain) { return distance(gain) < kFollows; }

  /// The smallest gain, up to a factor, with which runs follow from initial values that the first samples show.
  std::optional<double> first_gain() {
    constexpr double kSmallest = 1e-12, kLargest = 1e12, kFactor = 100;
    for (double gain = kSmallest; gain <= kLargest; gain *= kFactor) {
      problem_.start = with_starts_from_data(pulled(given_, gain), options_).start;
      if (follows(gain)) return gain;
    }
    problem_ = given_;
    return {};
  }

  /// Improves the starts with a gain.
  void fit_with(double gain) {
    const std::unique_ptr<FitEngine> made = engine_with(gain);
    FitEngine& engine = *made;
    Eigen::VectorXd x = engine.unknowns().start();
    LeastSquaresOptions solver = options_.solver;
    solver.max_iterations = 50;
    solver.function_tolerance = 1e-4;  // the next one moves on
    const double before = engine.cost(x);
    engine.minimise(x, {}, &solver);
    if (!(engine.cost(x) < before)) return;
    for (int i = 0; i < engine.unknowns().size(); ++i) {
      problem_.start[engine.unknowns().list()[index(i)].name] = x(i);
    }
  }

  const FitProblem& problem() const { return problem_; }

 private:
  FitProblem pulled(const FitProblem& problem, double gain) {
    FitProblem result = problem;
    forces_.set_gain(gain);
    result.system = forces_.system();
    for (std::size_t i = 0; i < result.trials.size(); ++i) {
      const dae::ControlLaw& own = problem.trials[i].controls;
      // What sensors add to the motion is known as well as their starts are.
      result.trials[i].controls = forces_.controls(
          without_sensor_effects(problem, static_cast<int>(i)), own ? own : options_.run.controls);
    }
    return result;
  }
  std::unique_ptr<FitEngine> engine_with(double gain) {
    auto engine = std::make_unique<FitEngine>(pulled(problem_, gain), options_);
    set_noise_to_spread(problem_.trials, *engine);
    return engine;
  }

  const FitProblem& given_;
  FitProblem problem_;
  FitOptions options_;
  TrackedSystem forces_;
};

}  // namespace

FitProblem start_by_tracking(const FitProblem& problem, const FitOptions& options) {
  Continuation continuation(problem, options);
  const std::optional<double> first = continuation.first_gain();
  if (!first || continuation.follows(0)) return continuation.problem();
  constexpr double kStrongest = 16, kWeakest = 1.1, kFaded = 1e-9;
  double gain = *first, factor = kStrongest;
  while (gain > kFaded * *first) {
    continuation.fit_with(gain);
    if (continuation.follows(0)) break;
    while (factor > kWeakest && !continuation.follows(gain / factor)) factor = std::sqrt(factor);
    if (factor <= kWeakest) break;
    gain /= factor;
    factor = std::min(kStrongest, factor * factor);
  }
  return continuation.problem();
}

}  // namespace liegrad::optimize
