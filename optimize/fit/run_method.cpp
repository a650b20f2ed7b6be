#include "liegrad/optimize/fit/run_method.hpp"

namespace liegrad::optimize {
namespace {

/// Of a run that is measured; few enough that the answer costs little where it is no.
constexpr long kMostSteps = 200, kFewSteps = 20;
/// Of the tolerance, in the measurement. Steps of order 5 would grow by its fifth root, 2.5.
constexpr double kLooser = 100;
/// Steps that grow by less are held short by stability.
constexpr double kLeastGrowth = 1.15;

int longest_trial(const Residuals& residuals) {
  int longest = 0;
  const auto duration = [&](int trial) {
    return residuals.trial(trial).t_end() - residuals.trial(trial).t_start();
  };
  for (int trial = 1; trial < residuals.num_trials(); ++trial) {
    if (duration(trial) > duration(longest)) longest = trial;
  }
  return longest;
}

}  // namespace

bool leaves_method_open(const FitOptions& options) {
  return options.run.method == dae::Method::kAutomatic && !options.run.adaptive &&
         options.run.step == 0 && options.piece == 0;
}

FitOptions with_explicit_method(const FitOptions& options) {
  FitOptions result = options;
  result.run.method = dae::Method::kMuntheKaas;
  result.run.tableau = dae::dormand_prince_54();
  return result;
}

bool explicit_method_suits(FitEngine& engine, double tolerance, const Eigen::VectorXd& x) {
  Residuals& residuals = engine.residuals();
  const int trial = longest_trial(residuals);
  const Eigen::VectorXd local = engine.unknowns().local(trial, x);
  const auto measure = [&](double with, long most_steps) {
    return residuals.trial(trial).measure(engine.unknowns().inputs(trial, local),
                                          residuals.delays_of(trial, local), with, most_steps);
  };
  try {
    const long steps = measure(kLooser * tolerance, kMostSteps).steps;
    // At first motions that die out may ask for short steps themselves: the second half tells.
    const auto later_time = [&](double with) {
      return measure(with, steps).time - measure(with, steps / 2).time;
    };
    if (steps >= kFewSteps &&
        !(later_time(kLooser * tolerance) >= kLeastGrowth * later_time(tolerance))) {
      return false;
    }
    // The search begins with them, and finds them there.
    engine.evaluate(trial, x, true);
  } catch (const Error&) {
    return false;
  }
  return true;
}

}  // namespace liegrad::optimize
