#pragma once

#include <optional>
#include <vector>

#include "liegrad/dae/run/stepper.hpp"
#include "liegrad/dae/runge_kutta/motion_history.hpp"
#include "liegrad/dae/runge_kutta/radau_equations.hpp"
#include "liegrad/dae/runge_kutta/radau_error.hpp"
#include "liegrad/dae/runge_kutta/radau_iteration.hpp"
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
  void set_error_norm(const ErrorNorm* norm) override { iteration_.set_norm(norm); }
  void start(const State& initial, double h) override;
  const StepReport& step(double h, double t_end) override;
  void accept() override;
  double error(const ErrorNorm& norm) override { return error_.find(current, upcoming, norm); }
  std::string remark() const override;
  int error_exponent() const override { return coefficients_.order(); }
  double longest_step() const override;
  LinearSolverKind solver() const override { return assembly_.matrix().kind(); }
  Assembly& assembly() override { return assembly_; }

  const RadauCoefficients& coefficients() const { return coefficients_; }
  /// With the stages of the last attempted step.
  RadauEquations& equations() { return equations_; }

 private:
  enum class Guess { kExtrapolated, kConstant };

  void guess(Guess kind, double h);
  bool finish(double h, double t_end);
  /// Takes out what the iteration left of Φ and dΦ/dt at the end of the step.
  void remove_violations(double h);
  bool fail(NewtonFailure failure, const std::string& message);

  RadauOptions options_;
  RadauCoefficients coefficients_;
  int dof_;
  Assembly assembly_;
  RadauEquations equations_;
  RadauIteration iteration_;
  RadauError error_;
  /// Of systems with constraints or algebraic states.
  std::optional<AccelerationSolver> accelerations_;
  std::optional<StabilizerWeights> weights_;  ///< of systems with constraints
  std::vector<double> guess_, position_, velocity_;
  MotionHistory history_;
};

}  // namespace liegrad::dae
