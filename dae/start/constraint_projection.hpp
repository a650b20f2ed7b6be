#pragma once

#include <span>
#include <string>
#include <vector>

#include "liegrad/dae/equations/assembly.hpp"
#include "liegrad/dae/equations/equation_scales.hpp"
#include "liegrad/dae/state.hpp"

namespace liegrad::dae {

/// Moves a state that is near Φ = 0 and dΦ/dt = 0 onto them, by the least change in the metric of M, to rounding; again
/// and again in a run, without allocation.
class ConstraintProjection {
 public:
  /// The assembly is one of (19), with the controls of the state.
  explicit ConstraintProjection(Assembly& assembly);

  /// The next projection measures its equations anew.
  void start() { steps_to_scales_ = 0; }
  /// Changes q and v. False where the matrix is singular or Φ = 0 is not reached.
  bool project(State& state);
  /// Of the last failure, without where and when.
  const std::string& message() const { return message_; }
  /// |Φ| and |dΦ/dt| that are left.
  double position_residual() const { return position_residual_; }
  double velocity_residual() const { return velocity_residual_; }

 private:
  bool factorize(const State& state);
  /// Of the values of constraints the largest, each over its rounding.
  static double size(std::span<const double> values, std::span<const double> terms);
  /// The change x with B x = -values, in change_.
  void solve(std::span<const double> values);
  bool project_positions(State& state);
  void project_velocities(State& state);

  Assembly& assembly_;
  EquationScales scales_;
  int steps_to_scales_ = 0;
  std::vector<double> position_, velocity_, change_;
  double position_residual_ = 0, velocity_residual_ = 0;
  std::string message_;
};

}  // namespace liegrad::dae
