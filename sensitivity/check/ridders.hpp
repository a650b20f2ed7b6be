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
///
/// An estimate is never below the rounding of f over the step, nor below the noise that the last rows show. While
/// some are not clearly below the change from row to row, neighbours in the table may be close by chance: steps
/// then go on to shrink as long as that helps, and what stays unclear has an estimate ten times as large, or that
/// change.
///
/// Steps with which f throws an Error are left out; when no two in succession remain, an Error says what the
/// last one said.
Difference ridders_derivative(const std::function<std::vector<double>(double)>& f,
                              double first_step);

}  // namespace liegrad::sensitivity
