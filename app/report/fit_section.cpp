#include <cmath>
#include <fstream>

#include <fmt/format.h>

#include "output/output_unit.hpp"
#include "report/fit_table.hpp"
#include "report/reader_text.hpp"
#include "report/scene.hpp"
#include "report/section_parts.hpp"
#include "report/sections.hpp"

namespace liegrad::app {
namespace {

using nlohmann::ordered_json;

std::string number_text_of(const ordered_json& value, int digits) {
  return value.is_number() ? reader_number(value.get<double>(), digits) : "unknown";
}

ordered_json parameter_table(const ordered_json& parameters) {
  ordered_json rows = ordered_json::array();
  for (const auto& [name, one] : parameters.items()) {
    const std::string verdict = one.at("verdict").get<std::string>();
    const ordered_json& interval = one.at("ci95");
    rows.push_back({name,
                    number_text_of(one.at("start"), 6),
                    number_text_of(one.at("value"), 8),
                    number_text_of(one.at("std"), 2),
                    number_text_of(interval.at(0), 6) + " to " + number_text_of(interval.at(1), 6),
                    {{"value", verdict}, {"mark", verdict == "identifiable" ? "good" : "bad"}}});
  }
  return {{"title", "Parameters"},
          {"columns", {"name", "start", "value", "std", "95 % interval", "verdict"}},
          {"rows", rows}};
}

ordered_json residual_table(const ordered_json& json) {
  ordered_json rows = ordered_json::array();
  for (const auto& [output, rms] : json.at("residual_rms").items()) {
    const bool turns = output.ends_with(".q");
    rows.push_back({output, rms, json.at("noise").value(output, ordered_json()),
                    turns ? "rad" : unit_of(output)});
  }
  return {{"title", "Residuals"}, {"columns", {"output", "rms", "noise", "unit"}}, {"rows", rows}};
}

/// Measured points and the fitted line of all components. An orientation has its band with its residuals.
ordered_json fit_plot_of(const FitTable& table, const std::string& output) {
  const bool has_bands = !output.ends_with(".q");
  ordered_json series = ordered_json::array();
  for (const std::string& name : table.components(output)) {
    const FitTable::Column& column = table.columns.at(name);
    const ordered_json times = rounded(column.times);
    ordered_json fitted = {
        {"name", name + " fitted"}, {"values", rounded(column.fitted)}, {"time", times}};
    if (has_bands) {
      fitted["band"] = {rounded(column.lower), rounded(column.upper)};
      fitted["band_name"] = "";  // the title says it once
    }
    series.push_back(std::move(fitted));
    series.push_back({{"name", name + " measured"},
                      {"values", rounded(column.measured)},
                      {"time", times},
                      {"style", "points"},
                      {"color_of", name + " fitted"}});
  }
  return {{"title", output + (has_bands ? ", with the 95 % band of the fit" : "")},
          {"group", "Measured and fitted"},
          {"y_label", output},
          {"unit", unit_of(output)},
          {"series", series}};
}

/// Measured minus fitted; of an orientation the rotation vector between both.
ordered_json residual_plot_of(const FitTable& table, const std::string& output) {
  const bool turns = output.ends_with(".q");
  ordered_json series = ordered_json::array();
  for (const std::string& name : table.components(output)) {
    const FitTable::Column& column = table.columns.at(name);
    if (turns && name.ends_with(".4")) continue;
    series.push_back({{"name", turns ? "rotation vector " + name.substr(name.size() - 1) : name},
                      {"values", rounded(column.residual)},
                      {"time", rounded(column.times)},
                      {"style", "points"}});
  }
  return {{"title", output + ": residuals"},
          {"group", "Residuals"},
          {"y_label", "residual"},
          {"unit", turns ? "rad" : unit_of(output)},
          {"series", series}};
}

/// The measured poses of a body, where both its position and its orientation were measured at the same times.
std::optional<ordered_json> ghost_of(const ordered_json& body, const FitTable& table) {
  const std::string name = body.at("name").get<std::string>();
  const std::string kind = body.at("kind").get<std::string>();
  if (kind != "body" && kind != "rotation" && kind != "point") return std::nullopt;
  std::vector<const std::vector<double>*> numbers(7, nullptr);
  const std::vector<double>* times = nullptr;
  bool is_complete = true;
  const auto take = [&](const std::string& output, int count, std::size_t first) {
    for (int i = 1; i <= count; ++i) {
      const auto found = table.columns.find(output + "." + std::to_string(i));
      is_complete =
          is_complete && found != table.columns.end() && (!times || found->second.times == *times);
      if (!is_complete) return;
      times = &found->second.times;
      numbers[first + static_cast<std::size_t>(i) - 1] = &found->second.measured;
    }
  };
  if (kind != "rotation") take(name + ".x", 3, 0);
  if (kind != "point") take(name + ".q", 4, 3);
  if (!is_complete) return std::nullopt;
  ordered_json poses = ordered_json::array(), kept = ordered_json::array();
  for (std::size_t i = 0; i < times->size(); ++i) {
    std::vector<double> pose = {0, 0, 0, 1, 0, 0, 0};
    bool is_measured = true;
    for (std::size_t k = 0; k < 7; ++k) {
      if (numbers[k]) pose[k] = (*numbers[k])[i];
      is_measured = is_measured && std::isfinite(pose[k]);
    }
    if (!is_measured) continue;
    poses.push_back(rounded(pose, 6));
    kept.push_back((*times)[i]);
  }
  if (poses.empty()) return std::nullopt;
  return ordered_json{{"name", "measured"}, {"body", name}, {"time", kept}, {"pose", poses}};
}

}  // namespace

ordered_json fit_section(const SummaryFile& summary) {
  const ordered_json& json = summary.json;
  ordered_json section = {{"title", title_of(json.at("system").get<std::string>()) + ": fit"},
                          {"text", ordered_json::array()},
                          {"findings", json.value("findings", ordered_json::array())}};
  for (const ordered_json& sentence : json.value("unidentifiable", ordered_json::array())) {
    section["findings"].push_back(sentence);
  }
  if (!json.at("converged").get<bool>()) {
    section["findings"].push_back(
        "The fit did not converge: " + json.at("message").get<std::string>() + ".");
  }
  const auto member = [&json](const char* name) { return json.value(name, ordered_json()); };
  section["tables"] = {parameter_table(json.at("parameters")), residual_table(json)};
  section["settings"] = {
      {"trials", json.at("trials").size()},     {"measured numbers", member("samples")},
      {"iterations", member("iterations")},     {"runs", member("evaluations")},
      {"Jacobian", member("jacobian")},         {"AICc", member("aicc")},
      {"wall time (s)", member("wall_seconds")}};
  section["settings"].update(settings_of(json.at("options")));
  if (!json.contains("table_file")) {
    section["text"].push_back(
        "Run with --out FILE.csv to have measured and fitted values in this report.");
    return section;
  }
  const FitTable table =
      read_fit_table(file_beside(json["table_file"].get<std::string>(), summary.name));
  if (json["trials"].size() > 1) {
    section["text"].push_back(fmt::format("Of the {} trials the figures show the first, {}.",
                                          json["trials"].size(),
                                          json["trials"][0].get<std::string>()));
  }
  const ordered_json drawing = json.value("drawing", ordered_json::object());
  if (json.contains("motion_file") && drawing.contains("bodies")) {
    const Motion motion(file_beside(json["motion_file"].get<std::string>(), summary.name),
                        most_samples(drawing));
    if (auto scene = scene_of(drawing, motion)) {
      section["scene"] = std::move(*scene);
      for (const ordered_json& body : drawing["bodies"]) {
        if (auto ghost = ghost_of(body, table))
          section["scene"]["ghosts"].push_back(std::move(*ghost));
      }
    }
  }
  section["plots"] = ordered_json::array();
  for (const std::string& output : table.outputs)
    section["plots"].push_back(fit_plot_of(table, output));
  for (const std::string& output : table.outputs)
    section["plots"].push_back(residual_plot_of(table, output));
  return section;
}

}  // namespace liegrad::app
