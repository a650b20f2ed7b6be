#pragma once

#include <span>
#include <vector>

#include "liegrad/sensitivity/step/kernel_sum.hpp"

namespace liegrad::sensitivity {

/// Equations that are a sum of small functions, with the point where they are evaluated, satisfied or not.
class SumAtPoint {
 public:
  int num_rows() const { return sum_.num_values(); }
  /// The arguments.
  std::span<double> point() {
    return std::span(numbers_).first(static_cast<std::size_t>(sum_.num_arguments()));
  }

  // All add to what stands in their results, see KernelSum.

  void residual(std::span<double> rows) { sum_.values(numbers_, rows); }
  const ad::Pattern& jacobian_pattern() { return sum_.jacobian_pattern(); }
  void jacobian(std::span<double> entries) { sum_.jacobian(numbers_, entries); }
  const ad::Pattern& hessian_pattern() { return sum_.hessian_pattern(); }
  void hessian(std::span<const double> weights, std::span<double> entries) {
    sum_.hessian(numbers_, weights, entries);
  }
  void tangent(int columns, std::span<const double> directions, std::span<double> rows) {
    sum_.tangent(numbers_, columns, directions, rows);
  }
  void adjoint(int columns, std::span<const double> weights, std::span<double> gradient) {
    sum_.adjoint(numbers_, columns, weights, gradient);
  }
  void second(std::span<const double> weights, std::span<const double> direction,
              std::span<double> gradient) {
    sum_.second(numbers_, weights, direction, gradient);
  }

 protected:
  SumAtPoint(int num_arguments, int num_rows) : sum_(num_arguments, num_rows) {}

  KernelSum sum_;
  std::vector<double> numbers_;  ///< the arguments, and behind them what does not vary
};

}  // namespace liegrad::sensitivity
