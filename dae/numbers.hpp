#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace liegrad::dae {

/// A count as an index of a standard container.
inline std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// The largest magnitude; 0 of nothing.
inline double max_of(std::span<const double> x) {
  double largest = 0;
  for (const double entry : x) largest = std::max(largest, std::abs(entry));
  return largest;
}

}  // namespace liegrad::dae
