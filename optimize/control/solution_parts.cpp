#include "liegrad/control/solution_parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "liegrad/control/ipopt_blocks.hpp"
#include "liegrad/control/radau_costates.hpp"
#include "liegrad/dae/system/element_check.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::control {
namespace {

using dae::index;

/// A path constraint that only reads what the start fixes can be violated there whatever the controls are.
void check_start(Transcription& transcription, Nlp& nlp) {
  const Problem& problem = transcription.problem();
  if (problem.path_constraints().empty() || transcription.start_is_linked()) return;
  const RowLayout& rows = transcription.rows();
  std::vector<bool> depends(index(transcription.num_rows()), false);
  for (const auto& [row, column] : nlp.jacobian_pattern()) {
    if (!transcription.variable_bounds()[index(column)].is_point()) depends[index(row + 1)] = true;
  }
  std::vector<double> g(index(nlp.num_constraints()));
  nlp.set_point(transcription.guess());
  nlp.constraints(g);
  for (int row = rows.path_at(0); row < rows.end; ++row) {
    if (depends[index(row)]) continue;
    const Interval& bounds = transcription.row_bounds()[index(row)];
    const double value = g[index(row - 1)];
    if (value >= bounds.lower - 1e-9 && value <= bounds.upper + 1e-9) continue;
    throw InvalidArgument("problem '" + problem.name() + "': " + transcription.row_name(row) +
                          " is violated by the initial values, whatever the controls are: it is " +
                          std::to_string(value));
  }
}

/// A control that no equation and no cost reads.
void check_controls(const Transcription& transcription, const Nlp& nlp) {
  const GridLayout& layout = transcription.layout();
  const std::vector<std::string>& controls = transcription.problem().system().controls();
  std::vector<bool> read(controls.size(), false);
  const RowLayout& rows = transcription.rows();
  // A control of a stage follows those at both ends of its step, and that of the start may follow that of the first step,
  // whether it acts on something or not.
  const auto follows = [&](int row) {
    if (row >= rows.start_controls && row < rows.start_end) return true;
    const int offset = row - rows.step_to(std::max(rows.stage_of_row(row), 1));
    return offset >= rows.stage_controls && offset < rows.times;
  };
  for (const auto& [row, column] : nlp.jacobian_pattern()) {
    if (column >= layout.at(layout.num_steps + 1, 0) || follows(row + 1)) continue;
    const int control = column % layout.width - layout.controls;
    if (control >= 0 && index(control) < controls.size()) read[index(control)] = true;
  }
  for (std::size_t i = 0; i < controls.size(); ++i) {
    if (!read[i]) {
      throw InvalidArgument("problem '" + transcription.problem().name() + "': control '" +
                            controls[i] + "' acts on nothing");
    }
  }
}

}  // namespace

void check(const SolveOptions& options) {
  if (!(options.tolerance > 0)) throw InvalidArgument("the tolerance must be positive");
  if (options.max_iterations < 1) {
    throw InvalidArgument("the limit of iterations is " + std::to_string(options.max_iterations) +
                          "; it must be at least 1");
  }
  if (options.time_limit < 0) throw InvalidArgument("the time limit must not be negative");
  if (options.linear_solver != LinearSolver::kBlocks) return;
  if (!kIpoptTakesBlocks) {
    throw InvalidArgument(
        "this IPOPT does not take elimination in time, which needs 3.14; take the linear solver "
        "mumps");
  }
  if (options.transcription.kind != TranscriptionKind::kSimultaneous) {
    throw InvalidArgument(
        "elimination in time needs the simultaneous transcription; take the linear solver mumps");
  }
  if (options.hessian != HessianMode::kExact) {
    throw InvalidArgument("elimination in time needs exact Hessians; take the linear solver mumps");
  }
}

void check(Transcription& transcription, Nlp& nlp) {
  const std::vector<double>& x = transcription.guess();
  dae::ElementCheck(transcription.problem().system())
      .check(transcription.state(x, 0).q, transcription.parameters(x), transcription.controls(x, 0),
             0.0);
  check_controls(transcription, nlp);
  check_start(transcription, nlp);
}

std::string reason_for_method(const Problem& problem) {
  return problem.system().num_multipliers() > 0
             ? "generalized-alpha with rho = 0.8: multipliers of index 3 need damping, which lets "
               "the last few controls oscillate; rho = 1 in index 2 or stabilized has none"
             : "the trapezoidal rule: without constraints nothing needs damping";
}

double find_violations(const Transcription& transcription, Nlp& nlp, std::span<const double> x,
                       std::size_t count, std::vector<Violation>& violations) {
  std::vector<double> g(index(nlp.num_constraints()));
  nlp.set_point(x);
  nlp.constraints(g);
  double largest = 0;
  std::vector<std::pair<double, int>> sizes;
  for (int i = 0; i < nlp.num_constraints(); ++i) {
    const Interval& bounds = transcription.row_bounds()[index(i + 1)];
    const double value = g[index(i)] / transcription.row_scales()[index(i + 1)];
    const double size = std::isfinite(value)
                            ? std::max({value - bounds.upper, bounds.lower - value, 0.0})
                            : std::numeric_limits<double>::infinity();
    largest = std::max(largest, size);
    if (size > 0) sizes.emplace_back(-size, i + 1);
  }
  count = std::min(count, sizes.size());
  std::partial_sort(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(count), sizes.end());
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [size, row] = sizes[i];
    const int point = transcription.rows().stage_of_row(row);
    violations.push_back({transcription.row_name(row), point,
                          transcription.horizon(x) * transcription.share(point), -size});
  }
  return largest;
}

void read_motion(const Transcription& transcription, Nlp& nlp, const Iterate& iterate,
                 Solution& solution) {
  const GridLayout& layout = transcription.layout();
  solution.x = iterate.x;
  solution.multipliers = iterate.multipliers;
  solution.lower_multipliers = iterate.lower_multipliers;
  solution.upper_multipliers = iterate.upper_multipliers;
  nlp.set_point(solution.x);
  solution.summary.cost = nlp.cost();
  solution.summary.t_end = transcription.horizon(solution.x);
  solution.parameters = transcription.parameters(solution.x);
  const int dof = transcription.problem().system().dof();
  for (int n = 0; n <= layout.num_steps; ++n) {
    solution.states.push_back(transcription.state(solution.x, n));
    const std::span<const double> u = transcription.controls(solution.x, n);
    solution.controls.emplace_back(u.begin(), u.end());
    if (n > 0 && transcription.has_stages()) {
      std::vector<StageState>& stages = solution.stages.emplace_back();
      for (int i = 0; i < transcription.options().radau_stages; ++i) {
        stages.push_back(transcription.stage_state(solution.x, n, i));
      }
    }
    if (n == 0 || solution.multipliers.empty() || transcription.has_stages()) continue;
    const auto first = solution.multipliers.begin() + transcription.rows().step_to(n) - 1;
    solution.costates.emplace_back(first, first + dof);
  }
  if (transcription.has_stages() && !solution.multipliers.empty()) {
    solution.costates = radau_costates(transcription, nlp, solution);
  }
}

}  // namespace liegrad::control
