#include <algorithm>

#include "report/reader_text.hpp"
#include "report/section_parts.hpp"
#include "report/sections.hpp"

namespace liegrad::app {

using nlohmann::ordered_json;

namespace {

/// A measured size: more digits would say nothing.
ordered_json size_text(const ordered_json& value) {
  return value.is_number() ? ordered_json(reader_number(value.get<double>(), 3)) : ordered_json();
}

/// "reached end" for reached_end.
ordered_json words_of(ordered_json value) {
  if (!value.is_string()) return value;
  std::string text = value.get<std::string>();
  std::ranges::replace(text, '_', ' ');
  return text;
}

}  // namespace

ordered_json simulate_section(const SummaryFile& summary) {
  const ordered_json& json = summary.json;
  ordered_json section = {{"title", title_of(json.at("system").get<std::string>())},
                          {"findings", json.value("warnings", ordered_json::array())}};
  const std::string doubt = json.value("reason_for_doubt", std::string());
  if (!doubt.empty())
    section["findings"].push_back("This result cannot be trusted: " + doubt + ".");
  const ordered_json energy = json.value("energy", ordered_json());
  const auto member = [&json](const char* name) { return json.value(name, ordered_json()); };
  section["settings"] = settings_of(json.at("options"));
  section["tables"] = ordered_json::array();
  section["tables"].push_back(value_table(
      "Run", {{"ended", words_of(member("termination"))},
              {"steps", member("steps")},
              {"Newton iterations", member("newton_iterations")},
              {"Jacobians", member("jacobian_evaluations")},
              {"wall time (s)", size_text(member("wall_seconds"))},
              {"largest |Φ|", size_text(member("max_position_residual"))},
              {"largest |Bv|", size_text(member("max_velocity_residual"))},
              {"largest relative energy drift",
               size_text(energy.is_object() ? energy.value("largest_relative_drift", ordered_json())
                                            : ordered_json())}}));
  if (!json.contains("samples_file")) {
    section["text"] =
        ordered_json::array({"Run with --out FILE.csv to have the motion in this report."});
    return section;
  }
  const ordered_json drawing = json.value("drawing", ordered_json::object());
  const Motion motion(file_beside(json["samples_file"].get<std::string>(), summary.name),
                      most_samples(drawing));
  section["plots"] = plots_of(motion, drawing);
  add_motion(section, drawing, motion);
  return section;
}

}  // namespace liegrad::app
