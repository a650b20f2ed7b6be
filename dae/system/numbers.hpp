#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace liegrad::dae {

/// A count as an index of a standard container.
inline std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// The largest magnitude; 0 of nothing, NaN where there is one.
inline double max_of(std::span<const double> x) {
  double largest = 0;
  for (const double entry : x) {
    const double magnitude = std::abs(entry);
    if (!(magnitude <= largest)) largest = magnitude;
    if (std::isnan(largest)) break;
  }
  return largest;
}

}  // namespace liegrad::dae
