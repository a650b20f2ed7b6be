#include "liegrad/control/refine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "liegrad/control/mesh.hpp"
#include "liegrad/control/stop_request.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::control {
namespace {

/// The step equations and the quadrature of the cost have this order. Where controls jump it is lower, and so it is with
/// methods that damp, whose last controls oscillate at any step. Controls that are linear in time have an error of order
/// 2, which an optimum feels with its square; constant ones have one of order 1.
double order_of(const TranscriptionOptions& options) {
  if (options.radau_stages == 0 || options.constant_controls) return 2;
  return std::min(2.0 * options.radau_stages - 1, 4.0);
}
constexpr double kLowestOrder = 0.5;
/// A faster fall is one of terms that cancel, and says little about what is left.
constexpr double kLargestSurplus = 0.3;

std::span<const Solution> phases_of(const Solution& solution) { return {&solution, 1}; }
std::span<const Solution> phases_of(const PhasedSolution& solution) { return solution.phases; }

double largest_change(const Solution& coarse, const Solution& fine) {
  double largest = 0;
  // The finer grid has the points of the coarser one; a free horizon moves all of them.
  const double stretch = fine.states.back().t / coarse.states.back().t;
  for (std::size_t n = 0; n < coarse.controls.size(); ++n) {
    const auto [k, s] = fine.place(stretch * coarse.states[n].t);
    const std::vector<double>& u = fine.controls[s < 0.5 ? k : k + 1];
    for (std::size_t i = 0; i < u.size(); ++i) {
      largest = std::max(largest, std::abs(coarse.controls[n][i] - u[i]));
    }
  }
  return largest;
}

template <class S>
double largest_change_of_controls(const S& coarse, const S& fine) {
  double largest = 0;
  for (std::size_t k = 0; k < phases_of(fine).size(); ++k) {
    largest = std::max(largest, largest_change(phases_of(coarse)[k], phases_of(fine)[k]));
  }
  return largest;
}

template <class S>
double ratio_of_steps(const S& solution) {
  double shortest = std::numeric_limits<double>::infinity(), longest = 0;
  for (const Solution& phase : phases_of(solution)) {
    for (std::size_t n = 1; n < phase.states.size(); ++n) {
      const double h = phase.states[n].t - phase.states[n - 1].t;
      shortest = std::min(shortest, h);
      longest = std::max(longest, h);
    }
  }
  return longest / shortest;
}

/// What the last three costs say.
void estimate(std::vector<RefinedGrid>& grids, double expected_order, bool adapts) {
  RefinedGrid& fine = grids.back();
  fine.extrapolated = fine.cost;
  if (grids.size() < 2) return;
  const double change = fine.cost - grids[grids.size() - 2].cost;
  if (adapts) {
    fine.error = std::abs(change);
    return;
  }
  double order = expected_order;
  if (grids.size() >= 3) {
    const double before = grids[grids.size() - 2].cost - grids[grids.size() - 3].cost;
    fine.order = change == 0 ? expected_order : std::log2(std::abs(before / change));
    order = fine.order > expected_order + kLargestSurplus
                ? 1.0
                : std::clamp(fine.order, kLowestOrder, expected_order);
  }
  const double share = 1 / (std::exp2(order) - 1);
  fine.error = share * std::abs(change);
  fine.extrapolated = fine.cost + share * change;
}

std::vector<double> halved(const std::vector<double>& mesh) {
  std::vector<double> fine;
  for (std::size_t n = 0; n < mesh.size(); ++n) {
    if (n > 0) fine.push_back(0.5 * (mesh[n - 1] + mesh[n]));
    fine.push_back(mesh[n]);
  }
  return fine;
}

/// Searches on one grid after the other. `search` solves on the grid at hand, from a solution or from the guess;
/// `make_finer` replaces that grid.
template <class S, class Search, class MakeFiner>
RefinedTo<S> refine_from(const S* start, const SolveOptions& options, const RefineOptions& refine,
                         const Search& search, const MakeFiner& make_finer) {
  RefinedTo<S> result;
  SolveOptions now = options;
  const StopRequest::Clock::time_point begin = StopRequest::Clock::now();
  for (;;) {
    now.time_limit = time_left(options.time_limit, begin);
    S next = search(result.grids.empty() ? start : &result.solution, now);
    const Summary& summary = next.summary;
    RefinedGrid& grid = result.grids.emplace_back();
    grid = {.steps = summary.steps, .iterations = summary.iterations, .cost = summary.cost};
    grid.resimulation_miss = next.certificate.resimulation_miss;
    grid.wall_seconds = summary.wall_seconds;
    const bool solved = is_solved(summary.status);
    if (solved && result.grids.size() > 1) {
      grid.control_change = largest_change_of_controls(result.solution, next);
    }
    grid.step_ratio = ratio_of_steps(next);
    if (solved) estimate(result.grids, order_of(options.transcription), refine.adapts);
    result.solution = std::move(next);
    if (!solved) return result;
    // The first change says nothing about the order.
    const double scale = std::abs(grid.cost);
    result.reached = result.grids.size() > 2 && grid.error <= refine.tolerance * scale;
    if (result.reached || result.solution.summary.steps > refine.max_steps / 2) return result;
    make_finer(result.solution, now);
  }
}

void check(const RefineOptions& refine, int steps) {
  if (!(refine.tolerance > 0)) {
    throw InvalidArgument("the tolerance of the refinement must be positive");
  }
  if (steps > refine.max_steps) {
    throw InvalidArgument("a refinement that begins with " + std::to_string(steps) +
                          " steps and ends at " + std::to_string(refine.max_steps) +
                          " makes no sense");
  }
}

}  // namespace

Refined refine(const Problem& problem, const SolveOptions& options, const RefineOptions& refine,
               const Solution* start) {
  check(refine, options.transcription.steps);
  return refine_from(
      start, options, refine,
      [&](const Solution* from, const SolveOptions& now) {
        return from != nullptr ? solve_from(*from, problem, now) : solve(problem, now);
      },
      [&](const Solution& last, SolveOptions& now) {
        TranscriptionOptions& grid = now.transcription;
        grid.mesh = refine.adapts ? finer_mesh(last) : halved(grid.mesh);
        grid.steps *= 2;
      });
}

RefinedPhases refine(const PhasedProblem& problem, const SolveOptions& options,
                     const RefineOptions& refine, const PhasedSolution* start) {
  int steps = 0;
  for (int k = 0; k < problem.size(); ++k) steps += problem.phase(k).steps;
  check(refine, steps);
  PhasedProblem on_grid = problem;
  return refine_from(
      start, options, refine,
      [&](const PhasedSolution* from, const SolveOptions& now) {
        return from != nullptr ? solve_from(*from, on_grid, now) : solve(on_grid, now);
      },
      [&](const PhasedSolution& last, SolveOptions&) {
        for (int k = 0; k < on_grid.size(); ++k) {
          const PhasedProblem::Phase& phase = on_grid.phase(k);
          const Solution& own = last.phases[static_cast<std::size_t>(k)];
          on_grid.set_grid(k, 2 * phase.steps,
                           refine.adapts ? finer_mesh(own) : halved(phase.mesh));
        }
      });
}

}  // namespace liegrad::control
