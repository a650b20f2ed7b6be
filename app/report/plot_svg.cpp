#include "report/plot_svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "output/round_ticks.hpp"
#include "report/reader_text.hpp"

namespace liegrad::app {
namespace {

using nlohmann::ordered_json;

constexpr double kWidth = 760, kHeight = 300, kLeft = 90, kRight = 20, kTop = 34, kBottom = 50;
constexpr double kLegendLine = 20;
constexpr std::array kColors = {"#1d5f9e", "#c4560c", "#1f7a55", "#8b3f86", "#8a6d00", "#4d5c6b"};
/// More points than this cannot be told apart at this width.
constexpr std::size_t kMostPoints = 800;

/// A list of numbers; NaN for null.
std::vector<double> numbers_in(const ordered_json& list) {
  std::vector<double> numbers;
  for (const ordered_json& value : list) {
    numbers.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                      : value.get<double>());
  }
  return numbers;
}

class Axis {
 public:
  Axis(bool is_logarithmic, double begin, double end)
      : is_logarithmic_(is_logarithmic), begin_(begin), end_(end) {}

  void include(double value) {
    if (!shows(value)) return;
    low_ = std::min(low_, scaled(value));
    high_ = std::max(high_, scaled(value));
  }
  /// After all values: a little room at both ends.
  void finish(double margin) {
    if (low_ > high_) low_ = 0, high_ = 1;
    const double size = high_ - low_ > 0 ? high_ - low_ : std::max(1e-12, std::abs(high_));
    low_ -= margin * size;
    high_ += margin * size;
    if (low_ == high_) high_ = low_ + 1;
  }
  bool shows(double value) const { return std::isfinite(value) && (!is_logarithmic_ || value > 0); }
  double place(double value) const {
    return begin_ + (end_ - begin_) * (scaled(value) - low_) / (high_ - low_);
  }
  /// About five round numbers.
  std::vector<double> ticks() const {
    std::vector<double> list = round_ticks(low_, high_, 5, is_logarithmic_ ? 1 : 0);
    if (is_logarithmic_) {
      for (double& value : list) value = std::pow(10, value);
    }
    return list;
  }

 private:
  double scaled(double value) const { return is_logarithmic_ ? std::log10(value) : value; }

  bool is_logarithmic_;
  double begin_, end_;
  double low_ = std::numeric_limits<double>::infinity(), high_ = -low_;
};

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() || unit == "1" ? name : name + " (" + unit + ")";
}

/// The marks of a plot, and how high it is.
struct DrawnPlot {
  std::string marks;
  double height;
};

std::string svg_of(const std::string& marks, double height) {
  return fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{1}' viewBox='0 0 {0} {1}' "
      "font-family='sans-serif' font-size='14'>\n{2}</svg>\n",
      kWidth, height, marks);
}

struct Curve {
  std::string name, style, color;
  std::vector<double> times, values, lower, upper;
};

class Figure {
 public:
  Figure(const ordered_json& plot, const ordered_json& times)
      : plot_(plot),
        x_(plot.value("x_log", false), kLeft, kWidth - kRight),
        y_(plot.value("log", false), kHeight - kBottom, kTop) {
    read_curves(times);
    for (const Curve& curve : curves_) {
      for (const double t : curve.times) x_.include(t);
      for (const auto* list : {&curve.values, &curve.lower, &curve.upper}) {
        for (const double value : *list) y_.include(value);
      }
    }
    x_.finish(0);
    y_.finish(0.06);
  }

  /// To be called once.
  DrawnPlot draw() {
    words(kLeft, 18, "start", plot_.at("title").get<std::string>(), " font-weight='bold'");
    draw_axes();
    for (const Curve& curve : curves_) draw_band(curve);
    for (const Curve& curve : curves_)
      curve.style == "points" ? draw_points(curve) : draw_line(curve);
    const double height = draw_legend();
    return {body_, height};
  }

 private:
  void read_curves(const ordered_json& shared) {
    const ordered_json& own = plot_.contains("time") ? plot_["time"] : shared;
    std::map<std::string, std::size_t> colors;
    for (const ordered_json& series : plot_.at("series")) {
      Curve curve{.name = series.at("name").get<std::string>(),
                  .style = series.value("style", std::string("line")),
                  .color = {},
                  .times = numbers_in(series.contains("time") ? series["time"] : own),
                  .values = numbers_in(series.at("values")),
                  .lower = {},
                  .upper = {}};
      if (series.contains("band")) {
        curve.lower = numbers_in(series["band"].at(0));
        curve.upper = numbers_in(series["band"].at(1));
      }
      const auto other = colors.find(series.value("color_of", std::string()));
      const std::size_t number = other == colors.end() ? next_color_++ : other->second;
      colors[curve.name] = number;
      curve.color = kColors[number % kColors.size()];
      curves_.push_back(std::move(curve));
    }
  }

  void draw_axes() {
    const double bottom = kHeight - kBottom;
    for (const double value : y_.ticks()) {
      const double y = y_.place(value);
      line(kLeft, y, kWidth - kRight, y);
      words(kLeft - 8, y + 5, "end", reader_number(value, 5));
    }
    for (const double value : x_.ticks()) {
      const double x = x_.place(value);
      line(x, kTop, x, bottom);
      words(x, bottom + 18, "middle", reader_number(value, 5));
    }
    const std::string below =
        plot_.contains("x_label")
            ? with_unit(plot_["x_label"].get<std::string>(), plot_.value("x_unit", std::string()))
            : "time (s)";
    words((kLeft + kWidth - kRight) / 2, bottom + 40, "middle", below);
    const std::string beside =
        with_unit(plot_.value("y_label", std::string()), plot_.value("unit", std::string()));
    const double middle = (kTop + bottom) / 2;
    words(16, middle, "middle", beside, fmt::format(" transform='rotate(-90 16 {})'", middle));
  }

  std::string points_of(const Curve& curve, const std::vector<double>& values) const {
    const std::size_t every = 1 + values.size() / kMostPoints;
    std::string points;
    for (std::size_t i = 0; i < std::min(values.size(), curve.times.size()); i += every) {
      if (!y_.shows(values[i]) || !x_.shows(curve.times[i])) continue;
      points += fmt::format("{:.1f},{:.1f} ", x_.place(curve.times[i]), y_.place(values[i]));
    }
    return points;
  }
  void draw_line(const Curve& curve) {
    body_ += fmt::format("<polyline points='{}' fill='none' stroke='{}' stroke-width='2'{}/>\n",
                         points_of(curve, curve.values), curve.color,
                         curve.style == "dashed" ? " stroke-dasharray='7 5'" : "");
  }
  void draw_points(const Curve& curve) {
    const std::size_t every = 1 + curve.values.size() / kMostPoints;
    for (std::size_t i = 0; i < std::min(curve.values.size(), curve.times.size()); i += every) {
      if (!y_.shows(curve.values[i])) continue;
      body_ += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='2.2' fill='{}'/>\n",
                           x_.place(curve.times[i]), y_.place(curve.values[i]), curve.color);
    }
  }
  void draw_band(const Curve& curve) {
    if (curve.lower.empty()) return;
    for (const auto* edge : {&curve.lower, &curve.upper}) {
      body_ += fmt::format("<polyline points='{}' fill='none' stroke='{}' opacity='0.5'/>\n",
                           points_of(curve, *edge), curve.color);
    }
  }

  /// Below the plot; returns the height of the figure.
  double draw_legend() {
    double x = kLeft, y = kHeight + 16;
    for (const Curve& curve : curves_) {
      const double width = 40 + 8 * static_cast<double>(curve.name.size());
      if (x > kLeft && x + width > kWidth) x = kLeft, y += kLegendLine;
      if (curve.style == "points") {
        body_ +=
            fmt::format("<circle cx='{}' cy='{}' r='4' fill='{}'/>\n", x + 11, y - 5, curve.color);
      } else {
        body_ += fmt::format("<path d='M{} {}h22' stroke='{}' stroke-width='3'{}/>\n", x, y - 5,
                             curve.color, curve.style == "dashed" ? " stroke-dasharray='6 4'" : "");
      }
      words(x + 28, y, "start", curve.name);
      x += width;
    }
    return y + 12;
  }

  void line(double x1, double y1, double x2, double y2) {
    body_ +=
        fmt::format("<path d='M{:.1f} {:.1f}L{:.1f} {:.1f}' stroke='#dcd9d2'/>\n", x1, y1, x2, y2);
  }
  void words(double x, double y, const char* anchor, const std::string& text,
             const std::string& attributes = {}) {
    body_ += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='{}'{}>{}</text>\n", x, y, anchor,
                         attributes, markup_text(text));
  }

  const ordered_json& plot_;
  Axis x_, y_;
  std::vector<Curve> curves_;
  std::size_t next_color_ = 0;
  std::string body_;
};

}  // namespace

std::string plot_svg(const ordered_json& plot, const ordered_json& times) {
  const DrawnPlot drawn = Figure(plot, times).draw();
  return svg_of(drawn.marks, drawn.height);
}

std::string plots_svg(const std::string& title, const ordered_json& plots,
                      const ordered_json& times) {
  constexpr double kTitle = 44, kGap = 18;
  double top = kTitle;
  std::string marks = fmt::format(
      "<rect width='100%' height='100%' fill='white'/>\n"
      "<text x='{}' y='26' text-anchor='middle' font-size='17'>{}</text>\n",
      kWidth / 2, markup_text(title));
  for (const ordered_json& plot : plots) {
    const DrawnPlot drawn = Figure(plot, times).draw();
    marks += fmt::format("<g transform='translate(0 {})'>\n{}</g>\n", top, drawn.marks);
    top += drawn.height + kGap;
  }
  return svg_of(marks, top);
}

}  // namespace liegrad::app
