#pragma once

#include <optional>
#include <vector>

#include "liegrad/dae/run/stepper.hpp"
#include "liegrad/dae/runge_kutta/motion_history.hpp"
#include "liegrad/dae/runge_kutta/radau_equations.hpp"
#include "liegrad/dae/runge_kutta/radau_options.hpp"
#include "liegrad/dae/runge_kutta/stabilizer_weights.hpp"
#include "liegrad/dae/start/acceleration_solver.hpp"

namespace liegrad::dae {

/// Radau IIA in local coordinates of the group, with constraints in the stabilised index-2 form: order 2s - 1 in q, v, v̇,
/// λ and s, stiffly accurate, Φ = 0 and dΦ/dt = 0 at the end of each step (docs/integrators.md).
///
/// v̇, λ and s at the ends of steps are those of (19), [ArnoldCardonaBruels2015]; those of the stages are of order s only.
class Radau final : public Stepper {
 public:
  Radau(const Model& system, const RadauOptions& options);

  void set_parameters(std::span<const double> parameters) override;
  void start(const State& initial, double h) override;
  const StepReport& step(double h, double t_end) override;
  void accept() override;
  double error(const ErrorNorm& norm) override;
  int error_exponent() const override { return coefficients_.order(); }
  double longest_step() const override;
  LinearSolverKind solver() const override { return assembly_.matrix().kind(); }
  Assembly& assembly() override { return assembly_; }

  const RadauCoefficients& coefficients() const { return coefficients_; }
  /// With the stages of the last attempted step.
  RadauEquations& equations() { return equations_; }

 private:
  enum class Guess { kExtrapolated, kConstant };

  void update_scales(double h);
  void measure_scales(const State& state, double h);
  void widen_tolerances();
  /// The largest residual, each over its tolerance; NaN where one is.
  double backward_error() const;
  void guess(Guess kind, double h);
  bool solve(double h);
  bool is_rounding(double h);
  bool correction_is_small();
  bool prefers_full();
  /// Iterations that are left until rounding is reached, when residuals go on to shrink by a rate.
  double iterations_left(double size, double rate) const;
  /// Whether the residual after a correction of one of this size need not be evaluated.
  bool expects_rounding(bool full, double size, double rate) const;
  /// What residuals may be, in units of the rounding that was found.
  double enough(bool full, int iterations, bool stagnates) const;
  bool keeps_matrices(double h) const;
  /// Learns from a solution how good the matrices are.
  void judge_matrices(int iterations, double rate, bool is_fresh);
  bool factorize(bool full);
  bool finish(double h, double t_end);
  bool violates_velocities() const;
  bool fail(NewtonFailure failure, const std::string& message);
  double multiplier_error(const ErrorNorm& norm);
  double rate_of_change(const ErrorNorm& norm);
  /// The local error of the result over the difference to the embedded one, of a motion with a rate x/h.
  double local_over_difference(double x) const;
  /// What it adds up to in a run.
  double accumulated_over_difference(const ErrorNorm& norm);

  RadauOptions options_;
  RadauCoefficients coefficients_;
  bool is_flexible_;
  int dof_;
  Assembly assembly_;
  RadauEquations equations_;
  /// Of systems with constraints or algebraic states.
  std::optional<AccelerationSolver> accelerations_;
  std::optional<StabilizerWeights> weights_;  ///< of systems with constraints
  EquationScales scales_;
  std::vector<double> inverse_tolerance_;
  double scales_for_ = 0;
  int steps_to_scales_ = 0;
  double rounding_ = 1;  ///< residuals of this size, in units of the tolerance, are rounding
  int full_steps_left_ = 0;
  /// Of the simplified iteration: the step that its matrices were made for, 0 where there are none.
  double matrix_step_ = 0;
  /// Iterations and contraction in the step in which they were made, and how many iterations more all steps since took.
  int fresh_iterations_ = 0, further_iterations_ = 0;
  double fresh_rate_ = 0;
  State here_;
  std::vector<double> guess_, position_, velocity_, theta_error_, velocity_error_,
      multiplier_error_, multiplier_tolerance_, largest_gradient_;
  MotionHistory history_;
  /// The highest |v̈| and |v⃛| of late, in the units of the tolerance, up to the last accepted step and up to this one.
  struct Peaks {
    double second = 0, third = 0;
    double rate() const { return second > 0 ? third / second : 0; }
  };
  Peaks peaks_, next_peaks_;
  double rate_ = 0;  ///< ω of the last attempt
  std::vector<double> second_difference_, third_difference_, none_;
};

}  // namespace liegrad::dae
