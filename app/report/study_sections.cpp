#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "report/reader_text.hpp"
#include "report/section_parts.hpp"
#include "report/sections.hpp"

namespace liegrad::app {
namespace {

using nlohmann::ordered_json;

/// Enough digits to see where two modes part.
constexpr int kDigits = 12;

/// Gradients by output: with one output, the summary has its gradient alone.
std::map<std::string, ordered_json> gradients_of(const ordered_json& json) {
  const ordered_json& gradient = json.at("gradient");
  if (!gradient.empty() && gradient.begin()->is_object()) {
    return gradient.get<std::map<std::string, ordered_json>>();
  }
  return {{json.at("of").at(0).get<std::string>(), gradient}};
}

ordered_json reversed(const ordered_json& list) {
  ordered_json result = ordered_json::array();
  for (std::size_t i = list.size(); i > 0; --i) result.push_back(list[i - 1]);
  return result;
}

}  // namespace

ordered_json converge_section(const SummaryFile& summary) {
  const ordered_json& json = summary.json;
  ordered_json columns = ordered_json::array({"step (s)"}), rows = ordered_json::array(),
               steps = ordered_json::array();
  std::vector<std::pair<std::string, ordered_json>> errors;  // in the order of the columns
  for (const ordered_json& row : json.at("rows")) {
    ordered_json cells = ordered_json::array({row.at("step")});
    steps.push_back(row["step"]);
    for (const auto& [name, error] : row.at("errors").items()) {
      if (rows.empty()) {
        columns.insert(columns.end(), {"error of " + name, "order"});
        errors.emplace_back(name, ordered_json::array());
      }
      std::ranges::find(errors, name, &std::pair<std::string, ordered_json>::first)
          ->second.push_back(error);
      cells.push_back(error);
      const ordered_json order = row.at("orders").value(name, ordered_json());
      cells.push_back(order.is_number() ? ordered_json(reader_number(order.get<double>(), 3))
                                        : order);
    }
    rows.push_back(std::move(cells));
  }
  ordered_json series = ordered_json::array();
  for (const auto& [name, values] : errors) {
    // Steps come largest first; a plot needs them in order.
    series.push_back({{"name", name}, {"values", reversed(values)}});
  }
  ordered_json section = {
      {"title", title_of(json.at("system").get<std::string>()) + ": convergence"},
      {"text",
       ordered_json::array({"Reference: " + json.at("reference").get<std::string>() + "."})},
      {"tables", ordered_json::array()},
      {"plots", ordered_json::array()}};
  section["tables"].push_back(
      {{"title", "Errors and observed orders"}, {"columns", columns}, {"rows", rows}});
  section["settings"] = settings_of(json.at("options"));
  section["plots"].push_back(
      {{"title", "Errors over step size"},
       {"x_label", "step"},
       {"x_unit", "s"},
       {"x_log", true},
       {"y_label", json.value("absolute", false) ? "error" : "relative error"},
       {"unit", ""},
       {"log", true},
       {"time", reversed(steps)},
       {"series", series}});
  return section;
}

ordered_json sensitivity_section(const std::vector<SummaryFile>& summaries) {
  ordered_json columns = ordered_json::array({"by"}), tables = ordered_json::array();
  std::vector<std::pair<std::string, ordered_json>> times;
  for (const SummaryFile& summary : summaries) {
    const std::string mode = summary.json.at("mode").get<std::string>();
    columns.push_back(mode);
    const ordered_json seconds = summary.json.value("wall_seconds", ordered_json());
    times.emplace_back(
        mode + ": time (s)",
        seconds.is_number() ? ordered_json(reader_number(seconds.get<double>(), 3)) : seconds);
  }
  tables.push_back(value_table("Cost", times));
  for (const auto& [output, gradient] : gradients_of(summaries.front().json)) {
    ordered_json rows = ordered_json::array();
    for (const auto& [name, unused] : gradient.items()) {
      ordered_json row = ordered_json::array({name});
      for (const SummaryFile& summary : summaries) {
        const ordered_json value =
            gradients_of(summary.json).at(output).value(name, ordered_json());
        row.push_back(value.is_number() ? ordered_json(reader_number(value.get<double>(), kDigits))
                                        : value);
      }
      rows.push_back(std::move(row));
    }
    tables.push_back({{"title", "Derivatives of " + output}, {"columns", columns}, {"rows", rows}});
  }
  return {{"title",
           title_of(summaries.front().json.at("system").get<std::string>()) + ": sensitivities"},
          {"tables", tables},
          {"settings", settings_of(summaries.front().json.at("options"))}};
}

}  // namespace liegrad::app
