#include "output/control_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "output/round_ticks.hpp"
#include "output/svg_text.hpp"

namespace liegrad::app {
namespace {

constexpr double kLeft = 90, kWidth = 520, kHeight = 130, kGap = 48, kLegend = 190;
constexpr std::array kColors = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                "#e69f00", "#56b4e9", "#000000", "#999999"};
/// More lines than colours cannot be told apart.
constexpr std::size_t kMostLines = kColors.size();

struct Line {
  std::string label;
  std::vector<double> times, values;
  control::Interval bounds = {};
};

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
    const double margin = 0.06 * std::max(high - low, 1e-9 * std::max(std::abs(high), 1e-300));
    low -= margin;
    high += margin;
    const auto y_of = [&](double value) { return top_ + kHeight * (high - value) / (high - low); };
    const auto x_of = [&](double t) { return kLeft + kWidth * t / t_end_; };
    words(kLeft, top_ - 6, "start", "#000",
          title + (left_out > 0
                       ? fmt::format(" (the first {} of {})", kMostLines, kMostLines + left_out)
                       : ""));
    body_ += fmt::format("<rect x='{}' y='{}' width='{}' height='{}' fill='none' stroke='#888'/>\n",
                         kLeft, top_, kWidth, kHeight);
    for (const double tick : round_ticks(low, high, 4)) {
      rule(y_of(tick), tick == 0 ? "#aaa" : "#e4e4e4", "");
      words(kLeft - 6, y_of(tick) + 4, "end", "#000", fmt::format("{:.4g}", tick));
    }
    for (const double start : starts_) {
      body_ += fmt::format(
          "<line x1='{0:.1f}' x2='{0:.1f}' y1='{1}' y2='{2}' stroke='#888' "
          "stroke-dasharray='2 3'/>\n",
          x_of(start), top_, top_ + kHeight);
    }
    for (std::size_t k = 0; k < lines.size(); ++k) {
      const Line& line = lines[k];
      for (const double bound : {line.bounds.lower, line.bounds.upper}) {
        if (bound > low && bound < high) rule(y_of(bound), kColors[k], "4 3");
      }
      std::string points;
      for (std::size_t i = 0; i < line.values.size(); ++i) {
        points += fmt::format("{:.1f},{:.1f} ", x_of(line.times[i]), y_of(line.values[i]));
      }
      body_ += fmt::format("<polyline points='{}' fill='none' stroke='{}' stroke-width='1.4'/>\n",
                           points, kColors[k]);
      words(kLeft + kWidth + 10, top_ + 12 + 15 * static_cast<double>(k), "start", kColors[k],
            line.label);
    }
    for (const double tick : round_ticks(0, t_end_, 6)) {
      words(x_of(tick), top_ + kHeight + 15, "middle", "#000", fmt::format("{:.4g}", tick));
    }
    words(kLeft + kWidth + 28, top_ + kHeight + 15, "start", "#000", "t (s)");
    top_ += kHeight + kGap;
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

  double t_end_, top_ = 52;
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
  std::vector<double> times;
  for (const dae::State& state : solution.states) times.push_back(begin + state.t);
  const auto lines = [&](int count, auto&& label, auto&& value) {
    std::vector<Line> list;
    for (int i = 0; i < count; ++i) {
      Line line{label(i), times, {}};
      for (std::size_t n = 0; n < times.size(); ++n) {
        line.values.push_back(value(n)[static_cast<std::size_t>(i)]);
      }
      list.push_back(std::move(line));
    }
    return list;
  };
  const auto coordinate = [&](int i) { return system.coordinate_name(i); };

  std::vector<Line> controls = lines(
      static_cast<int>(system.controls().size()),
      [&](int i) { return system.controls()[static_cast<std::size_t>(i)]; },
      [&](std::size_t n) -> const std::vector<double>& { return solution.controls[n]; });
  for (std::size_t i = 0; i < controls.size(); ++i) {
    controls[i].bounds = problem.control_bounds()[i];
  }
  panels.add("controls, and their bounds (dashed)", std::move(controls));
  panels.add("velocities",
             lines(system.dof(), coordinate, [&](std::size_t n) -> const std::vector<double>& {
               return solution.states[n].v;
             }));
  panels.add(
      "multipliers of joints",
      lines(
          system.num_multipliers(), [&](int i) { return system.constraint_name(i); },
          [&](std::size_t n) -> const std::vector<double>& { return solution.states[n].lambda; }));
  if (solution.costates.size() + 1 == times.size()) {
    times.erase(times.begin());
    panels.add("costates of positions",
               lines(system.dof(), coordinate, [&](std::size_t n) -> const std::vector<double>& {
                 return solution.costates[n];
               }));
  }
  const std::vector<double>& hamiltonian = solution.certificate.hamiltonian;
  if (hamiltonian.size() == times.size()) {
    panels.add("Hamiltonian", {{"H", times, hamiltonian}});
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
