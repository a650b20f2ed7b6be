#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "liegrad/dae/system/text.hpp"
#include "liegrad/elements/coordinates/sided_series.hpp"

namespace liegrad::elements {

/// Where the pieces of a law meet, from a time on: where one of its comparisons changes. A recorded law can
/// jump nowhere else, as it has no other branches.
///
/// Comparisons of time with a number, or with any function that is linear in time, are all found; of others
/// the root that Newton's method finds.
template <class Law>
class LawPieces {
 public:
  using Series = SidedSeries::Series;

  LawPieces(const Law& law, std::span<const double> parameters)
      : law_(law), parameters_(parameters.begin(), parameters.end()) {}

  /// Value and derivatives from one side.
  Series at(double t, int side) const {
    TimeLimit limit{.t = t, .side = side};
    return evaluate(limit);
  }
  /// The first end of a piece after t; infinite if there is none.
  double end_after(double t) const {
    TimeLimit limit{.t = t};
    evaluate(limit);
    double first = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < limit.differences.size(); ++i) {
      const double root = root_of(i, t, limit.differences[i]);
      if (root > t + kResolution * (std::abs(t) + std::abs(root))) first = std::min(first, root);
    }
    return first;
  }

 private:
  /// Relative to times: knots that are nearer are one.
  static constexpr double kResolution = 1e-12;

  Series evaluate(TimeLimit& limit) const {
    return law_.template value<SidedSeries>(parameters_, SidedSeries(limit)).series();
  }
  /// Where the i-th difference is zero, by Newton's method from t.
  double root_of(std::size_t i, double t, Series d) const {
    constexpr int kMostSteps = 20;
    constexpr double kNone = std::numeric_limits<double>::infinity();
    for (int n = 0; n < kMostSteps; ++n) {
      const double step = -d.coefficient(0) / d.coefficient(1);
      if (!std::isfinite(step)) return kNone;
      t += step;
      const bool is_linear = d.coefficient(2) == 0 && d.coefficient(3) == 0;
      if (is_linear || std::abs(step) <= kResolution * std::abs(t)) return t;
      TimeLimit limit{.t = t};
      evaluate(limit);
      if (i >= limit.differences.size()) return kNone;
      d = limit.differences[i];
    }
    return kNone;
  }

  Law law_;
  std::vector<SidedSeries> parameters_;
};

/// What is wrong with the law of a drive after t: a value, a speed or an acceleration that jumps. As
/// ElementModel::validation_message() says it; empty if nothing is.
template <class Law>
std::string jump_validation_message(const Law& law, std::span<const double> parameters, double t) {
  using Series = typename LawPieces<Law>::Series;
  constexpr std::array kNames = {"value", "speed", "acceleration"};
  // Relative to the largest of their kind, and to what rounding of values makes of derivatives.
  constexpr double kJump = 1e-8, kRounding = 1e-12;
  constexpr int kMostPieces = 50;
  struct End {
    double t, piece;
    Series before, after;
  };
  const LawPieces pieces(law, parameters);
  std::vector<End> ends;
  std::array<double, 3> largest = {};
  const auto measure = [&largest](const Series& y) {
    for (std::size_t k = 0; k < largest.size(); ++k) {
      const double size = std::abs(y.derivative(static_cast<int>(k)));
      if (std::isfinite(size)) largest[k] = std::max(largest[k], size);
    }
  };
  for (int i = 0; i < kMostPieces; ++i) {
    const double end = pieces.end_after(t);
    if (!std::isfinite(end)) break;
    measure(pieces.at((t + end) / 2, 1));
    ends.push_back({end, end - t, pieces.at(end, -1), pieces.at(end, 1)});
    measure(ends.back().before);
    measure(ends.back().after);
    t = end;
  }
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const End& end = ends[i];
    const double next = i + 1 < ends.size() ? ends[i + 1].piece : end.piece;
    double rounding = kRounding * largest[0];
    for (std::size_t k = 0; k < largest.size(); ++k, rounding /= std::min(end.piece, next)) {
      const double before = end.before.derivative(static_cast<int>(k));
      const double after = end.after.derivative(static_cast<int>(k));
      if (!(std::abs(after - before) > kJump * largest[k] + rounding)) continue;
      return std::string("has a law whose ") + kNames[k] +
             " jumps at t = " + dae::number_text(end.t) + " from " + dae::number_text(before) +
             " to " + dae::number_text(after) +
             "; value, speed and acceleration of a drive must not jump, so smooth the law there";
    }
  }
  return "";
}

}  // namespace liegrad::elements
