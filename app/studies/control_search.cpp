#include "studies/control_search.hpp"

#include <fmt/format.h>

#include "options/interrupt.hpp"
#include "options/solution_file.hpp"
#include "studies/control_studies.hpp"

namespace liegrad::app {
namespace {

using control::SolveOptions;

template <class P>
using Make = std::function<P(std::optional<double>)>;

/// One plan at work.
template <class P, class S>
class Search {
 public:
  Search(const Make<P>& make, const SearchPlan& plan, const SolveOptions& options,
         ProgressLine& progress, bool prints)
      : make_(make),
        plan_(plan),
        options_(options),
        progress_(progress),
        prints_(prints),
        outcome_{.problem = make(plan.way == SearchWay::kFollow ? std::optional(plan.path.from)
                                                                : std::nullopt)} {}

  SearchOutcome<P, S> run() {
    std::optional<S> start;
    if (!plan_.warm_start.empty()) start = read_solution_file(outcome_.problem, plan_.warm_start);
    const S* const from = start ? &*start : nullptr;
    switch (plan_.way) {
      case SearchWay::kOnce:
        outcome_.solution = from != nullptr ? control::solve_from(*from, outcome_.problem, options_)
                                            : control::solve(outcome_.problem, options_);
        break;
      case SearchWay::kRefine: refine(from); break;
      case SearchWay::kFollow: follow(from); break;
      case SearchWay::kStarts: try_starts(); break;
    }
    progress_.clear();
    return std::move(outcome_);
  }

 private:
  void refine(const S* from) {
    control::RefinedTo<S> refined = control::refine(outcome_.problem, options_, plan_.refine, from);
    show(refined.grids);
    outcome_.study["refinement"] = json_of(refined.grids, refined.reached);
    outcome_.solution = std::move(refined.solution);
    if (!refined.reached) {
      outcome_.unreached = fmt::format("the estimated error of the cost is still above {:g} of it",
                                       plan_.refine.tolerance);
    }
  }

  void follow(const S* from) {
    const ParameterPath& path = plan_.path;
    const std::function<P(double)> make = [this](double value) { return make_(value); };
    control::FollowedTo<S> followed =
        control::follow(make, path.from, path.to, path.count, options_, from);
    show(followed.path, path.parameter);
    outcome_.study["continuation"] = json_of(followed.path, path.parameter, followed.reached);
    outcome_.solution = std::move(followed.solution);
    double reached = followed.path.front().value;
    for (const control::FollowedSolution& at : followed.path) {
      if (control::is_solved(at.status)) reached = at.value;
    }
    outcome_.problem = make_(reached);
    if (!followed.reached) {
      outcome_.unreached =
          fmt::format("the continuation ended at {} = {:g}", path.parameter, reached);
    }
  }

  void try_starts() {
    SolveOptions quietly = options_;
    quietly.observe = [](int, double, double) { return !was_interrupted(); };
    const ControlStarts<S> ended =
        solve_from_starts(outcome_.problem, quietly, plan_.starts, [&](int finished) {
          if (!progress_.is_due()) return;
          progress_.show(fmt::format("{} of {} starts", finished, plan_.starts),
                         static_cast<double>(finished) / plan_.starts);
        });
    show(ended.table);
    outcome_.study["starts"] = json_of(ended.table);
    // Once more from the best one, in this process: its certificate.
    outcome_.solution = control::solve_from(ended.best, outcome_.problem, options_);
  }

  template <class... Table>
  void show(const Table&... table) {
    progress_.clear();
    if (prints_) print(table...);
  }

  const Make<P>& make_;
  const SearchPlan& plan_;
  const SolveOptions& options_;
  ProgressLine& progress_;
  bool prints_;
  SearchOutcome<P, S> outcome_;
};

}  // namespace

Outcome search(const std::function<control::Problem(std::optional<double>)>& make,
               const SearchPlan& plan, const SolveOptions& options, ProgressLine& progress,
               bool prints) {
  return Search<control::Problem, control::Solution>(make, plan, options, progress, prints).run();
}

PhasedOutcome search_phases(
    const std::function<control::PhasedProblem(std::optional<double>)>& make,
    const SearchPlan& plan, const SolveOptions& options, ProgressLine& progress, bool prints) {
  return Search<control::PhasedProblem, control::PhasedSolution>(make, plan, options, progress,
                                                                 prints)
      .run();
}

}  // namespace liegrad::app
