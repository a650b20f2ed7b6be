#pragma once

#include <string>
#include <vector>

#include "liegrad/optimize/fit/fit.hpp"

namespace liegrad::optimize {

/// How well a fit describes a trial that it was not made from.
struct Judgement {
  std::string name;
  std::vector<OutputFit> outputs;  ///< output, residual_rms and num_residuals
  std::string message;             ///< why there is none; empty otherwise
};

/// Shared unknowns keep the values of the fit; those that each trial has for itself are found anew from the trial, since
/// it starts from elsewhere.
Judgement judge(const FitProblem& problem, const FitOptions& options, const FitResult& result,
                const Recording& trial);

/// The same for a recording in pieces, all in one.
Judgement judge(const FitProblem& problem, const FitOptions& options, const FitResult& result,
                const std::string& name, const std::vector<Recording>& pieces);

/// Throws InvalidArgument when trials cannot be left out in so many parts.
void check_parts(const FitProblem& problem, int parts);

/// Cross-validation: trials are left out part by part, each part is judged by the fit to all others. Throws
/// InvalidArgument when there are fewer trials than parts.
std::vector<Judgement> cross_validate(const FitProblem& problem, const FitOptions& options,
                                      int parts);

}  // namespace liegrad::optimize
