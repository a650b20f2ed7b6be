#pragma once

#include "liegrad/dae/run/error_norm.hpp"
#include "liegrad/dae/start/consistency.hpp"

namespace liegrad::dae {

/// The first step of a run with error control.
///
/// As in [HairerNorsettWanner1993, Section II.4] it follows from the sizes of the motion's derivatives, here known
/// exactly: with ω = |(v̇, v̈)| / |(v, v̇)| and A = |(v, v̇)| / ω in units of the tolerance, the error of a step is about
/// A (ωh)^p for an exponent p, times ωT where errors add up. The step is chosen for a hundredth of the tolerance, but not
/// below √(ε/rtol)/ω, where index 3 would put ε/h² into accelerations and multipliers, nor above a hundredth of the
/// interval.
double first_step(Consistency& consistency, const State& initial, const ErrorNorm& norm,
                  int error_exponent);

}  // namespace liegrad::dae
