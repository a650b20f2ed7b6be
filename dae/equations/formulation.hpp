#pragma once

#include "liegrad/dae/system/constraint_rows.hpp"

namespace liegrad::dae {

/// How the constraints enter a time step.
enum class Formulation {
  kIndex3,      ///< Φ = 0, [ArnoldCardonaBruels2015, Eq. (37)]
  kIndex2,      ///< dΦ/dt = 0
  kStabilized,  ///< both, with a second multiplier η, [ArnoldCardonaBruels2015, Eq. (56)]
};

inline ConstraintRows constraint_rows(Formulation formulation) {
  return {.position = formulation != Formulation::kIndex2,
          .velocity = formulation != Formulation::kIndex3};
}

}  // namespace liegrad::dae
