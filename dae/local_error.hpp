#pragma once

#include <algorithm>
#include <cmath>

#include "liegrad/dae/stepper.hpp"

namespace liegrad::dae {

/// An estimate of the local error in units of the tolerance: entry(i) for i < dof is that of the
/// increment θ of position, after them those of v.
template <class F>
double weighted_error(const State& start, const State& end, const ErrorTolerance& tolerance,
                      F&& entry) {
  const int dof = static_cast<int>(start.v.size());
  double sum = 0;
  for (int i = 0; i < dof; ++i) {
    const std::size_t k = static_cast<std::size_t>(i);
    const double v = std::max(std::abs(start.v[k]), std::abs(end.v[k]));
    const double relative =
        std::max(std::abs(entry(i)) / (tolerance.absolute + tolerance.relative),
                 std::abs(entry(dof + i)) / (tolerance.absolute + tolerance.relative * v));
    sum += relative * relative;
  }
  return std::sqrt(sum / std::max(1, dof));
}

}  // namespace liegrad::dae
