#include "output/shape_plot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "liegrad/dae/system/node_view.hpp"
#include "output/round_ticks.hpp"
#include "output/svg_text.hpp"

namespace liegrad::app {
namespace {

constexpr std::array<const char*, 6> kColours = {"#999999", "#1f77b4", "#d62728",
                                                 "#2ca02c", "#9467bd", "#ff7f0e"};
constexpr double kLeft = 70, kWidth = 620, kRight = 30, kMostHeight = 420, kLeastHeight = 80;
constexpr double kLegendLine = 17;

/// Round numbers in an interval that may be a point.
std::vector<double> ticks(double low, double high, int most) {
  if (!(high > low)) return {low};
  return round_ticks(low, high, std::max(2, most));
}

/// Positions of rigid bodies and points in space, in the order of the nodes.
std::vector<std::array<double, 3>> positions(const dae::System& system, std::span<const double> q) {
  std::vector<std::array<double, 3>> list;
  const lie::GroupList& space = system.configuration_space();
  for (int i = 0; i < space.size(); ++i) {
    const lie::NodeGroup& group = space.group(i);
    if (!dae::is_rigid_body(group) && group != lie::NodeGroup::rn(3)) continue;
    const auto end = static_cast<std::size_t>(space.coeff_offset(i) + group.num_coeffs());
    list.push_back({q[end - 3], q[end - 2], q[end - 1]});
  }
  return list;
}

struct Box {
  ShapePlot::Point low = {}, high = {};
};

Box box_of(std::span<const ShapePlot::Shape> shapes) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  Box all{{kFar, kFar, kFar}, {-kFar, -kFar, -kFar}};
  for (const ShapePlot::Shape& shape : shapes) {
    for (const ShapePlot::Point& point : shape.points) {
      for (std::size_t i = 0; i < 3; ++i) {
        all.low[i] = std::min(all.low[i], point[i]);
        all.high[i] = std::max(all.high[i], point[i]);
      }
    }
  }
  if (all.low[0] > all.high[0]) return {};  // no points
  return all;
}

}  // namespace

void ShapePlot::add(const std::string& label, const dae::System& system,
                    std::span<const double> q) {
  shapes.push_back({label, positions(system, q)});
}

double ShapePlot::size() const {
  const Box first = box_of(std::span(shapes).first(std::min<std::size_t>(1, shapes.size())));
  double square = 0;
  for (std::size_t i = 0; i < 3; ++i) square += std::pow(first.high[i] - first.low[i], 2);
  return std::isfinite(square) ? std::sqrt(square) / 2 : 0;
}

std::string ShapePlot::svg() const {
  const Box all = box_of(shapes);
  std::array<std::size_t, 3> axes = {0, 1, 2};
  std::ranges::stable_sort(axes, [&all](std::size_t i, std::size_t j) {
    return all.high[i] - all.low[i] > all.high[j] - all.low[j];
  });
  const std::size_t x = std::min(axes[0], axes[1]), y = std::max(axes[0], axes[1]);
  const double span_x = all.high[x] - all.low[x], span_y = all.high[y] - all.low[y];
  const double scale =
      std::min(kWidth / std::max(span_x, 1e-300), kMostHeight / std::max(span_y, 1e-300));
  // A flat shape lies in the middle of a strip of paper.
  const double height = std::max(kLeastHeight, scale * span_y);
  const double top = 34 + kLegendLine * static_cast<double>(shapes.size()), bottom = top + height;
  const double middle = (all.low[y] + all.high[y]) / 2;
  const auto x_of = [&](double value) { return kLeft + scale * (value - all.low[x]); };
  const auto y_of = [&](double value) { return (top + bottom) / 2 - scale * (value - middle); };

  std::string text;
  const auto words = [&text](double at_x, double at_y, const char* attributes,
                             const std::string& said) {
    text += fmt::format("<text x='{:.1f}' y='{:.1f}'{}>{}</text>\n", at_x, at_y, attributes,
                        svg_text(said));
  };
  words(kLeft, 22, " font-size='16'", title);
  constexpr const char* kNames = "xyz";
  for (const double tick : ticks(all.low[x], all.high[x], 8)) {
    text += fmt::format("<path d='M{0:.1f} {1:.1f}V{2:.1f}' stroke='#e4e4e4'/>\n", x_of(tick), top,
                        bottom);
    words(x_of(tick), bottom + 18, " text-anchor='middle'", fmt::format("{:.4g}", tick));
  }
  const double shown = height / scale / 2;
  for (const double tick : ticks(middle - shown, middle + shown, static_cast<int>(height / 34))) {
    text += fmt::format("<path d='M{0:.1f} {1:.1f}H{2:.1f}' stroke='#e4e4e4'/>\n", kLeft,
                        y_of(tick), kLeft + kWidth);
    words(kLeft - 8, y_of(tick) + 5, " text-anchor='end'", fmt::format("{:.4g}", tick));
  }
  words(kLeft + kWidth / 2, bottom + 40, " text-anchor='middle'", fmt::format("{} (m)", kNames[x]));
  words(16, top - 8, "", fmt::format("{} (m)", kNames[y]));
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    const char* const colour = kColours[s % kColours.size()];
    text += fmt::format("<polyline fill='none' stroke='{}' stroke-width='2' points='", colour);
    for (const Point& point : shapes[s].points) {
      text += fmt::format("{:.2f},{:.2f} ", x_of(point[x]), y_of(point[y]));
    }
    text += "'/>\n";
    for (const Point& point : shapes[s].points) {
      text += fmt::format("<circle cx='{:.2f}' cy='{:.2f}' r='2.5' fill='{}'/>\n", x_of(point[x]),
                          y_of(point[y]), colour);
    }
    words(kLeft, 40 + kLegendLine * static_cast<double>(s),
          fmt::format(" fill='{}'", colour).c_str(), shapes[s].label);
  }
  return fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{1:.0f}' viewBox='0 0 {0} "
      "{1:.0f}' "
      "font-family='sans-serif' font-size='13'>\n<rect width='100%' height='100%' "
      "fill='white'/>\n{2}</svg>\n",
      kLeft + kWidth + kRight, bottom + 54, text);
}

double largest_displacement(const dae::System& system, std::span<const double> from,
                            std::span<const double> to) {
  const auto before = positions(system, from), after = positions(system, to);
  double largest = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    largest = std::max(largest, std::hypot(after[i][0] - before[i][0], after[i][1] - before[i][1],
                                           after[i][2] - before[i][2]));
  }
  return largest;
}

}  // namespace liegrad::app
