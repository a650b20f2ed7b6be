#include "commands/control_command.hpp"

#include <array>
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "liegrad/control/problems/built_in.hpp"
#include "liegrad/lie/error.hpp"
#include "options/common_options.hpp"
#include "options/control_options.hpp"
#include "options/interrupt.hpp"
#include "options/solution_file.hpp"
#include "output/colour.hpp"
#include "output/control_plot.hpp"
#include "output/control_report.hpp"
#include "output/output_file.hpp"
#include "output/phased_report.hpp"
#include "output/progress.hpp"
#include "studies/control_search.hpp"

namespace liegrad::app {
namespace {

using control::BuiltInProblem;
using control::SolveOptions;
using control::Summary;
using nlohmann::ordered_json;

struct ControlCommand {
  ControlOptions typed;
  std::string out, plot;
  CommonOptions common;

  void add_to(CLI::App& command);
  void run() const;

 private:
  void run_one_phase(const SolveOptions& options, ProgressLine& progress, bool prints) const;
  void run_phases(const SolveOptions& options, ProgressLine& progress, bool prints) const;
  void write_plot(const std::string& svg) const;
  void write_json(ordered_json json, const ordered_json& study) const;
  /// The status of the command, and what is to be said of an optimum that is none.
  void conclude(const Summary& summary, const control::Certificate& certificate,
                const std::string& unreached) const;
};

void ControlCommand::add_to(CLI::App& command) {
  typed.add_to(command);
  command.add_option("--out", out, "Write the motion to this file; - is standard output")
      ->type_name("FILE.csv")
      ->check(names_a_file());
  command
      .add_option("--plot", plot, "Write controls, velocities, reactions and costates to this file")
      ->type_name("FILE.svg")
      ->check(names_a_file());
  common.add_to(command);
  common.add_citations_to(command);
}

void ControlCommand::run() const {
  const InterruptGuard guard;
  const SearchPlan plan = typed.plan();  // mistakes before work
  SolveOptions options = typed.solve_options();
  check_files(std::array{FileOption{"--json", common.json_file}, FileOption{"--out", out},
                         FileOption{"--plot", plot}, FileOption{"--gains", typed.gains},
                         FileOption{"--write", typed.write}},
              std::array{FileOption{"--warm-start", plan.warm_start}});
  ProgressLine progress(!common.quiet);
  options.observe = [&](int iteration, double cost, double violation) {
    if (progress.is_due()) {
      progress.show(
          fmt::format("iteration {}, cost {:.6g}, violation {:.2g}", iteration, cost, violation),
          static_cast<double>(iteration) / typed.max_iterations());
    }
    return !was_interrupted();
  };
  options.stop = was_interrupted;
  const bool prints = common.prints({out, plot, typed.gains, typed.write});
  if (typed.is_phased()) {
    run_phases(options, progress, prints);
  } else {
    run_one_phase(options, progress, prints);
  }
}

void ControlCommand::run_one_phase(const SolveOptions& options, ProgressLine& progress,
                                   bool prints) const {
  auto [problem, solution, study, unreached] =
      search([this](std::optional<double> value) { return typed.problem(value); }, typed.plan(),
             options, progress, prints);
  for (std::string& choice : typed.choices(problem.system())) {
    solution.summary.choices.push_back(std::move(choice));
  }
  if (prints) print_control(problem, solution, common.verbose);
  if (!out.empty()) write_control_motion(problem, solution, out);
  if (!typed.gains.empty()) write_control_gains(problem, solution, typed.gains);
  if (!typed.write.empty()) write_solution_file(problem, solution, typed.write);
  if (!plot.empty()) write_plot(control_plot(problem, solution));
  write_json(control_json(problem, solution), study);
  conclude(solution.summary, solution.certificate, unreached);
}

void ControlCommand::run_phases(const SolveOptions& options, ProgressLine& progress,
                                bool prints) const {
  typed.check_phases();
  const auto [problem, solution, study, unreached] =
      search_phases([this](std::optional<double> value) { return typed.phased_problem(value); },
                    typed.plan(), options, progress, prints);
  if (prints) print_phases(problem, solution, common.verbose);
  if (!out.empty()) write_phased_motion(problem, solution, out);
  if (!typed.write.empty()) write_solution_file(problem, solution, typed.write);
  if (!plot.empty()) write_plot(control_plot(problem, solution));
  write_json(phased_json(problem, solution), study);
  conclude(solution.summary, solution.certificate, unreached);
}

void ControlCommand::write_plot(const std::string& svg) const {
  OutputFile file(plot);
  file.write(svg);
  file.close();
}

void ControlCommand::write_json(ordered_json json, const ordered_json& study) const {
  json["transcription"] = typed.transcription();
  json["method"] = typed.method();
  json["hessian"] = typed.hessian();
  if (!out.empty() && out != "-") json["samples_file"] = out;
  if (!study.is_null()) json.update(study);
  common.write_json(json);
}

void ControlCommand::conclude(const Summary& summary, const control::Certificate& certificate,
                              const std::string& unreached) const {
  if (summary.status == control::Status::kInterrupted || was_interrupted()) {
    throw Interrupted(control::is_solved(summary.status) ? "stopped on request, in the certificate"
                                                         : summary.message);
  }
  if (!control::is_solved(summary.status)) {
    std::string sentence = summary.message;
    if (!summary.violations.empty()) {
      sentence += fmt::format("; the worst violation is that of {}, by {:.3g}",
                              summary.violations.front().name, summary.violations.front().size);
    }
    throw Error(sentence);
  }
  if (!unreached.empty()) throw Error(unreached);
  if (common.quiet || certificate.local_minimum) return;
  std::fflush(stdout);
  std::cerr << warning_mark("liegrad: warning: ")
            << (certificate.is_complete
                    ? "this is an extremal but no local minimum; start from another guess.\n"
                    : "the time limit ended the certificate: whether this is a minimum is open.\n");
}

std::string list_of_problems() {
  std::string text = "Problems, and their parameters besides those of their systems:\n";
  for (const BuiltInProblem& problem : control::built_in_problems()) {
    text += "  " + problem.name + ": " + problem.description + "\n";
    for (const dae::ParameterSpec& p : problem.parameters) {
      text += fmt::format("    {} = {:g} {}: {}\n", p.name, p.value, p.unit, p.meaning);
    }
  }
  return text +
         "The JSON has `status` (\"solved\", or what else), `cost`, `t_end`, `iterations`,\n"
         "`constraint_violation`, `linear_solver`, `ipopt_version`, `wall_seconds`,\n"
         "`derivative_wall_seconds` and `certificate` (`local_minimum`, `hamiltonian_spread`,\n"
         "`resimulation_miss`, …). Ctrl-C ends a search at once; what there is by\n"
         "then is written, and the status is 130.";
}

}  // namespace

void add_control_command(CLI::App& app) {
  auto command = std::make_shared<ControlCommand>();
  CLI::App* sub = app.add_subcommand("control", "Find optimal controls and say whether they are");
  sub->footer(list_of_problems());
  command->add_to(*sub);
  sub->callback([command] { command->run(); });
}

}  // namespace liegrad::app
