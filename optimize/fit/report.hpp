#pragma once

#include <string>

#include "liegrad/optimize/fit/fit.hpp"

namespace liegrad::optimize {

// What a fit says of itself; `liegrad fit` prints the same.

/// How the search ended and what it took, in one line.
std::string brief_report(const FitResult& result);

/// Estimates with their intervals and verdicts, residuals and noise, what data cannot tell, findings, and the line
/// above. Of many unknowns the first forty, unless `all` are wanted.
std::string full_report(const FitResult& result, bool all = false);

/// The end of an interval, with two digits more than the standard deviation has.
std::string end_of_interval(double end, double std);

// Its two halves, between which profiles and judgements belong.
std::string estimates_report(const FitResult& result, bool all = false);
std::string findings_report(const FitResult& result);

}  // namespace liegrad::optimize
