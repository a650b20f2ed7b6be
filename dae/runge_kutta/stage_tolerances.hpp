#pragma once

#include <span>
#include <vector>

#include "liegrad/dae/equations/equation_scales.hpp"
#include "liegrad/dae/runge_kutta/radau_equations.hpp"

namespace liegrad::dae {

/// What rounding leaves of each equation of the stages of a Radau step, in the rows of the assembly.
class StageTolerances {
 public:
  /// `relative` is the part of the magnitudes of its terms that may be left of an equation.
  StageTolerances(Assembly& assembly, RadauEquations& equations,
                  const RadauCoefficients& coefficients, double relative);

  /// Forgets what was learnt from earlier steps.
  void reset();
  /// The next update() takes scales anew.
  void renew() { steps_to_scales_ = 0; }
  /// Before a step: takes the scales of its start where they are due.
  void update(const State& start, double h);
  /// Takes those of another state.
  void measure(const State& state, double h);

  /// The largest residual, each over its tolerance; NaN where one is.
  double size(std::span<const double> residual) const;
  /// Whether corrections of velocities are rounding of the motion that was measured last.
  bool correction_is_small() const;
  /// Whether a value of row `row` is more than its tolerance.
  bool is_above(int row, double value) const;

  /// Residuals of this size, in units of the tolerance, are rounding.
  double rounding() const { return rounding_; }
  void raise_rounding(double size) { rounding_ = std::max(rounding_, size); }

 private:
  void widen();

  Assembly& assembly_;
  RadauEquations& equations_;
  double relative_, inertia_weight_;  ///< the most that rounding of velocities counts in h v̇
  int stages_;
  EquationScales scales_;
  std::vector<double> inverse_, multiplier_tolerance_, largest_gradient_;
  double measured_step_ = 0, rounding_ = 1;
  int steps_to_scales_ = 0;
};

}  // namespace liegrad::dae
