#pragma once

#include <span>
#include <string>
#include <vector>

#include "liegrad/dae/equations/assembly.hpp"
#include "liegrad/dae/equations/equation_scales.hpp"
#include "liegrad/dae/state.hpp"

namespace liegrad::dae {

/// Moves a state (q̃, ṽ) that is near Φ = 0 and dΦ/dt = 0 onto them, to rounding:
///
///     q = q̃∘exp(x),   M x + Bᵀν = 0,   Φ(q) = 0,
///     v = ṽ + y,      M y + Bᵀμ = 0,   dΦ/dt(q, v) = 0,
///
/// with M and B at q̃: the least changes in the metric of M. In general (M Bᵀ) are the derivatives of the equations of
/// motion and of h_s by v̇, λ and s, at values of these that the caller chooses; most systems have equations that are linear
/// in them. Again and again in a run, without allocation.
class ConstraintProjection {
 public:
  /// The assembly is one of (19), with the controls of the state.
  explicit ConstraintProjection(Assembly& assembly);

  /// The next projection measures its equations anew.
  void start() { steps_to_scales_ = 0; }
  /// Changes q and v of a state; v̇, λ and s are those at which the directions are taken. False where the matrix is
  /// singular or the constraints are not reached.
  bool project(State& state);
  /// Of the last failure, without where and when.
  const std::string& message() const { return message_; }
  /// |Φ| and |dΦ/dt| that are left.
  double position_residual() const { return position_residual_; }
  double velocity_residual() const { return velocity_residual_; }

 private:
  bool factorize();
  /// Of the values of constraints the largest, each over its rounding.
  static double size(std::span<const double> values, std::span<const double> terms);
  /// Adds -K⁻¹(0, values, 0) to change_, which move() applies, until values of constraints are rounding: within their
  /// tolerances, or not shrinking any more and within `largest_rounding` of them.
  template <class Move>
  bool remove(const std::vector<double>& values, std::span<const double> terms,
              double largest_rounding, Move&& move);
  bool project_positions(State& state);
  bool project_velocities(State& state);

  Assembly& assembly_;
  EquationScales scales_;
  int steps_to_scales_ = 0;
  std::vector<double> position_, velocity_, correction_, change_;
  std::vector<double> start_;  ///< q̃ or ṽ
  double position_residual_ = 0, velocity_residual_ = 0;
  std::string message_;
};

}  // namespace liegrad::dae
