#pragma once

#include <vector>

#include "liegrad/sensitivity/step/step_terms.hpp"
#include "liegrad/sensitivity/user_function.hpp"

namespace liegrad::control {

/// Functions of snapshots as recordings. The inputs of a point are the parts of MotionLayout, with q̄∘exp(δ), then the
/// views of q̄; see sensitivity::MotionPlaces.
class PointFunctions {
 public:
  explicit PointFunctions(const dae::Model& system);

  /// f at one point.
  ad::Recording at_point(const std::string& name, const sensitivity::RecordedFunction& f) const;
  /// ∫ f dt over a step h = φT with a control u that is linear in time:
  ///
  ///     h/6 (f(x_n, u_n) + 2f(x_n, ū) + 2f(x_{n+1}, ū) + f(x_{n+1}, u_{n+1})),   ū = (u_n + u_{n+1})/2,
  ///
  /// which is exact for quadratic functions of u alone, and the trapezoidal rule for functions of x alone: a rule
  /// that saw u at grid points only would let controls between them cost nothing. Inputs: both points, T, φ.
  ad::Recording over_step(const std::string& name, const sensitivity::RecordedFunction& f) const;

  /// h b f at one point, a summand of a quadrature over a step h = φT. Inputs: the point, T, φ, b.
  ad::Recording in_quadrature(const std::string& name,
                              const sensitivity::RecordedFunction& f) const;

  /// Where the inputs of a point stand.
  std::vector<int> numbers(const sensitivity::MotionPlaces& places) const;
  bool reads_time(const ad::Recording& function) const;

  // For functions of several points.

  using Tapes = std::span<const ad::Taped>;
  int num_inputs() const { return num_inputs_; }
  /// The inputs of a point with rotations that are rotations.
  std::vector<double> record_point() const;
  sensitivity::Snapshot<ad::Taped> snapshot(Tapes inputs) const;

 private:
  std::vector<ad::Taped> evaluate(const sensitivity::RecordedFunction& f, Tapes inputs) const;

  const dae::Model& system_;
  sensitivity::MotionLayout layout_;
  std::vector<int> view_offsets_;
  int num_inputs_;
};

}  // namespace liegrad::control
