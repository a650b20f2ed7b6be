#pragma once

#include <complex>
#include <vector>

#include "liegrad/dae/state.hpp"
#include "liegrad/dae/system/model.hpp"

namespace liegrad::dae {

struct ModalOptions {
  int count = 10;  ///< of modes with the lowest frequencies
  std::vector<double> controls = {};
};

/// Matrices are dense: what is needed for more velocities than this is an iterative solver, which is not here.
inline constexpr int kLargestModalSystem = 3000;

/// A motion q∘exp(Re(shape e^{λt})).
struct Mode {
  std::complex<double> eigenvalue;          ///< λ, with Im λ ≥ 0
  double frequency = 0;                     ///< |λ|/2π in Hz: without damping the frequency
  double damping_ratio = 0;                 ///< -Re λ/|λ|; negative where the motion grows
  std::vector<std::complex<double>> shape;  ///< by velocity of the system; its largest entry is 1
};

struct ModalSolution {
  std::vector<Mode> modes;  ///< by increasing frequency
  int degrees_of_freedom = 0;
  /// Whether M and K are symmetric and there is no damping: λ is then imaginary, or real for an unstable
  /// equilibrium.
  bool undamped = true;
};

/// Small motions about an equilibrium of a system, such as find_equilibrium() gives it,
///
///     M ẅ + D ẇ + K w + Bᵀμ = 0,   B w = 0,
///
/// where M, D and K are the derivatives of the equations of motion, K with that of Bᵀλ. With the null space Z
/// of B they are λ²M_Z + λD_Z + K_Z. The lowest frequencies are exact to rounding relative to themselves, as they
/// are the largest eigenvalues of M_Z x = μ (K_Z + σM_Z) x.
///
/// Throws InvalidArgument for a system that is too large, has algebraic or first-order states, or mass that is
/// singular.
ModalSolution modal_analysis(const Model& system, const State& equilibrium,
                             const ModalOptions& options = {});

}  // namespace liegrad::dae
