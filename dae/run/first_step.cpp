#include "liegrad/dae/run/first_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {

double first_step(Consistency& consistency, const State& initial, const ErrorNorm& norm,
                  int error_exponent) {
  constexpr double kAim = 0.01, kLargestPart = 0.01, kAtRest = 0.01;
  const double interval = norm.interval();
  const std::vector<double>& jerk = consistency.jerk(initial);
  const double fast =
      norm.size(initial.v_dot, std::span<const double>(jerk).first(initial.v.size()));
  // A motion over its scales at its own rate has √(fast / rtol) here. One that begins from rest has nothing but rounding.
  const double slow = std::max(norm.size(initial.v, initial.v_dot),
                               kAtRest * std::sqrt(fast / norm.tolerance().relative));
  const double rate = slow > 0 ? fast / slow : 0;
  if (!(rate * interval > 1)) return kLargestPart * interval;
  const double error = slow / rate * rate * interval;
  const double wanted = std::pow(kAim / error, 1.0 / error_exponent) / rate;
  const double least =
      std::sqrt(std::numeric_limits<double>::epsilon() / norm.tolerance().relative) / rate;
  return std::min(std::max(wanted, least), kLargestPart * interval);
}

}  // namespace liegrad::dae
