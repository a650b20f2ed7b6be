#pragma once

#include <span>
#include <string>
#include <vector>

#include "liegrad/dae/equations/unknown_units.hpp"
#include "liegrad/dae/run/newton.hpp"
#include "liegrad/dae/state.hpp"

namespace liegrad::dae {

/// v̇, λ and s of given t, q and v by (19), [ArnoldCardonaBruels2015]: what Consistency::set_accelerations() finds, again
/// and again in a run, without allocation and without exceptions.
class AccelerationSolver {
 public:
  AccelerationSolver(const Model& system, bool allow_redundant, LinearSolverKind solver);

  void set_parameters(std::span<const double> parameters) {
    assembly_.set_parameters(parameters);
    units_.clear();
    forget();
  }
  /// Forgets what was learnt from earlier solutions.
  void forget() { trusted_solutions_ = 0; }
  Assembly& assembly() { return assembly_; }
  /// From a guess of v̇, λ and s, which the state holds. False on a failure.
  bool solve(State& state);
  /// Takes what is left of dΦ/dt out of v, by the least change in the metric of M, with the matrix of the last solution.
  void remove_violation(std::span<const double> violation, std::span<double> v);
  /// The same of Φ and q.
  void remove_position_violation(std::span<const double> violation, std::span<double> q);
  NewtonFailure failure() const { return failure_; }
  /// Of the last failure, without where and when.
  const std::string& message() const { return message_; }
  /// Of the last solution.
  int factorizations() const { return factorizations_; }

 private:
  void load(const State& state);
  bool correct(State& state, bool with_matrix);
  /// The least x with B x = violation, which stands first in step_.
  void solve_for(std::span<const double> violation);
  bool fail(NewtonFailure failure, const std::string& message);

  Assembly assembly_;
  bool allow_redundant_;
  bool are_linear_;  ///< the equations in v̇, λ and s
  UnknownUnits units_;
  std::vector<double> step_, accelerations_;
  int factorizations_ = 0;
  /// So many of the next solutions need one correction only, if it is not larger than this part of the unknowns: of
  /// linear equations it was seen to leave rounding.
  int trusted_solutions_ = 0;
  double trusted_correction_ = 0;
  NewtonFailure failure_ = NewtonFailure::kNone;
  std::string message_;
};

}  // namespace liegrad::dae
