#pragma once

#include <optional>
#include <string>
#include <vector>

#include "liegrad/dae/run/error_norm.hpp"
#include "liegrad/dae/run/stepper.hpp"
#include "liegrad/dae/runge_kutta/radau_equations.hpp"
#include "liegrad/dae/runge_kutta/radau_options.hpp"
#include "liegrad/dae/runge_kutta/stage_tolerances.hpp"

namespace liegrad::dae {

/// Solves the equations of the stages of a Radau step, with the matrix of all stages together (full) or with those of
/// one stage for all (simplified), whichever costs less (docs/integrators.md).
///
/// With an error norm the iteration ends when what it leaves of q and v, added up over all steps of a run, is a small
/// part of the tolerance, [HairerWanner1996, Section IV.8]; without one, when residuals are rounding.
class RadauIteration {
 public:
  RadauIteration(Assembly& assembly, RadauEquations& equations,
                 const RadauCoefficients& coefficients, const RadauOptions& options);

  /// Begins a run; the size of the state is what counts.
  void reset(const State& initial);
  /// Of a run with error control. Precondition: it stays where it is. Without one, or where all must be solved to
  /// rounding (RadauOptions::leave_out_last), nullptr.
  void set_norm(const ErrorNorm* norm) { norm_ = options_.leave_out_last ? norm : nullptr; }
  /// Before the guess of a step, which measures the motion at its start.
  void begin(const State& start, double h);
  /// From the guess that the equations hold. False, with the failure in the report, if there is no solution.
  bool solve(StepReport& report);
  /// Takes full matrices for some steps, as far as the options allow it.
  void avoid_simplified();
  /// After a failure: forgets matrices and scales.
  void forget();
  const StageTolerances& tolerances() const { return tolerances_; }

 private:
  /// Residuals, or corrections, as the iteration goes on: in units of what may be left of them.
  struct Sequence {
    double first = 0, last = 0;
    double ratio = 1, earlier_ratio = 1;  ///< of the last two, and of the two before
    int count = 0;
    void restart() { *this = {}; }
    void add(double size);
    /// Mean factor from one to the next; 1 while it is not known.
    double rate() const;
    /// The same of the last three.
    double late_rate() const;
  };

  bool prefers_full();
  bool keeps_matrices() const;
  bool factorize(bool full, StepReport& report);
  /// The part of the tolerance that the last correction is of a whole run, over what may be left of it.
  double size_of_correction();
  /// Whether what is left after the last correction need not be known, with an error norm.
  bool is_within_tolerance(bool full);
  /// Whether the residual after a correction of one of this size need not be evaluated, without a norm.
  bool expects_rounding(double size) const;
  /// What residuals may be, in units of the rounding that was found.
  double enough(bool full, bool stagnates) const;
  /// Iterations that are left.
  double iterations_left() const;
  bool is_rounding();
  /// In iterations.
  int cost_of_matrices() const;
  void judge_matrices(int iterations, bool is_fresh);
  bool fail(StepReport& report, NewtonFailure failure, const std::string& message);

  Assembly& assembly_;
  RadauEquations& equations_;
  RadauOptions options_;
  int num_modes_, cost_of_simplified_;  ///< in iterations
  StageTolerances tolerances_;
  const ErrorNorm* norm_ = nullptr;
  const State* start_ = nullptr;
  double h_ = 0;
  Sequence residuals_, corrections_;
  /// Contraction as it was last seen, of the simplified and the full iteration: what the first correction of a step is
  /// judged by.
  double expected_rate_[2] = {1, 1};
  int full_steps_left_ = 0, steps_with_full_ = 1;  ///< and how many there are next time
  /// Of the simplified iteration: the step that its matrices were made for, 0 where there are none.
  double matrix_step_ = 0;
  /// Iterations in the step in which they were made, and how many iterations more all steps since took.
  int fresh_iterations_ = 0, further_iterations_ = 0;
  State here_;
  std::vector<double> theta_changes_;
};

}  // namespace liegrad::dae
