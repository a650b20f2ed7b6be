#pragma once

#include <memory>
#include <span>

#include "liegrad/dae/generalized_alpha.hpp"
#include "liegrad/sensitivity/derivative.hpp"

namespace liegrad::sensitivity {

/// The derivative of what a change of the step does to a state, see GeneralizedAlpha: `state` as it was
/// before. Of the rest it reads parameters, controls and time at the start, and in place of h the ratio of
/// the new step to the one before.
std::unique_ptr<Derivative> step_change_derivative(const dae::System& system,
                                                   const dae::AlphaOptions& options,
                                                   const dae::State& state,
                                                   std::span<const double> controls, double ratio);

}  // namespace liegrad::sensitivity
