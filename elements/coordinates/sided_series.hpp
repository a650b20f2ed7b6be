#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/Core>

#include "liegrad/ad/taylor_scalar.hpp"

namespace liegrad::elements {

/// The limit of a function of time at t, from one side; and what the function compares on its way, as
/// series of a - b of every a < b.
struct TimeLimit {
  double t = 0;
  int side = 1;  ///< -1 before t, 1 after t
  std::vector<ad::Taylor<double, 3>> differences = {};
};

/// A scalar for functions of time that consist of pieces: series in time whose comparisons are decided as
/// they are on one side of t, also where both numbers are equal at t itself. A function then has its
/// derivatives by time from that side.
class SidedSeries {
 public:
  using Series = ad::Taylor<double, 3>;

  SidedSeries(double constant = 0) : series_(constant) {}
  /// Time itself, near the limit.
  explicit SidedSeries(TimeLimit& limit) : series_(Series::variable(limit.t)), limit_(&limit) {}

  const Series& series() const { return series_; }

  SidedSeries operator-() const { return {-series_, limit_}; }
  SidedSeries operator+() const { return *this; }
  SidedSeries& operator+=(const SidedSeries& b) { return *this = *this + b; }
  SidedSeries& operator-=(const SidedSeries& b) { return *this = *this - b; }
  SidedSeries& operator*=(const SidedSeries& b) { return *this = *this * b; }
  SidedSeries& operator/=(const SidedSeries& b) { return *this = *this / b; }

  friend SidedSeries operator+(const SidedSeries& a, const SidedSeries& b) {
    return {a.series_ + b.series_, limit_of(a, b)};
  }
  friend SidedSeries operator-(const SidedSeries& a, const SidedSeries& b) {
    return {a.series_ - b.series_, limit_of(a, b)};
  }
  friend SidedSeries operator*(const SidedSeries& a, const SidedSeries& b) {
    return {a.series_ * b.series_, limit_of(a, b)};
  }
  friend SidedSeries operator/(const SidedSeries& a, const SidedSeries& b) {
    return {a.series_ / b.series_, limit_of(a, b)};
  }

  friend bool operator<(const SidedSeries& a, const SidedSeries& b) { return sign(a, b) < 0; }
  friend bool operator>(const SidedSeries& a, const SidedSeries& b) { return sign(a, b) > 0; }
  friend bool operator<=(const SidedSeries& a, const SidedSeries& b) { return sign(a, b) <= 0; }
  friend bool operator>=(const SidedSeries& a, const SidedSeries& b) { return sign(a, b) >= 0; }
  friend bool operator==(const SidedSeries& a, const SidedSeries& b) { return sign(a, b) == 0; }
  friend bool operator!=(const SidedSeries& a, const SidedSeries& b) { return sign(a, b) != 0; }

  friend SidedSeries sqrt(const SidedSeries& a) { return {sqrt(a.series_), a.limit_}; }
  friend SidedSeries exp(const SidedSeries& a) { return {exp(a.series_), a.limit_}; }
  friend SidedSeries log(const SidedSeries& a) { return {log(a.series_), a.limit_}; }
  friend SidedSeries sin(const SidedSeries& a) { return {sin(a.series_), a.limit_}; }
  friend SidedSeries cos(const SidedSeries& a) { return {cos(a.series_), a.limit_}; }
  friend SidedSeries tan(const SidedSeries& a) { return {tan(a.series_), a.limit_}; }
  friend SidedSeries asin(const SidedSeries& a) { return {asin(a.series_), a.limit_}; }
  friend SidedSeries acos(const SidedSeries& a) { return {acos(a.series_), a.limit_}; }
  friend SidedSeries atan(const SidedSeries& a) { return {atan(a.series_), a.limit_}; }
  friend SidedSeries sinh(const SidedSeries& a) { return {sinh(a.series_), a.limit_}; }
  friend SidedSeries cosh(const SidedSeries& a) { return {cosh(a.series_), a.limit_}; }
  friend SidedSeries tanh(const SidedSeries& a) { return {tanh(a.series_), a.limit_}; }
  friend SidedSeries atan2(const SidedSeries& a, const SidedSeries& b) {
    return {atan2(a.series_, b.series_), limit_of(a, b)};
  }
  friend SidedSeries pow(const SidedSeries& a, const SidedSeries& b) {
    return {pow(a.series_, b.series_), limit_of(a, b)};
  }
  template <ad::PlainNumber P>
  friend SidedSeries pow(const SidedSeries& a, P exponent) {
    return {pow(a.series_, exponent), a.limit_};
  }
  friend SidedSeries abs(const SidedSeries& a) { return a < SidedSeries(0) ? -a : a; }
  friend SidedSeries fabs(const SidedSeries& a) { return abs(a); }

 private:
  SidedSeries(const Series& series, TimeLimit* limit) : series_(series), limit_(limit) {}

  static TimeLimit* limit_of(const SidedSeries& a, const SidedSeries& b) {
    return a.limit_ != nullptr ? a.limit_ : b.limit_;
  }
  /// Of a - b, on the side of the limit.
  static int sign(const SidedSeries& a, const SidedSeries& b) {
    const Series d = a.series_ - b.series_;
    const auto sign_of = [](double x) { return x < 0 ? -1 : x > 0 ? 1 : 0; };
    TimeLimit* const limit = limit_of(a, b);
    if (limit == nullptr) return sign_of(d.coefficient(0));
    note(*limit, d);
    // The time at which two numbers are equal is itself rounded.
    const double rounding =
        16 * std::numeric_limits<double>::epsilon() *
        (std::abs(a.series_.coefficient(0)) + std::abs(b.series_.coefficient(0)) +
         std::abs(limit->t * d.coefficient(1)));
    if (std::abs(d.coefficient(0)) > rounding) return sign_of(d.coefficient(0));
    for (int k = 1; k <= Series::kOrder; ++k) {
      const int sign = sign_of(d.coefficient(k));
      if (sign != 0) return k % 2 == 0 ? sign : sign * limit->side;
    }
    return 0;
  }
  /// Vectors are selected entry by entry, with one comparison again and again.
  static void note(TimeLimit& limit, const Series& d) {
    if (!limit.differences.empty()) {
      const Series& last = limit.differences.back();
      bool is_same = true;
      for (int k = 0; k <= Series::kOrder; ++k) {
        is_same = is_same && last.coefficient(k) == d.coefficient(k);
      }
      if (is_same) return;
    }
    limit.differences.push_back(d);
  }

  Series series_;
  TimeLimit* limit_ = nullptr;
};

}  // namespace liegrad::elements

namespace liegrad::lie {

template <>
struct ScalarTraits<elements::SidedSeries> {
  using S = elements::SidedSeries;
  using Real = double;
  /// Both sides of a branch are evaluated, so that all comparisons are seen.
  static constexpr bool kTaped = true;
  static S select_lt(const S& a, const S& b, const S& if_true, const S& if_false) {
    return a < b ? if_true : if_false;
  }
  static Real value(const S& x) { return x.series().coefficient(0); }
};

}  // namespace liegrad::lie

namespace Eigen {

template <>
struct NumTraits<liegrad::elements::SidedSeries> : NumTraits<double> {
  using Real = liegrad::elements::SidedSeries;
  using NonInteger = Real;
  using Nested = Real;
  using Literal = Real;
  enum { RequireInitialization = 1 };  // NOLINT(readability-identifier-naming): Eigen's name
};

}  // namespace Eigen
