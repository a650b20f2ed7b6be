#include "liegrad/optimize/fit/findings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::optimize {
namespace {

using dae::index;

std::string short_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", number);
  return text;
}

class Findings {
 public:
  Findings(const FitResult& result, const Unknowns& unknowns)
      : result_(result), unknowns_(unknowns) {}

  std::vector<std::string> all() {
    find_what_is_not_followed();
    find_verdicts();
    find_correlations();
    find_correlated_residuals();
    find_outliers();
    find_scatter();
    return std::move(list_);
  }

 private:
  void add(const std::string& sentence) { list_.push_back(sentence); }

  /// Numbers in millimetres or degrees, exchanged columns and starts in a wrong valley all look like this.
  void find_what_is_not_followed() {
    constexpr double kMuch = 0.7;
    for (const OutputFit& output : result_.outputs) {
      double residuals = 0, spread = 0;
      for (const FittedTrial& trial : result_.trials) {
        for (const FittedSeries& series : trial.series) {
          if (series.measured.output != output.output || series.measured.width() != 1) continue;
          double mean = 0;
          for (const double y : series.measured.values) {
            mean += y / static_cast<double>(series.measured.values.size());
          }
          for (const double y : series.measured.values) spread += (y - mean) * (y - mean);
          for (const double r : series.residuals) residuals += r * r;
        }
      }
      if (!(spread > 0) || residuals < kMuch * kMuch * spread) continue;
      add("runs do not follow '" + output.output + "': residuals are " +
          short_text(std::sqrt(residuals / spread)) +
          " of what the data spread by; look at units, columns and starts, or the sensor hardly "
          "moved");
    }
  }

  void find_verdicts() {
    for (int i = 0; i < unknowns_.size(); ++i) {
      const Estimate& estimate = result_.parameters[index(i)];
      const bool is_delay = estimate.name.find(".delay") != std::string::npos;
      if (estimate.verdict == "at a bound") {
        add("'" + estimate.name + "' ended at its bound " + short_text(estimate.value) +
            (is_delay ? "; give a wider range by --lower and --upper"
                      : "; its interval and those of others hold only if the bound is true"));
      } else if (estimate.verdict == "no effect") {
        add("'" + estimate.name +
            "' has no effect on what was measured, and kept its start; leave "
            "it out, or measure something that depends on it");
      } else if (estimate.verdict == "identifiable" && estimate.value != 0 &&
                 !unknowns_.list()[index(i)].is_initial_value &&
                 estimate.std > std::abs(estimate.value)) {
        add("'" + estimate.name + "' is known worse than its own size: " +
            short_text(estimate.value) + " ± " + short_text(estimate.std));
      }
    }
  }

  /// Of two that cannot be told apart, the one whose value is known better beforehand is to be fixed: the one with the
  /// smaller relative uncertainty left is named.
  void find_correlations() {
    constexpr double kHigh = 0.95;
    constexpr std::size_t kMost = 5;
    std::size_t found = 0;
    for (int i = 0; i < unknowns_.size(); ++i) {
      for (int j = 0; j < i; ++j) {
        const double value = result_.correlation(i, j);
        const Estimate &a = result_.parameters[index(j)], &b = result_.parameters[index(i)];
        // Initial values go with much, and nobody knows them from elsewhere.
        const bool is_initial = unknowns_.list()[index(i)].is_initial_value ||
                                unknowns_.list()[index(j)].is_initial_value;
        if (std::abs(value) < kHigh || is_initial || ++found > kMost) continue;
        const bool a_is_worse = a.std * std::abs(b.value) > b.std * std::abs(a.value);
        add("'" + a.name + "' and '" + b.name + "' have a correlation of " + short_text(value) +
            ": mostly a combination of both is known; if one is known from elsewhere, fix '" +
            (a_is_worse ? a.name : b.name) + "' or give it a prior");
      }
    }
    if (found > kMost) {
      add(std::to_string(found - kMost) + " more pairs of unknowns have correlations above 0.95");
    }
  }

  void find_correlated_residuals() {
    for (const OutputFit& output : result_.outputs) {
      if (!output.is_correlated) continue;
      add("residuals of '" + output.output + "' are not white: neighbours have a correlation of " +
          short_text(output.lag_one_correlation) + ", and " + std::to_string(output.num_residuals) +
          " numbers count as about " + short_text(std::max(output.effective_samples, 1.0)) +
          "; the sandwich intervals allow for that, or the model lacks something");
    }
  }

  void find_outliers() {
    constexpr double kFar = 5;
    constexpr std::size_t kMost = 5;
    std::size_t found = 0;
    for (const FittedTrial& trial : result_.trials) {
      for (const FittedSeries& series : trial.series) {
        const double noise = result_.output(series.measured.output).noise;
        const std::size_t size = index(series.measured.residual_size());
        for (std::size_t i = 0; i < series.residuals.size(); ++i) {
          if (std::abs(series.residuals[i]) < kFar * noise || ++found > kMost) continue;
          add(trial.name + ": " + series.measured.name() +
              " at t = " + short_text(series.measured.times[i / size]) + " is an outlier, " +
              short_text(std::abs(series.residuals[i]) / noise) +
              " standard deviations from the run");
        }
      }
    }
    if (found > kMost) {
      add(std::to_string(found - kMost) +
          " more samples are outliers; --loss huber:2 would count "
          "them less");
    }
  }

  /// Of an unknown that each trial has for itself and that is no initial value: trials should agree.
  void find_scatter() {
    std::map<std::string, std::vector<const Estimate*>> by_name;
    for (int i = 0; i < unknowns_.size(); ++i) {
      const Unknowns::Unknown& unknown = unknowns_.list()[index(i)];
      const Estimate& estimate = result_.parameters[index(i)];
      if (unknown.trial < 0 || unknown.is_initial_value || !(std::isfinite(estimate.std))) continue;
      by_name[unknown.plain_name].push_back(&estimate);
    }
    for (const auto& [name, estimates] : by_name) {
      const double count = static_cast<double>(estimates.size());
      if (estimates.size() < 3) continue;
      double mean = 0, variance = 0, expected = 0;
      for (const Estimate* one : estimates) mean += one->value / count;
      for (const Estimate* one : estimates) {
        variance += (one->value - mean) * (one->value - mean) / (count - 1);
        expected += one->std * one->std / count;
      }
      if (variance < 4 * expected) continue;
      add("'" + name + "' scatters between trials by " + short_text(std::sqrt(variance)) +
          ", more than its standard deviations of about " + short_text(std::sqrt(expected)) +
          ": something differs between trials that the model does not have");
    }
  }

  const FitResult& result_;
  const Unknowns& unknowns_;
  std::vector<std::string> list_;
};

}  // namespace

std::vector<std::string> findings_of(const FitResult& result, const Unknowns& unknowns) {
  return Findings(result, unknowns).all();
}

}  // namespace liegrad::optimize
