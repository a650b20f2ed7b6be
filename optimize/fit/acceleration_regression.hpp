#pragma once

#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "liegrad/dae/system/element_check.hpp"
#include "liegrad/optimize/fit/measured_motion.hpp"
#include "liegrad/optimize/fit/unknowns.hpp"
#include "liegrad/sensitivity/step/acceleration_derivative.hpp"

namespace liegrad::optimize {

/// Least squares of the equations of motion on smoothed data: unknown parameters p for which the accelerations that the
/// equations give at measured q and v are those that were measured,
///
///     min Σ |ÿ_m - J v̇ - (dJ/dt) v|²,   M(p) v̇ + g(p) + Bᵀλ = 0,  d²Φ/dt² = 0,
///
/// y = y(q) the measured outputs. v̇ and λ are eliminated at each time, so that no equation of motion needs a weight of its
/// own, and a common factor of all masses, which changes no motion, has no effect here either. M v̇ + g alone, which is
/// linear in inertial parameters, has noise in the factors of p and is smallest for masses that vanish.
class AccelerationRegression {
 public:
  /// Of the chosen unknowns; all others have their starts. `trials` are recordings of the outputs themselves.
  AccelerationRegression(const dae::System& system, const Unknowns& unknowns,
                         const std::vector<Recording>& trials, const dae::ControlLaw& controls,
                         const std::vector<int>& chosen);

  /// Why it cannot be done, or nothing.
  const std::optional<std::string>& reason_against() const { return reason_against_; }
  /// All unknowns, with the chosen ones changed as far as data determine them, within bounds and to values that elements
  /// accept. Precondition: there is no reason against it.
  Eigen::VectorXd solve();
  /// ÿ_m less that of the equations for all unknowns, over the noise of y_m, and derivatives by the chosen ones. False
  /// where there is no motion.
  bool evaluate(const Eigen::VectorXd& x, Eigen::VectorXd& residuals, Eigen::MatrixXd* jacobian);

 private:
  /// A time of a trial.
  struct Point {
    int trial;
    MeasuredMotion::Target target;
    std::vector<double> controls;
    dae::State state;
  };

  void find_points(const Recording& recording, int trial, const dae::ControlLaw& law);
  void set_parameters(int trial, const Eigen::VectorXd& x);
  /// Whether the chosen unknowns move the configurations that belong to the data.
  bool moves_configurations() const;
  /// Multiples of these of the chosen unknowns are alike.
  Eigen::VectorXd scales(const Eigen::VectorXd& residuals, const Eigen::MatrixXd& jacobian) const;
  /// Root mean squares of the residuals of each measured number, in the place of each residual.
  Eigen::VectorXd levels(const Eigen::VectorXd& residuals) const;
  Eigen::VectorXd minimised();
  bool is_accepted(const Eigen::VectorXd& x);

  const dae::System& system_;
  const Unknowns& unknowns_;
  std::vector<int> chosen_;
  std::vector<int> parameters_;  ///< of the system, by Unknowns::parameters()
  MeasuredMotion measured_;
  sensitivity::MotionLayout layout_;
  sensitivity::AccelerationDerivative accelerations_;
  dae::ElementCheck elements_;
  std::vector<Point> points_;
  bool moves_configurations_ = false;
  std::optional<std::string> reason_against_;
};

}  // namespace liegrad::optimize
