#pragma once

#include <vector>

#include <Eigen/Core>

#include "liegrad/lie/so3.hpp"
#include "liegrad/optimize/fit/measurements.hpp"

namespace liegrad::optimize {

/// A smooth function of time through the noisy samples of a series: a spline of degree 5 with equal intervals, fitted by
/// least squares. There are as many intervals as make the generalised cross-validation [CravenWahba1978] least,
///
///     Σr² / (N - 1.4 c)²,   N samples, c coefficients,
///
/// with 1.4 in place of 1 against splines through noise. Angles are counted over turns. Orientations are smoothed as quaternions of continuous sign and then have unit length.
class SmoothPath {
 public:
  /// Precondition: times increase.
  explicit SmoothPath(const Series& series);

  /// Whether there were enough samples, without a gap in which a spline would be free.
  bool exists() const { return intervals_ > 0; }
  double first_time() const { return first_; }
  double last_time() const { return first_ + intervals_ * length_; }
  /// Of an interval.
  double length() const { return length_; }
  /// Root mean square of what is left of samples, and not less than rounding of their spread.
  double noise() const { return noise_; }

  /// A number and its derivatives.
  struct Number {
    double value = 0, rate = 0, acceleration = 0;
  };
  /// Precondition: the series is no orientation.
  Number number(double t) const;
  /// R with Ω and dΩ/dt in the body.
  struct Orientation {
    lie::SO3<double> rotation = lie::SO3<double>::identity();
    lie::Vec<double, 3> omega, omega_dot;
  };
  /// Precondition: the series is an orientation.
  Orientation orientation(double t) const;

 private:
  /// The generalised cross-validation with so many intervals, whose coefficients are left; infinite without a fit.
  double fit(const Series& series, const Eigen::MatrixXd& values, int intervals);
  /// Value and derivatives of all components, one in each row.
  Eigen::MatrixXd derivatives(double t) const;

  double first_ = 0, length_ = 0, noise_ = 1;
  int intervals_ = 0;
  Eigen::MatrixXd coefficients_;  ///< × components
};

}  // namespace liegrad::optimize
