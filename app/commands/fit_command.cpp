#include "commands/fit_command.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/models/file/json_text.hpp"
#include "liegrad/optimize/fit/unknowns.hpp"
#include "options/command_line.hpp"
#include "options/common_options.hpp"
#include "options/fit_options.hpp"
#include "options/integration_options.hpp"
#include "options/interrupt.hpp"
#include "output/fit_plot.hpp"
#include "output/fit_report.hpp"
#include "output/output_file.hpp"
#include "output/progress.hpp"
#include "report/drawing.hpp"
#include "studies/fitted_motion.hpp"

namespace liegrad::app {
namespace {

using nlohmann::ordered_json;

struct FitCommand {
  CommonOptions common;
  IntegrationOptions integration;
  FitOptionsTyped typed;
  std::string out, plot, write, motion;

  void add_to(CLI::App& command);
  void run() const;

 private:
  void check_written_files() const;
  /// Of files that are given twice.
  std::vector<std::string> findings_on_files() const;
  /// What every iteration of the search says, and where Ctrl-C ends it.
  void observe(optimize::FitOptions& options, ProgressLine& progress) const;
  FitReport report(const optimize::FitProblem& problem, const optimize::FitOptions& options,
                   const dae::System& system) const;
};

void FitCommand::add_to(CLI::App& command) {
  // Of an absolute tolerance alone: tight, so that residuals are smooth to this part although steps change from one
  // iteration to the next.
  constexpr double kTolerance = 1e-8;
  integration.add_to(command, {.method = "--integrator",
                               .start = "--starting-values",
                               .has_t_end = false,
                               .rtol = kTolerance,
                               .leaves_tolerance_open = true});
  integration.add_steps_to(command);
  typed.add_to(command);
  const auto add_file = [&command](const char* name, std::string& value, const char* text) {
    command.add_option(name, value, text)->type_name("FILE")->check(names_a_file());
  };
  add_file("--out", out, "Write measured and fitted values with bands as CSV");
  add_file("--motion", motion, "Write all outputs of the fitted run of the first trial as CSV");
  add_file("--plot", plot, "Write a figure as SVG");
  add_file("--write", write, "Write the values found, for --set-file");
  common.add_to(command);
  common.add_citations_to(command);
}

std::vector<std::string> FitCommand::findings_on_files() const {
  std::vector<std::string> list;
  const std::vector<std::string>& data = typed.data();
  for (std::size_t i = 0; i < data.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (!is_same_file(data[i], data[k])) continue;
      list.push_back(data[i] + " is given twice by --data: its samples count twice, and " +
                     "intervals are too narrow");
    }
    for (const std::string& held_out : typed.holdout()) {
      if (!is_same_file(data[i], held_out)) continue;
      list.push_back(held_out + " is held out and data of the fit: it judges the fit too well");
    }
  }
  return list;
}

void FitCommand::check_written_files() const {
  std::vector<FileOption> read;
  for (const std::string& file : typed.data()) read.push_back({"--data", file});
  for (const std::string& file : typed.holdout()) read.push_back({"--holdout", file});
  check_files(
      std::array{FileOption{"--json", common.json_file}, FileOption{"--out", out},
                 FileOption{"--plot", plot}, FileOption{"--write", write},
                 FileOption{"--motion", motion}, FileOption{"--starts-file", typed.starts_file()}},
      read);
}

void FitCommand::observe(optimize::FitOptions& options, ProgressLine& progress) const {
  const int most = options.solver.max_iterations;
  const bool lists = common.verbose && common.prints({out, plot, write, motion});
  options.solver.on_iteration = [most, lists, &progress](
                                    const optimize::LeastSquaresOptions::Iteration& now,
                                    const Eigen::VectorXd&) {
    if (lists) {
      fmt::print("  iteration {:>3}  cost {:.8g}  step {:.3g}  gradient {:.3g}  {:.3g} s{}\n",
                 now.number, now.cost, now.step_norm, now.gradient_norm, now.seconds,
                 now.is_accepted ? "" : "  rejected");
    }
    if (progress.is_due() && now.number > 0) {
      progress.show(fmt::format("iteration {}, cost {:.6g}, step {:.3g}, gradient {:.3g}",
                                now.number, now.cost, now.step_norm, now.gradient_norm),
                    static_cast<double>(now.number) / most);
    }
    return !was_interrupted();
  };
}

FitReport FitCommand::report(const optimize::FitProblem& problem,
                             const optimize::FitOptions& options, const dae::System& system) const {
  FitReport report{system.name(), integration.echo(), {}};
  report.nodes = system.nodes();
  report.options.erase("t_end");
  // What cannot be used is told before a long search, not after it.
  const std::vector<std::string> unknowns = optimize::Unknowns(problem).names();
  for (const std::string& name : typed.profiled()) {
    if (std::find(unknowns.begin(), unknowns.end(), name) != unknowns.end()) continue;
    throw InvalidArgument("--profile: " + dae::unknown_name_message("unknown", name, unknowns));
  }
  if (typed.folds() > 0) optimize::check_parts(problem, typed.folds());
  std::vector<std::vector<optimize::Recording>> held_out;
  for (const std::string& file : typed.holdout()) held_out.push_back(typed.trials_of(file, system));
  if (typed.starts() > 1) {
    report.starts = optimize::fit_from_many(problem, options, typed.multi_start());
    report.result = report.starts->best;
  } else {
    report.result = optimize::fit(problem, options);
  }
  for (const std::string& sentence : findings_on_files()) {
    report.result.findings.push_back(sentence);
  }
  if (report.result.tolerance > 0) report.options["rtol"] = report.result.tolerance;
  if (!report.result.reason_for_method.empty()) {
    report.options["method"] = report.result.method;
    report.options["reason_for_method"] = report.result.reason_for_method;
  }
  if (was_interrupted()) return report;
  for (const std::string& name : typed.profiled()) {
    report.profiles.push_back(optimize::profile_of(problem, options, report.result, name));
    for (optimize::Estimate& estimate : report.result.parameters) {
      if (estimate.name == name) estimate.verdict = report.profiles.back().verdict;
    }
  }
  for (std::size_t i = 0; i < held_out.size(); ++i) {
    report.holdout.push_back(
        optimize::judge(problem, options, report.result, typed.holdout()[i], held_out[i]));
  }
  if (typed.folds() > 0) report.folds = optimize::cross_validate(problem, options, typed.folds());
  return report;
}

void FitCommand::run() const {
  const InterruptGuard guard;
  const dae::System system = integration.make_system();
  check_written_files();
  const optimize::FitProblem problem = typed.problem(system);
  optimize::FitOptions options = typed.options(integration.make(), problem);
  FitReport result{};
  {
    ProgressLine progress(!common.quiet);
    observe(options, progress);
    result = report(problem, options, system);
  }
  if (common.prints({out, plot, write, motion})) result.print(common.verbose);
  const dae::System fitted = fitted_system(problem, result.result);
  ordered_json json = result.json();
  json["drawing"] = drawing_json(fitted, fitted.parameter_values());
  if (!out.empty() && out != "-") json["table_file"] = out;
  if (!motion.empty() && motion != "-") json["motion_file"] = motion;
  common.write_json(json);
  if (!out.empty()) result.write_table(out);
  if (!write.empty()) result.write_values(write);
  if (!motion.empty()) {
    write_motion(fitted, problem.trials.front(), result.result.trials.front(),
                 optimize::with_runs_of(result.result, options).run, motion);
  }
  if (!plot.empty()) {
    OutputFile file(plot);
    file.write(fit_plot(result.result, system.name() + ": measured and fitted"));
    file.close();
  }
  if (was_interrupted()) throw Interrupted("interrupted; the best values so far were written");
  if (!result.result.converged) throw Error("the fit did not converge: " + result.result.message);
}

/// Whether a name in a file is that of another file, which is beside it.
bool names_file_that_is_read(const std::string& key) {
  return key == "data" || key == "holdout" || key == "set-file";
}

/// Refuses keys that are no options, and values that are no value of any.
void check_problem(const std::string& name, const ordered_json& json, const CLI::App& command) {
  std::vector<std::string> known = {"system"};
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_name() == "--help") continue;
    for (const std::string& own : option->get_lnames()) known.push_back(own);
  }
  for (const auto& [key, value] : json.items()) {
    if (std::ranges::find(known, key) == known.end()) {
      throw InvalidArgument(name + ": " + dae::unknown_name_message("option", key, known));
    }
    const CLI::Option* const option =
        key == "system" ? nullptr : command.get_option_no_throw("--" + key);
    if (option != nullptr && option->get_items_expected_max() == 0) {
      if (value.is_boolean()) continue;
      throw InvalidArgument(name + ": \"" + key + "\" is true or false");
    }
    const auto is_single = [](const ordered_json& one) {
      return one.is_string() || one.is_number();
    };
    const auto is_list = [&](const ordered_json& one) {
      return one.is_array() && std::ranges::all_of(one, is_single);
    };
    if (names_file_that_is_read(key)) {
      const auto is_name = [](const ordered_json& one) {
        return one.is_string() && !one.get<std::string>().empty();
      };
      const bool are_names =
          is_name(value) || (value.is_array() && std::ranges::all_of(value, is_name));
      if (are_names) continue;
      throw InvalidArgument(name + ": \"" + key + "\" is the name of a file or a list of names");
    }
    const bool is_usable =
        is_single(value) || is_list(value) ||
        (value.is_object() && std::ranges::all_of(value, [&](const ordered_json& one) {
           return is_single(one) || is_list(one);
         }));
    if (is_usable) continue;
    throw InvalidArgument(name + ": \"" + key +
                          "\" needs a number, a text, a list of these, or an object of names with "
                          "their values");
  }
}

/// A problem in a file has the options by their names, without the dashes: numbers and texts, lists for those that are
/// repeated or take several values, objects for those that take NAME=VALUE. Names of files to read are relative to it.
std::vector<std::string> arguments_in(const std::string& name, const ordered_json& json,
                                      const CLI::App& command) {
  if (!json.contains("system")) throw InvalidArgument(name + " names no \"system\"");
  if (!json["system"].is_string()) {
    throw InvalidArgument(name + ": \"system\" is a name of `liegrad models` or of a file");
  }
  const std::filesystem::path folder = std::filesystem::path(name).parent_path();
  const auto text_of = [](const ordered_json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
  };
  const auto joined = [&text_of](const ordered_json& list) {
    std::string text;
    for (const ordered_json& item : list) text += (text.empty() ? "" : ",") + text_of(item);
    return text;
  };
  const std::string system = text_of(json["system"]);
  std::vector<std::string> arguments = {names_system_file(system) ? (folder / system).string()
                                                                  : system};
  for (const auto& [key, value] : json.items()) {
    if (key == "system") continue;
    const auto add = [&](const std::string& text) {
      arguments.push_back("--" + key);
      arguments.push_back(names_file_that_is_read(key) ? (folder / text).string() : text);
    };
    const bool is_repeated = command.get_option("--" + key)->get_expected_max() > 1;
    if (value.is_boolean()) {
      if (value.get<bool>()) arguments.push_back("--" + key);
    } else if (value.is_object()) {
      for (const auto& [item, number] : value.items()) {
        add(item + "=" + (number.is_array() ? joined(number) : text_of(number)));
      }
    } else if (value.is_array() && is_repeated) {
      for (const ordered_json& item : value) add(text_of(item));
    } else if (value.is_array()) {
      add(joined(value));
    } else {
      add(text_of(value));
    }
  }
  return arguments;
}

}  // namespace

void add_fit_command(CLI::App& app) {
  auto command = std::make_shared<FitCommand>();
  CLI::App* sub = app.add_subcommand("fit", "Parameters from measured motion");
  sub->footer(
      "`liegrad fit PROBLEM.json` takes all of this from a file with the key `system`, whose "
      "others\n"
      "are names of options; what is typed comes after it. The JSON has `parameters` (value, std, "
      "ci95, "
      "verdict\n"
      "of each), `covariance`, `correlation`, `residual_rms` and `noise` by output, "
      "`unidentifiable`\n"
      "and `findings` in sentences, `converged` and `message`. See docs/fitting.md.");
  command->add_to(*sub);
  sub->callback([command, sub] {
    const std::string system = sub->get_option("SYSTEM")->as<std::string>();
    if (!names_system_file(system)) return command->run();
    const auto json = models::read_json<ordered_json>(system, "name a file with a problem");
    if (!json.is_object()) throw InvalidArgument(system + " is no JSON object");
    const bool is_problem = json.contains("system") || json.contains("data");
    if (!is_problem) return command->run();
    check_problem(system, json, *sub);
    // The file first, then what was typed.
    std::vector<std::string> arguments = arguments_in(system, json, *sub);
    for (const CLI::Option* option : sub->get_options()) {
      if (option->get_name() == "SYSTEM" || option->count() == 0) continue;
      if (option->get_items_expected_max() == 0) arguments.push_back(option->get_name());
      if (option->get_items_expected_max() == 0) continue;
      for (const std::string& value : option->results()) {
        arguments.push_back(option->get_name());
        arguments.push_back(value);
      }
    }
    FitCommand from_file;
    CLI::App parser{"fit"};
    parser.name("fit");
    from_file.add_to(parser);
    for (CLI::Option* option : parser.get_options()) {
      const bool is_list = option->get_expected_max() > 1;
      if (!is_list) option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    }
    std::reverse(arguments.begin(), arguments.end());
    try {
      parser.parse(std::move(arguments));
    } catch (const CLI::ParseError& error) {
      throw InvalidArgument(system + ": " + mistake_in(error));
    }
    from_file.run();
  });
}

}  // namespace liegrad::app
