#pragma once

#include <random>
#include <string>
#include <vector>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/lie/so3.hpp"
#include "liegrad/optimize/fit/measurements.hpp"

namespace liegrad::testing {

/// Outputs of a run at equal times, as measured without noise. Names are those of dae::Outputs; of vectors all
/// components.
inline optimize::Recording recorded(const dae::System& system, const dae::IntegrateOptions& run,
                                    double interval, const std::vector<std::string>& names) {
  dae::IntegrateOptions options = run;
  options.sample_interval = interval;
  const dae::Solution solution = dae::integrate(system, options);
  dae::Outputs outputs(system);
  std::vector<double> all(static_cast<std::size_t>(outputs.size()));
  const std::vector<double> controls(system.controls().size(), 0.0);
  optimize::Recording recording{system.name(), {}, {}, {}};
  for (const std::string& name : names) {
    const int size = outputs.spec(name).size;
    const bool is_whole = size == 1 || name.ends_with(".q");
    for (int i = 1; i <= (is_whole ? 1 : size); ++i) {
      recording.series.push_back(optimize::series_of(system, name, is_whole ? 0 : i));
    }
  }
  for (const dae::State& state : solution.samples) {
    outputs.evaluate(state, controls, all);
    for (optimize::Series& series : recording.series) {
      series.times.push_back(state.t);
      for (const std::string& column : series.columns()) {
        series.values.push_back(all[static_cast<std::size_t>(outputs.column(column))]);
      }
    }
  }
  return recording;
}

/// Adds normal noise to all values of an output; to an orientation on the group. With a correlation of neighbours it
/// is that of an autoregressive process of the same standard deviation.
inline void add_noise(optimize::Recording& recording, const std::string& output, double deviation,
                      std::mt19937& random, double correlation = 0) {
  std::normal_distribution<double> normal;
  for (optimize::Series& series : recording.series) {
    if (series.output != output) continue;
    double previous[3] = {normal(random), normal(random), normal(random)};
    for (std::size_t i = 0; i < series.times.size(); ++i) {
      for (double& e : previous) {
        e = correlation * e + std::sqrt(1 - correlation * correlation) * normal(random);
      }
      if (series.comparison != optimize::Comparison::kRotation) {
        series.values[i] += deviation * previous[0];
        continue;
      }
      using Vec4 = lie::Vec<double, 4>;
      Eigen::Map<Vec4> q(&series.values[4 * i]);
      const lie::Vec<double, 3> e(previous[0], previous[1], previous[2]);
      q = (lie::SO3<double>::from_coeffs(Vec4(q)) * lie::SO3<double>::exp(deviation * e)).coeffs();
    }
  }
}

}  // namespace liegrad::testing
