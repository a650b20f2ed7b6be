#include "studies/convergence_study.hpp"

#include <cmath>

#include <fmt/format.h>

#include "liegrad/dae/report.hpp"
#include "output/csv_file.hpp"
#include "output/loglog_plot.hpp"
#include "output/output_file.hpp"

namespace liegrad::app {
namespace {

using nlohmann::ordered_json;

LogLogPlot plot_of(const Study& study) {
  LogLogPlot plot{study.system + ", errors against " + study.reference, "step h (s)", "error"};
  const auto add = [&](const std::string& name, double ByVariable::*variable) {
    const double order = study.fitted.*variable;
    PlotSeries series{std::isnan(order) ? name : fmt::format("{} (order {:.2f})", name, order)};
    for (const StudyRow& row : study.rows)
      series.points.emplace_back(row.step, row.errors.*variable);
    plot.series.push_back(series);
  };
  add("q", &ByVariable::q);
  add("v", &ByVariable::v);
  if (study.has_multipliers) add("lambda", &ByVariable::lambda);
  return plot;
}

}  // namespace

void print(const Study& study, const std::string& kind) {
  const auto error = [](double value) {
    return std::isnan(value) ? fmt::format("{:>12}", "-") : fmt::format("{:>12.4e}", value);
  };
  const auto order = [](double value) {
    return std::isnan(value) ? fmt::format("{:>7}", "") : fmt::format("{:>7.2f}", value);
  };
  fmt::print("{}: largest {} errors of all steps from {:g} to {:g}, against {}\n", study.system,
             kind, study.times.front(), study.times.back(), study.reference);
  fmt::print("{:>12} {:>12} {:>7} {:>12} {:>7}", "h", "q", "order", "v", "order");
  fmt::print("{}\n", study.has_multipliers ? fmt::format(" {:>12} {:>7}", "lambda", "order") : "");
  const auto print_row = [&](const std::string& name, const auto& e, const ByVariable& o) {
    std::string text = fmt::format("{:>12} {} {} {} {}", name, e(&ByVariable::q), order(o.q),
                                   e(&ByVariable::v), order(o.v));
    if (study.has_multipliers) text += " " + e(&ByVariable::lambda) + " " + order(o.lambda);
    text.resize(text.find_last_not_of(' ') + 1);
    fmt::print("{}\n", text);
  };
  for (const StudyRow& row : study.rows) {
    const auto value = [&](double ByVariable::*variable) { return error(row.errors.*variable); };
    print_row(fmt::format("{:g}", row.step), value, row.orders);
  }
  const auto nothing = [](double ByVariable::*) { return std::string(12, ' '); };
  print_row("fitted", nothing, study.fitted);
}

std::string plot_text(const Study& study) { return plot_of(study).text(); }

void write_plot(const Study& study, const std::string& file_name) {
  OutputFile file(file_name);
  file.write(plot_of(study).svg());
  file.close();
}

void write_table(const Study& study, const std::string& file_name) {
  std::vector<std::string> columns = {"step", "error_q", "order_q", "error_v", "order_v"};
  if (study.has_multipliers) columns.insert(columns.end(), {"error_lambda", "order_lambda"});
  CsvFile file(file_name, columns);
  for (const StudyRow& row : study.rows) {
    std::vector<double> numbers = {row.errors.q, row.orders.q, row.errors.v, row.orders.v};
    if (study.has_multipliers) {
      numbers.insert(numbers.end(), {row.errors.lambda, row.orders.lambda});
    }
    file.write_row(row.step, numbers);
  }
  file.close();
}

// What there is none of is null: the JSON of NaN.
ordered_json json_of(const ByVariable& numbers) {
  return {{"q", numbers.q}, {"v", numbers.v}, {"lambda", numbers.lambda}};
}

ordered_json rows_of(const Study& study) {
  ordered_json rows = ordered_json::array();
  for (const StudyRow& row : study.rows) {
    rows.push_back({{"step", row.step},
                    {"times", row.times},
                    {"errors", json_of(row.errors)},
                    {"orders", json_of(row.orders)},
                    {"steps", row.summary.steps},
                    {"newton_iterations", row.summary.newton_iterations},
                    {"wall_seconds", row.summary.wall_seconds},
                    {"termination", dae::name_of(row.summary.termination)},
                    {"message", row.summary.message}});
  }
  return rows;
}

}  // namespace liegrad::app
