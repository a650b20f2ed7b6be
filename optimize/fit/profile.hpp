#pragma once

#include <string>
#include <vector>

#include "liegrad/optimize/fit/fit.hpp"

namespace liegrad::optimize {

/// The least cost that is possible with one unknown at a value.
struct ProfilePoint {
  double value = 0, cost = 0;
};

/// The profile likelihood of an unknown: all others are fitted again at each of its values. Where the cost rises by t²/2,
/// t the quantile of Student's distribution, the interval of 95 % ends.
struct Profile {
  std::string name;
  Interval ci95;                     ///< infinite on a side where the cost stays below
  std::string verdict;               ///< "identifiable", "one-sided", "flat" or "at a bound"
  std::vector<ProfilePoint> points;  ///< in the order of values
};

/// Never throws for what runs do: a side on which they fail ends there, as at a bound.
Profile profile_of(const FitProblem& problem, const FitOptions& options, const FitResult& result,
                   const std::string& name);

}  // namespace liegrad::optimize
