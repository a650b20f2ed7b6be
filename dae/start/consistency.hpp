#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "liegrad/dae/equations/assembly.hpp"
#include "liegrad/dae/equations/equation_scales.hpp"
#include "liegrad/dae/equations/unknown_units.hpp"
#include "liegrad/dae/start/consistency_options.hpp"
#include "liegrad/dae/state.hpp"
#include "liegrad/dae/system/element_check.hpp"

namespace liegrad::dae {

/// The equations (19) of a system, [ArnoldCardonaBruels2015],
///
///     M v̇ + g + Bᵀλ = 0,   B v̇ + Z(v,v) = 0   (d²Φ/dt² = 0),   h_s = 0,
///
/// and what else is solved with their matrix: projections and the derivative v̈.
class Consistency {
 public:
  Consistency(const Model& system, const ConsistencyOptions& options, LinearSolverKind solver);
  /// In an assembly of index 3 without velocity maps that others use, too: each call leaves another point, other numbers
  /// and other factors there.
  Consistency(Assembly& shared, const ConsistencyOptions& options);

  /// Values of all parameters, in place of the defaults of the model.
  void set_parameters(std::span<const double> parameters);

  /// Initial values of the system with v̇, λ and s. Throws InvalidArgument: a number that is not
  /// finite, a quaternion that is not of unit length, redundant constraints, inconsistent values, mass
  /// that is singular on ker B; Error if an element is not finite or the projection fails.
  State initial_state(double t, std::span<const double> controls);
  /// The same from other initial values.
  State initial_state(double t, std::span<const double> controls, const InitialValues& initial);
  /// The same to a state that may have its lengths already.
  void set_initial_state(double t, std::span<const double> controls, State& state);
  void set_initial_state(double t, std::span<const double> controls, const InitialValues& initial,
                         State& state);
  const ConsistencyReport& report() const { return report_; }

  /// Solves (19) for v̇, λ and s at given t, q, v. Throws Error naming what is singular.
  void set_accelerations(State& state);
  // What follows solves with the matrix of (19), and returns all of the solution: a velocity or v̈, then what
  // belongs to λ and s. It stays until the next call.

  /// v̈ along the exact solution, from the time derivative of (19).
  const std::vector<double>& jerk(const State& state);
  /// M⁻¹Bᵀ(BM⁻¹Bᵀ)⁻¹ x at the configuration of the state.
  const std::vector<double>& normal_velocity(const State& state, std::span<const double> x);
  /// M⁻¹Bᵀ(BM⁻¹Bᵀ)⁻¹B u.
  const std::vector<double>& normal_part(const State& state, std::span<const double> u);
  /// dΦ/dt at the state, until the next call of this function.
  const std::vector<double>& velocity_residual(const State& state);

  Assembly& assembly() { return assembly_; }
  std::span<double> controls() { return assembly_.controls(); }

 private:
  void load(const State& state);
  void factorize(const State& state);
  bool is_singular();
  void check_values(State& state) const;
  void find_redundant_constraints();
  void project_positions(State& state);
  void project_velocities(State& state);
  void check_constraints(bool velocity) const;
  bool position_is_at_rounding() const;
  std::string singular_message(const State& state);
  const Model& system_;
  ConsistencyOptions options_;
  std::unique_ptr<Assembly> own_assembly_;  ///< unless it is shared
  Assembly& assembly_;
  EquationScales scales_;
  UnknownUnits units_;
  ElementCheck element_check_;
  std::vector<double> parameters_, initial_parameters_;
  InitialValues initial_;
  bool constraints_were_independent_ = false;  ///< in an earlier run
  ConsistencyReport report_;
  std::vector<double> position_, velocity_;
  // For reuse.
  std::vector<double> right_, accelerations_, motion_rate_, algebraic_rate_;
  std::vector<double> position_there_, velocity_there_;
};

}  // namespace liegrad::dae
