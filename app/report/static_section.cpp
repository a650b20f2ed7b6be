#include <algorithm>

#include "report/section_parts.hpp"
#include "report/sections.hpp"

namespace liegrad::app {

using nlohmann::ordered_json;

namespace {

/// The states after each load step as a motion, in which the part of the load stands for time.
Motion motion_of(const std::string& file, std::size_t most_samples) {
  optimize::Table table = optimize::read_table(file);
  std::ranges::replace(table.names, std::string("load"), std::string("t"));
  return Motion(std::move(table), most_samples);
}

}  // namespace

ordered_json static_section(const SummaryFile& summary) {
  const ordered_json& json = summary.json;
  const auto member = [&json](const char* name) { return json.value(name, ordered_json()); };
  ordered_json section = {
      {"title", title_of(json.at("system").get<std::string>()) + " at rest"},
      {"findings", ordered_json::array()},
      {"tables", ordered_json::array({value_table(
                     "Equilibrium", {{"part of the load", member("load")},
                                     {"load steps", member("load_steps")},
                                     {"failed steps", member("failed_steps")},
                                     {"Newton iterations", member("newton_iterations")}})})},
      {"settings", {{"group", member("group")}}}};
  if (!json.at("converged").get<bool>()) {
    section["findings"].push_back(json.at("message").get<std::string>() + ".");
  }
  if (!json.contains("table_file")) {
    section["text"] =
        ordered_json::array({"Run with --out FILE.csv to have the shapes in this report."});
    return section;
  }
  const ordered_json drawing = json.value("drawing", ordered_json::object());
  const Motion motion = motion_of(file_beside(json["table_file"].get<std::string>(), summary.name),
                                  most_samples(drawing));
  section["cursor"] = {{"name", "load"}, {"unit", ""}};
  section["plots"] = ordered_json::array();
  for (ordered_json& plot : plots_of(motion, drawing)) {
    // What moves does so from one equilibrium to the next: it has no momentum, and energy comes with the load.
    if (plot["group"] == "Motion" || plot["group"] == "Forces") {
      section["plots"].push_back(std::move(plot));
    }
  }
  add_motion(section, drawing, motion);
  return section;
}

}  // namespace liegrad::app
