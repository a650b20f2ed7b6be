#include "report/section_parts.hpp"

#include <algorithm>
#include <cctype>
#include <limits>

#include "output/output_unit.hpp"
#include "report/scene.hpp"

namespace liegrad::app {
namespace {

using nlohmann::ordered_json;

/// Bodies whose motion is plotted; of more than these the last and some between are.
constexpr std::size_t kMostBodies = 4;
constexpr std::size_t kMostReactions = 6;
constexpr double kLeastResidual = 1e-20;

bool ends_with_any(const std::string& name, std::initializer_list<const char*> ends) {
  return std::any_of(ends.begin(), ends.end(),
                     [&](const char* end) { return name.ends_with(end); });
}

/// Evenly from all, with the last.
std::vector<std::string> chosen(const std::vector<std::string>& names, std::size_t most) {
  if (names.size() <= most) return names;
  std::vector<std::string> list;
  for (std::size_t i = 1; i <= most; ++i) list.push_back(names[i * names.size() / most - 1]);
  return list;
}

std::vector<std::string> body_names(const ordered_json& drawing) {
  std::vector<std::string> names;
  for (const ordered_json& body : drawing.value("bodies", ordered_json::array())) {
    names.push_back(body.at("name").get<std::string>());
  }
  return names;
}

/// Whether the third coordinate of a body is its angle in the plane.
bool turns_in_plane(const ordered_json& drawing, const std::string& body) {
  const ordered_json bodies = drawing.value("bodies", ordered_json::array());
  return std::any_of(bodies.begin(), bodies.end(), [&](const ordered_json& one) {
    return one.at("name") == body && one.value("kind", std::string()) == "planar_body";
  });
}

/// Names of outputs that are forces in newtons, by the drawing.
bool is_force(const ordered_json& drawing, const std::string& output) {
  const ordered_json forces = drawing.value("forces", ordered_json::array());
  return std::any_of(forces.begin(), forces.end(),
                     [&](const ordered_json& force) { return force.at("output") == output; });
}

/// Of one thing that moves, and of all of them together.
constexpr std::size_t kMostSamples = 1001, kMostPoses = 60000, kLeastSamples = 51;

}  // namespace

std::size_t most_samples(const ordered_json& drawing) {
  const std::size_t moving = drawing.value("bodies", ordered_json::array()).size() +
                             drawing.value("forces", ordered_json::array()).size();
  return std::clamp(kMostPoses / std::max<std::size_t>(1, moving), kLeastSamples, kMostSamples);
}

std::string title_of(const std::string& name) {
  std::string title = name;
  std::replace(title.begin(), title.end(), '_', ' ');
  if (!title.empty())
    title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  return title;
}

ordered_json value_table(const std::string& title,
                         const std::vector<std::pair<std::string, ordered_json>>& rows) {
  ordered_json table = {{"title", title}, {"rows", ordered_json::array()}};
  for (const auto& [name, value] : rows) {
    if (!value.is_null()) table["rows"].push_back({name, value});
  }
  return table;
}

ordered_json settings_of(const ordered_json& options) {
  ordered_json settings = ordered_json::object();
  for (const auto& [name, value] : options.items()) {
    if (name != "set") {
      settings[name] = value;
      continue;
    }
    for (const auto& [parameter, number] : value.items()) settings[parameter] = number;
  }
  return settings;
}

void add_motion(ordered_json& section, const ordered_json& drawing, const Motion& motion) {
  if (drawing.contains("bodies")) {
    if (auto scene = scene_of(drawing, motion)) section["scene"] = std::move(*scene);
  }
  if (section.contains("scene")) return;
  for (ordered_json& plot : section["plots"]) plot["time"] = rounded(motion.times());
}

ordered_json plot_of(const Motion& motion, const std::string& output, const std::string& title,
                     const std::string& unit) {
  ordered_json series = ordered_json::array();
  for (const std::string& name : motion.components(output)) {
    series.push_back({{"name", name}, {"values", rounded(motion.column(name))}});
  }
  return {{"title", title}, {"y_label", output}, {"unit", unit}, {"series", series}};
}

ordered_json plots_of(const Motion& motion, const ordered_json& drawing) {
  ordered_json plots = ordered_json::array();
  const auto add = [&](const std::string& group, ordered_json plot) {
    if (plot["series"].empty()) return;
    plot["group"] = group;
    plots.push_back(std::move(plot));
  };
  const std::vector<std::string> bodies = body_names(drawing);
  for (const std::string& body : chosen(bodies, kMostBodies)) {
    ordered_json position = plot_of(motion, body + ".x", "Position of " + body, "m");
    if (turns_in_plane(drawing, body) && position["series"].size() == 3) {
      ordered_json angle = position;
      position["series"].erase(2);
      angle["series"] = ordered_json::array({angle["series"][2]});
      angle.update({{"title", "Angle of " + body}, {"unit", "rad"}});
      add("Motion", std::move(position));
      add("Motion", std::move(angle));
    } else {
      add("Motion", std::move(position));
    }
    add("Motion",
        plot_of(motion, body + ".q", "Orientation of " + body + ", a unit quaternion", ""));
    if (bodies.size() > 2) continue;
    add("Motion",
        plot_of(motion, body + ".omega", "Angular velocity of " + body + ", in the body", "rad/s"));
  }
  std::vector<std::string> reactions;
  for (const std::string& output : motion.outputs()) {
    const std::string owner = output.substr(0, output.rfind('.'));
    const bool is_told_as_force = output.ends_with(".lambda") && motion.has(owner + ".force.1");
    if (ends_with_any(output, {".lambda", ".force", ".torque", ".moment"}) && !is_told_as_force) {
      reactions.push_back(output);
    }
  }
  for (const std::string& output : chosen(reactions, kMostReactions)) {
    const std::string unit = is_force(drawing, output) ? "N" : unit_of(output);
    add("Forces", plot_of(motion, output, output, unit));
  }
  if (motion.has("energy")) {
    ordered_json energy = plot_of(motion, "energy", "Energy", "J");
    for (const char* part : {"energy.kinetic", "energy.potential"}) {
      if (motion.has(part)) {
        energy["series"].push_back(
            {{"name", part}, {"values", rounded(motion.column(part))}, {"style", "dashed"}});
      }
    }
    add("Energy and momentum", std::move(energy));
    std::vector<double> change = motion.column("energy");
    const double initial = change.front();
    for (double& value : change) value -= initial;
    add("Energy and momentum",
        {{"title", "Change of the energy since the start"},
         {"y_label", "change"},
         {"unit", "J"},
         {"series", ordered_json::array({{{"name", "change"}, {"values", rounded(change)}}})}});
  }
  add("Energy and momentum", plot_of(motion, "momentum.linear", "Linear momentum", "kg m/s"));
  add("Energy and momentum",
      plot_of(motion, "momentum.angular", "Angular momentum about the origin", "kg m²/s"));
  ordered_json residuals = {{"title", "Residuals of the constraints"},
                            {"y_label", "residual"},
                            {"unit", ""},
                            {"log", true},
                            {"series", ordered_json::array()}};
  for (const char* output : {"residual.position", "residual.velocity"}) {
    if (!motion.has(output)) continue;
    std::vector<double> values = motion.column(output);
    // A logarithmic axis has no zero, and no use for what is nothing but rounding of rounding.
    for (double& value : values) {
      if (!(value > kLeastResidual)) value = std::numeric_limits<double>::quiet_NaN();
    }
    residuals["series"].push_back({{"name", output}, {"values", rounded(values)}});
  }
  add("Constraints", std::move(residuals));
  return plots;
}

}  // namespace liegrad::app
