#pragma once

#include "implicit_functions.hpp"
#include "taped_balance.hpp"
#include "taped_step_end.hpp"

namespace liegrad::testing {

/// A step of Radau IIA in stabilised index-2 form, docs/integrators.md: the equations of all stages are solved together, and
/// v̇, λ and s of the end are those of (19), [ArnoldCardonaBruels2015].
TapedState taped_radau_step(const dae::System& system, int stages, const TapedState& start,
                            const TapedStepEnd& to, ImplicitFunctions& implicit,
                            TapedBalance& balance);

}  // namespace liegrad::testing
