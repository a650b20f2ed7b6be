#include "converge_command.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>

#include "common_options.hpp"
#include "convergence.hpp"
#include "csv_file.hpp"
#include "integration_options.hpp"
#include "loglog_plot.hpp"
#include "number_text.hpp"
#include "progress.hpp"
#include "reference_file.hpp"
#include "summary_names.hpp"

namespace liegrad::app {
namespace {

using nlohmann::ordered_json;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
/// The reference has this fraction of the smallest step unless told otherwise.
constexpr double kReferenceFraction = 1.0 / 8;

/// One step size.
struct Row {
  double step = 0;
  dae::IntegrateSummary summary = {};
  ByVariable errors = {kNone, kNone, kNone}, orders = {kNone, kNone, kNone};
};

struct Study {
  std::string system;
  double interval = 0;        ///< the largest step
  std::vector<double> times;  ///< multiples of it
  std::string reference;      ///< what the errors are against
  std::vector<Row> rows;
  ByVariable fitted;
  bool has_multipliers = false;
};

class ConvergeCommand {
 public:
  void add_to(CLI::App& command);
  void run() const;

 private:
  std::vector<double> steps() const;
  std::pair<double, double> window(double t_end) const;
  std::vector<double> times(double interval, double t_end) const;
  dae::Solution integrate(const dae::System& system, double step, const Study& study) const;
  std::vector<dae::State> reference_states(const dae::System& system, double step,
                                           const Study& study) const;
  Study study(const dae::System& system) const;
  void write_table(const Study& study) const;
  ordered_json json_of(const Study& study) const;

  CommonOptions common_;
  IntegrationOptions integration_;
  std::string steps_, window_, reference_file_, out_, plot_;
  std::optional<double> reference_step_;
  bool absolute_ = false;
};

/// Largest first.
std::vector<double> ConvergeCommand::steps() const {
  std::vector<double> list = numbers_of("--steps", steps_);
  std::sort(list.begin(), list.end(), std::greater<>());
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!std::isfinite(list[i]) || list[i] <= 0) {
      throw InvalidArgument(
          fmt::format("--steps has the step {:g}; steps must be positive", list[i]));
    }
    if (i > 0 && list[i] == list[i - 1]) {
      throw InvalidArgument(fmt::format("--steps has the step {:g} twice", list[i]));
    }
  }
  return list;
}

std::pair<double, double> ConvergeCommand::window(double t_end) const {
  if (window_.empty()) return {0, t_end};
  const std::vector<double> ends = numbers_of("--window", window_);
  if (ends.size() != 2 || !(ends[0] < ends[1])) {
    throw InvalidArgument("--window is given '" + window_ + "'; write T0,T1 with T0 before T1");
  }
  return {ends[0], ends[1]};
}

/// Multiples of the largest step in the window, without the start, whose values are given.
std::vector<double> ConvergeCommand::times(double interval, double t_end) const {
  const auto [first, last] = window(t_end);
  const double rounding = 1e-9 * interval;
  std::vector<double> list;
  for (long k = 1; static_cast<double>(k) * interval <= std::min(last, t_end) + rounding; ++k) {
    const double t = static_cast<double>(k) * interval;
    if (t >= first - rounding) list.push_back(t);
  }
  if (list.empty()) {
    throw InvalidArgument(
        fmt::format("no multiple of the largest step {:g} up to the end {:g} is in the window from "
                    "{:g} to {:g}; "
                    "choose smaller steps or another window",
                    interval, t_end, first, last));
  }
  return list;
}

/// The samples are the states at the times of the study; fewer if the run could not go on.
dae::Solution ConvergeCommand::integrate(const dae::System& system, double step,
                                         const Study& study) const {
  dae::IntegrateOptions options = integration_.make();
  options.step = step;
  options.sample_interval = study.interval;
  RunProgress progress(options.t_start, options.t_end, !common_.quiet);
  options.on_step = [&progress](const dae::State& state) {
    progress.update(state.t);
    return true;
  };
  dae::Solution solution = dae::integrate(system, options);
  const double before = study.times.front() - 0.5 * study.interval;
  const double after = study.times.back() + 0.5 * study.interval;
  std::erase_if(solution.samples, [before, after](const dae::State& state) {
    return state.t < before || state.t > after;
  });
  if (solution.summary.is_complete() && solution.samples.size() != study.times.size()) {
    throw Error(fmt::format("with h = {:g} the run has {} of {} samples", step,
                            solution.samples.size(), study.times.size()));
  }
  return solution;
}

std::vector<dae::State> ConvergeCommand::reference_states(const dae::System& system, double step,
                                                          const Study& study) const {
  if (!reference_file_.empty()) return read_reference(reference_file_, system, study.times);
  dae::Solution solution = integrate(system, step, study);
  if (!solution.summary.is_complete()) {
    throw Error("the reference could not be computed: " + solution.summary.message);
  }
  return std::move(solution.samples);
}

Study ConvergeCommand::study(const dae::System& system) const {
  const std::vector<double> list = steps();
  const double reference_step = reference_step_.value_or(kReferenceFraction * list.back());
  dae::IntegrateOptions options = integration_.make();
  for (const double step : {list.front(), reference_step}) {
    options.step = step;
    check(options, system);
  }
  if (reference_file_.empty() && reference_step >= list.back()) {
    throw InvalidArgument(
        fmt::format("the step {:g} of the reference is not below the smallest of --steps, {:g}",
                    reference_step, list.back()));
  }

  Study study;
  study.system = system.name();
  study.has_multipliers = system.num_multipliers() > 0;
  study.interval = list.front();
  study.times = times(study.interval, options.t_end);
  study.reference =
      reference_file_.empty() ? fmt::format("h = {:g}", reference_step) : reference_file_;
  const std::vector<dae::State> reference = reference_states(system, reference_step, study);
  std::vector<ByVariable> errors;
  for (const double step : list) {
    Row row{.step = step};
    const dae::Solution solution = integrate(system, step, study);
    row.summary = solution.summary;
    if (row.summary.is_complete()) {
      row.errors = largest_errors(system, solution.samples, reference, absolute_);
    }
    if (!study.rows.empty()) {
      const Row& last = study.rows.back();
      row.orders = observed_order(last.step, last.errors, row.step, row.errors);
    }
    errors.push_back(row.errors);
    study.rows.push_back(row);
  }
  study.fitted = fitted_order(list, errors);
  return study;
}

void print(const Study& study, bool absolute) {
  const auto error = [](double value) {
    return std::isnan(value) ? fmt::format("{:>12}", "-") : fmt::format("{:>12.4e}", value);
  };
  const auto order = [](double value) {
    return std::isnan(value) ? fmt::format("{:>7}", "") : fmt::format("{:>7.2f}", value);
  };
  const char* const kind = absolute ? "absolute" : "relative";
  fmt::print("{}: largest {} errors at {} times from {:g} to {:g}, against {}\n", study.system,
             kind, study.times.size(), study.times.front(), study.times.back(), study.reference);
  fmt::print("{:>12} {:>12} {:>7} {:>12} {:>7}", "h", "q", "order", "v", "order");
  fmt::print("{}\n", study.has_multipliers ? fmt::format(" {:>12} {:>7}", "lambda", "order") : "");
  const auto print_row = [&](const std::string& name, const auto& e, const ByVariable& o) {
    std::string text = fmt::format("{:>12} {} {} {} {}", name, e(&ByVariable::q), order(o.q),
                                   e(&ByVariable::v), order(o.v));
    if (study.has_multipliers) text += " " + e(&ByVariable::lambda) + " " + order(o.lambda);
    text.resize(text.find_last_not_of(' ') + 1);
    fmt::print("{}\n", text);
  };
  for (const Row& row : study.rows) {
    const auto value = [&](double ByVariable::*variable) { return error(row.errors.*variable); };
    print_row(fmt::format("{:g}", row.step), value, row.orders);
  }
  const auto nothing = [](double ByVariable::*) { return std::string(12, ' '); };
  print_row("fitted", nothing, study.fitted);
}

LogLogPlot plot_of(const Study& study) {
  LogLogPlot plot{study.system + ", errors against " + study.reference, "h", "error"};
  const auto add = [&](const std::string& name, double ByVariable::*variable) {
    const double order = study.fitted.*variable;
    PlotSeries series{std::isnan(order) ? name : fmt::format("{} (order {:.2f})", name, order)};
    for (const Row& row : study.rows) series.points.emplace_back(row.step, row.errors.*variable);
    plot.series.push_back(series);
  };
  add("q", &ByVariable::q);
  add("v", &ByVariable::v);
  if (study.has_multipliers) add("lambda", &ByVariable::lambda);
  return plot;
}

void write_text(const std::string& name, const std::string& text) {
  std::ofstream file(name);
  file << text;
  file.close();
  if (!file) throw InvalidArgument(name + " cannot be written: " + std::strerror(errno));
}

void ConvergeCommand::write_table(const Study& study) const {
  std::vector<std::string> columns = {"step", "error_q", "order_q", "error_v", "order_v"};
  if (study.has_multipliers) columns.insert(columns.end(), {"error_lambda", "order_lambda"});
  CsvFile file(out_, columns);
  for (const Row& row : study.rows) {
    std::vector<double> numbers = {row.errors.q, row.orders.q, row.errors.v, row.orders.v};
    if (study.has_multipliers) {
      numbers.insert(numbers.end(), {row.errors.lambda, row.orders.lambda});
    }
    file.write_row(row.step, numbers);
  }
  file.close();
}

ordered_json ConvergeCommand::json_of(const Study& study) const {
  // What there is none of is null: the JSON of NaN.
  const auto by_variable = [&](const ByVariable& numbers) {
    return ordered_json{{"q", numbers.q}, {"v", numbers.v}, {"lambda", numbers.lambda}};
  };
  ordered_json rows = ordered_json::array();
  for (const Row& row : study.rows) {
    rows.push_back({{"step", row.step},
                    {"errors", by_variable(row.errors)},
                    {"orders", by_variable(row.orders)},
                    {"steps", row.summary.steps},
                    {"newton_iterations", row.summary.newton_iterations},
                    {"wall_seconds", row.summary.wall_seconds},
                    {"termination", termination_name(row.summary.termination)},
                    {"message", row.summary.message}});
  }
  ordered_json options = integration_.echo();
  options.erase("step");
  return {{"system", study.system},
          {"options", options},
          {"reference", study.reference},
          {"absolute", absolute_},
          {"window", {study.times.front(), study.times.back()}},
          {"times", study.times.size()},
          {"rows", rows},
          {"fitted_orders", by_variable(study.fitted)}};
}

void ConvergeCommand::run() const {
  const dae::System system = integration_.make_system();
  common_.check_json();
  for (const std::string& file : {out_, plot_}) check_writable(file);
  const Study result = study(system);
  if (!common_.quiet) {
    std::vector<std::string> warnings = result.rows.front().summary.warnings;
    for (const std::string& warning : integration_.warnings()) warnings.push_back(warning);
    for (const std::string& warning : warnings) {
      std::cerr << "liegrad: warning: " << warning << ".\n";
    }
  }
  if (common_.prints()) {
    print(result, absolute_);
    if (isatty(STDOUT_FILENO) == 1) fmt::print("{}", plot_of(result).text());
  }
  if (!out_.empty()) write_table(result);
  if (!plot_.empty()) write_text(plot_, plot_of(result).svg());
  common_.write_json(json_of(result));
  for (const Row& row : result.rows) {
    if (row.summary.is_complete()) continue;
    throw Error(fmt::format("with h = {:g} {}", row.step, row.summary.message));
  }
}

void ConvergeCommand::add_to(CLI::App& command) {
  integration_.add_to(command);
  command.add_option("--steps", steps_, "Step sizes")->type_name("H1,H2,…")->required();
  command
      .add_option("--window", window_, "Compare between these times; in the whole run unless given")
      ->type_name("T0,T1");
  CLI::Option* const file =
      command.add_option("--reference", reference_file_, "Samples that `simulate --out` wrote")
          ->type_name("FILE.csv");
  command
      .add_option("--reference-step", reference_step_,
                  "Step of the reference run; an eighth of the smallest unless given")
      ->type_name("H")
      ->excludes(file);
  command.add_flag("--absolute", absolute_, "Do not divide errors by the size of the solution");
  command.add_option("--out", out_, "Write the table to this file")->type_name("FILE.csv");
  command.add_option("--plot", plot_, "Write a log-log plot to this file")->type_name("FILE.svg");
  common_.add_to(command);
}

}  // namespace

void add_converge_command(CLI::App& app) {
  auto command = std::make_shared<ConvergeCommand>();
  CLI::App* sub =
      app.add_subcommand("converge", "Errors and observed orders for a list of step sizes");
  sub->footer(
      "Errors are the largest of |e|/|y| at the multiples of the largest step in the window: e is\n"
      "log(q_ref^-1 q), v - v_ref, lambda - lambda_ref, y the reference's q (each quaternion has\n"
      "length 1), v, lambda. Steps that do not divide the largest are interpolated. Orders are\n"
      "those between a step and the next larger one, and by least squares over all. The JSON has\n"
      "`rows` (`step`, `errors`, `orders`, each with `q`, `v`, `lambda`) and `fitted_orders`.");
  command->add_to(*sub);
  sub->callback([command] { command->run(); });
}

}  // namespace liegrad::app
