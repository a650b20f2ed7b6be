#pragma once

#include "liegrad/dae/alpha/generalized_alpha.hpp"
#include "liegrad/sensitivity/start/equation_program.hpp"

namespace liegrad::sensitivity {

/// What set_starting_values() does to a consistent state, as relations of a program: a = v̇ and, for index 3, v
/// become a_0 and v_0 of Tables 1 and 2 of [ArnoldCardonaBruels2015].
void add_starting_values(const dae::AlphaOptions& options, const dae::State& state,
                         MotionBlocks& at, EquationProgram& program);

}  // namespace liegrad::sensitivity
