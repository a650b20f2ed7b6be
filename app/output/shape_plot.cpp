#include "output/shape_plot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "liegrad/dae/system/node_view.hpp"
#include "output/round_ticks.hpp"
#include "output/svg_text.hpp"

namespace liegrad::app {
namespace {

/// The first for what is compared with, then those of reports.
constexpr std::array<const char*, 6> kColours = {"#999999", "#1d5f9e", "#c4560c",
                                                 "#1f7a55", "#8b3f86", "#8a6d00"};
constexpr double kLeft = 78, kWidth = 640, kRight = 42, kMostHeight = 420, kLeastHeight = 110;
constexpr double kLegendLine = 24, kTickDistance = 34, kBetweenViews = 88;
/// Of the title and of the first line of the legend.
constexpr double kTitleLine = 26, kLegendTop = 54;
/// About the width of a letter.
constexpr double kLetter = 8.2;
/// Shapes that extend less than this part of their length along an axis are not shown from there.
constexpr double kFlat = 0.02;

/// Round numbers in an interval that may be a point; at least two, or there would be no scale.
std::vector<double> ticks(double low, double high, int most) {
  if (!(high > low)) return {low};
  std::vector<double> list;
  for (int n = std::max(2, most); list.size() < 2; ++n) list = round_ticks(low, high, n);
  return list;
}

/// Rigid bodies and points in space.
bool is_shown(const lie::NodeGroup& group) {
  return dae::is_rigid_body(group) || group == lie::NodeGroup::rn(3);
}

/// Positions of what is shown, in the order of the nodes.
std::vector<std::array<double, 3>> positions(const dae::System& system, std::span<const double> q) {
  std::vector<std::array<double, 3>> list;
  const lie::GroupList& space = system.configuration_space();
  for (int i = 0; i < space.size(); ++i) {
    const lie::NodeGroup& group = space.group(i);
    if (!is_shown(group)) continue;
    const auto end = static_cast<std::size_t>(space.coeff_offset(i) + group.num_coeffs());
    list.push_back({q[end - 3], q[end - 2], q[end - 1]});
  }
  return list;
}

/// Between the first two nodes of every element that are shown.
std::vector<std::array<std::size_t, 2>> lines_of(const dae::System& system) {
  const lie::GroupList& space = system.configuration_space();
  std::vector<std::size_t> place(static_cast<std::size_t>(space.size()));  // among the points
  std::size_t count = 0;
  for (int i = 0; i < space.size(); ++i) {
    place[static_cast<std::size_t>(i)] = is_shown(space.group(i)) ? ++count : 0;
  }
  std::set<std::array<std::size_t, 2>> lines;
  for (const dae::PlacedElement& element : system.elements()) {
    std::vector<std::size_t> shown;
    for (const int node : element.nodes) {
      const auto i = static_cast<std::size_t>(node);
      if (i < place.size() && place[i] > 0) shown.push_back(place[i] - 1);
    }
    if (shown.size() > 1) {
      lines.insert({std::min(shown[0], shown[1]), std::max(shown[0], shown[1])});
    }
  }
  return {lines.begin(), lines.end()};
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

void add_words(double x, double y, const std::string& attributes, const std::string& said,
               std::string& text) {
  text +=
      fmt::format("<text x='{:.1f}' y='{:.1f}'{}>{}</text>\n", x, y, attributes, svg_text(said));
}

/// The shapes in the plane of two axes.
class View {
 public:
  View(const Box& all, std::size_t x, std::size_t y, double scale, double top)
      : all_(all), x_(x), y_(y), scale_(scale), top_(top) {
    // A flat shape lies in the middle of a strip of paper.
    bottom_ = top + std::max(kLeastHeight, scale * (all.high[y] - all.low[y]));
    middle_ = (all.low[y] + all.high[y]) / 2;
  }

  double bottom() const { return bottom_; }

  void add_axes(std::string& text) const {
    constexpr const char* kNames = "xyz";
    for (const double tick : ticks(all_.low[x_], all_.high[x_], 8)) {
      text += fmt::format("<path d='M{0:.1f} {1:.1f}V{2:.1f}' stroke='#e4e4e4'/>\n", across(tick),
                          top_, bottom_);
      add_words(across(tick), bottom_ + 21, " text-anchor='middle'", fmt::format("{:.4g}", tick),
                text);
    }
    const double shown = (bottom_ - top_) / scale_ / 2;
    for (const double tick : ticks(middle_ - shown, middle_ + shown,
                                   static_cast<int>((bottom_ - top_) / kTickDistance))) {
      text += fmt::format("<path d='M{0:.1f} {1:.1f}H{2:.1f}' stroke='#e4e4e4'/>\n", kLeft,
                          up(tick), kLeft + kWidth);
      add_words(kLeft - 8, up(tick) + 5, " text-anchor='end'", fmt::format("{:.4g}", tick), text);
    }
    add_words(kLeft + kWidth / 2, bottom_ + 44, " text-anchor='middle'",
              fmt::format("{} (m)", kNames[x_]), text);
    add_words(16, top_ - 8, "", fmt::format("{} (m)", kNames[y_]), text);
  }

  void add_shape(const ShapePlot::Shape& shape, const char* colour, std::string& text) const {
    for (const auto& [from, to] : shape.lines) {
      const ShapePlot::Point &a = shape.points[from], &b = shape.points[to];
      text += fmt::format(
          "<polyline fill='none' stroke='{}' stroke-width='2.4' stroke-linecap='round' "
          "points='{:.2f},{:.2f} {:.2f},{:.2f}'/>\n",
          colour, across(a[x_]), up(a[y_]), across(b[x_]), up(b[y_]));
    }
    for (const ShapePlot::Point& point : shape.points) {
      text += fmt::format("<circle cx='{:.2f}' cy='{:.2f}' r='3' fill='{}'/>\n", across(point[x_]),
                          up(point[y_]), colour);
    }
  }

 private:
  double across(double value) const { return kLeft + scale_ * (value - all_.low[x_]); }
  double up(double value) const { return (top_ + bottom_) / 2 - scale_ * (value - middle_); }

  const Box& all_;
  std::size_t x_, y_;
  double scale_, top_, bottom_ = 0, middle_ = 0;
};

/// Names beside pieces of their lines, in rows; where the next row would begin.
double add_legend(std::span<const ShapePlot::Shape> shapes, std::string& text) {
  constexpr double kLine = 24, kGap = 26;
  double x = kLeft, y = kLegendTop;
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    const double width = kLine + 8 + kLetter * static_cast<double>(shapes[s].label.size());
    if (x > kLeft && x + width > kLeft + kWidth) x = kLeft, y += kLegendLine;
    text += fmt::format("<path d='M{:.1f} {:.1f}h{}' stroke='{}' stroke-width='3'/>\n", x, y - 5,
                        kLine, kColours[s % kColours.size()]);
    add_words(x + kLine + 8, y, "", shapes[s].label, text);
    x += width + kGap;
  }
  return y + kLegendLine;
}

}  // namespace

void ShapePlot::add(const std::string& label, const dae::System& system,
                    std::span<const double> q) {
  shapes.push_back({label, positions(system, q), lines_of(system)});
}

double ShapePlot::size() const {
  const Box first = box_of(std::span(shapes).first(std::min<std::size_t>(1, shapes.size())));
  double square = 0;
  for (std::size_t i = 0; i < 3; ++i) square += std::pow(first.high[i] - first.low[i], 2);
  return std::isfinite(square) ? std::sqrt(square) / 2 : 0;
}

std::string ShapePlot::svg() const {
  const Box all = box_of(shapes);
  const auto extent = [&all](std::size_t axis) { return all.high[axis] - all.low[axis]; };
  std::array<std::size_t, 3> axes = {0, 1, 2};
  std::ranges::stable_sort(axes,
                           [&](std::size_t i, std::size_t j) { return extent(i) > extent(j); });
  const std::size_t x = std::min(axes[0], axes[1]), y = std::max(axes[0], axes[1]);
  const double scale =
      std::min(kWidth / std::max(extent(x), 1e-300), kMostHeight / std::max(extent(y), 1e-300));

  std::string text;
  add_words(kLeft, kTitleLine, " font-size='18' font-weight='bold'", title, text);
  const double top = add_legend(shapes, text) + 12;
  std::vector<View> views = {View(all, x, y, scale, top)};
  if (extent(axes[2]) > kFlat * extent(axes[0])) {
    views.emplace_back(all, x, axes[2], scale, views[0].bottom() + kBetweenViews);
  }
  for (const View& view : views) {
    view.add_axes(text);
    for (std::size_t s = 0; s < shapes.size(); ++s) {
      view.add_shape(shapes[s], kColours[s % kColours.size()], text);
    }
  }
  return fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{1:.0f}' viewBox='0 0 {0} "
      "{1:.0f}' "
      "font-family='sans-serif' font-size='15'>\n<rect width='100%' height='100%' "
      "fill='white'/>\n{2}</svg>\n",
      kLeft + kWidth + kRight, views.back().bottom() + 60, text);
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
