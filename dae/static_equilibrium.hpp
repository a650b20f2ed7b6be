#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "liegrad/dae/linear/linear_solver_kind.hpp"
#include "liegrad/dae/state.hpp"
#include "liegrad/dae/system/model.hpp"

namespace liegrad::dae {

struct StaticOptions {
  /// At which laws and drives are read.
  double time = 0;
  /// Values of the controls; all zero unless given.
  std::vector<double> controls = {};
  /// Where to begin; the initial configuration unless given.
  std::optional<std::vector<double>> start = std::nullopt;
  /// The load is applied in so many equal steps; a step that fails is halved, one that is easy doubled.
  int load_steps = 1;
  /// The search ends when a step would be a smaller part of the load than this.
  double smallest_load_step = 1e-4;
  int max_iterations = 20;
  LinearSolverKind solver = LinearSolverKind::kAutomatic;
  /// Called after each load step with the part of the load and the equilibrium under it.
  std::function<void(double part, const State& state)> on_step = {};

  /// One sentence per value that cannot be used.
  std::vector<std::string> problems() const;
};

struct StaticSolution {
  /// With v = v̇ = 0; where it did not converge, under `load` of the load.
  State state;
  bool converged = false;
  std::string message = "find_equilibrium() was not called";
  double load = 0;  ///< part of the load that was reached, 1 for all
  int load_steps = 0, failed_steps = 0, newton_iterations = 0;
  double largest_residual = 0;  ///< over what rounding leaves of an equation
};

/// Where a system stays at rest:
///
///     g(q, 0, λ, t) + B(q)ᵀλ = 0,   Φ(q, t) = 0,   h_s(q, 0, s, t) = 0,
///
/// by Newton's method with the kernels of the integrators. Of the residual r₀ at the start a part is kept that
/// goes to zero in load steps, r(q, λ, s) = (1 - p) r₀ for p from 0 to 1: whatever the loads are, and the
/// stresses and gaps at the start. The equilibrium is the one that this path leads to.
///
/// Throws InvalidArgument for options and systems that make no sense. A path that cannot be followed returns
/// what was reached; the message says why.
StaticSolution find_equilibrium(const Model& system, const StaticOptions& options = {});

}  // namespace liegrad::dae
