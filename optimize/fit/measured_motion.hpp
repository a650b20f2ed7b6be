#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "liegrad/dae/equations/assembly.hpp"
#include "liegrad/dae/state.hpp"
#include "liegrad/dae/system/system.hpp"
#include "liegrad/optimize/fit/measurements.hpp"
#include "liegrad/optimize/fit/smooth_path.hpp"
#include "liegrad/sensitivity/step/element_sum.hpp"

namespace liegrad::optimize {

/// Motions of a system from what was measured of it: q and v for which outputs y(q) have smoothed values y_m and rates, in
/// least squares, and which are on the constraints,
///
///     min |y(q) - y_m|²,  Φ(q, t) = 0,      min |dy/dt - ẏ_m|²,  dΦ/dt = 0,
///
/// and derivatives of d²y/dt² along such motions. Outputs that depend on more than positions are left out.
class MeasuredMotion {
 public:
  MeasuredMotion(const dae::System& system, const std::vector<Recording>& trials);

  /// How many numbers are measured, three for an orientation.
  int size() const { return size_; }
  /// Whether motions, besides the accelerations of the system, depend on a parameter.
  bool depends_on(int parameter) const {
    return constraints_->depends_on(layout_->parameters + parameter);
  }
  void set_parameters(std::span<const double> parameters) {
    point_.set_parameters(parameters);
    assembly_->set_parameters(parameters);
  }

  /// What a trial shows at a time.
  struct Target {
    Eigen::VectorXd value, rate, acceleration;  ///< zero where nothing was measured
    Eigen::VectorXd weight;                     ///< 1 over the level of noise, or zero
    std::vector<lie::SO3<double>> rotations;
  };
  /// The paths of a recording, in its order.
  static std::vector<SmoothPath> paths_of(const Recording& recording);
  Target target(const Recording& recording, const std::vector<SmoothPath>& paths, double t) const;

  /// Finds q and v of a state, which holds a guess of q. Returns why there is none, or nothing.
  std::optional<std::string> find(const Target& target, std::span<const double> controls,
                                  dae::State& state);
  /// d²y/dt² of what was measured less that of the state, over the levels of noise.
  Eigen::VectorXd residual(const Target& target, const dae::State& state,
                           std::span<const double> controls);
  /// Completes perturbations of parameters by those of q and v that find() would return, in a vector of
  /// MotionLayout(system) for each column. Precondition: residual() was called at the state of the last find().
  void follow(const Target& target, Eigen::MatrixXd& motion);
  /// The derivative of the last residual() along perturbations of the motion, v̇ included.
  Eigen::MatrixXd residual_derivative(const Target& target, const Eigen::MatrixXd& motion);

 private:
  /// Where an orientation stands in v and in q.
  struct Rotation {
    int dof, coefficient;
  };
  /// B, J over the levels of noise, a basis N of the kernel of B, and J N.
  struct Rows {
    Eigen::MatrixXd constraints, null_space, measured, by_null_space;
  };

  /// Goes to a state.
  void set(const dae::State& state, std::span<const double> controls);
  bool set_rows(const Target& target, const Eigen::MatrixXd& by_position);
  Eigen::MatrixXd solve(const Eigen::MatrixXd& constraints, const Eigen::MatrixXd& measured) const;
  Eigen::MatrixXd derivatives(sensitivity::KernelSum& sum, const Eigen::MatrixXd& motion);
  /// From MotionLayout of the system to that with measured outputs.
  Eigen::MatrixXd moved(const Eigen::MatrixXd& motion) const;
  std::string undetermined() const;

  dae::System system_;           ///< with measured outputs as constraints behind its own
  std::vector<Series> numbers_;  ///< scalars, then orientations; without values
  std::vector<Rotation> rotations_;
  int own_multipliers_, scalars_ = 0, size_ = 0;
  sensitivity::MotionLayout own_layout_;
  std::optional<sensitivity::MotionLayout> layout_;
  sensitivity::MotionPoint point_;
  std::optional<dae::Assembly> assembly_;
  std::optional<sensitivity::KernelSum> constraints_, accelerations_;
  Rows rows_;
};

}  // namespace liegrad::optimize
