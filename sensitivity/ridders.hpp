#pragma once

#include <functional>
#include <vector>

namespace liegrad::sensitivity {

/// A derivative by differences with an estimate of its error.
struct Difference {
  std::vector<double> value, error;
};

/// Ridders' method: central differences with steps that shrink from the first one, extrapolated to step zero
/// for all entries of f at once; of all extrapolations that with the least estimate of its error counts,
/// entry by entry. f(x) is the function at a distance x along the direction.
Difference ridders_derivative(const std::function<std::vector<double>(double)>& f,
                              double first_step);

}  // namespace liegrad::sensitivity
