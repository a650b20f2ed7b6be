#pragma once

#include <vector>

#include <Eigen/Core>

#include "liegrad/optimize/fit/engine.hpp"

namespace liegrad::optimize {

/// Multiple shooting: minimises over the unknowns and the nodes of all trials together, subject to the continuity of
/// all pieces,
///
///     min ½|r(x, s)|²   subject to   log(s_{k+1}⁻¹ F_k(s_k, x)) = 0,
///
/// by a constrained Gauss–Newton method [Bock1987]. Each step solves the linearised problem in an orthonormal basis of the
/// null space of the linearised conditions, so that perturbations which grow along the record do no harm; a filter
/// [WaechterBiegler2006] decides how much of it is taken. At the end the conditions hold to 1e-9: no penalty is left over.
///
/// Nodes are elements of the group on the constraints, with velocities in the null space of B. The first search
/// initialises them from the data, piece after piece.
LeastSquaresSummary minimise_with_nodes(FitEngine& engine, const LeastSquaresOptions& options,
                                        const std::vector<int>& fixed, Eigen::VectorXd& x);

/// The largest gap between two pieces in the last evaluation.
double largest_gap(const FitEngine& engine);

/// What residuals over noise, in the last evaluation with derivatives, say of unknowns and nodes that keep pieces
/// continuous; `held` unknowns have no effect.
Information information_with_nodes(FitEngine& engine, const std::vector<TrialResiduals>& weighted,
                                   const std::vector<int>& held);

}  // namespace liegrad::optimize
