#include "output/loglog_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "output/svg_text.hpp"

namespace liegrad::app {
namespace {

/// The whole decades that hold all points.
struct Decades {
  int first = std::numeric_limits<int>::max(), last = std::numeric_limits<int>::min();

  void include(double value) {
    // Rounding of a power of ten must not add a decade.
    const double exponent = std::log10(value);
    first = std::min(first, static_cast<int>(std::floor(exponent + 1e-9)));
    last = std::max(last, static_cast<int>(std::ceil(exponent - 1e-9)));
  }
  bool is_empty() const { return first > last; }
  int count() const { return last - first; }
  /// 0 to 1.
  double place(double value) const { return (std::log10(value) - first) / count(); }
};

struct Axes {
  Decades x, y;
};

bool is_shown(const std::pair<double, double>& point) {
  return point.first > 0 && point.second > 0 && std::isfinite(point.first) &&
         std::isfinite(point.second);
}

Axes axes_of(const std::vector<PlotSeries>& series) {
  Axes axes;
  for (const PlotSeries& one : series) {
    for (const auto& point : one.points) {
      if (!is_shown(point)) continue;
      axes.x.include(point.first);
      axes.y.include(point.second);
    }
  }
  for (Decades* decades : {&axes.x, &axes.y}) {
    if (decades->count() == 0) decades->last += 1;
  }
  return axes;
}

}  // namespace

std::string LogLogPlot::text() const {
  constexpr int kWidth = 61, kHeight = 19;
  const Axes axes = axes_of(series);
  if (axes.x.is_empty()) return "";
  std::vector<std::string> canvas(kHeight, std::string(kWidth, ' '));
  const auto column = [&](double x) {
    return static_cast<std::size_t>(std::lround(axes.x.place(x) * (kWidth - 1)));
  };
  const auto row = [&](double y) {
    return static_cast<std::size_t>(std::lround((1 - axes.y.place(y)) * (kHeight - 1)));
  };
  std::string legend;
  for (const PlotSeries& one : series) {
    legend += "  " + one.label;
    for (const auto& point : one.points) {
      if (is_shown(point)) canvas[row(point.second)][column(point.first)] = one.label.front();
    }
  }
  std::string result = fmt::format("{} over {}:{}\n", y_label, x_label, legend);
  std::vector<std::string> labels(kHeight);
  for (int i = axes.y.first; i <= axes.y.last; ++i) {
    labels[row(std::pow(10.0, i))] = fmt::format("1e{}", i);
  }
  for (std::size_t i = 0; i < canvas.size(); ++i) {
    canvas[i].resize(canvas[i].find_last_not_of(' ') + 1);
    result += fmt::format("{:>6} {}{}\n", labels[i], labels[i].empty() ? '|' : '+', canvas[i]);
  }
  std::string ticks(kWidth, '-'), numbers(kWidth + 8, ' ');
  for (int i = axes.x.first; i <= axes.x.last; ++i) {
    const std::size_t at = column(std::pow(10.0, i));
    ticks[at] = '+';
    const std::string label = fmt::format("1e{}", i);
    numbers.replace(at, label.size(), label);
  }
  numbers.resize(numbers.find_last_not_of(' ') + 1);
  return result + "       +" + ticks + "\n        " + numbers + "\n";
}

std::string LogLogPlot::svg() const {
  constexpr double kLeft = 80, kTop = 40, kWidth = 480, kHeight = 360;
  constexpr std::array kColors = {"#1d5f9e", "#c4560c", "#1f7a55", "#8b3f86"};
  Axes axes = axes_of(series);
  for (Decades* decades : {&axes.x, &axes.y}) {
    if (decades->is_empty()) *decades = {0, 1};
  }
  const auto x_of = [&](double x) { return kLeft + kWidth * axes.x.place(x); };
  const auto y_of = [&](double y) { return kTop + kHeight * (1 - axes.y.place(y)); };
  std::string body;
  const auto line = [&body](double x1, double y1, double x2, double y2) {
    body += fmt::format("<line x1='{:.1f}' y1='{:.1f}' x2='{:.1f}' y2='{:.1f}' stroke='#ddd'/>\n",
                        x1, y1, x2, y2);
  };
  const auto words = [&body](double x, double y, const char* anchor, const std::string& text) {
    body += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='{}'>{}</text>\n", x, y, anchor,
                        svg_text(text));
  };
  const auto power = [](int i) {
    return fmt::format("10<tspan dy='-6' font-size='11'>{}</tspan>", i);
  };
  const auto label = [&](double x, double y, const char* anchor, int i) {
    body += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='{}'>{}</text>\n", x, y, anchor,
                        power(i));
  };
  for (int i = axes.x.first; i <= axes.x.last; ++i) {
    const double x = x_of(std::pow(10.0, i));
    line(x, kTop, x, kTop + kHeight);
    label(x, kTop + kHeight + 23, "middle", i);
  }
  for (int i = axes.y.first; i <= axes.y.last; ++i) {
    const double y = y_of(std::pow(10.0, i));
    line(kLeft, y, kLeft + kWidth, y);
    label(kLeft - 8, y + 5, "end", i);
  }
  body += fmt::format("<rect x='{}' y='{}' width='{}' height='{}' fill='none' stroke='#565b63'/>\n",
                      kLeft, kTop, kWidth, kHeight);
  words(kLeft + kWidth / 2, kTop - 15, "middle", title);
  words(kLeft + kWidth / 2, kTop + kHeight + 48, "middle", x_label);
  body +=
      fmt::format("<text transform='translate(20,{}) rotate(-90)' text-anchor='middle'>{}</text>\n",
                  kTop + kHeight / 2, svg_text(y_label));
  for (std::size_t i = 0; i < series.size(); ++i) {
    const char* const color = kColors[i % kColors.size()];
    std::string points, dots;
    for (const auto& point : series[i].points) {
      if (!is_shown(point)) continue;
      const double x = x_of(point.first), y = y_of(point.second);
      points += fmt::format("{:.1f},{:.1f} ", x, y);
      dots += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='4' fill='{}'/>\n", x, y, color);
    }
    body += fmt::format("<polyline points='{}' fill='none' stroke='{}' stroke-width='2.2'/>\n{}",
                        points, color, dots);
    const double y = kTop + 24 + 22 * static_cast<double>(i);
    body += fmt::format("<circle cx='{}' cy='{}' r='4' fill='{}'/>\n", kLeft + 15, y - 4, color);
    words(kLeft + 28, y, "start", series[i].label);
  }
  return fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{1}' viewBox='0 0 {0} {1}' "
      "font-family='sans-serif' font-size='15'>\n<rect width='100%' height='100%' "
      "fill='white'/>\n{2}</svg>\n",
      kLeft + kWidth + 40, kTop + kHeight + 60, body);
}

}  // namespace liegrad::app
