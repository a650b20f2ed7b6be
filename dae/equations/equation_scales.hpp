#pragma once

#include <optional>
#include <span>
#include <vector>

#include "liegrad/dae/equations/assembly.hpp"
#include "liegrad/dae/state.hpp"

namespace liegrad::dae {

/// How large the terms are that each equation of a system adds up. Rounding leaves ε times that, whatever the units,
/// the size of the mechanism and the place of its origin.
///
/// With S_j the size of a coordinate (1 for an angle, the distance from the origin for a position) and V_j that of a
/// velocity, both for each node of its own,
///
///     M v̇ + g + Bᵀλ   momentum Σ|M_ij| V_j over a step, and force Σ|K_ij| S_j + Σ|B_ki λ_k| + Σ|elements|,
///     Φ               Σ|B_ij| S_j,
///     dΦ/dt           Σ|B_ij| V_j + Σ|Z_ij| S_j.
class EquationScales {
 public:
  explicit EquationScales(Assembly& assembly);

  /// Measures at the point that the assembly holds, with its maps and coefficients; q, v and v̇ are those of `state`.
  /// Precondition: `step` is the time in which forces change velocities. Without one it is the time in which they move
  /// a node by its own size. Changes residual and matrix of the assembly. Only the first call
  /// allocates.
  void measure(const State& state, std::optional<double> step);

  /// Writes the inverse of `tolerance` times the terms of each row of the assembly, whose rows of motion are multiplied
  /// by h and those of Φ by 1/h.
  void set_inverse_tolerances(double tolerance, double h, std::span<double> out) const;

  // By equation of motion, then of h_s.
  std::span<const double> momentum() const { return momentum_; }
  std::span<const double> force() const { return force_; }
  // By constraint.
  std::span<const double> position() const { return position_; }
  std::span<const double> velocity() const { return velocity_; }
  // By velocity: S_j and V_j.
  std::span<const double> sizes() const { return sizes_; }
  std::span<const double> speeds() const { return speeds_; }

 private:
  void measure_motion(const State& state, std::optional<double> step);
  void add_forces_without_inertia();
  void add_up(const StepCoefficients& given);
  /// f(first velocity, how many, which coefficient comes first) for each part of a node whose numbers share a unit:
  /// angles (no coefficient: -1), positions, or a single coordinate of R^n.
  template <class F>
  void for_each_part(F&& f) const;

  Assembly& assembly_;
  std::vector<double> inertia_;  ///< by velocity: the diagonal of c_a M + c_v D
  std::vector<double> momentum_, force_, position_, velocity_, sizes_, speeds_;
  /// By multiplier: the largest entry of its gradient, and the largest force that it could balance.
  std::vector<double> largest_gradient_, across_;
};

}  // namespace liegrad::dae
