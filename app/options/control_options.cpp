#include "options/control_options.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "liegrad/control/problems/built_in.hpp"
#include "liegrad/dae/system/name_table.hpp"
#include "liegrad/lie/error.hpp"
#include "options/common_options.hpp"
#include "options/control_file.hpp"
#include "options/option_value.hpp"
#include "output/number_text.hpp"

namespace liegrad::app {
namespace {

using control::SolveOptions;

constexpr int kMostStepsOfIndex3 = 2000;

template <class T>
T one_of(const std::string& option, const std::string& name, const dae::NameTable<T>& choices) {
  return option_value("--" + option, option, name, choices);
}

}  // namespace

void ControlOptions::add_to(CLI::App& command) {
  command.add_option("PROBLEM", problem_, "A built-in problem, see below, or a file NAME.json")
      ->required();
  command.add_option("--set", settings_, "A parameter of the problem or of its system")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command.add_option("--steps", steps_, "Of the grid, or of each phase; 100 unless given")
      ->type_name("N");
  command
      .add_option("--mesh", mesh_,
                  "Unequal steps: shares of the horizon at the grid points, 0,...,1")
      ->type_name("S,S,...");
  command
      .add_option("--transcription", transcription_, "simultaneous, multiple-shooting or shooting")
      ->type_name("NAME")
      ->capture_default_str();
  command.add_option("--segments", segments_, "Of multiple shooting")
      ->type_name("N")
      ->capture_default_str();
  integration_.add_grid_method_to(command);
  formulation_ = command.get_option("--formulation");
  command
      .add_option("--controls", controls_,
                  "linear between grid points, or constant in each step of a Radau method")
      ->type_name("KIND")
      ->capture_default_str();
  command.add_option("--hessian", hessian_, "exact or lbfgs")
      ->type_name("KIND")
      ->capture_default_str();
  command
      .add_option("--linear-solver", linear_solver_,
                  "Of IPOPT: auto, blocks (elimination in time) or mumps")
      ->type_name("KIND")
      ->capture_default_str();
  command.add_option("--tol", tolerance_, "Tolerance of IPOPT")
      ->type_name("E")
      ->capture_default_str();
  command.add_option("--max-iterations", max_iterations_, "Of IPOPT")
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--time-limit", time_limit_, "In seconds; 0 is none")
      ->type_name("S")
      ->capture_default_str();
  command.add_option("--ipopt", ipopt_, "An option of IPOPT; repeatable")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command
      .add_option("--refine", refine_,
                  "Halve the steps until the cost's estimated relative error is below")
      ->type_name("TOL");
  command.add_flag("--adapt-mesh", adapts_,
                   "With --refine: halve steps only where their estimated error is large");
  command
      .add_option("--continue", continuation_,
                  "Change a parameter in steps, each from the solution before")
      ->type_name("NAME=FROM,TO,COUNT");
  command
      .add_option("--starts", starts_,
                  "Search from so many guesses, in processes, and list where they end")
      ->type_name("N");
  command.add_option("--warm-start", warm_start_, "Begin with a solution that --write wrote")
      ->type_name("FILE.json")
      ->check(names_a_file());
  command.add_option("--write", write, "Write motion and multipliers, for --warm-start")
      ->type_name("FILE.json")
      ->check(names_a_file());
  command
      .add_option("--gains", gains,
                  "Write the gains of the feedback along the motion, step by step")
      ->type_name("FILE.csv")
      ->check(names_a_file());
}

bool ControlOptions::is_phased() const {
  return names_control_file(problem_) ? has_phases(problem_)
                                      : control::find_problem(problem_).make_phases != nullptr;
}

/// Values of --set, and that of --continue.
std::map<std::string, double> ControlOptions::given(std::optional<double> value) const {
  std::map<std::string, double> values;
  for (const std::string& setting : settings_) {
    const auto [name, number] = named_number_of("--set", setting);
    if (!values.emplace(name, number).second) {
      throw InvalidArgument("--set gives '" + name + "' twice; choose one value");
    }
  }
  if (value) values[path().parameter] = *value;
  return values;
}

control::Problem ControlOptions::problem(std::optional<double> value) const {
  if (!names_control_file(problem_)) return control::make_problem(problem_, given(value));
  return read_control_file(problem_).problem;
}

control::PhasedProblem ControlOptions::phased_problem(std::optional<double> value) const {
  if (names_control_file(problem_)) return read_phased_file(problem_, steps_);
  const int steps = steps_.value_or(control::find_problem(problem_).default_steps);
  return control::make_phased_problem(problem_, steps, given(value));
}

void ControlOptions::check_phases() const {
  const auto refuse = [this](const std::string& sentence) {
    throw InvalidArgument("problem '" + problem_ + "' has phases, " + sentence);
  };
  if (!mesh_.empty()) {
    refuse("each with a grid of its own; leave --mesh out and give a phase of a file its 'mesh'");
  }
  if (!gains.empty()) {
    refuse("and gains lead through one phase only; leave --gains out");
  }
  if (transcription_ != "simultaneous") {
    refuse("whose links join unknowns; take the simultaneous transcription, not " + transcription_);
  }
}

SolveOptions ControlOptions::solve_options() const {
  SolveOptions options;
  if (integration_.chooses_alpha_method()) {
    options.transcription.method = integration_.alpha_method();
  }
  options.transcription.radau_stages = integration_.radau_stages();
  options.transcription.constant_controls =
      one_of<bool>("controls", controls_, {{"linear", false}, {"constant", true}});
  options.hessian = one_of<control::HessianMode>(
      "hessian", hessian_,
      {{"exact", control::HessianMode::kExact}, {"lbfgs", control::HessianMode::kLimitedMemory}});
  options.linear_solver =
      one_of<control::LinearSolver>("linear-solver", linear_solver_,
                                    {{"auto", control::LinearSolver::kAutomatic},
                                     {"blocks", control::LinearSolver::kBlocks},
                                     {"mumps", control::LinearSolver::kMumps}});
  options.transcription.kind = one_of<control::TranscriptionKind>(
      "transcription", transcription_,
      {{"simultaneous", control::TranscriptionKind::kSimultaneous},
       {"multiple-shooting", control::TranscriptionKind::kMultipleShooting},
       {"shooting", control::TranscriptionKind::kShooting}});
  options.transcription.segments = segments_;
  options.tolerance = tolerance_;
  options.find_gains = !gains.empty();
  options.max_iterations = max_iterations_;
  options.time_limit = time_limit_;
  for (const std::string& text : ipopt_) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) {
      throw InvalidArgument("--ipopt takes NAME=VALUE, not '" + text + "'");
    }
    options.ipopt[text.substr(0, equals)] = text.substr(equals + 1);
  }
  if (!is_phased()) set_grid(options.transcription);
  options.transcription.formulation = chooses_index_2(options.transcription)
                                          ? dae::Formulation::kIndex2
                                          : integration_.constraint_formulation();
  return options;
}

/// From some thousand steps on IPOPT regularises the matrix of index 3 near a minimum, as if it were a saddle, and hardly
/// goes on; that of index 2 it does not. Rounding errors of multipliers, ε/h² and ε/h, may be the cause.
bool ControlOptions::chooses_index_2(const control::TranscriptionOptions& grid) const {
  const int steps = std::max(grid.steps, static_cast<int>(grid.mesh.size()) - 1);
  return grid.radau_stages == 0 && formulation_->count() == 0 && steps > kMostStepsOfIndex3;
}

std::vector<std::string> ControlOptions::choices(const dae::Model& system) const {
  if (system.num_multipliers() == 0 || !chooses_index_2(solve_options().transcription)) return {};
  return {"formulation index2: with so many steps searches in index 3 hardly converge"};
}

/// What is typed goes before what a file says.
void ControlOptions::set_grid(control::TranscriptionOptions& grid) const {
  if (steps_ && !mesh_.empty()) {
    throw InvalidArgument("--steps and --mesh are two grids; choose one");
  }
  if (steps_) {
    grid.steps = *steps_;
  } else if (!mesh_.empty()) {
    grid.mesh = numbers_of("--mesh", mesh_);
  } else if (names_control_file(problem_)) {
    const ControlFile file = read_control_file(problem_);
    grid.steps = file.steps;
    grid.mesh = file.mesh;
  } else {
    grid.steps = control::find_problem(problem_).default_steps;
  }
}

SearchPlan ControlOptions::plan() const {
  if (int{refine_.has_value()} + int{!continuation_.empty()} + int{starts_.has_value()} > 1) {
    throw InvalidArgument("--refine, --continue and --starts are three ways; choose one");
  }
  if (adapts_ && !refine_) {
    throw InvalidArgument("--adapt-mesh says how --refine TOL refines; give both");
  }
  if (starts_ && !warm_start_.empty()) {
    throw InvalidArgument("--starts draws its guesses; leave --warm-start out");
  }
  if (names_control_file(problem_)) {
    for (const auto& [option, is_given] : {std::pair{"--set", !settings_.empty()},
                                           std::pair{"--continue", !continuation_.empty()}}) {
      if (!is_given) continue;
      throw InvalidArgument(std::string(option) + " is for built-in problems; write values into " +
                            problem_);
    }
  }
  SearchPlan plan{.warm_start = warm_start_};
  if (refine_) {
    plan.way = SearchWay::kRefine;
    plan.refine = {.tolerance = *refine_, .adapts = adapts_};
  } else if (!continuation_.empty()) {
    plan.way = SearchWay::kFollow;
    plan.path = path();
  } else if (starts_) {
    plan.way = SearchWay::kStarts;
    plan.starts = *starts_;
  }
  return plan;
}

/// --continue NAME=FROM,TO or NAME=FROM,TO,COUNT.
ParameterPath ControlOptions::path() const {
  const auto refuse = [this] {
    throw InvalidArgument("--continue takes NAME=FROM,TO or NAME=FROM,TO,COUNT, not '" +
                          continuation_ + "'");
  };
  const std::size_t equals = continuation_.find('=');
  if (equals == 0 || equals == std::string::npos) refuse();
  ParameterPath path{.parameter = continuation_.substr(0, equals)};
  const std::vector<double> values =
      numbers_of("--continue " + path.parameter, continuation_.substr(equals + 1));
  if (values.size() != 2 && values.size() != 3) refuse();
  const double count = values.size() == 3 ? values[2] : 10;
  if (!(count >= 1 && count <= 1e6) || count != static_cast<int>(count)) refuse();
  if (given({}).contains(path.parameter)) {
    throw InvalidArgument("--set and --continue both give '" + path.parameter + "'; choose one");
  }
  path.from = values[0];
  path.to = values[1];
  path.count = static_cast<int>(count);
  return path;
}

}  // namespace liegrad::app
