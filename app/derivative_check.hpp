#pragma once

#include <span>
#include <string>
#include <vector>

#include "derivative_options.hpp"

namespace liegrad::app {

enum class Verdict {
  kAgrees,
  kZero,  ///< it agrees, and adjoint and forward derivatives are zero, exactly
  kDisagrees,
};

/// One derivative, found in three ways.
struct CheckedDerivative {
  std::string output, variable;
  double adjoint = 0, forward = 0, difference = 0;
  double estimate = 0;  ///< of the error of the difference, by itself
  /// What deviations are relative to: the largest |derivative| of all components of the output times a
  /// typical value of its variable, over that of this variable.
  double scale = 0;
  Verdict verdict = Verdict::kAgrees;

  double relative(double deviation) const;
  double forward_deviation() const { return relative(forward - adjoint); }
  double difference_deviation() const { return relative(difference - adjoint); }
};

/// The same derivatives by all modes.
struct ThreeWays {
  sensitivity::Derivatives adjoint, forward, difference;
};

/// Compares forward with adjoint derivatives, within 1e-9 of the scale, and differences with them, within ten
/// times their own estimate or 1e-6 of the scale. `typical` has a value of each variable.
std::vector<CheckedDerivative> compare(const std::vector<ChosenOutput>& outputs,
                                       const ThreeWays& found, std::span<const double> typical);

/// Typical values of the variables that a call of differentiate() named: of a parameter its own, if that is
/// not zero, the length of the run or of a step, or 1.
std::vector<double> typical_values(const dae::System& system,
                                   const sensitivity::DifferentiateOptions& options,
                                   const std::vector<std::string>& variables);

}  // namespace liegrad::app
