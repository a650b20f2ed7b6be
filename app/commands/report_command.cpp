#include "commands/report_command.hpp"

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "liegrad/lie/error.hpp"
#include "liegrad/models/file/json_text.hpp"
#include "options/common_options.hpp"
#include "output/output_file.hpp"
#include "report/page.hpp"
#include "report/sections.hpp"

namespace liegrad::app {
namespace {

using nlohmann::ordered_json;

struct ReportCommand {
  std::vector<std::string> files;
  std::string out = "report.html", title;
  bool quiet = false;

  void run() const;
};

SummaryFile read_summary(const std::string& name) {
  SummaryFile summary{name, models::read_json<ordered_json>(name, "name a file that --json wrote")};
  if (!summary.json.is_object()) throw InvalidArgument(name + " is no JSON object");
  return summary;
}

/// Sensitivities of the same outputs of a system, which stand side by side.
bool belong_together(const SummaryFile& a, const SummaryFile& b) {
  const auto same = [&](const char* name) {
    return a.json.value(name, ordered_json()) == b.json.value(name, ordered_json());
  };
  return a.command() == "sensitivity" && b.command() == "sensitivity" && same("system") &&
         same("of");
}

/// Sections of a summary, or of a description of a page, which has its own.
void append_sections(const SummaryFile& summary, ordered_json& page) {
  const std::string command = summary.command();
  ordered_json& sections = page["sections"];
  if (summary.json.contains("sections")) {
    for (const ordered_json& section : summary.json["sections"]) sections.push_back(section);
    for (const ordered_json& citation : summary.json.value("citations", ordered_json::array())) {
      page["citations"].push_back(citation);
    }
  } else if (command == "simulate") {
    sections.push_back(simulate_section(summary));
  } else if (command == "static") {
    sections.push_back(static_section(summary));
  } else if (command == "fit") {
    sections.push_back(fit_section(summary));
  } else if (command == "control") {
    sections.push_back(control_section(summary));
  } else if (command == "converge") {
    sections.push_back(converge_section(summary));
  } else {
    throw InvalidArgument(
        summary.name +
        " is no summary that simulate, static, converge, sensitivity, fit or control "
        "wrote with --json, and no description of a page");
  }
}

ordered_json page_of(const std::vector<SummaryFile>& summaries) {
  ordered_json page = {{"title", "Liegrad report"},
                       {"sections", ordered_json::array()},
                       {"citations", citations_of(summaries)},
                       {"footer", "Written by Liegrad " LIEGRAD_VERSION "."}};
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    try {
      if (summaries[i].command() != "sensitivity") {
        append_sections(summaries[i], page);
        continue;
      }
      std::vector<SummaryFile> group = {summaries[i]};
      while (i + 1 < summaries.size() && belong_together(group.front(), summaries[i + 1])) {
        group.push_back(summaries[++i]);
      }
      page["sections"].push_back(sensitivity_section(group));
    } catch (const ordered_json::exception& error) {
      throw InvalidArgument(summaries[i].name +
                            " is not as docs/report.md describes it: " + error.what());
    }
  }
  if (summaries.size() == 1) {
    page["title"] = summaries.front().json.value("title", page["sections"].at(0).at("title"));
  }
  return page;
}

void ReportCommand::run() const {
  std::vector<FileOption> read;
  for (const std::string& file : files) read.push_back({"RUN.json", file});
  check_files(std::array{FileOption{"--out", out}}, read);
  std::vector<SummaryFile> summaries;
  for (const std::string& file : files) summaries.push_back(read_summary(file));
  ordered_json page = page_of(summaries);
  if (!title.empty()) page["title"] = title;
  std::string html;
  try {
    html = page_html(page);
  } catch (const ordered_json::exception& error) {
    throw InvalidArgument(std::string("the page is not as docs/report.md describes it: ") +
                          error.what());
  }
  OutputFile file(out);
  file.write(html);
  file.close();
  if (!quiet && out != "-") fmt::print("{}: {} KiB\n", out, html.size() / 1024);
}

}  // namespace

void add_report_command(CLI::App& app) {
  auto command = std::make_shared<ReportCommand>();
  CLI::App* sub =
      app.add_subcommand("report", "One page of figures from the summaries of other commands");
  sub->footer(
      "Summaries are what simulate, static, converge, sensitivity, fit and control write with\n"
      "--json. The motion comes from the files that they name: those of --out, and of\n"
      "`fit --motion`. The page is complete: it loads nothing, and it can be printed. A file with\n"
      "`sections` is a description of a page, see docs/report.md.");
  sub->add_option("RUN.json", command->files, "Summaries; those of several runs become one page")
      ->required();
  sub->add_option("--out", command->out, "The page; - is standard output")
      ->type_name("FILE.html")
      ->check(names_a_file())
      ->capture_default_str();
  sub->add_option("--title", command->title, "Heading of the page")->type_name("TEXT");
  sub->add_flag("--quiet", command->quiet, "Print nothing but errors");
  sub->callback([command] { command->run(); });
}

}  // namespace liegrad::app
