#include "commands/bench_command.hpp"

#include <array>
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "liegrad/lie/error.hpp"
#include "options/common_options.hpp"
#include "output/output_file.hpp"
#include "rows/row.hpp"

namespace liegrad::app {
namespace {

struct BenchOptions : CommonOptions {
  std::string only;  ///< prefix of the rows wanted
};

/// Whether a family can hold rows that begin with `prefix`.
bool may_hold(const bench::Family& family, const std::string& prefix) {
  return family.prefix.starts_with(prefix) || prefix.starts_with(family.prefix);
}

std::string printed(const bench::Row& row) {
  const bool is_lower_bound = row.unit == "x";
  const std::string bar =
      !row.bar ? "" : fmt::format("  {} {:g}", is_lower_bound ? "at least" : "at most", *row.bar);
  return fmt::format("{:<56} {:>10.4g} {:<6}{}\n", row.name, row.value, row.unit, bar);
}

void run(const BenchOptions& options) {
  check_files(std::array{FileOption{"--json", options.json_file}});
  auto summary = nlohmann::ordered_json::array();
  for (const bench::Family& family : bench::families()) {
    if (!may_hold(family, options.only)) continue;
    for (const bench::Row& row : family.measure()) {
      if (!row.name.starts_with(options.only)) continue;
      if (options.prints()) std::cout << printed(row) << std::flush;
      summary.push_back({{"name", row.name},
                         {"value", row.value},
                         {"unit", row.unit},
                         {"bar", row.bar ? nlohmann::ordered_json(*row.bar) : nullptr}});
    }
  }
  if (summary.empty()) {
    throw InvalidArgument("no row of the table begins with '" + options.only +
                          "'; `liegrad bench` prints them all");
  }
  options.write_json(summary);
}

}  // namespace

void add_bench_command(CLI::App& app) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* command = app.add_subcommand("bench", "Measure speed and cost ratios on this machine");
  command->add_option("--only", options->only, "Only rows whose name begins with this")
      ->type_name("PREFIX");
  options->add_to(*command);
  command->callback([options] { run(*options); });
}

}  // namespace liegrad::app
