#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "liegrad/dae/run/stepper.hpp"
#include "liegrad/dae/start/consistency.hpp"

namespace liegrad::dae {

/// Sees when steps of index 3 are too long for a motion.
///
/// Index 3 answers its local error by velocities across the constraints, dΦ/dt = O(h²). Where these are a large part
/// of all, energy grows without bound in the steps that follow, although each of them satisfies its equations.
/// What is measured is the kinetic energy of x = M⁻¹Bᵀ(BM⁻¹Bᵀ)⁻¹ dΦ/dt, the part of v that violates dΦ/dt = 0, over the
/// highest kinetic energy of the run so far. A motion that begins has hardly any yet, and passes.
class VelocityWatch {
 public:
  explicit VelocityWatch(Consistency& consistency);

  /// Forgets the run before.
  void start();

  /// What is wrong with the end of a step that succeeded, if anything. Costs a comparison, and as much as a
  /// correction of Newton's where the comparison does not suffice.
  std::optional<std::string> failure(Stepper& stepper);

 private:
  struct Violation {
    double part;     ///< of the highest speed
    int constraint;  ///< that with the largest dΦ/dt
  };

  /// An entry of M, and where it stands in the matrix of (19).
  struct MassEntry {
    int row, column, position;
  };

  Violation violation(Stepper& stepper);
  double energy(std::span<const double> v) const;

  Consistency& consistency_;
  std::vector<MassEntry> mass_;
  double highest_energy_ = 0;  ///< of the run, as far as it was looked at
  long moving_steps_ = 0;      ///< since velocities are more than rounding
};

}  // namespace liegrad::dae
