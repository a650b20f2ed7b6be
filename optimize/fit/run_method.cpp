#include "liegrad/optimize/fit/run_method.hpp"

namespace liegrad::optimize {
namespace {

/// Of a run that is measured; few enough that the answer costs little where it is no.
constexpr long kMostSteps = 200;
/// Of runs that are short whatever holds their steps: with the tolerance of the search, and with the looser one.
constexpr long kFewSteps = 40;
constexpr std::size_t kFewLooseSteps = 20;
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
  const auto step_times = [&](double with, long most_steps) {
    return residuals.trial(trial).step_times(engine.unknowns().inputs(trial, local),
                                             residuals.delays_of(trial, local), with, most_steps);
  };
  try {
    const auto steps_grow = [&] {
      const std::vector<double> loose = step_times(kLooser * tolerance, kMostSteps);
      const std::size_t count = loose.size();
      if (count < kFewLooseSteps) return true;
      const std::vector<double> tight = step_times(tolerance, static_cast<long>(count));
      // At first motions that die out may ask for short steps themselves: the second half tells.
      const auto later_time = [](const std::vector<double>& times) {
        return times.back() - times[times.size() / 2 - 1];
      };
      return tight.size() < count || later_time(loose) >= kLeastGrowth * later_time(tight);
    };
    const bool is_short = std::ssize(step_times(tolerance, kFewSteps)) < kFewSteps;
    if (!is_short && !steps_grow()) return false;
    // The search begins with them, and finds them there.
    engine.evaluate(trial, x, true);
  } catch (const Error&) {
    return false;
  }
  return true;
}

}  // namespace liegrad::optimize
