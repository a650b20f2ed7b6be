#include "output/fit_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "output/output_unit.hpp"
#include "output/round_ticks.hpp"
#include "output/svg_text.hpp"

namespace liegrad::app {
namespace {

constexpr double kLeft = 80, kWidth = 640, kCurve = 150, kResidual = 70;
/// Between the curve and its residuals, and below the times of a panel.
constexpr double kInnerGap = 28, kGap = 62;
constexpr std::array kColors = {"#0072b2", "#d55e00", "#009e73", "#cc79a7"};
constexpr std::size_t kMostTrials = kColors.size();

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  /// With a margin, so that no dot lies on the frame.
  Range widened() const {
    const double margin = high > low ? 0.06 * (high - low) : std::max(1e-12, 0.1 * std::abs(high));
    return {low - margin, high + margin};
  }
  double place(double value) const { return (value - low) / (high - low); }
};

/// One number of a series of a trial as it is drawn: an orientation by its residuals alone.
struct Curve {
  const char* color;
  const std::vector<double>* times;
  std::vector<double> measured, fitted, band, residual;
};

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : name + " (" + unit + ")";
}

class Figure {
 public:
  explicit Figure(const optimize::FitResult& result) : result_(result) {}

  std::string svg(const std::string& title) {
    double top = 78;
    for (const optimize::Series* series : measured_numbers()) {
      for (int i = 0; i < series->residual_size(); ++i) top = add_panel(*series, i, top);
    }
    words(kLeft + kWidth / 2, 22, "middle", title);
    add_legend(46);
    return fmt::format(
        "<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{1}' viewBox='0 0 {0} {1}' "
        "font-family='sans-serif' font-size='12'>\n<rect width='100%' height='100%' "
        "fill='white'/>\n{2}</svg>\n",
        kLeft + kWidth + 50, top - 20, body_);
  }

 private:
  std::size_t num_drawn() const { return std::min(result_.trials.size(), kMostTrials); }

  /// What some trial measured, each number once: trials need not have the same sensors, nor in the same order.
  std::vector<const optimize::Series*> measured_numbers() const {
    std::vector<const optimize::Series*> list;
    for (std::size_t n = 0; n < num_drawn(); ++n) {
      for (const optimize::FittedSeries& one : result_.trials[n].series) {
        const bool is_known = std::any_of(list.begin(), list.end(), [&](const auto* other) {
          return other->name() == one.measured.name();
        });
        if (!is_known) list.push_back(&one.measured);
      }
    }
    return list;
  }

  std::vector<Curve> curves_of(const std::string& name, int component) const {
    std::vector<Curve> curves;
    for (std::size_t n = 0; n < num_drawn(); ++n) {
      for (const optimize::FittedSeries& one : result_.trials[n].series) {
        if (one.measured.name() == name) curves.push_back(curve_of(one, component, kColors[n]));
      }
    }
    return curves;
  }

  static Curve curve_of(const optimize::FittedSeries& one, int component, const char* color) {
    const std::size_t size = static_cast<std::size_t>(one.measured.residual_size());
    const bool is_rotation = size == 3;
    Curve curve{color, &one.measured.times, {}, {}, {}, {}};
    for (std::size_t i = 0; i < one.measured.times.size(); ++i) {
      const std::size_t at = i * size + static_cast<std::size_t>(component);
      curve.residual.push_back(one.residuals[at]);
      curve.band.push_back(1.96 * one.band[at]);
      if (is_rotation) continue;
      curve.measured.push_back(one.measured.values[i]);
      curve.fitted.push_back(one.computed[i]);
    }
    return curve;
  }

  /// Measured and fitted values with residuals below; of an orientation only these, with the band about zero.
  double add_panel(const optimize::Series& series, int component, double top) {
    const std::vector<Curve> curves = curves_of(series.name(), component);
    const bool is_rotation = series.residual_size() == 3;
    Range time, values, residuals;
    residuals.include(0);
    for (const Curve& curve : curves) {
      for (const double t : *curve.times) time.include(t);
      for (const double value : curve.measured) values.include(value);
      for (const double value : curve.fitted) values.include(value);
      for (const double value : curve.residual) residuals.include(value);
    }
    if (!(time.high > time.low)) time = time.widened();
    residuals = residuals.widened();
    const std::string unit = unit_of(series.output);
    double below = top;
    if (is_rotation) {
      words(kLeft, top - 6, "start",
            fmt::format("{}: residuals, component {} of the rotation vector (rad)", series.name(),
                        component + 1));
    } else {
      values = values.widened();
      words(kLeft, top - 6, "start", with_unit(series.name(), unit));
      frame(top, kCurve, values, time, 6);
      for (const Curve& curve : curves) {
        draw_band(*curve.times, curve.fitted, curve.band, curve.color, time, values, top, kCurve);
        draw_dots(*curve.times, curve.measured, curve.color, time, values, top, kCurve);
      }
      below = top + kCurve + kInnerGap;
      words(kLeft, below - 6, "start", with_unit("residuals", unit));
    }
    frame(below, kResidual, residuals, time, 5);
    for (const Curve& curve : curves) {
      if (is_rotation) {
        draw_band(*curve.times, std::vector<double>(curve.times->size(), 0.0), curve.band,
                  curve.color, time, residuals, below, kResidual);
      }
      draw_dots(*curve.times, curve.residual, curve.color, time, residuals, below, kResidual);
    }
    for (const double tick : round_ticks(time.low, time.high, 8)) {
      words(x_of(time, tick), below + kResidual + 15, "middle", fmt::format("{:.6g}", tick));
    }
    words(kLeft + kWidth + 16, below + kResidual + 15, "start", "t (s)");
    return below + kResidual + kGap;
  }

  /// What dots, lines and bands are, and which colour is which trial.
  void add_legend(double y) {
    double x = kLeft;
    const auto entry = [&](const std::string& text) {
      words(x + 24, y, "start", text);
      x += 40 + 7.0 * static_cast<double>(text.size());
    };
    const char* const color = kColors.front();
    dot(x + 10, y - 4, color);
    entry("measured");
    rule(x, x + 20, y - 4, y - 4, color);
    entry("fitted");
    body_ += fmt::format("<rect x='{}' y='{}' width='20' height='9' fill='{}' opacity='0.25'/>\n",
                         x, y - 9, color);
    entry("95 % band of the fit");
    for (std::size_t n = 0; num_drawn() > 1 && n < num_drawn(); ++n) {
      rule(x, x + 20, y - 4, y - 4, kColors[n]);
      entry("trial " + std::to_string(n + 1));
    }
    if (result_.trials.size() > kMostTrials) {
      words(x, y, "start", fmt::format("of {}", result_.trials.size()));
    }
  }

  void draw_dots(const std::vector<double>& times, const std::vector<double>& values,
                 const char* color, const Range& time, const Range& range, double top,
                 double height) {
    for (std::size_t i = 0; i < times.size(); ++i) {
      dot(x_of(time, times[i]), y_of(range, values[i], top, height), color);
    }
  }

  /// A line and the band about it.
  void draw_band(const std::vector<double>& times, const std::vector<double>& line,
                 const std::vector<double>& band, const char* color, const Range& time,
                 const Range& range, double top, double height) {
    std::string middle, upper, lower;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const double x = x_of(time, times[i]);
      const auto point = [&](double value) {
        return fmt::format("{:.1f},{:.1f} ", x, y_of(range, value, top, height));
      };
      middle += point(line[i]);
      upper += point(line[i] + band[i]);
      lower = point(line[i] - band[i]) + lower;
    }
    body_ +=
        fmt::format("<polygon points='{}{}' fill='{}' opacity='0.25'/>\n", upper, lower, color);
    body_ += fmt::format("<polyline points='{}' fill='none' stroke='{}'/>\n", middle, color);
  }

  static double x_of(const Range& time, double t) { return kLeft + kWidth * time.place(t); }
  static double y_of(const Range& range, double value, double top, double height) {
    return top + height * (1 - std::clamp(range.place(value), 0.0, 1.0));
  }
  void dot(double x, double y, const char* color) {
    body_ += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='1.6' fill='{}'/>\n", x, y, color);
  }
  void rule(double x1, double x2, double y1, double y2, const char* color) {
    body_ += fmt::format("<line x1='{:.1f}' x2='{:.1f}' y1='{:.1f}' y2='{:.1f}' stroke='{}'/>\n",
                         x1, x2, y1, y2, color);
  }
  void frame(double top, double height, const Range& range, const Range& time, int most_ticks) {
    for (const double tick : round_ticks(time.low, time.high, 8)) {
      rule(x_of(time, tick), x_of(time, tick), top, top + height, "#eee");
    }
    for (const double tick : round_ticks(range.low, range.high, most_ticks)) {
      const double y = y_of(range, tick, top, height);
      rule(kLeft, kLeft + kWidth, y, y, tick == 0 ? "#aaa" : "#e4e4e4");
      words(kLeft - 6, y + 4, "end", fmt::format("{:.4g}", tick));
    }
    body_ += fmt::format("<rect x='{}' y='{}' width='{}' height='{}' fill='none' stroke='#888'/>\n",
                         kLeft, top, kWidth, height);
  }
  void words(double x, double y, const char* anchor, const std::string& text) {
    body_ += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='{}'>{}</text>\n", x, y, anchor,
                         svg_text(text));
  }

  const optimize::FitResult& result_;
  std::string body_;
};

}  // namespace

std::string fit_plot(const optimize::FitResult& result, const std::string& title) {
  return Figure(result).svg(title);
}

}  // namespace liegrad::app
