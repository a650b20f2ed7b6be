#pragma once

#include <string>
#include <utility>
#include <vector>

#include "liegrad/dae/run/stepper.hpp"
#include "liegrad/dae/runge_kutta/butcher_tableau.hpp"
#include "liegrad/dae/start/acceleration_solver.hpp"
#include "liegrad/dae/start/constraint_projection.hpp"

namespace liegrad::dae {

/// The methods of munthe_kaas.hpp with an explicit tableau for systems with constraints or algebraic states: v̇ of each
/// stage is that of (19), [ArnoldCardonaBruels2015], at (q_n∘exp(θ_i), v_i), and the result is moved onto Φ = 0 and
/// dΦ/dt = 0 by ConstraintProjection, with v̇, λ and s of the start. Both keep the order of the tableau, in λ and s, too
/// (docs/integrators.md). A last stage that is the result is evaluated there after the projection only: that moves it by
/// a local error. Not for stiff systems.
class ConstrainedMuntheKaas final : public Stepper {
 public:
  ConstrainedMuntheKaas(const Model& system, const ButcherTableau& tableau);

  void set_parameters(std::span<const double> parameters) override {
    accelerations_.set_parameters(parameters);
  }
  void start(const State& initial, double h) override;
  const StepReport& step(double h, double t_end) override;
  void accept() override { std::swap(current, upcoming); }
  double error(const ErrorNorm& norm) override;
  int error_exponent() const override { return tableau_.error_exponent(); }
  LinearSolverKind solver() const override { return solver_; }
  Assembly& assembly() override { return accelerations_.assembly(); }

 private:
  double* rate(int stage) { return rates_.data() + 2 * stage * dof_; }
  /// θ and v from the rates of the first stages; false where a node is turned by more than π.
  template <class Weights>
  bool combine(const Weights& weights, int count, double h);
  bool find_rate(int stage, double t);
  /// Makes v̇, λ and s of the start those of at_.
  void take_start_accelerations();
  bool fail(NewtonFailure failure, const std::string& message);

  const lie::GroupList& space_;
  ButcherTableau tableau_;
  int stages_, solved_stages_, dof_;
  AccelerationSolver accelerations_;
  LinearSolverKind solver_;
  ConstraintProjection projection_;
  MethodState at_;  ///< a stage
  std::vector<double> theta_;
  std::vector<double> rates_;  ///< (θ', v̇), stage after stage
  std::vector<double> error_;
};

}  // namespace liegrad::dae
