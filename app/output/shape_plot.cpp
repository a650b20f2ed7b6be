#include "output/shape_plot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "liegrad/dae/system/node_view.hpp"

namespace liegrad::app {
namespace {

constexpr std::array<const char*, 6> kColours = {"#999999", "#1f77b4", "#d62728",
                                                 "#2ca02c", "#9467bd", "#ff7f0e"};
constexpr double kWidth = 720, kHeight = 480, kMargin = 48;

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
  ShapePlot::Point low, high;
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
  const double scale = std::min((kWidth - 2 * kMargin) / std::max(span_x, 1e-300),
                                (kHeight - 3 * kMargin) / std::max(span_y, 1e-300));
  const auto place = [&](const Point& point) {
    return std::pair(kMargin + scale * (point[x] - all.low[x]),
                     kHeight - kMargin - scale * (point[y] - all.low[y]));
  };
  constexpr const char* kNames = "xyz";
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"{0}\" height=\"{1}\" "
      "fill=\"white\"/>\n<text x=\"{2}\" y=\"24\" font-size=\"16\">{3}</text>\n",
      kWidth, kHeight, kMargin, title);
  text += fmt::format("<text x=\"{}\" y=\"{}\">{} from {:.4g} to {:.4g} m</text>\n", kMargin,
                      kHeight - 14, kNames[x], all.low[x], all.high[x]);
  text += fmt::format(
      "<text x=\"16\" y=\"{}\" transform=\"rotate(-90 16 {})\">{} from {:.4g} to {:.4g} m</text>\n",
      kHeight - kMargin, kHeight - kMargin, kNames[y], all.low[y], all.high[y]);
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    const char* const colour = kColours[s % kColours.size()];
    text +=
        fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"2\" points=\"", colour);
    for (const Point& point : shapes[s].points) {
      const auto [px, py] = place(point);
      text += fmt::format("{:.2f},{:.2f} ", px, py);
    }
    text += "\"/>\n";
    for (const Point& point : shapes[s].points) {
      const auto [px, py] = place(point);
      text += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"2.5\" fill=\"{}\"/>\n", px, py,
                          colour);
    }
    text += fmt::format("<text x=\"{}\" y=\"{}\" fill=\"{}\">{}</text>\n", kWidth - 170,
                        24 + 16 * static_cast<double>(s), colour, shapes[s].label);
  }
  return text + "</svg>\n";
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
