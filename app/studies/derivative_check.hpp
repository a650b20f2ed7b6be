#pragma once

#include <span>
#include <string>
#include <vector>

#include "liegrad/sensitivity/check/typical_value.hpp"
#include "options/derivative_options.hpp"

namespace liegrad::app {

enum class Verdict {
  kAgrees,
  kZero,  ///< it agrees, and adjoint and forward derivatives are zero, exactly
  kDisagrees,
  kNoDifference,  ///< adjoint and forward derivatives agree, and differences do not say anything
};

/// One derivative, found in three ways.
struct CheckedDerivative {
  std::string output, variable;
  double adjoint = 0, forward = 0, difference = 0;
  double estimate = 0;       ///< of the error of the difference, by itself
  std::string failure = {};  ///< why there is no difference, if so
  /// What deviations are relative to, see compare().
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

using sensitivity::TypicalValue;

/// Compares forward with adjoint derivatives, within 1e-9 of the scale, and differences with them, within ten
/// times their own estimate or 1e-6 of the scale. For multipliers, which feel rounding of positions over h²,
/// both tolerances are larger: by a factor 220 for h = 1e-3.
///
/// Differences whose estimate is above the scale say nothing, and count as none.
///
/// The scale of an output is the largest |derivative| of all its components times the value of the variable,
/// so that what is zero but for rounding is held against what is not; over a variable's value it is that of
/// one derivative. It is at least a millionth of that of other outputs of the same kind: a node that a joint holds,
/// such as a clamp, is not compared in its rounding. Where the value is a guess it does not count for others, and the
/// scale is at least the largest derivative by that variable.
std::vector<CheckedDerivative> compare(const std::vector<ChosenOutput>& outputs,
                                       const ThreeWays& found,
                                       std::span<const TypicalValue> typical);

/// Of the variables that a call of differentiate() named.
std::vector<TypicalValue> typical_values(const dae::System& system,
                                         const sensitivity::DifferentiateOptions& options,
                                         const std::vector<std::string>& variables);

}  // namespace liegrad::app
