#include "liegrad/dae/report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "liegrad/dae/method_names.hpp"
#include "liegrad/dae/system/text.hpp"

namespace liegrad::dae {
namespace {

double per_step(double value, const IntegrateSummary& summary) {
  return value / static_cast<double>(std::max(1L, summary.steps));
}

std::string iterations_per_step(const IntegrateSummary& summary) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.2f",
                per_step(static_cast<double>(summary.newton_iterations), summary));
  return buffer.data();
}

std::string method_text(const IntegrateSummary& s) {
  const std::string settings = s.settings.empty() ? "" : ", " + s.settings;
  const std::string reason = s.reason_for_method.empty() ? "" : " (" + s.reason_for_method + ")";
  return s.method + settings + reason;
}

std::string step_text(const IntegrateSummary& s) {
  if (!s.tolerance) return number_text(s.step);
  return number_text(s.smallest_step, 3) + " to " + number_text(s.largest_step, 3) +
         ", rtol = " + number_text(s.tolerance->relative) +
         ", atol = " + number_text(s.tolerance->absolute);
}

}  // namespace

std::string name_of(Termination termination) {
  switch (termination) {
    case Termination::kReachedEnd: return "reached_end";
    case Termination::kStoppedByCallback: return "stopped_by_callback";
    case Termination::kStoppedByEvent: return "stopped_by_event";
    case Termination::kNewtonDiverged: return "newton_diverged";
    case Termination::kSingularMatrix: return "singular_matrix";
    case Termination::kNonFinite: return "non_finite";
    case Termination::kToleranceBelowRounding: return "tolerance_below_rounding";
    case Termination::kNotRun: return "not_run";
  }
  return "";
}

std::string name_of(LinearSolverKind solver) {
  if (solver == LinearSolverKind::kMinimumNorm) return "minimum_norm";
  return name_in(linear_solver_names(), solver);
}

std::string name_of(Formulation formulation) { return name_in(formulation_names(), formulation); }

std::string report_line(const std::string& name, const std::string& value) {
  constexpr std::size_t kWidth = 22;
  return "  " + name + std::string(kWidth - std::min(kWidth, name.size()), ' ') + " = " + value +
         "\n";
}

std::string brief_report(const IntegrateSummary& s) {
  if (s.termination == Termination::kNotRun) return "not_run";
  std::string text = s.method + ": " + name_of(s.termination) + " at t = " + number_text(s.t);
  if (s.t != s.t_end) text += " of " + number_text(s.t_end);
  text += ", " + std::to_string(s.steps) + " steps, " + iterations_per_step(s) +
          " iterations per step, " + number_text(s.wall_seconds, 3) + " s";
  if (!s.is_complete()) return text + "; " + s.message;
  return s.trusted ? text : text + "; cannot be trusted: " + s.reason_for_doubt;
}

std::string full_report(const IntegrateSummary& s, const std::string& ended) {
  std::string text;
  const auto add = [&text](const char* name, const std::string& value) {
    text += report_line(name, value);
  };
  if (!s.method.empty()) add("method", method_text(s));
  if (!s.formulation.empty()) add("formulation", s.formulation);
  add("step", step_text(s));
  add("ended", ended.empty() ? name_of(s.termination) : ended);
  add("steps", std::to_string(s.steps));
  if (s.tolerance) add("rejected steps", std::to_string(s.rejected_steps));
  if (s.failed_attempts > 0) add("failed attempts", std::to_string(s.failed_attempts));
  add("Newton iterations",
      std::to_string(s.newton_iterations) + " (" + iterations_per_step(s) + " per step)");
  add("Jacobians", std::to_string(s.jacobian_evaluations));
  add("factorizations", std::to_string(s.factorizations) + " (" + name_of(s.solver) + ")");
  add("wall time", number_text(s.wall_seconds, 4) + " s (" +
                       number_text(per_step(1e6 * s.wall_seconds, s), 3) + " us per step)");
  if (!s.formulation.empty()) {
    add("largest |Phi|", number_text(s.max_position_residual, 3));
    add("largest |Bv|", number_text(s.max_velocity_residual, 3));
  }
  return text;
}

}  // namespace liegrad::dae
