#include "output/control_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "output/motion_units.hpp"
#include "output/round_ticks.hpp"
#include "output/svg_text.hpp"

namespace liegrad::app {
namespace {

constexpr double kLeft = 90, kWidth = 520, kHeight = 130, kGap = 48, kLegend = 220;
constexpr std::array kColors = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                "#e69f00", "#56b4e9", "#000000", "#999999"};
/// Each colour is drawn whole and then dashed; more lines cannot be told apart.
constexpr std::size_t kMostLines = 2 * kColors.size();
constexpr double kLineOfLegend = 15;

struct Line {
  std::string label, unit;
  std::vector<double> times, values;
  control::Interval bounds = {};
};

std::string with_unit(const std::string& text, const std::string& unit) {
  return unit.empty() ? text : fmt::format("{} ({})", text, unit);
}

/// Of lines that all have one unit it is said once, in the title; otherwise behind each.
std::string take_common_unit(std::vector<Line>& lines) {
  const std::string unit = lines.front().unit;
  if (!std::all_of(lines.begin(), lines.end(), [&](const Line& l) { return l.unit == unit; })) {
    return "";
  }
  for (Line& line : lines) line.unit.clear();
  return unit;
}

bool is_within(double x, double low, double high) { return x > low && x < high; }

class Figure {
 public:
  /// Phases behind the first one begin at `starts`.
  Figure(double t_end, std::vector<double> starts) : t_end_(t_end), starts_(std::move(starts)) {}

  void add_panel(const std::string& title, std::vector<Line> lines) {
    // Lines that stay at zero say nothing.
    std::erase_if(lines, [](const Line& line) {
      return std::all_of(line.values.begin(), line.values.end(),
                         [](double x) { return std::abs(x) < 1e-12; });
    });
    if (lines.empty()) return;
    const std::size_t left_out = lines.size() > kMostLines ? lines.size() - kMostLines : 0;
    if (left_out > 0) lines.resize(kMostLines);
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const Line& line : lines) {
      for (const double x : line.values) {
        low = std::min(low, x);
        high = std::max(high, x);
      }
    }
    height_ = std::max(kHeight, kLineOfLegend * static_cast<double>(lines.size()) + 4);
    const double margin = 0.06 * std::max(high - low, 1e-9 * std::max(std::abs(high), 1e-300));
    low -= margin;
    high += margin;
    const auto y_of = [&](double value) { return top_ + height_ * (high - value) / (high - low); };
    const auto x_of = [&](double t) { return kLeft + kWidth * t / t_end_; };
    std::string heading = with_unit(title, take_common_unit(lines));
    const auto has_bound_within = [&](const Line& line) {
      return is_within(line.bounds.lower, low, high) || is_within(line.bounds.upper, low, high);
    };
    if (std::any_of(lines.begin(), lines.end(), has_bound_within)) heading += ", bounds dotted";
    if (left_out > 0) {
      heading += fmt::format(", the first {} of {}", kMostLines, kMostLines + left_out);
    }
    words(kLeft, top_ - 6, "start", "#000", heading);
    body_ += fmt::format("<rect x='{}' y='{}' width='{}' height='{}' fill='none' stroke='#888'/>\n",
                         kLeft, top_, kWidth, height_);
    for (const double tick : round_ticks(low, high, 4)) {
      rule(y_of(tick), tick == 0 ? "#aaa" : "#e4e4e4", "");
      words(kLeft - 6, y_of(tick) + 4, "end", "#000", fmt::format("{:.4g}", tick));
    }
    for (const double start : starts_) {
      body_ += fmt::format(
          "<line x1='{0:.1f}' x2='{0:.1f}' y1='{1}' y2='{2}' stroke='#888' "
          "stroke-dasharray='2 3'/>\n",
          x_of(start), top_, top_ + height_);
    }
    for (std::size_t k = 0; k < lines.size(); ++k) {
      const Line& line = lines[k];
      const char* const color = kColors[k % kColors.size()];
      const char* const dashes = k < kColors.size() ? "" : "6 3";
      for (const double bound : {line.bounds.lower, line.bounds.upper}) {
        if (is_within(bound, low, high)) rule(y_of(bound), color, "1 3");
      }
      std::string points;
      for (std::size_t i = 0; i < line.values.size(); ++i) {
        points += fmt::format("{:.1f},{:.1f} ", x_of(line.times[i]), y_of(line.values[i]));
      }
      body_ += fmt::format(
          "<polyline points='{}' fill='none' stroke='{}' stroke-width='1.4' "
          "stroke-dasharray='{}'/>\n",
          points, color, dashes);
      const double y = top_ + 12 + kLineOfLegend * static_cast<double>(k);
      body_ += fmt::format(
          "<line x1='{}' x2='{}' y1='{:.1f}' y2='{:.1f}' stroke='{}' stroke-width='1.4' "
          "stroke-dasharray='{}'/>\n",
          kLeft + kWidth + 10, kLeft + kWidth + 28, y - 4, y - 4, color, dashes);
      words(kLeft + kWidth + 33, y, "start", color, with_unit(line.label, line.unit));
    }
    for (const double tick : round_ticks(0, t_end_, 6)) {
      words(x_of(tick), top_ + height_ + 15, "middle", "#000", fmt::format("{:.4g}", tick));
    }
    words(kLeft + kWidth + 28, top_ + height_ + 15, "start", "#000", "t (s)");
    top_ += height_ + kGap;
  }

  std::string svg(const std::string& title) {
    words(kLeft + kWidth / 2, 20, "middle", "#000", title);
    return fmt::format(
        "<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{1}' viewBox='0 0 {0} {1}' "
        "font-family='sans-serif' font-size='12'>\n<rect width='100%' height='100%' "
        "fill='white'/>\n{2}</svg>\n",
        kLeft + kWidth + kLegend, top_ - 20, body_);
  }

 private:
  void rule(double y, const char* color, const char* dashes) {
    body_ += fmt::format(
        "<line x1='{}' x2='{}' y1='{:.1f}' y2='{:.1f}' stroke='{}' stroke-dasharray='{}'/>\n",
        kLeft, kLeft + kWidth, y, y, color, dashes);
  }
  void words(double x, double y, const char* anchor, const char* color, const std::string& text) {
    body_ += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='{}' fill='{}'>{}</text>\n", x, y,
                         anchor, color, svg_text(text));
  }

  double t_end_, top_ = 52, height_ = kHeight;
  std::vector<double> starts_;
  std::string body_;
};

/// What is drawn of one phase, from a time on; panels of the same title get one frame.
struct Panels {
  std::vector<std::pair<std::string, std::vector<Line>>> list;

  /// Lines of the same label go on.
  void add(const std::string& title, std::vector<Line> lines) {
    auto panel = std::find_if(list.begin(), list.end(),
                              [&](const auto& known) { return known.first == title; });
    if (panel == list.end()) panel = list.insert(list.end(), {title, {}});
    for (Line& line : lines) {
      const auto known = std::find_if(panel->second.begin(), panel->second.end(),
                                      [&](const Line& old) { return old.label == line.label; });
      if (known == panel->second.end()) {
        panel->second.push_back(std::move(line));
        continue;
      }
      known->times.insert(known->times.end(), line.times.begin(), line.times.end());
      known->values.insert(known->values.end(), line.values.begin(), line.values.end());
    }
  }
};

void add_phase(const control::Problem& problem, const control::Solution& solution, double begin,
               Panels& panels) {
  const dae::Model& system = problem.system();
  const MotionUnits units(problem);
  std::vector<double> times;
  for (const dae::State& state : solution.states) times.push_back(begin + state.t);
  const auto lines = [&](int count, auto&& label, auto&& unit, auto&& value) {
    std::vector<Line> list;
    for (int i = 0; i < count; ++i) {
      Line line{label(i), unit(i), times, {}};
      for (std::size_t n = 0; n < times.size(); ++n) {
        line.values.push_back(value(n)[static_cast<std::size_t>(i)]);
      }
      list.push_back(std::move(line));
    }
    return list;
  };
  const auto coordinate = [&](int i) { return system.coordinate_name(i); };

  using Values = const std::vector<double>&;
  std::vector<Line> controls = lines(
      static_cast<int>(system.controls().size()),
      [&](int i) { return system.controls()[static_cast<std::size_t>(i)]; },
      [&](int i) { return units.control(i); },
      [&](std::size_t n) -> Values { return solution.controls[n]; });
  for (std::size_t i = 0; i < controls.size(); ++i) {
    controls[i].bounds = problem.control_bounds()[i];
  }
  panels.add("controls", std::move(controls));
  if (solution.certificate.switching.size() == times.size()) {
    // Those of controls without bounds are zero.
    std::vector<Line> switching = lines(
        static_cast<int>(system.controls().size()),
        [&](int i) { return system.controls()[static_cast<std::size_t>(i)]; },
        [&](int i) { return units.switching(i); },
        [&](std::size_t n) -> Values { return solution.certificate.switching[n]; });
    std::size_t i = 0;
    std::erase_if(switching, [&](const Line&) {
      const control::Interval& bounds = problem.control_bounds()[i++];
      return !std::isfinite(bounds.lower) && !std::isfinite(bounds.upper);
    });
    panels.add("switching functions", std::move(switching));
  }
  panels.add("velocities", lines(
                               system.dof(), coordinate, [&](int i) { return units.velocity(i); },
                               [&](std::size_t n) -> Values { return solution.states[n].v; }));
  panels.add("multipliers of joints",
             lines(
                 system.num_multipliers(), [&](int i) { return system.constraint_name(i); },
                 [&](int i) { return units.multiplier(i); },
                 [&](std::size_t n) -> Values { return solution.states[n].lambda; }));
  if (solution.costates.size() + 1 == times.size()) {
    times.erase(times.begin());
    panels.add("costates of positions",
               lines(
                   system.dof(), coordinate, [&](int i) { return units.costate(i); },
                   [&](std::size_t n) -> Values { return solution.costates[n]; }));
  }
  const std::vector<double>& hamiltonian = solution.certificate.hamiltonian;
  if (hamiltonian.size() == times.size()) {
    panels.add("Hamiltonian", {{"H", "cost/s", times, hamiltonian}});
  }
}

std::string svg_of(Panels panels, double t_end, const std::vector<double>& starts,
                   const std::string& title) {
  Figure figure(t_end, starts);
  for (auto& [name, lines] : panels.list) figure.add_panel(name, std::move(lines));
  return figure.svg(title);
}

}  // namespace

std::string control_plot(const control::Problem& problem, const control::Solution& solution) {
  Panels panels;
  add_phase(problem, solution, 0, panels);
  return svg_of(std::move(panels), solution.summary.t_end, {},
                fmt::format("{}: cost {:.7g}, {} steps", problem.name(), solution.summary.cost,
                            solution.summary.steps));
}

std::string control_plot(const control::PhasedProblem& problem,
                         const control::PhasedSolution& solution) {
  Panels panels;
  for (int k = 0; k < problem.size(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    add_phase(problem.phase(k).problem, solution.phases[i], solution.start_times[i], panels);
  }
  return svg_of(std::move(panels), solution.summary.t_end,
                {solution.start_times.begin() + 1, solution.start_times.end()},
                fmt::format("{}: cost {:.7g}, {} phases", problem.name(), solution.summary.cost,
                            problem.size()));
}

}  // namespace liegrad::app
