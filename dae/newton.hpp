#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "liegrad/dae/kinematics.hpp"

namespace liegrad::dae {

enum class NewtonKind {
  kFull,        ///< a new matrix in every iteration
  kModified,    ///< the matrix is kept, over steps too, while it contracts well
  kSimplified,  ///< the same, without the damping, stiffness and curvature terms D, K, Z
};

struct NewtonOptions {
  NewtonKind kind = NewtonKind::kFull;
  /// Velocities are iterated until the next correction is expected below
  /// relative_tolerance · |v| + 4ε/h · (position, or 1 for angles): rounding of Φ cannot be beaten.
  double relative_tolerance = 3e-14;
  /// When given, the iteration stops instead as soon as |M v̇ + g + Bᵀλ| and |Φ| are below it.
  std::optional<double> residual_tolerance;
  /// A correction that is expected within rounding is not made. Differences of runs can see that.
  bool leave_out_last = true;
  int max_iterations = 20;
  /// Armijo's rule: a correction that does not reduce the residual is halved.
  bool line_search = true;
  /// A kept matrix is renewed when corrections shrink by less than this factor, or when more than
  /// max_kept_iterations are to be expected.
  double kept_contraction = 0.5;
  int max_kept_iterations = 4;
};

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
  const std::vector<double>& position_residual() const { return position_; }
  const std::vector<double>& velocity_residual() const { return velocity_; }

 private:
  void set_scales(const State& start, double h, bool at_guess);
  double size_of(std::span<const double> w, double h) const;
  void apply(double h, double fraction);
  bool is_below_residual_tolerance(double h) const;
  bool expects_convergence(double size);
  void observe(double size, double previous);
  bool constraints_hold(double tolerance);
  const NewtonReport& fail(NewtonFailure failure, const std::string& message);

  Assembly& assembly_;
  Kinematics& kinematics_;
  NewtonOptions options_;
  NewtonReport report_;
  bool has_matrix_ = false;
  double matrix_step_ = 0;
  int steps_to_next_trial_ = 0;
  bool is_fresh_ = false;  // the matrix was made in this step
  // Of the first, second … correction: how large the next one was, over it and over its square, as
  // last seen, and how often that was relied on since; with a fresh matrix and with a kept one. One
  // number for all would not do: later corrections shrink faster.
  struct Observed {
    double next_over = -1, next_over_square = -1;
    int age = 0;
  };
  static constexpr int kNumObserved = 6;
  std::array<std::array<Observed, kNumObserved>, 2> observed_;
  std::vector<double> correction_, position_, velocity_;
  /// A tolerance for each velocity, as its inverse.
  std::vector<double> inverse_tolerance_;
  double scaled_for_ = 0;
  int steps_with_scales_ = 0;
  bool is_at_rest_ = false;
  double position_scale_ = 1, velocity_scale_ = 1;
  double largest_length_ = 0;  ///< among the parameters of the system
  /// Corrections of this size, in units of the tolerance, are rounding.
  double rounding_ = 1;
};

}  // namespace liegrad::dae
