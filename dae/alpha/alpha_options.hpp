#pragma once

#include "liegrad/dae/alpha/alpha_parameters.hpp"
#include "liegrad/dae/alpha/alpha_variant.hpp"
#include "liegrad/dae/equations/formulation.hpp"
#include "liegrad/dae/linear/linear_solver_kind.hpp"
#include "liegrad/dae/run/newton_options.hpp"
#include "liegrad/dae/start/consistency_options.hpp"

namespace liegrad::dae {

/// a_0, and for index 3 the velocity v_0, from which a generalized-α method starts.
enum class StartingValues {
  kClassical,            ///< a_0 = v̇_0: λ has errors of first order at the start
  kCorrected,            ///< Tables 1 and 2 of [ArnoldCardonaBruels2015], v̈(t_0) by AD
  kCorrectedDifference,  ///< the same, v̈(t_0) by their difference quotient
};

/// Where Newton's iteration starts.
enum class FirstGuess {
  kExtrapolated,    ///< v̇ by a polynomial through the last steps
  kConstantA,       ///< Δq = v_n + ½h a_n, λ_n, [ArnoldCardonaBruels2015, after Eq. (59)]
  kZeroMultiplier,  ///< v̇ = 0, λ = 0, [BruelsCardonaArnold2012, Table 1]
};

struct AlphaOptions {
  AlphaMethod method;
  AlphaVariant variant = AlphaVariant::kLieGroup;
  Formulation formulation = Formulation::kIndex3;
  StartingValues start = StartingValues::kClassical;
  FirstGuess guess = FirstGuess::kExtrapolated;
  NewtonOptions newton;
  LinearSolverKind solver = LinearSolverKind::kAutomatic;
  ConsistencyOptions consistency;
};

}  // namespace liegrad::dae
