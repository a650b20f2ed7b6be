#include <algorithm>

#include <fmt/format.h>

#include "report/reader_text.hpp"
#include "report/section_parts.hpp"
#include "report/sections.hpp"

namespace liegrad::app {
namespace {

using nlohmann::ordered_json;

ordered_json marked(bool is_good, const std::string& text) {
  return {{"value", text}, {"mark", is_good ? "good" : "bad"}};
}

/// What speaks for the solution, row by row.
ordered_json certificate_table(const ordered_json& certificate) {
  ordered_json rows = ordered_json::array();
  const auto number = [&certificate](const char* name) {
    return reader_number(certificate.at(name).get<double>(), 3);
  };
  rows.push_back({"local minimum",
                  marked(certificate.at("local_minimum").get<bool>(),
                         certificate["local_minimum"].get<bool>() ? "yes" : "no"),
                  fmt::format("the KKT matrix has {} positive, {} negative and {} zero "
                              "eigenvalues; that of a minimum has {} negative and none zero",
                              certificate.at("positive_eigenvalues").get<long>(),
                              certificate.at("negative_eigenvalues").get<long>(),
                              certificate.at("zero_eigenvalues").get<long>(),
                              certificate.at("equations").get<long>())});
  rows.push_back({"Hamiltonian", "spread " + number("hamiltonian_spread"),
                  "constant in time along an optimal motion, up to the step"});
  const bool is_resimulated = certificate.at("resimulated").get<bool>();
  rows.push_back({"run with finer step",
                  is_resimulated ? ordered_json("misses the end by " + number("resimulation_miss"))
                                 : marked(false, "could not be made"),
                  is_resimulated
                      ? "the controls in a simulation of their own"
                      : certificate.value("resimulation_failure", "the certificate ended early")});
  return {{"title", "Certificate"}, {"columns", {"check", "result", "meaning"}}, {"rows", rows}};
}

/// Controls, those of one unit in one plot, with bounds.
ordered_json control_plots(const Motion& motion, const ordered_json& controls) {
  ordered_json plots = ordered_json::array();
  for (const ordered_json& control : controls) {
    const std::string name = control.at("name").get<std::string>();
    const std::string unit = control.value("unit", "");
    auto plot = std::find_if(plots.begin(), plots.end(),
                             [&](const ordered_json& one) { return one["unit"] == unit; });
    if (plot == plots.end()) {
      plots.push_back({{"title", "Controls and their bounds"},
                       {"group", "Controls"},
                       {"y_label", "control"},
                       {"unit", unit},
                       {"series", ordered_json::array()}});
      plot = plots.end() - 1;
    }
    (*plot)["series"].push_back({{"name", name}, {"values", rounded(motion.column(name))}});
    for (const char* bound : {"lower", "upper"}) {
      if (control.contains(bound) && control[bound].is_number()) {
        (*plot)["limits"].push_back(control[bound]);
      }
    }
  }
  return plots;
}

}  // namespace

ordered_json control_section(const SummaryFile& summary) {
  const ordered_json& json = summary.json;
  const auto member = [&json](const char* name) { return json.value(name, ordered_json()); };
  ordered_json section = {{"title", title_of(json.at("problem").get<std::string>())},
                          {"findings", ordered_json::array()}};
  section["tables"] = ordered_json::array();
  section["tables"].push_back(value_table("Optimum", {{"status", member("status")},
                                                      {"cost", member("cost")},
                                                      {"final time (s)", member("t_end")}}));
  section["settings"] = {{"steps of the grid", member("steps")},
                         {"transcription", member("transcription")},
                         {"Hessian", member("hessian")},
                         {"linear solver", member("linear_solver")},
                         {"IPOPT", member("ipopt_version")},
                         {"iterations", member("iterations")},
                         {"constraint violation", member("constraint_violation")},
                         {"wall time (s)", member("wall_seconds")}};
  const ordered_json certificate = member("certificate");
  if (certificate.is_object()) {
    section["tables"].push_back(certificate_table(certificate));
    if (!certificate["local_minimum"].get<bool>()) {
      section["findings"].push_back("This is an extremal but no local minimum.");
    }
  } else {
    section["findings"].push_back(
        "No solution was found: " + json.at("message").get<std::string>() + ".");
  }
  if (!json.contains("samples_file")) {
    section["text"] =
        ordered_json::array({"Run with --out FILE.csv to have the motion in this report."});
    return section;
  }
  const ordered_json drawing = json.value("drawing", ordered_json::object());
  const Motion motion(file_beside(json["samples_file"].get<std::string>(), summary.name),
                      most_samples(drawing));
  section["plots"] = control_plots(motion, json.value("controls", ordered_json::array()));
  for (ordered_json& plot : plots_of(motion, drawing)) section["plots"].push_back(std::move(plot));
  add_motion(section, drawing, motion);
  return section;
}

}  // namespace liegrad::app
