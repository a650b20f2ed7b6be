#pragma once

#include <memory>
#include <vector>

#include "liegrad/dae/alpha/alpha_options.hpp"
#include "liegrad/dae/run/extrapolation.hpp"
#include "liegrad/dae/run/spaced_history.hpp"
#include "liegrad/dae/run/stepper.hpp"
#include "liegrad/dae/start/starting_values.hpp"

namespace liegrad::dae {

/// What a change of the step by a ratio does to a state, see GeneralizedAlpha.
void rescale_for_step(MethodState& state, double ratio, Formulation formulation,
                      Consistency& consistency);

/// The Lie-group generalized-α family on constrained systems.
///
/// The step may change from one step to the next: a_n stands for v̇(t_n + Δ_α h), so that it is
/// rescaled about v̇_n, and index 3 leaves B v_n = O(h²) (the local error that the constraints feel,
/// [ArnoldCardonaBruels2015, Eq. (84)]), which is rescaled by the square of the ratio; both keep the
/// second order of all variables (docs/step-control.md).
class GeneralizedAlpha final : public Stepper {
 public:
  GeneralizedAlpha(const Model& system, const AlphaOptions& options);

  void set_parameters(std::span<const double> parameters) override;
  void start(const State& initial, double h) override;
  void restart(const MethodState& state, double h) override;
  const StepReport& step(double h, double t_end) override;
  void accept() override;
  double error(const ErrorNorm& norm) override;
  double shortest_step(const ErrorNorm& norm) override;
  int error_exponent() const override { return 2; }
  bool error_has_memory() const override { return true; }
  LinearSolverKind solver() const override { return assembly_kind_; }
  Assembly& assembly() override { return assembly_; }
  Consistency* own_consistency() override { return &consistency_; }
  Consistency* consistency_of_velocities() override;

 private:
  /// Goes on from the current state.
  void begin(double h);
  void change_step(double h);
  /// Guesses go on from the present state alone.
  void forget_history();
  void guess(FirstGuess kind, double h);
  void solve(FirstGuess kind, double h);
  void refuse_half_turns(double h);
  double position_error(const ErrorNorm& norm, double h);
  void estimate_position_error(double h);
  double velocity_error(const ErrorNorm& norm, double h);
  void remove_normal_part(std::vector<double>& error);
  double multiplier_error(const ErrorNorm& norm, double h);

  AlphaOptions options_;
  Assembly assembly_;
  Consistency consistency_;  // in the assembly of the steps, where these keep nothing there
  LinearSolverKind assembly_kind_;
  std::unique_ptr<Kinematics> kinematics_;
  Newton newton_;
  double scaled_for_ = 0;                      // the step that a and v of current belong to
  Extrapolation accelerations_, stabilizers_;  ///< v̇ and η
  std::vector<double> guess_;
  std::vector<double> guessed_eta_;  ///< empty unless stabilised
  // Of error().
  SpacedHistory v_dot_history_, lambda_history_;
  std::vector<double> none_, position_error_, velocity_error_, multiplier_error_;
};

}  // namespace liegrad::dae
