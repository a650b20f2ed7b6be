#include "commands/control_command.hpp"

#include <array>
#include <iostream>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "liegrad/control/problems/built_in.hpp"
#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/lie/error.hpp"
#include "options/common_options.hpp"
#include "options/control_file.hpp"
#include "options/integration_options.hpp"
#include "options/interrupt.hpp"
#include "options/solution_file.hpp"
#include "output/colour.hpp"
#include "output/control_plot.hpp"
#include "output/control_report.hpp"
#include "output/number_text.hpp"
#include "output/output_file.hpp"
#include "output/phased_report.hpp"
#include "output/progress.hpp"
#include "studies/control_studies.hpp"

namespace liegrad::app {
namespace {

using control::BuiltInProblem;
using control::Followed;
using control::Problem;
using control::Solution;
using control::SolveOptions;
using control::Summary;
using nlohmann::ordered_json;

/// From one search to many.
enum class Way { kOnce, kRefine, kFollow, kStarts };

/// What the command found.
struct Outcome {
  Problem problem;
  Solution solution = {};
  ordered_json study = {};  ///< the searches behind it
  std::string unreached = {};
};

/// The command as typed.
struct ControlCommand {
  std::string problem, transcription = "simultaneous", hessian = "exact", linear_solver = "auto";
  std::string controls = "linear";
  std::string mesh, out, plot, gains, write, warm_start, continuation;
  std::vector<std::string> settings, ipopt;
  std::optional<int> steps, starts;
  std::optional<double> refine;
  bool adapts = false;
  int segments = control::TranscriptionOptions{}.segments;
  int max_iterations = SolveOptions{}.max_iterations;
  double tolerance = SolveOptions{}.tolerance, time_limit = 0;
  IntegrationOptions integration;
  CommonOptions common;

  std::map<std::string, double> given() const;
  ControlFile make() const;
  Way way() const;
  Followed follow(const SolveOptions& options, const Solution* start, std::string& name) const;
  /// Searches in the way that was chosen, and prints the table of a study.
  Outcome search(Problem made, const SolveOptions& options, ProgressLine& progress,
                 bool prints) const;
  void write_files(const Outcome& outcome) const;
  SolveOptions options() const;
  void set_grid(const ControlFile& file, SolveOptions& options) const;
  bool is_phased() const;
  void conclude(const Summary& summary, const control::Certificate& certificate,
                const std::string& unreached) const;
  void run_phases(const SolveOptions& options, ProgressLine& progress, bool prints) const;
  void run() const;
};

void write_text(const std::string& name, const std::string& text) {
  OutputFile file(name);
  file.write(text);
  file.close();
}

template <class T>
T one_of(const std::string& option, const std::string& name,
         const std::vector<std::pair<std::string, T>>& choices) {
  std::vector<std::string> names;
  for (const auto& [choice, value] : choices) {
    if (choice == name) return value;
    names.push_back(choice);
  }
  throw InvalidArgument("--" + option + ": " + dae::unknown_name_message(option, name, names));
}

std::map<std::string, double> ControlCommand::given() const {
  std::map<std::string, double> values;
  for (const std::string& setting : settings) {
    const auto [name, value] = named_number_of("--set", setting);
    if (!values.emplace(name, value).second) {
      throw InvalidArgument("--set gives '" + name + "' twice; choose one value");
    }
  }
  return values;
}

/// The problem that is named, of a file or built in.
ControlFile ControlCommand::make() const {
  if (!names_control_file(problem)) {
    return {
        control::make_problem(problem, given()), control::find_problem(problem).default_steps, {}};
  }
  if (!settings.empty()) {
    throw InvalidArgument("--set is for built-in problems; write values into " + problem);
  }
  return read_control_file(problem);
}

SolveOptions ControlCommand::options() const {
  SolveOptions options;
  if (integration.chooses_alpha_method()) options.transcription.method = integration.alpha_method();
  options.transcription.formulation = integration.constraint_formulation();
  options.transcription.radau_stages = integration.radau_stages();
  options.transcription.constant_controls =
      one_of<bool>("controls", controls, {{"linear", false}, {"constant", true}});
  options.hessian = one_of<control::HessianMode>(
      "hessian", hessian,
      {{"exact", control::HessianMode::kExact}, {"lbfgs", control::HessianMode::kLimitedMemory}});
  options.linear_solver =
      one_of<control::LinearSolver>("linear-solver", linear_solver,
                                    {{"auto", control::LinearSolver::kAutomatic},
                                     {"blocks", control::LinearSolver::kBlocks},
                                     {"mumps", control::LinearSolver::kMumps}});
  options.transcription.kind = one_of<control::TranscriptionKind>(
      "transcription", transcription,
      {{"simultaneous", control::TranscriptionKind::kSimultaneous},
       {"multiple-shooting", control::TranscriptionKind::kMultipleShooting},
       {"shooting", control::TranscriptionKind::kShooting}});
  options.transcription.segments = segments;
  options.tolerance = tolerance;
  options.find_gains = !gains.empty();
  options.max_iterations = max_iterations;
  options.time_limit = time_limit;
  for (const std::string& text : ipopt) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) {
      throw InvalidArgument("--ipopt takes NAME=VALUE, not '" + text + "'");
    }
    options.ipopt[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return options;
}

/// What is typed goes before what a file says.
void ControlCommand::set_grid(const ControlFile& file, SolveOptions& options) const {
  if (steps && !mesh.empty()) {
    throw InvalidArgument("--steps and --mesh are two grids; choose one");
  }
  options.transcription.steps = steps.value_or(file.steps);
  if (!mesh.empty()) {
    options.transcription.mesh = numbers_of("--mesh", mesh);
  } else if (!steps) {
    options.transcription.mesh = file.mesh;
  }
}

bool ControlCommand::is_phased() const {
  return names_control_file(problem) ? has_phases(problem)
                                     : control::find_problem(problem).make_phases != nullptr;
}

Way ControlCommand::way() const {
  if (int{refine.has_value()} + int{!continuation.empty()} + int{starts.has_value()} > 1) {
    throw InvalidArgument("--refine, --continue and --starts are three ways; choose one");
  }
  if (adapts && !refine) {
    throw InvalidArgument("--adapt-mesh says how --refine TOL refines; give both");
  }
  if (starts && !warm_start.empty()) {
    throw InvalidArgument("--starts draws its guesses; leave --warm-start out");
  }
  return refine                  ? Way::kRefine
         : !continuation.empty() ? Way::kFollow
         : starts                ? Way::kStarts
                                 : Way::kOnce;
}

/// --continue NAME=FROM,TO or NAME=FROM,TO,COUNT.
Followed ControlCommand::follow(const SolveOptions& options, const Solution* start,
                                std::string& name) const {
  const auto refuse = [this] {
    throw InvalidArgument("--continue takes NAME=FROM,TO or NAME=FROM,TO,COUNT, not '" +
                          continuation + "'");
  };
  if (names_control_file(problem)) {
    throw InvalidArgument("--continue is for built-in problems; write values into " + problem);
  }
  const std::size_t equals = continuation.find('=');
  if (equals == 0 || equals == std::string::npos) refuse();
  name = continuation.substr(0, equals);
  const std::vector<double> values =
      numbers_of("--continue " + name, continuation.substr(equals + 1));
  if (values.size() != 2 && values.size() != 3) refuse();
  const double count = values.size() == 3 ? values[2] : 10;
  if (!(count >= 1 && count <= 1e6) || count != static_cast<int>(count)) refuse();
  std::map<std::string, double> all = given();
  if (all.contains(name)) {
    throw InvalidArgument("--set and --continue both give '" + name + "'; choose one");
  }
  return control::follow(
      [&](double value) {
        all[name] = value;
        return control::make_problem(problem, all);
      },
      values[0], values[1], static_cast<int>(count), options, start);
}

Outcome ControlCommand::search(Problem made, const SolveOptions& options, ProgressLine& progress,
                               bool prints) const {
  std::optional<Solution> start;
  if (!warm_start.empty()) start = read_solution_file(made, warm_start);
  const Solution* const from = start ? &*start : nullptr;
  Outcome outcome{.problem = std::move(made)};
  const auto show = [&](const auto&... table) {
    progress.clear();
    if (prints) print(table...);
  };
  switch (way()) {
    case Way::kOnce:
      outcome.solution = from != nullptr ? control::solve_from(*from, outcome.problem, options)
                                         : control::solve(outcome.problem, options);
      break;
    case Way::kRefine: {
      control::Refined refined =
          control::refine(outcome.problem, options, {.tolerance = *refine, .adapts = adapts}, from);
      show(refined);
      outcome.study["refinement"] = json_of(refined);
      outcome.solution = std::move(refined.solution);
      if (!refined.reached) {
        outcome.unreached =
            fmt::format("the estimated error of the cost is still above {:g} of it", *refine);
      }
      break;
    }
    case Way::kFollow: {
      std::string name;
      Followed followed = follow(options, from, name);
      show(followed, name);
      outcome.study["continuation"] = json_of(followed, name);
      outcome.solution = std::move(followed.solution);
      double reached = followed.path.front().value;
      for (const control::FollowedSolution& at : followed.path) {
        if (control::is_solved(at.status)) reached = at.value;
      }
      std::map<std::string, double> all = given();
      all[name] = reached;
      outcome.problem = control::make_problem(problem, all);
      if (!followed.reached) {
        outcome.unreached = fmt::format("the continuation ended at {} = {:g}", name, reached);
      }
      break;
    }
    case Way::kStarts: {
      SolveOptions quietly = options;
      quietly.observe = [](int, double, double) { return !was_interrupted(); };
      const ControlStarts ended =
          solve_from_starts(outcome.problem, quietly, *starts, [&](int finished) {
            if (!progress.is_due()) return;
            progress.show(fmt::format("{} of {} starts", finished, *starts),
                          static_cast<double>(finished) / *starts);
          });
      show(ended);
      outcome.study["starts"] = json_of(ended);
      // Once more from the best one, in this process: its certificate.
      outcome.solution = control::solve_from(ended.best, outcome.problem, options);
      break;
    }
  }
  progress.clear();
  return outcome;
}

void ControlCommand::write_files(const Outcome& outcome) const {
  const auto& [made, solution, study, unreached] = outcome;
  if (!out.empty()) write_control_motion(made, solution, out);
  if (!gains.empty()) write_control_gains(made, solution, gains);
  if (!write.empty()) write_solution_file(made, solution, write);
  if (!plot.empty()) write_text(plot, control_plot(made, solution));
  ordered_json json = control_json(made, solution);
  json["transcription"] = transcription;
  json["method"] = integration.method();
  json["hessian"] = hessian;
  if (!out.empty() && out != "-") json["samples_file"] = out;
  if (!study.is_null()) json.update(study);
  common.write_json(json);
}

/// Several phases are searched for once.
void ControlCommand::run_phases(const SolveOptions& options, ProgressLine& progress,
                                bool prints) const {
  for (const auto& [option, is_given] :
       {std::pair{"--refine", refine.has_value()}, std::pair{"--continue", !continuation.empty()},
        std::pair{"--starts", starts.has_value()}, std::pair{"--warm-start", !warm_start.empty()},
        std::pair{"--write", !write.empty()}, std::pair{"--gains", !gains.empty()},
        std::pair{"--mesh", !mesh.empty()}}) {
    if (is_given) {
      throw InvalidArgument("problem '" + problem + "' has phases, which " + option +
                            " does not know; leave it out");
    }
  }
  const bool is_file = names_control_file(problem);
  if (is_file && !settings.empty()) {
    throw InvalidArgument("--set is for built-in problems; write values into " + problem);
  }
  const control::PhasedProblem made =
      is_file ? read_phased_file(problem, steps)
              : control::make_phased_problem(
                    problem, steps.value_or(control::find_problem(problem).default_steps), given());
  const control::PhasedSolution solution = control::solve(made, options);
  progress.clear();
  if (prints) print_phases(made, solution, common.verbose);
  if (!out.empty()) write_phased_motion(made, solution, out);
  if (!plot.empty()) write_text(plot, control_plot(made, solution));
  ordered_json json = phased_json(made, solution);
  json["transcription"] = transcription;
  json["method"] = integration.method();
  json["hessian"] = hessian;
  if (!out.empty() && out != "-") json["samples_file"] = out;
  common.write_json(json);
  conclude(solution.summary, solution.certificate, {});
}

/// The status of the command, and what is to be said of an optimum that is none.
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

void ControlCommand::run() const {
  const InterruptGuard guard;
  way();  // mistakes before work
  SolveOptions solve_options = options();
  check_files(std::array{FileOption{"--json", common.json_file}, FileOption{"--out", out},
                         FileOption{"--plot", plot}, FileOption{"--gains", gains},
                         FileOption{"--write", write}},
              std::array{FileOption{"--warm-start", warm_start}});
  ProgressLine progress(!common.quiet);
  solve_options.observe = [&](int iteration, double cost, double violation) {
    if (progress.is_due()) {
      progress.show(
          fmt::format("iteration {}, cost {:.6g}, violation {:.2g}", iteration, cost, violation),
          static_cast<double>(iteration) / max_iterations);
    }
    return !was_interrupted();
  };
  solve_options.stop = was_interrupted;
  const bool prints = common.prints({out, plot, gains, write});
  if (is_phased()) {
    run_phases(solve_options, progress, prints);
    return;
  }
  ControlFile file = make();
  set_grid(file, solve_options);
  Problem made = std::move(file.problem);
  const Outcome outcome = search(std::move(made), solve_options, progress, prints);
  if (prints) print_control(outcome.problem, outcome.solution, common.verbose);
  write_files(outcome);
  conclude(outcome.solution.summary, outcome.solution.certificate, outcome.unreached);
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
  sub->add_option("PROBLEM", command->problem, "A built-in problem, see below, or a file NAME.json")
      ->required();
  sub->add_option("--set", command->settings, "A parameter of the problem or of its system")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  sub->add_option("--steps", command->steps, "Of the grid, 100 unless given")->type_name("N");
  sub->add_option("--mesh", command->mesh,
                  "Unequal steps: shares of the horizon at the grid points, 0,...,1")
      ->type_name("S,S,...");
  sub->add_option("--transcription", command->transcription,
                  "simultaneous, multiple-shooting or shooting")
      ->type_name("NAME")
      ->capture_default_str();
  sub->add_option("--segments", command->segments, "Of multiple shooting")
      ->type_name("N")
      ->capture_default_str();
  command->integration.add_grid_method_to(*sub);
  sub->add_option("--controls", command->controls,
                  "linear between grid points, or constant in each step of a Radau method")
      ->type_name("KIND")
      ->capture_default_str();
  sub->add_option("--hessian", command->hessian, "exact or lbfgs")
      ->type_name("KIND")
      ->capture_default_str();
  sub->add_option("--linear-solver", command->linear_solver,
                  "Of IPOPT: auto, blocks (elimination in time) or mumps")
      ->type_name("KIND")
      ->capture_default_str();
  sub->add_option("--tol", command->tolerance, "Tolerance of IPOPT")
      ->type_name("E")
      ->capture_default_str();
  sub->add_option("--max-iterations", command->max_iterations, "Of IPOPT")
      ->type_name("N")
      ->capture_default_str();
  sub->add_option("--time-limit", command->time_limit, "In seconds; 0 is none")
      ->type_name("S")
      ->capture_default_str();
  sub->add_option("--ipopt", command->ipopt, "An option of IPOPT; repeatable")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  sub->add_option("--refine", command->refine,
                  "Halve the steps until the cost's estimated relative error is below")
      ->type_name("TOL");
  sub->add_flag("--adapt-mesh", command->adapts,
                "With --refine: halve steps only where their estimated error is large");
  sub->add_option("--continue", command->continuation,
                  "Change a parameter in steps, each from the solution before")
      ->type_name("NAME=FROM,TO,COUNT");
  sub->add_option("--starts", command->starts,
                  "Search from so many guesses, in processes, and list where they end")
      ->type_name("N");
  sub->add_option("--warm-start", command->warm_start, "Begin with a solution that --write wrote")
      ->type_name("FILE.json")
      ->check(names_a_file());
  sub->add_option("--write", command->write, "Write motion and multipliers, for --warm-start")
      ->type_name("FILE.json")
      ->check(names_a_file());
  sub->add_option("--out", command->out, "Write the motion to this file; - is standard output")
      ->type_name("FILE.csv")
      ->check(names_a_file());
  sub->add_option("--plot", command->plot,
                  "Write controls, velocities, reactions and costates to this file")
      ->type_name("FILE.svg")
      ->check(names_a_file());
  sub->add_option("--gains", command->gains,
                  "Write the gains of the feedback along the motion, step by step")
      ->type_name("FILE.csv")
      ->check(names_a_file());
  command->common.add_to(*sub);
  command->common.add_citations_to(*sub);
  sub->callback([command] { command->run(); });
}

}  // namespace liegrad::app
