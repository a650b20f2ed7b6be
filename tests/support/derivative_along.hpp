#pragma once

// d/dε f(ε) at ε = 0, in the way of the scalar: by AD where the scalar has it, else by differences.
// f maps an S to a column of S. The AD scalars are in derivative_along_cppad.hpp and
// derivative_along_jet.hpp.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "liegrad/lie/scalar.hpp"
#include "values.hpp"

namespace liegrad::test {

template <class S>
using Column = Eigen::Matrix<S, Eigen::Dynamic, 1>;

template <class S>
struct DerivativeAlong;

/// Ridders' method: central differences with shrinking steps, extrapolated to step zero; the
/// tableau's entry with the smallest change is taken.
template <std::floating_point S>
struct DerivativeAlong<S> {
  /// A central difference loses eps/step to rounding and step² to truncation, together at least
  /// eps^(2/3); extrapolation only improves on it.
  static Value relative_error() {
    return std::pow(Value(std::numeric_limits<S>::epsilon()), 2 / 3.0L);
  }

  template <class F>
  static Values of(F&& f) {
    constexpr int kLevels = 8;
    std::vector<Values> row, previous;
    Values best;
    Value best_change = std::numeric_limits<Value>::infinity();
    S step(0.25);
    for (int i = 0; i < kLevels; ++i, step /= 2, previous = row) {
      const Column<S> above = f(step), below = f(-step);
      row.assign(1,
                 (above.template cast<Value>() - below.template cast<Value>()) / (2 * Value(step)));
      Value factor = 1;
      for (int j = 1; j <= i; ++j) {
        factor *= 4;
        const auto k = static_cast<std::size_t>(j);
        row.push_back((factor * row[k - 1] - previous[k - 1]) / (factor - 1));
        const Value change =
            std::max(largest_entry(row[k] - row[k - 1]), largest_entry(row[k] - previous[k - 1]));
        if (change <= best_change) best_change = change, best = row[k];
      }
    }
    return best;
  }
};

}  // namespace liegrad::test
