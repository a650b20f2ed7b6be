#include "studies/control_studies.hpp"

#include <fmt/format.h>

namespace liegrad::app {

using nlohmann::ordered_json;

void print(const std::vector<control::RefinedGrid>& grids) {
  fmt::print("{:>7} {:>5} {:>17} {:>6} {:>9} {:>17} {:>10} {:>9} {:>6} {:>8}\n", "steps", "iter",
             "cost", "order", "error", "extrapolated", "d control", "miss", "ratio", "seconds");
  for (const control::RefinedGrid& grid : grids) {
    fmt::print(
        "{:>7} {:>5} {:>17.11g} {:>6} {:>9} {:>17.11g} {:>10.2e} {:>9.2e} {:>6.3g} {:>8.3g}\n",
        grid.steps, grid.iterations, grid.cost,
        grid.order != 0 ? fmt::format("{:.2f}", grid.order) : "",
        grid.error != 0 ? fmt::format("{:.2e}", grid.error) : "", grid.extrapolated,
        grid.control_change, grid.resimulation_miss, grid.step_ratio, grid.wall_seconds);
  }
}

void print(const std::vector<control::FollowedSolution>& path, const std::string& parameter) {
  fmt::print("{:>14} {:>17} {:>12} {:>5} {:>8}  {}\n", parameter, "cost", "t_end", "iter",
             "minimum", "status");
  for (const control::FollowedSolution& at : path) {
    fmt::print("{:>14.8g} {:>17.11g} {:>12.8g} {:>5} {:>8}  {}\n", at.value, at.cost, at.t_end,
               at.iterations, at.local_minimum ? "yes" : "no", control::name_of(at.status));
  }
}

void print(const StartTable& table) {
  fmt::print("{:>17} {:>12} {:>8} {:>7}  {}\n", "cost", "t_end", "minimum", "starts", "which");
  for (const Basin& basin : table.basins) {
    fmt::print("{:>17.11g} {:>12.8g} {:>8} {:>7}  {}\n", basin.cost, basin.t_end,
               basin.local_minimum ? "yes" : "no", basin.starts.size(),
               fmt::join(basin.starts, ", "));
  }
  for (const StartTable::Unsolved& start : table.unsolved) {
    fmt::print("  start {} was not solved: {}\n", start.start, start.reason);
  }
}

ordered_json json_of(const std::vector<control::RefinedGrid>& grids, bool reached) {
  ordered_json list = ordered_json::array();
  for (const control::RefinedGrid& grid : grids) {
    list.push_back({{"steps", grid.steps},
                    {"iterations", grid.iterations},
                    {"cost", grid.cost},
                    {"order", grid.order},
                    {"error", grid.error},
                    {"extrapolated", grid.extrapolated},
                    {"control_change", grid.control_change},
                    {"resimulation_miss", grid.resimulation_miss},
                    {"step_ratio", grid.step_ratio},
                    {"wall_seconds", grid.wall_seconds}});
  }
  return {{"reached", reached}, {"grids", list}};
}

ordered_json json_of(const std::vector<control::FollowedSolution>& path,
                     const std::string& parameter, bool reached) {
  ordered_json list = ordered_json::array();
  for (const control::FollowedSolution& at : path) {
    list.push_back({{"value", at.value},
                    {"status", control::name_of(at.status)},
                    {"cost", at.cost},
                    {"t_end", at.t_end},
                    {"iterations", at.iterations},
                    {"local_minimum", at.local_minimum}});
  }
  return {{"parameter", parameter}, {"reached", reached}, {"path", list}};
}

ordered_json json_of(const StartTable& table) {
  ordered_json basins = ordered_json::array(), unsolved = ordered_json::array();
  for (const Basin& basin : table.basins) {
    basins.push_back({{"cost", basin.cost},
                      {"t_end", basin.t_end},
                      {"local_minimum", basin.local_minimum},
                      {"starts", basin.starts}});
  }
  for (const StartTable::Unsolved& start : table.unsolved) {
    unsolved.push_back({{"start", start.start}, {"message", start.reason}});
  }
  return {{"best_start", table.best_start}, {"basins", basins}, {"unsolved", unsolved}};
}

}  // namespace liegrad::app
