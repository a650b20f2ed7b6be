#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "liegrad/dae/system/element.hpp"
#include "liegrad/dae/system/text.hpp"
#include "liegrad/elements/coordinates/laws.hpp"

namespace liegrad::elements {

/// The times of a table, at least two, one after the other; and the values that it starts from, which are
/// parameters y0, y1, … of the law.
///
/// A table that makes no sense says so when it is asked: the element that it belongs to has a name then.
class LawTable {
 public:
  LawTable(std::vector<double> times, std::vector<double> values)
      : times_(std::move(times)),
        values_(std::move(values)),
        validation_message_(validation_message_about(times_, values_)) {
    values_.resize(times_.size(), 0.0);
  }
  /// Values are parameters: laws with equal times are the same function of them.
  bool operator==(const LawTable& other) const {
    return times_ == other.times_ && validation_message_ == other.validation_message_;
  }

  /// Another number of values than times, fewer than two, times that do not increase or are not finite;
  /// as ElementModel::validation_message() says it. Empty if nothing is wrong; otherwise only the parameters can be
  /// asked for.
  const std::string& validation_message() const { return validation_message_; }

  std::size_t size() const { return times_.size(); }
  double time(std::size_t i) const { return times_[i]; }
  double interval(std::size_t i) const { return times_[i + 1] - times_[i]; }
  std::vector<dae::ParameterSpec> parameters(const std::string& unit) const {
    std::vector<dae::ParameterSpec> list;
    for (std::size_t i = 0; i < size(); ++i) {
      list.push_back({"y" + std::to_string(i), values_[i], unit,
                      "value at t = " + dae::number_text(times_[i]) + " s"});
    }
    return list;
  }

 private:
  static std::string validation_message_about(const std::vector<double>& times,
                                              const std::vector<double>& values) {
    using dae::number_text;
    if (times.size() != values.size()) {
      return "has a law with a table of " + std::to_string(times.size()) + " times and " +
             std::to_string(values.size()) + " values; it needs as many of both";
    }
    if (times.size() < 2) {
      return "has a law with a table of " + std::to_string(times.size()) +
             " knots; it needs at least two";
    }
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (!std::isfinite(times[i])) {
        return "has a law with a table whose time " + std::to_string(i) + " is " +
               number_text(times[i]) + "; it must be finite";
      }
      if (i == 0 || times[i] > times[i - 1]) continue;
      if (times[i] == times[i - 1]) {
        return "has a law with a table that jumps at t = " + number_text(times[i]) +
               ", where it has two knots; take one of them away or move it";
      }
      return "has a law with a table that goes back from t = " + number_text(times[i - 1]) +
             " to t = " + number_text(times[i]) + "; its times must increase";
    }
    return "";
  }

  std::vector<double> times_, values_;
  std::string validation_message_;
};

/// A cubic spline through a table, twice continuously differentiable everywhere: its ends are natural
/// (second derivative zero), and beyond them it goes on as straight lines. So a drive that starts at
/// the first knot starts without a jerk; near its ends the spline is less accurate than between, unless
/// what it interpolates has no curvature there either.
class TableLaw {
 public:
  static constexpr int kContinuousDerivatives = 2;

  TableLaw(std::vector<double> times, std::vector<double> values)
      : table_(std::move(times), std::move(values)) {}
  bool operator==(const TableLaw&) const = default;

  std::vector<dae::ParameterSpec> parameters(const std::string& unit) const {
    return table_.parameters(unit);
  }
  std::string validation_message(std::span<const double>) const {
    return table_.validation_message();
  }

  template <class S>
  S value(std::span<const S> y, const S& t) const {
    if (!table_.validation_message().empty()) return undefined_value<S>(y, t);
    const std::size_t last = table_.size() - 1;
    const std::vector<S> m = second_derivatives<S>(y);
    // Before the first knot, then from each knot on: a + b τ + c τ² + d τ³, τ = t - origin.
    lie::Vec<S, 5> piece;
    for (std::size_t i = 0; i < last; ++i) {
      const double h = table_.interval(i);
      const S slope = (y[i + 1] - y[i]) / S(h) - S(h / 6) * (S(2) * m[i] + m[i + 1]);
      if (i == 0) piece = {y[0], slope, S(0), S(0), S(table_.time(0))};
      const lie::Vec<S, 5> next(y[i], slope, S(0.5) * m[i], (m[i + 1] - m[i]) / S(6 * h),
                                S(table_.time(i)));
      piece = lie::select_lt<S, 5, 1>(t, S(table_.time(i)), piece, next);
    }
    const double h = table_.interval(last - 1);
    const S slope = (y[last] - y[last - 1]) / S(h) + S(h / 6) * m[last - 1];
    const lie::Vec<S, 5> beyond(y[last], slope, S(0), S(0), S(table_.time(last)));
    piece = lie::select_lt<S, 5, 1>(t, S(table_.time(last)), piece, beyond);
    const S tau = t - piece(4);
    return piece(0) + tau * (piece(1) + tau * (piece(2) + tau * piece(3)));
  }

 private:
  /// m of the spline at the knots, from continuous first derivatives,
  ///
  ///     h_{i-1} m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_i m_{i+1} = 6 (slope_i - slope_{i-1}),
  ///
  /// with m = 0 at both ends. The matrix is constant and diagonally dominant: elimination without
  /// pivoting, linear in y, so that derivatives by y are exact.
  template <class S>
  std::vector<S> second_derivatives(std::span<const S> y) const {
    const std::size_t n = table_.size();
    std::vector<S> m(n, S(0));
    std::vector<double> pivot(n, 1.0);
    for (std::size_t i = 1; i + 1 < n; ++i) {
      const double before = table_.interval(i - 1), after = table_.interval(i);
      pivot[i] = 2 * (before + after);
      m[i] = S(6 / after) * (y[i + 1] - y[i]) - S(6 / before) * (y[i] - y[i - 1]);
      if (i == 1) continue;
      pivot[i] -= before * before / pivot[i - 1];
      m[i] -= S(before / pivot[i - 1]) * m[i - 1];
    }
    for (std::size_t i = n - 1; i-- > 1;) {
      m[i] = (m[i] - S(table_.interval(i)) * m[i + 1]) / S(pivot[i]);
    }
    return m;
  }

  LawTable table_;
};

/// Straight lines between the values of a table, which stay as they are beyond its ends: for loads, as a
/// drive with corners would have infinite accelerations.
class LinearTableLaw {
 public:
  static constexpr int kContinuousDerivatives = 0;

  LinearTableLaw(std::vector<double> times, std::vector<double> values)
      : table_(std::move(times), std::move(values)) {}
  bool operator==(const LinearTableLaw&) const = default;

  std::vector<dae::ParameterSpec> parameters(const std::string& unit) const {
    return table_.parameters(unit);
  }
  std::string validation_message(std::span<const double>) const {
    return table_.validation_message();
  }
  template <class S>
  S value(std::span<const S> y, const S& t) const {
    if (!table_.validation_message().empty()) return undefined_value<S>(y, t);
    S sum = y[0];
    for (std::size_t i = 0; i + 1 < table_.size(); ++i) {
      const S from = t - S(table_.time(i)), h(table_.interval(i));
      const S inside = lie::select_lt(from, S(0), S(0), lie::select_lt(from, h, from, h));
      sum += (y[i + 1] - y[i]) / h * inside;
    }
    return sum;
  }

 private:
  LawTable table_;
};

}  // namespace liegrad::elements
