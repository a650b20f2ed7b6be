#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "liegrad/sensitivity/differentiate.hpp"

namespace liegrad::sensitivity {

struct TaylorTestOptions {
  double first = 0.02;  ///< the largest ε
  double ratio = 0.5;   ///< of each ε to the one before it, in (0, 1)
  int count = 16;       ///< how many of them, at least 3

  /// One sentence for each mistake; empty when usable.
  std::vector<std::string> problems() const;
};

/// What is left of a function when the first terms of its Taylor series are taken away.
struct TaylorRemainder {
  std::vector<double> values;  ///< magnitudes, by ε
  /// The power of ε that it is of, by least squares over `used` values that begin with `first_used`: those
  /// clearly above rounding that shrink at a steady rate. There is none where fewer than three do so.
  std::optional<double> slope;
  int first_used = 0, used = 0;
};

struct TaylorTest {
  std::vector<double> epsilon;  ///< largest first
  TaylorRemainder first;   ///< |J(x + ε d) - J - ε g·d|, of slope 2 when the gradient g is right
  TaylorRemainder second;  ///< less ½ ε² d·H d, of slope 3 when the Hessian H is right too
  double value = 0, gradient_along = 0, hessian_along = 0;  ///< J, g·d and d·H d
  double noise = 0;                                         ///< of J, by rounding
};

/// Whether derivatives of an objective are those of its runs: a wrong entry of the gradient leaves a first
/// remainder of slope 1, one of the Hessian a second remainder of slope 2. For a user's own elements,
/// functions and initial values it is the test to make.
///
/// J is the sum of the values times options.second_order->weights (ones when there are none), d has a number
/// for each variable in options.variables. The runs are those for differences: along the steps of the
/// trajectory at x, with_full_convergence(). Throws what differentiate() throws.
TaylorTest taylor_test(const Objective& objective, const DifferentiateOptions& options,
                       std::span<const double> direction, const TaylorTestOptions& test = {});

/// The same for any function of ε, whose first and second derivative at 0 are given.
TaylorTest taylor_test(const std::function<double(double)>& function, double gradient_along,
                       double hessian_along, const TaylorTestOptions& test = {});

}  // namespace liegrad::sensitivity
