#pragma once

#include <functional>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "liegrad/control/refine.hpp"
#include "liegrad/control/solve_phases.hpp"
#include "output/progress.hpp"

namespace liegrad::app {

/// From one search to many.
enum class SearchWay { kOnce, kRefine, kFollow, kStarts };

/// Values of a parameter from one to another.
struct ParameterPath {
  std::string parameter = {};
  double from = 0, to = 0;
  int count = 10;
};

/// How an optimum is searched for; of what belongs to one way only that of the way is read.
struct SearchPlan {
  SearchWay way = SearchWay::kOnce;
  std::string warm_start = {};  ///< a file to begin with; empty: the guess of the problem
  control::RefineOptions refine = {};
  ParameterPath path = {};
  int starts = 1;
};

/// A problem and its solution: P is control::Problem or control::PhasedProblem.
template <class P, class S>
struct SearchOutcome {
  P problem;
  S solution = {};
  nlohmann::ordered_json study = {};  ///< the searches behind it
  std::string unreached = {};         ///< what was not, in a sentence
};

using Outcome = SearchOutcome<control::Problem, control::Solution>;
using PhasedOutcome = SearchOutcome<control::PhasedProblem, control::PhasedSolution>;

/// Searches as planned, and prints the table of a study if it is to. The problem is made for a value of the plan's
/// parameter, or without one.
Outcome search(const std::function<control::Problem(std::optional<double>)>& make,
               const SearchPlan& plan, const control::SolveOptions& options, ProgressLine& progress,
               bool prints);
PhasedOutcome search_phases(
    const std::function<control::PhasedProblem(std::optional<double>)>& make,
    const SearchPlan& plan, const control::SolveOptions& options, ProgressLine& progress,
    bool prints);

}  // namespace liegrad::app
