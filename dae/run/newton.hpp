#pragma once

#include <array>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "liegrad/dae/equations/equation_scales.hpp"
#include "liegrad/dae/equations/kinematics.hpp"
#include "liegrad/dae/run/newton_options.hpp"

namespace liegrad::dae {

enum class NewtonFailure { kNone, kDiverged, kSingularMatrix, kNonFinite };

struct NewtonReport {
  NewtonFailure failure = NewtonFailure::kNone;
  int iterations = 0, matrices = 0, factorizations = 0, residuals = 0;
  std::string message;  ///< of a failure
  bool converged() const { return failure == NewtonFailure::kNone; }
};

/// Solves the equations of one step, in the scaled form [ArnoldCardonaBruels2015, Eqs. (57)–(62)].
class Newton {
 public:
  Newton(Assembly& assembly, Kinematics& kinematics, const NewtonOptions& options);

  /// From the guess that the kinematics, begun at `start`, and the multipliers of the assembly hold. On success they
  /// hold the solution and the assembly's nodes the end of the step.
  const NewtonReport& solve(const State& start, double h);
  /// The next solve() starts with a new matrix.
  void forget_matrix() { has_matrix_ = false; }
  /// Forgets all that was learnt from earlier steps.
  void reset();
  const std::vector<double>& position_residual() const { return position_; }
  const std::vector<double>& velocity_residual() const { return velocity_; }
  const EquationScales& scales() const { return scales_; }

 private:
  /// Takes scales anew where they are due: at the first step, at steps that follow in doubling distances, then regularly.
  void update_scales(const State& start, double h);
  void measure_scales(const State& state, double h);
  void set_tolerances(double h);
  /// The largest residual, each over its tolerance; NaN where one is.
  double backward_error() const;
  void apply(double h, double fraction);
  bool is_below_residual_tolerance(double h) const;
  bool expects_rounding(double size);
  void observe(double size, double previous);
  double rounding_at(const State& start, double h, double size);
  /// Whether a kept matrix is worth another correction.
  bool is_worn(double size, double previous) const;
  bool expects_correction(double previous) const;
  void evaluate(bool with_matrix, double previous);
  bool factorize(double h);
  double solve_for_correction();
  /// Ends the step: its end is made, its constraints are evaluated.
  bool conclude();
  const NewtonReport& fail(NewtonFailure failure, const std::string& message);
  const NewtonReport& fail_to_converge();
  int largest_correction() const;

  Assembly& assembly_;
  Kinematics& kinematics_;
  NewtonOptions options_;
  NewtonReport report_;
  bool has_matrix_ = false;
  bool is_factorized_ = false;  ///< the matrix of this iteration, since it was evaluated
  double matrix_step_ = 0;
  int steps_to_next_trial_ = 0;
  bool is_fresh_ = false;  ///< the matrix was made in this step
  // Of the first, second … residual: how large the next one was, over it and over its square, as last seen, and how
  // often that was relied on since; with a fresh matrix and with a kept one. One number for all would not do: later
  // residuals shrink faster.
  struct Observed {
    double next_over = -1, next_over_square = -1;
    int age = 0;
  };
  static constexpr int kNumObserved = 6;
  std::array<std::array<Observed, kNumObserved>, 2> observed_;
  std::vector<double> correction_, position_, velocity_;
  EquationScales scales_;
  State here_;  ///< the motion at which scales were taken within a step
  /// By equation: the inverse of its tolerance.
  std::vector<double> inverse_tolerance_;
  double tolerances_for_ = 0;
  int steps_with_scales_ = 0, steps_to_scales_ = 0;
  /// Residuals of this size, in units of the tolerance, are rounding.
  double rounding_ = 1;
};

}  // namespace liegrad::dae
