#include "output/fit_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "output/svg_text.hpp"

namespace liegrad::app {
namespace {

constexpr double kLeft = 90, kWidth = 620, kCurve = 150, kResidual = 60, kGap = 50;
constexpr std::array kColors = {"#0072b2", "#d55e00", "#009e73", "#cc79a7"};
constexpr std::size_t kMostTrials = 4;

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  double place(double value) const { return high > low ? (value - low) / (high - low) : 0.5; }
};

/// One number of a series as it is drawn: an orientation by its residuals alone.
struct Curve {
  const std::vector<double>* times;
  std::vector<double> measured, fitted, band, residual;
};

class Figure {
 public:
  explicit Figure(const optimize::FitResult& result) : result_(result) {}

  std::string svg(const std::string& title) {
    double top = 40;
    if (!result_.trials.empty()) {
      for (std::size_t k = 0; k < result_.trials.front().series.size(); ++k) {
        const optimize::Series& series = result_.trials.front().series[k].measured;
        for (int i = 0; i < series.residual_size(); ++i) top = add_panel(k, i, top);
      }
    }
    words(kLeft + kWidth / 2, 22, "middle", title);
    return fmt::format(
        "<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{1}' viewBox='0 0 {0} {1}' "
        "font-family='sans-serif' font-size='12'>\n<rect width='100%' height='100%' "
        "fill='white'/>\n{2}</svg>\n",
        kLeft + kWidth + 30, top, body_);
  }

 private:
  std::vector<Curve> curves_of(std::size_t series, int component) const {
    std::vector<Curve> curves;
    for (std::size_t n = 0; n < std::min(result_.trials.size(), kMostTrials); ++n) {
      const optimize::FittedSeries& one = result_.trials[n].series[series];
      const std::size_t size = static_cast<std::size_t>(one.measured.residual_size());
      const bool is_rotation = size == 3;
      Curve curve{&one.measured.times, {}, {}, {}, {}};
      for (std::size_t i = 0; i < one.measured.times.size(); ++i) {
        const std::size_t at = i * size + static_cast<std::size_t>(component);
        curve.residual.push_back(one.residuals[at]);
        curve.band.push_back(1.96 * one.band[at]);
        curve.measured.push_back(is_rotation ? one.residuals[at] : one.measured.values[i]);
        curve.fitted.push_back(is_rotation ? 0 : one.computed[i]);
      }
      curves.push_back(std::move(curve));
    }
    return curves;
  }

  double add_panel(std::size_t series, int component, double top) {
    const std::vector<Curve> curves = curves_of(series, component);
    const optimize::Series& first = result_.trials.front().series[series].measured;
    const bool is_rotation = first.residual_size() == 3;
    Range time, values, residuals;
    for (const Curve& curve : curves) {
      for (std::size_t i = 0; i < curve.times->size(); ++i) {
        time.include((*curve.times)[i]);
        values.include(curve.measured[i]);
        values.include(curve.fitted[i]);
        residuals.include(curve.residual[i]);
      }
    }
    const std::string name = is_rotation ? fmt::format("{}: rotation vector, component {}, rad",
                                                       first.name(), component + 1)
                                         : first.name();
    words(kLeft, top - 6, "start", name);
    frame(top, kCurve, values);
    for (std::size_t n = 0; n < curves.size(); ++n) {
      draw_curve(curves[n], kColors[n], time, values, top);
    }
    const double below = top + kCurve + 8;
    frame(below, kResidual, residuals);
    for (std::size_t n = 0; n < curves.size(); ++n) {
      for (std::size_t i = 0; i < curves[n].times->size(); ++i) {
        dot(x_of(time, (*curves[n].times)[i]),
            y_of(residuals, curves[n].residual[i], below, kResidual), kColors[n]);
      }
    }
    words(kLeft + kWidth, below - 10, "end", "residuals below");
    words(kLeft, below + kResidual + 15, "start", fmt::format("t = {:.4g}", time.low));
    words(kLeft + kWidth, below + kResidual + 15, "end", fmt::format("{:.4g} s", time.high));
    return below + kResidual + kGap;
  }

  void draw_curve(const Curve& curve, const char* color, const Range& time, const Range& values,
                  double top) {
    std::string line, upper, lower;
    for (std::size_t i = 0; i < curve.times->size(); ++i) {
      const double x = x_of(time, (*curve.times)[i]);
      const auto y = [&](double value) { return y_of(values, value, top, kCurve); };
      line += fmt::format("{:.1f},{:.1f} ", x, y(curve.fitted[i]));
      upper += fmt::format("{:.1f},{:.1f} ", x, y(curve.fitted[i] + curve.band[i]));
      lower = fmt::format("{:.1f},{:.1f} ", x, y(curve.fitted[i] - curve.band[i])) + lower;
      dot(x, y(curve.measured[i]), color);
    }
    body_ +=
        fmt::format("<polygon points='{}{}' fill='{}' opacity='0.25'/>\n", upper, lower, color);
    body_ += fmt::format("<polyline points='{}' fill='none' stroke='{}'/>\n", line, color);
  }

  static double x_of(const Range& time, double t) { return kLeft + kWidth * time.place(t); }
  static double y_of(const Range& range, double value, double top, double height) {
    return top + height * (1 - std::clamp(range.place(value), 0.0, 1.0));
  }
  void dot(double x, double y, const char* color) {
    body_ += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='1.6' fill='{}'/>\n", x, y, color);
  }
  void frame(double top, double height, const Range& range) {
    body_ += fmt::format("<rect x='{}' y='{}' width='{}' height='{}' fill='none' stroke='#888'/>\n",
                         kLeft, top, kWidth, height);
    words(kLeft - 6, top + 10, "end", fmt::format("{:.3g}", range.high));
    words(kLeft - 6, top + height, "end", fmt::format("{:.3g}", range.low));
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
