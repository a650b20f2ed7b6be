#pragma once

#include <span>
#include <vector>

#include "liegrad/control/transcription.hpp"

namespace liegrad::control {

/// The nonlinear program of a transcription as solvers evaluate it:
///
///     min f(x),   row bounds ≤ g(x) ≤ row bounds,   bounds ≤ x ≤ bounds,
///
/// with exact sparse derivatives. Nothing is allocated after the first evaluation of a kind.
class Nlp {
 public:
  explicit Nlp(Transcription& transcription);

  int num_variables() const { return transcription_.num_variables(); }
  int num_constraints() const { return transcription_.num_rows() - 1; }

  /// The point of all that follows.
  void set_point(std::span<const double> x);

  double cost();
  void constraints(std::span<double> g);
  void cost_gradient(std::span<double> gradient);
  /// Rows are counted from 0, without that of the cost.
  const ad::Pattern& jacobian_pattern() const { return jacobian_pattern_; }
  void jacobian(std::span<double> entries);
  /// The lower triangle of the Hessian of cost_factor f + multipliersᵀ g.
  const ad::Pattern& hessian_pattern() const { return hessian_pattern_; }
  void hessian(double cost_factor, std::span<const double> multipliers, std::span<double> entries);

  /// Time spent in all evaluations so far.
  double seconds() const { return seconds_; }

 private:
  void evaluate_values();
  void evaluate_jacobian();

  Transcription& transcription_;
  ad::Pattern jacobian_pattern_, hessian_pattern_;
  std::size_t num_gradient_entries_ = 0;
  std::vector<double> values_, entries_, weights_;
  bool has_values_ = false, has_jacobian_ = false;
  double seconds_ = 0;
};

}  // namespace liegrad::control
