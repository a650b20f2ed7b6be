#pragma once

#include <string>
#include <vector>

#include "liegrad/optimize/fit/statistics.hpp"

namespace liegrad::optimize {

/// A sentence for each combination of unknowns whose effect on the runs changes with the steps that the options give: what
/// data seem to tell about it is the error of integration. Steps that the options leave open are chosen such that there
/// is none, see search(). Only combinations whose effect is small beside that of others are looked at.
std::vector<std::string> false_effects(const FitProblem& problem, const FitOptions& options,
                                       FitEngine& engine, const Eigen::VectorXd& x,
                                       const FitStatistics& statistics);

}  // namespace liegrad::optimize
