#pragma once

#include <span>
#include <vector>

#include "liegrad/dae/equations/assembly.hpp"

namespace liegrad::dae {

/// B W Bᵀ of the stabiliser N = W Bᵀ of a step, symmetric and positive definite: what the multipliers η of position
/// constraints solve by themselves, η = (B W Bᵀ)⁻¹ B x for a velocity x that Nη is to cancel in Φ.
class StabilizerGram {
 public:
  /// Precondition: the assembly is of the stabilised formulation.
  StabilizerGram(const Assembly& assembly, LinearSolverKind kind);

  /// With N as it stands, and the diagonal of W. False if constraints depend on each other.
  bool factorize(const Stabilizer& n, std::span<const double> weights);
  /// A multiplier that others determine, after a failure.
  int singular_multiplier() const { return solver_.singular_unknown(); }

  /// Adds B x to η.
  static void add_gradient(const Stabilizer& n, std::span<const double> weights,
                           std::span<const double> x, std::span<double> scratch,
                           std::span<double> eta);
  void solve(std::span<double> eta) const { solver_.solve(eta); }

 private:
  static SparsePattern pattern(const Assembly& assembly);

  LinearSolver solver_;
  std::vector<int> positions_;  ///< for each node all pairs of its multipliers
};

}  // namespace liegrad::dae
