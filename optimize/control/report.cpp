#include "liegrad/control/report.hpp"

#include "liegrad/dae/report.hpp"
#include "liegrad/dae/system/text.hpp"

namespace liegrad::control {

using dae::number_text;
using dae::report_line;

std::string brief_report(const Summary& s) {
  if (s.status == Status::kNotRun) return name_of(s.status);
  return std::string(name_of(s.status)) + ": cost " + number_text(s.cost, 10) + ", t_end " +
         number_text(s.t_end, 10) + ", " + std::to_string(s.iterations) +
         " iterations, violation " + number_text(s.constraint_violation, 3) + ", " +
         number_text(s.wall_seconds, 3) + " s";
}

std::string search_report(const Summary& s, bool all) {
  const std::string moved =
      s.recentrings > 0 ? ", reference moved " + std::to_string(s.recentrings) + " times" : "";
  std::string text =
      report_line("status", std::string(name_of(s.status)) + " (" + s.message + ")") +
      report_line("cost", number_text(s.cost, 10)) +
      report_line("t_end", number_text(s.t_end, 10)) +
      report_line("iterations", std::to_string(s.iterations) + moved) +
      report_line("constraint violation", number_text(s.constraint_violation, 3)) +
      report_line("IPOPT", s.ipopt_version + ", linear solver " + s.linear_solver) +
      report_line("wall time", number_text(s.wall_seconds, 4) + " s, of it " +
                                   number_text(s.setup_wall_seconds, 3) + " s to set up and " +
                                   number_text(s.derivative_wall_seconds, 3) + " s of derivatives");
  for (const Violation& v : s.violations) {
    text += report_line(
        "violated", v.name + " (t = " + number_text(v.time, 4) + ") by " + number_text(v.size, 3));
  }
  if (!all) return text;
  for (const std::string& choice : s.choices) text += report_line("chosen", choice);
  return text;
}

std::string minimum_report(const Certificate& c) {
  const std::string early =
      c.is_complete ? ""
                    : report_line("certificate", "ended early, by the time limit or on request");
  const std::string answer = c.dependent_equations ? "yes; some conditions repeat what others say"
                             : c.local_minimum
                                 ? "yes"
                                 : "no: " + std::to_string(c.negative) +
                                       " eigenvalues of the KKT matrix are negative, where a "
                                       "minimum has " +
                                       std::to_string(c.equations);
  return early + report_line("local minimum", answer);
}

std::string extremal_report(const Certificate& c) {
  std::string switches;
  for (const int count : c.switches) {
    switches += (switches.empty() ? "" : ", ") + std::to_string(count);
  }
  const std::string failure =
      c.resimulation_failure.empty() ? "the certificate ended early" : c.resimulation_failure;
  return report_line("Hamiltonian", number_text(c.hamiltonian_mean) + ", spread " +
                                        number_text(c.hamiltonian_spread, 3)) +
         report_line("switching functions", "controls agree with their signs within " +
                                                number_text(c.switching_disagreement, 2) +
                                                "; these change " +
                                                (switches.empty() ? "0" : switches) + " times") +
         report_line("run with finer step",
                     c.resimulated
                         ? "misses the end by " + number_text(c.resimulation_miss, 3) +
                               ", cost differs by " + number_text(c.resimulation_cost_difference, 3)
                         : "could not be made: " + failure);
}

std::string full_report(const Solution& solution, bool all) {
  const std::string search = search_report(solution.summary, all);
  if (!is_solved(solution.summary.status)) return search;
  return search + minimum_report(solution.certificate) + extremal_report(solution.certificate);
}

}  // namespace liegrad::control
