#include "liegrad/optimize/fit/smooth_path.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::optimize {
namespace {

using dae::index;
using Eigen::Index;
using Vec3 = lie::Vec<double, 3>;
using Vec4 = lie::Vec<double, 4>;

constexpr int kDegree = 5;

/// The functions of a uniform B-spline of some degree that are not zero in an interval, at u in [0, 1] of it.
std::array<double, kDegree + 1> basis(double u, int degree) {
  std::array<double, kDegree + 1> functions = {1};
  for (int d = 1; d <= degree; ++d) {
    for (int j = d; j >= 0; --j) {
      const double left = j > 0 ? functions[index(j - 1)] : 0, right = functions[index(j)];
      functions[index(j)] = ((u + d - j) * left + (j < d ? (1 + j - u) * right : 0)) / d;
    }
  }
  return functions;
}

/// Samples as rows of numbers without jumps.
Eigen::MatrixXd continuous_values(const Series& series) {
  const Index samples = std::ssize(series.times), width = series.width();
  Eigen::MatrixXd values(samples, width);
  for (Index i = 0; i < samples; ++i) {
    for (Index c = 0; c < width; ++c) {
      values(i, c) = series.values[static_cast<std::size_t>(i * width + c)];
    }
    if (i == 0) continue;
    if (series.comparison == Comparison::kRotation && values.row(i).dot(values.row(i - 1)) < 0) {
      values.row(i) *= -1;
    }
    if (series.comparison == Comparison::kAngle) {
      const double change = values(i, 0) - values(i - 1, 0);
      values(i, 0) = values(i - 1, 0) + std::remainder(change, 2 * std::numbers::pi);
    }
  }
  return values;
}

/// Symmetric and positive definite, with kDegree entries beside the diagonal: entry (i, j) for j <= i in column i - j.
/// Solves by Cholesky's factorisation; false where a pivot vanishes.
bool solve_banded(Eigen::MatrixXd& band, Eigen::MatrixXd& right) {
  constexpr double kSmall = 1e-10;
  const Index n = band.rows();
  for (Index i = 0; i < n; ++i) {
    const double diagonal = band(i, 0);
    const Index first = std::max<Index>(0, i - kDegree);
    for (Index j = first; j <= i; ++j) {
      double sum = band(i, i - j);
      for (Index k = std::max(first, j - kDegree); k < j; ++k) {
        sum -= band(i, i - k) * band(j, j - k);
      }
      if (j < i) {
        band(i, i - j) = sum / band(j, 0);
        continue;
      }
      if (!(sum > kSmall * diagonal)) return false;
      band(i, 0) = std::sqrt(sum);
    }
  }
  for (Index i = 0; i < n; ++i) {
    for (Index j = std::max<Index>(0, i - kDegree); j < i; ++j) {
      right.row(i) -= band(i, i - j) * right.row(j);
    }
    right.row(i) /= band(i, 0);
  }
  for (Index i = n - 1; i >= 0; --i) {
    for (Index j = i + 1; j <= std::min(n - 1, i + kDegree); ++j) {
      right.row(i) -= band(j, j - i) * right.row(j);
    }
    right.row(i) /= band(i, 0);
  }
  return true;
}

/// 2 vec(q*⊗d).
Vec3 twice_vector(const Vec4& q, const Vec4& d) {
  const Vec3 v = q.tail<3>(), e = d.tail<3>();
  return 2 * (q(0) * e - d(0) * v - lie::rotation::cross<double>(v, e));
}

}  // namespace

SmoothPath::SmoothPath(const Series& series) {
  if (series.times.size() < 2) return;
  first_ = series.times.front();
  const double duration = series.times.back() - first_;
  const Eigen::MatrixXd values = continuous_values(series);
  constexpr int kMost = 1000;
  constexpr double kGrowth = 1.3;
  double least = std::numeric_limits<double>::infinity();
  SmoothPath best = *this;
  for (double wanted = 1; wanted < kMost; wanted = std::max(wanted + 1, kGrowth * wanted)) {
    const int intervals = static_cast<int>(wanted);
    // More coefficients than half of the samples smooth nothing.
    if (2 * (intervals + kDegree) > std::ssize(series.times)) break;
    length_ = duration / intervals;
    const double score = fit(series, values, intervals);
    if (!(score < least)) continue;
    least = score;
    intervals_ = intervals;
    best = *this;
  }
  *this = best;
}

double SmoothPath::fit(const Series& series, const Eigen::MatrixXd& values, int intervals) {
  const Index samples = values.rows(), count = intervals + kDegree;
  Eigen::MatrixXd band = Eigen::MatrixXd::Zero(count, kDegree + 1);
  coefficients_ = Eigen::MatrixXd::Zero(count, values.cols());
  const auto place = [&](Index i) {
    const double x = (series.times[static_cast<std::size_t>(i)] - first_) / length_;
    const int interval = std::min(static_cast<int>(x), intervals - 1);
    return std::pair(Index{interval}, basis(x - interval, kDegree));
  };
  for (Index i = 0; i < samples; ++i) {
    const auto [at, functions] = place(i);
    for (int j = 0; j <= kDegree; ++j) {
      for (int k = 0; k <= j; ++k) band(at + j, j - k) += functions[index(j)] * functions[index(k)];
      coefficients_.row(at + j) += functions[index(j)] * values.row(i);
    }
  }
  if (!solve_banded(band, coefficients_)) return std::numeric_limits<double>::infinity();
  double squares = 0;
  for (Index i = 0; i < samples; ++i) {
    const auto [at, functions] = place(i);
    Eigen::RowVectorXd residual = values.row(i);
    for (int j = 0; j <= kDegree; ++j) {
      residual -= functions[index(j)] * coefficients_.row(at + j);
    }
    squares += residual.squaredNorm();
  }
  constexpr double kRounding = 1e-6, kTiny = 1e-300;
  const Eigen::MatrixXd around = values.rowwise() - values.colwise().mean();
  const double components = static_cast<double>(values.cols());
  const double numbers = static_cast<double>(samples) * components;
  noise_ = std::max(
      {std::sqrt(squares / numbers), kRounding * std::sqrt(around.squaredNorm() / numbers), kTiny});
  constexpr double kPenalty = 1.4;
  const double left = static_cast<double>(samples) - kPenalty * static_cast<double>(count);
  return squares / (left * left);
}

Eigen::MatrixXd SmoothPath::derivatives(double t) const {
  const double x = (t - first_) / length_;
  const int interval = std::clamp(static_cast<int>(std::floor(x)), 0, intervals_ - 1);
  Eigen::MatrixXd differences = coefficients_.middleRows(interval, kDegree + 1);
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(3, differences.cols());
  double factor = 1;
  for (int order = 0; order < 3; ++order) {
    const auto functions = basis(x - interval, kDegree - order);
    for (int j = 0; j <= kDegree - order; ++j) {
      result.row(order) += factor * functions[index(j)] * differences.row(j);
    }
    const Index rest = kDegree - order;
    const Eigen::MatrixXd next = differences.middleRows(1, rest) - differences.topRows(rest);
    differences = next;
    factor /= length_;
  }
  return result;
}

SmoothPath::Number SmoothPath::number(double t) const {
  const Eigen::MatrixXd all = derivatives(t);
  return {all(0, 0), all(1, 0), all(2, 0)};
}

SmoothPath::Orientation SmoothPath::orientation(double t) const {
  const Eigen::MatrixXd all = derivatives(t);
  const Vec4 q = all.row(0).transpose(), q_dot = all.row(1).transpose(),
             q_ddot = all.row(2).transpose();
  // Of q/|q|, whose length does not turn it.
  const double square = q.squaredNorm();
  Orientation result;
  result.rotation = lie::SO3<double>::from_coeffs(q / std::sqrt(square));
  result.omega = twice_vector(q, q_dot) / square;
  result.omega_dot = twice_vector(q, q_ddot) / square - (2 * q.dot(q_dot) / square) * result.omega;
  return result;
}

}  // namespace liegrad::optimize
