// What a step costs for each element of a beam, and how it grows with their number; the right-angle beam with the
// elements and the step of its paper.

#include "beam_rows.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "liegrad/models/models.hpp"

#include "measure.hpp"
#include "steps.hpp"

namespace liegrad::bench {
namespace {

constexpr std::array kElements = {10, 100, 1000};
constexpr std::array kGroups = {"so3xr3", "se3"};
/// The least of so many runs counts.
constexpr int kRounds = 6;
/// At most, of the cost of an element in one beam over that in another.
constexpr double kLinear = 1.3;

lie::NodeGroup group_of(const std::string& name) {
  return name == "se3" ? lie::NodeGroup::se3() : lie::NodeGroup::so3xr3();
}

std::unique_ptr<Steps> beam(const std::string& model, const std::string& group, int elements,
                            const dae::IntegrateOptions& options, int count) {
  const models::Structure structure{.body_group = group_of(group), .bodies = elements};
  return std::make_unique<Steps>(models::make_model(model, structure), options, count);
}

}  // namespace

std::vector<Row> beam_rows() {
  std::vector<std::string> names;
  std::vector<double> elements;
  std::vector<std::unique_ptr<Steps>> runs;
  for (const char* const group : kGroups) {
    for (const int count : kElements) {
      names.push_back("beam." + std::to_string(count) + "." + group + ".");
      elements.push_back(count);
      runs.push_back(beam("cantilever", group, count, alpha(), std::clamp(20000 / count, 20, 100)));
    }
  }
  dae::IntegrateOptions paper = dae::alpha_steps();
  paper.step = 0.2;
  paper.alpha.method.parameters = dae::AlphaParameters::hht(-0.05);
  for (const char* const group : kGroups) {
    names.push_back(std::string("beam.right_angle.") + group + ".");
    elements.push_back(1);
    runs.push_back(beam("right_angle_beam", group, 5, paper, 150));
  }

  std::vector<std::function<double()>> timed;
  for (const auto& run : runs) timed.emplace_back([&run] { return run->processor_seconds(); });
  const std::vector<double> seconds = least_in_turn(timed, kRounds);
  std::vector<Row> rows;
  std::vector<double> per_iteration;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const double cost = 1e6 * seconds[i] / elements[i];
    const bool is_paper = elements[i] == 1;
    rows.push_back(
        {names[i] + (is_paper ? "microseconds_per_step" : "microseconds_per_element_step"), cost,
         "us"});
    rows.push_back({names[i] + "iterations", runs[i]->iterations(), "1"});
    if (!is_paper) per_iteration.push_back(cost / runs[i]->iterations());
  }
  for (std::size_t g = 0; g < kGroups.size(); ++g) {
    const auto first = per_iteration.begin() + static_cast<std::ptrdiff_t>(g * kElements.size());
    // From 100 to 1000: the shorter beam is solved with a dense matrix.
    rows.push_back(
        {"beam.growth." + std::string(kGroups[g]), *(first + 2) / *(first + 1), "ratio", kLinear});
  }
  return rows;
}

}  // namespace liegrad::bench
