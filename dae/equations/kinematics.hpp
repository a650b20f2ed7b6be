#pragma once

#include <memory>
#include <span>

#include "liegrad/dae/equations/assembly.hpp"
#include "liegrad/dae/state.hpp"

namespace liegrad::dae {

/// How a one-step method moves the nodes: from the unknowns of a step to q, v, v̇ at its end, and
/// back from a correction w of v̇ (in units of c_a, see ElementInputs) to the unknowns.
class Kinematics {
 public:
  virtual ~Kinematics() = default;

  /// Starts a step; sets the coefficients of the assembly for matrices.
  virtual void begin(const MethodState& start, double h, Assembly& assembly) = 0;
  /// Takes the increment as the first guess.
  virtual void guess_increment(std::span<const double> delta_q) = 0;
  /// Takes η as the first guess, before an acceleration is guessed; begin() takes that of the last step.
  virtual void guess_stabilizer(std::span<const double> /*eta*/) {}
  /// Takes the increment that belongs to v̇ at the end.
  virtual void guess_acceleration(std::span<const double> v_dot) = 0;
  /// The increment Δq as it stands.
  virtual std::span<const double> increment() const = 0;
  /// Writes views, v and v̇ of all nodes; with_maps: also Q (and V).
  virtual void evaluate(Assembly& assembly, bool with_maps) = 0;
  /// Moves the unknowns by `fraction` of a correction, which was solved for at the last evaluate() with
  /// maps; `eta` is empty unless stabilised.
  virtual void correct(std::span<const double> w, std::span<const double> eta, double fraction) = 0;
  /// After the last correction: makes the end of the step and writes views, v and v̇ of all nodes.
  virtual void conclude(Assembly& assembly) { evaluate(assembly, false); }
  /// The motion at the end and what is remembered of the step; everything but t, lambda and s.
  virtual void finish(MethodState& end) = 0;

  // At the last evaluate() with maps, for derivatives of the step.

  /// The matrix A of dΔq = A w, for a correction w without η, and its transpose; in place.
  virtual void apply_increment_map(std::span<double> w) const = 0;
  virtual void apply_increment_map_transposed(std::span<double> x) const = 0;
  /// B(q_n)ᵀη; empty unless stabilised.
  virtual std::span<const double> stabilizer_force() const { return {}; }
};

struct AlphaOptions;
/// That of the variant which the options name.
std::unique_ptr<Kinematics> make_kinematics(const Model& system, const AlphaOptions& options);

}  // namespace liegrad::dae
