#include "liegrad/control/continuation.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/control/stop_request.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::control {
namespace {

template <class P, class S>
FollowedTo<S> follow_from(const S* start, const std::function<P(double)>& make, double from,
                          double to, int count, const SolveOptions& options) {
  if (count < 1) throw InvalidArgument("a continuation takes at least 1 step");
  if (!std::isfinite(from) || !std::isfinite(to)) {
    throw InvalidArgument("a continuation needs two finite values");
  }
  const double first = 1.0 / count, smallest = first / 64;
  const StopRequest::Clock::time_point begin = StopRequest::Clock::now();
  FollowedTo<S> result;
  double reached = 0, share = 0, length = first;  // shares of the way
  for (;;) {
    const double value = share == 1 ? to : from + share * (to - from);
    const P problem = make(value);
    const S* const near = result.path.empty() ? start : &result.solution;
    SolveOptions now = options;
    now.time_limit = time_left(options.time_limit, begin);
    S next = near != nullptr ? solve_from(*near, problem, now) : solve(problem, now);
    const Summary& summary = next.summary;
    result.path.push_back({value, summary.status, summary.cost, summary.t_end, summary.iterations,
                           next.certificate.local_minimum});
    const bool solved = is_solved(summary.status), is_first = result.path.size() == 1;
    const bool stopped = summary.status == Status::kInterrupted || summary.status == Status::kTime;
    if (solved) {
      reached = share;
      length = std::min(first, 2 * length);
    } else {
      length /= 2;
    }
    if (solved || is_first) result.solution = std::move(next);
    result.reached = solved && share == 1;
    if (result.reached || stopped || (is_first && !solved) || length < smallest) return result;
    share = std::min(1.0, reached + length);
    if (1 - share < 1e-9) share = 1;
  }
}

}  // namespace

Followed follow(const std::function<Problem(double)>& make, double from, double to, int count,
                const SolveOptions& options, const Solution* start) {
  return follow_from(start, make, from, to, count, options);
}

FollowedPhases follow(const std::function<PhasedProblem(double)>& make, double from, double to,
                      int count, const SolveOptions& options, const PhasedSolution* start) {
  return follow_from(start, make, from, to, count, options);
}

}  // namespace liegrad::control
