#pragma once

#include "liegrad/optimize/fit/engine.hpp"
#include "liegrad/optimize/fit/fit.hpp"

namespace liegrad::optimize {

/// Whether the method of the runs is to be chosen: options leave it, their steps and their tolerance open.
bool leaves_method_open(const FitOptions& options);

/// The same with rkmk-54, an explicit method of order 5.
///
/// Derivatives are those of the discrete runs, so that implicit stages have to be solved to rounding at every step of
/// every run. Explicit ones have nothing to solve: where accuracy alone decides on the steps there are about as many of
/// them, at a third of the price and less (docs/fitting.md has the figures).
FitOptions with_explicit_method(const FitOptions& options);
/// As the command has it.
inline constexpr const char* kExplicitMethod = "rkmk-54";

/// Whether the explicit method of the engine is one for this problem, judged from x by the longest trial: runs and
/// their derivatives exist, and steps are as long as accuracy allows. Steps that stability holds short, in stiff systems,
/// are known by being as short with a tolerance that is a hundred times larger.
bool explicit_method_suits(FitEngine& engine, double tolerance, const Eigen::VectorXd& x);

}  // namespace liegrad::optimize
