#include "liegrad/sensitivity/taylor_test.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/text.hpp"
#include "liegrad/sensitivity/check/difference_runs.hpp"
#include "liegrad/sensitivity/trajectory/trajectory.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::index;
using Vector = std::vector<double>;

constexpr int kFewest = 3;
/// A remainder counts from here on, in units of the rounding of J: its slope between neighbours is then
/// known to a few hundredths.
constexpr double kAboveNoise = 100;
/// Slopes between neighbours that differ by less than this from the last one are steady.
constexpr double kSteady = 0.05;
/// More than so many of the last values are not rounding.
constexpr int kMostLeftOut = 2;
/// Where rounding is measured, relative to the largest ε.
constexpr double kNoiseDistance = 1e-3;

void throw_if(const std::vector<std::string>& problems) {
  if (problems.empty()) return;
  std::string all;
  for (const std::string& problem : problems) all += (all.empty() ? "" : "; ") + problem;
  throw InvalidArgument(all);
}

/// From fourth differences, in which at such a distance nothing but rounding is left: those of independent
/// errors are √70 times as large.
double noise_of(const std::function<double(double)>& function, double distance) {
  constexpr int kEachSide = 4;
  Vector differences;
  for (int i = -kEachSide; i <= kEachSide; ++i) differences.push_back(function(i * distance));
  for (int order = 1; order <= 4; ++order) {
    for (std::size_t i = 0; i + 1 < differences.size(); ++i) {
      differences[i] = differences[i + 1] - differences[i];
    }
    differences.pop_back();
  }
  return dae::max_of(differences) / std::sqrt(70.0);
}

double least_squares_slope(std::span<const double> x, std::span<const double> y) {
  const double n = static_cast<double>(x.size());
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += x[i] / n;
    mean_y += y[i] / n;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  return xy / xx;
}

/// The steady values of the smallest ε: at larger ones further terms of the series rule, below them rounding,
/// of which the last values may still have more than was expected.
void fit_slope(const Vector& epsilon, double noise, TaylorRemainder& remainder) {
  Vector x, y;  // logarithms
  for (std::size_t i = 0; i < epsilon.size(); ++i) {
    if (remainder.values[i] == 0 || !(remainder.values[i] > kAboveNoise * noise)) break;
    x.push_back(std::log(epsilon[i]));
    y.push_back(std::log(remainder.values[i]));
  }
  const auto rate = [&](int i) {
    return (y[index(i)] - y[index(i + 1)]) / (x[index(i)] - x[index(i + 1)]);
  };
  const int count = static_cast<int>(x.size());
  for (int end = count; end >= std::max(kFewest, count - kMostLeftOut); --end) {
    int first = end - 2;
    while (first > 0 && std::abs(rate(first - 1) - rate(end - 2)) < kSteady) --first;
    remainder.used = end - first;
    if (remainder.used < kFewest) continue;
    remainder.first_used = first;
    remainder.slope =
        least_squares_slope(std::span(x).subspan(index(first), index(remainder.used)),
                            std::span(y).subspan(index(first), index(remainder.used)));
    return;
  }
  remainder.used = 0;
}

}  // namespace

std::vector<std::string> TaylorTestOptions::problems() const {
  std::vector<std::string> list;
  if (!std::isfinite(first) || first <= 0) {
    list.push_back("the largest step of a Taylor test must be positive; it is " +
                   dae::number_text(first));
  }
  if (!(ratio > 0 && ratio < 1)) {
    list.push_back("the ratio of the steps of a Taylor test must be between 0 and 1; it is " +
                   dae::number_text(ratio));
  }
  if (count < kFewest) {
    list.push_back("a Taylor test needs at least " + std::to_string(kFewest) + " steps, and has " +
                   std::to_string(count));
  }
  return list;
}

TaylorTest taylor_test(const std::function<double(double)>& function, double gradient_along,
                       double hessian_along, const TaylorTestOptions& test) {
  throw_if(test.problems());
  TaylorTest result;
  result.gradient_along = gradient_along;
  result.hessian_along = hessian_along;
  result.value = function(0);
  double epsilon = test.first;
  for (int i = 0; i < test.count; ++i, epsilon *= test.ratio) {
    const double first = function(epsilon) - result.value - epsilon * gradient_along;
    result.epsilon.push_back(epsilon);
    result.first.values.push_back(std::abs(first));
    result.second.values.push_back(std::abs(first - epsilon * epsilon / 2 * hessian_along));
  }
  result.noise = noise_of(function, kNoiseDistance * test.first);
  fit_slope(result.epsilon, result.noise, result.first);
  fit_slope(result.epsilon, result.noise, result.second);
  return result;
}

TaylorTest taylor_test(const Objective& objective, const DifferentiateOptions& options,
                       std::span<const double> direction, const TaylorTestOptions& test) {
  throw_if(test.problems());
  throw_if(options.problems(objective));
  DifferentiateOptions exact = options;
  if (exact.mode == Mode::kDifference) exact.mode = Mode::kAdjoint;
  Trajectory trajectory(objective.model(), exact.integrate, {});
  const dae::RunValues defaults;
  trajectory.run(defaults, [](long, const StepMade&, bool) {});
  const VariableSpace space(objective.model(), options.variables, exact.integrate.resolved().method,
                            trajectory.grid());
  if (direction.size() != space.chosen().size()) {
    throw InvalidArgument("the direction of a Taylor test has " + std::to_string(direction.size()) +
                          " numbers for " + std::to_string(space.chosen().size()) + " variables");
  }

  const Vector along(direction.begin(), direction.end());
  SecondOrder second{.weights = {}, .directions = {along}};
  if (options.second_order) second.weights = options.second_order->weights;
  if (second.weights.empty()) second.weights.assign(index(objective.size()), 1.0);
  exact.second_order = second;
  const Derivatives derivatives = differentiate(objective, exact);

  DifferenceRuns runs(objective, exact.integrate, space, trajectory.given_values(),
                      trajectory.parameters(), options.variables.t_end || options.variables.step);
  runs.set_on_step([&options] {
    if (options.on_progress) options.on_progress(1);
  });
  Vector full(index(space.size()), 0.0);
  for (std::size_t i = 0; i < along.size(); ++i) full[index(space.chosen()[i])] = along[i];
  const Eigen::Map<const Eigen::VectorXd> weights(second.weights.data(), objective.size());
  const Eigen::Map<const Eigen::VectorXd> d(along.data(), std::ssize(along));
  const auto function = [&](double epsilon) {
    const Vector values = runs.values(full, epsilon);
    return weights.dot(Eigen::Map<const Eigen::VectorXd>(values.data(), objective.size()));
  };
  return taylor_test(function, weights.dot(derivatives.jacobian * d),
                     d.dot(derivatives.hessian_products.col(0)), test);
}

}  // namespace liegrad::sensitivity
