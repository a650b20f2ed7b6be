#include "accuracy_rows.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/lie/error.hpp"
#include "liegrad/models/models.hpp"

namespace liegrad::bench {
namespace {

/// An error at one time alone may vanish by chance.
constexpr int kSamples = 8;

struct Case {
  std::string name;
  double t_end;
  double error;      ///< asked for, relative, of positions and velocities at kSamples times
  double reference;  ///< step of Radau IIA whose own error is far below
  int bodies = 0;
};

/// A method whose error is proportional to a power of the step, or, with error control, about to the tolerance.
struct Candidate {
  std::string name;
  dae::Method method;
  dae::ButcherTableau (*tableau)();
  int order;
  double first;  ///< tried first: a step as a part of the run, or a tolerance over the error
  bool is_controlled = false;
};

dae::IntegrateOptions options_of(const Candidate& candidate, const Case& c, double step) {
  dae::IntegrateOptions options = dae::alpha_steps(step);
  options.t_end = c.t_end;
  options.sample_interval = c.t_end / kSamples;
  options.method = candidate.method;
  options.tableau = candidate.tableau();
  return options;
}

dae::IntegrateOptions controlled_options_of(const Candidate& candidate, const Case& c,
                                            double tolerance) {
  dae::IntegrateOptions options = options_of(candidate, c, c.t_end);
  options.adaptive.emplace();
  options.adaptive->tolerance.relative = tolerance;
  return options;
}

/// Relative to the largest entry of all samples.
double distance(const std::vector<dae::State>& a, const std::vector<dae::State>& b,
                std::vector<double> dae::State::*variable) {
  double largest = 0, scale = 0;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
    const std::vector<double>&x = a[k].*variable, &y = b[k].*variable;
    for (std::size_t i = 0; i < x.size(); ++i) {
      largest = std::max(largest, std::abs(x[i] - y[i]));
      scale = std::max(scale, std::abs(y[i]));
    }
  }
  return largest / scale;
}

struct Run {
  double error = 0, seconds = 0;
};

Run run(const dae::System& system, const dae::IntegrateOptions& options,
        const std::vector<dae::State>& reference) {
  const dae::Solution solution = dae::integrate(system, options);
  if (!solution.summary.is_complete()) throw Error(solution.summary.message);
  return {std::max(distance(solution.samples, reference, &dae::State::q),
                   distance(solution.samples, reference, &dae::State::v)),
          solution.summary.wall_seconds};
}

/// The time of the longest step, or of the largest tolerance, with the error, found by the order of the method; the best
/// of three runs.
double seconds_at(const Candidate& candidate, const Case& c, const dae::System& system,
                  const std::vector<dae::State>& reference) {
  constexpr double kSafety = 0.95;
  const auto run_with = [&](double x) {
    return run(system,
               candidate.is_controlled ? controlled_options_of(candidate, c, x)
                                       : options_of(candidate, c, x),
               reference);
  };
  double x = candidate.first * (candidate.is_controlled ? c.error : c.t_end);
  for (int i = 0; i < 8; ++i) {
    const Run now = run_with(x);
    if (now.error <= c.error && now.error > 0.25 * c.error) break;
    x *= std::clamp(kSafety * std::pow(c.error / now.error, 1.0 / candidate.order), 0.05, 5.0);
  }
  double least = 1e300;
  for (int i = 0; i < 3; ++i) {
    const Run now = run_with(x);
    if (now.error > 1.5 * c.error) {
      throw Error("the step of " + candidate.name + " for the benchmark's run of '" + c.name +
                  "' was not found");
    }
    least = std::min(least, now.seconds);
  }
  return least;
}

std::string power_of_ten(double error) {
  return "1e" + std::to_string(static_cast<int>(std::lround(std::log10(error))));
}

}  // namespace

std::vector<Row> accuracy_rows() {
  constexpr double kAtLeast = 10;
  const std::vector<Candidate> candidates = {
      {"lie-alpha", dae::Method::kAlpha, dae::rk4, 2, 1e-3},
      {"rkmk-54", dae::Method::kMuntheKaas, dae::dormand_prince_54, 5, 1e-2},
      {"radau-3", dae::Method::kRadau, dae::rk4, 5, 2e-2},
      // As by default: with fixed steps there is no tolerance, and each is solved to rounding.
      {"radau-3.controlled", dae::Method::kRadau, dae::rk4, 1, 10, true}};
  const Candidate& exact = candidates[2];
  std::vector<Row> rows;
  for (const Case& c :
       {Case{"heavy_top", 0.1, 1e-6, 2.5e-4}, Case{"heavy_top", 0.1, 1e-9, 1.25e-4},
        Case{"slider_crank_3d", 0.5, 1e-8, 2.5e-4}, Case{"chain", 0.1, 1e-6, 2.5e-4, 100}}) {
    const dae::System system = models::make_model(c.name, models::Structure{.bodies = c.bodies});
    const std::vector<dae::State> reference =
        dae::integrate(system, options_of(exact, c, c.reference)).samples;
    const std::string name = "accuracy." + c.name + (c.bodies > 0 ? std::to_string(c.bodies) : "");
    std::vector<double> seconds;
    for (const Candidate& candidate : candidates) {
      seconds.push_back(seconds_at(candidate, c, system, reference));
      rows.push_back({name + "." + candidate.name + ".seconds_at_" + power_of_ten(c.error),
                      seconds.back(), "s"});
    }
    const double best = *std::min_element(seconds.begin() + 1, seconds.end());
    rows.push_back({name + ".gain_at_" + power_of_ten(c.error), seconds[0] / best, "x", kAtLeast});
  }
  return rows;
}

}  // namespace liegrad::bench
