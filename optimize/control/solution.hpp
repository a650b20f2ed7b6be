#pragma once

#include <string>
#include <vector>

#include "liegrad/dae/equations/formulation.hpp"
#include "liegrad/dae/state.hpp"

namespace liegrad::control {

enum class Status {
  kNotRun,
  kSolved,
  kAcceptable,   ///< to a tolerance that is looser than the one asked for
  kInfeasible,   ///< a point of least violation, which is not zero
  kIterations,   ///< their limit was reached
  kTime,         ///< the time limit was reached
  kInterrupted,  ///< by the user
  kFailed,
};
const char* name_of(Status status);
inline bool is_solved(Status status) {
  return status == Status::kSolved || status == Status::kAcceptable;
}

/// A constraint that is not satisfied.
struct Violation {
  std::string name;
  int step = 0;  ///< the grid point
  double time = 0, size = 0;
};

/// What speaks for a solution being an optimum.
struct Certificate {
  /// False where a limit of time or a request to stop ended it early: what follows is then as far as it came.
  bool is_complete = false;
  /// Eigenvalues of the KKT matrix at the solution, with the barrier terms of active bounds: a local minimum has as many
  /// positive ones as there are unknowns, and as many negative ones as there are equations.
  int positive = 0, negative = 0, zero = 0;
  int unknowns = 0, equations = 0;
  bool local_minimum = false;
  /// Some equations repeat what others say: multipliers are not unique, and the inertia is that of the regularised matrix.
  bool dependent_equations = false;
  /// H_n = ∂/∂h_n of the Lagrangian, step by step: constant along an extremal of a system that does not depend on time,
  /// and zero where the horizon is free. Its spread is max - min.
  std::vector<double> hamiltonian;
  double hamiltonian_spread = 0, hamiltonian_mean = 0;
  /// The switching functions S = ∂H/∂u of all controls at the grid points, from the multipliers of the equations alone. A
  /// control stands at its lower bound where S > 0, at its upper one where S < 0, and S is zero in between: the
  /// disagreement is the largest |S| beside the largest term of its sum, times the distance from that bound as a share of
  /// what the control can move. Switches are changes of the sign of each S.
  std::vector<std::vector<double>> switching;
  std::vector<int> switches;
  double switching_disagreement = 0;
  /// A run with the same controls and a finer step: how far it ends from the end of the solution in (log, v), and by how
  /// much its cost differs.
  bool resimulated = false;
  double resimulation_miss = 0, resimulation_cost_difference = 0;
  std::string resimulation_failure;  ///< why it could not be made: when, where, what was tried
};

struct Summary {
  Status status = Status::kNotRun;
  std::string message;
  std::string ipopt_version, linear_solver;
  /// What was chosen for the user, with the reason.
  std::vector<std::string> choices;
  int steps = 0, variables = 0, constraints = 0;
  int iterations = 0, recentrings = 0;
  double cost = 0, t_end = 0;
  double constraint_violation = 0, dual_infeasibility = 0;
  /// Of the search with what was set up for it, of derivatives within it, of setting up, of the certificate.
  double wall_seconds = 0, derivative_wall_seconds = 0, setup_wall_seconds = 0;
  double certificate_wall_seconds = 0;
  std::vector<Violation> violations;  ///< the worst five, when it failed
};

struct GridState : dae::State {
  std::vector<double> a;  ///< the memory of generalized-α; v̇ of other methods
};

struct StageState : dae::State {
  std::vector<double> eta;  ///< stabilising multipliers
  double step = 0;          ///< length of the step that it is a stage of
};

struct Solution {
  /// The step that a time is in, counted from 0, and how much of it is over. Precondition: there are two points.
  struct Place {
    std::size_t step;
    double share;
  };
  Place place(double t) const;

  Summary summary;
  Certificate certificate;
  std::vector<GridState> states;                ///< at the grid points
  std::vector<std::vector<double>> controls;    ///< likewise
  std::vector<std::vector<StageState>> stages;  ///< of each step, if it is one of a Radau method
  std::vector<double> parameters;               ///< of the system
  /// Multipliers of the step relations of positions: how the cost to go changes along q_n∘exp(δ), the left-trivialised
  /// costate of q, at points 1 … N.
  std::vector<std::vector<double>> costates;
  /// Feedback gains of each step, if they were asked for: u_{n+1} = u*_{n+1} + G_n (s_n - s*_n) with s = (δ, v, v̇, a, u)
  /// at point n, control by control.
  std::vector<std::vector<double>> gains;
  /// Of each iteration: primal and dual infeasibility of the iterates.
  std::vector<double> primal_history, dual_history;
  dae::Formulation formulation = dae::Formulation::kIndex3;
  // As IPOPT has them, to start from again.
  std::vector<double> x, multipliers, lower_multipliers, upper_multipliers;
};

}  // namespace liegrad::control
