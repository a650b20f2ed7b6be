#pragma once

namespace liegrad::dae {

/// The integration formulas.
enum class AlphaVariant {
  kLieGroup,              ///< step_equations.hpp
  kUpdatedLagrangianExp,  ///< in local coordinates, [BruelsCardonaArnold2012, Eqs. (71)–(79)]
  kUpdatedLagrangianCrv,  ///< the same with conformal rotation vectors, Eq. (80)
};

}  // namespace liegrad::dae
