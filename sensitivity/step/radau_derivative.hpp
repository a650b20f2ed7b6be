#pragma once

#include <memory>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/sensitivity/step/derivative.hpp"

namespace liegrad::sensitivity {

/// Derivatives of the steps of dae::Radau by the implicit function theorem: of all stages together, and of v̇, λ and s at
/// the end, which are those of (19). Steps are those of a stepper that keeps its stages
/// (RadauOptions::keep_stages).
///
/// Controls are variables at both ends of a step, and so at the last stage. At the others they are what the law
/// says, as constants; without a law they are zero there.
std::unique_ptr<StepDerivative> radau_derivative(const dae::Model& system,
                                                 const dae::IntegrateOptions& options);

}  // namespace liegrad::sensitivity
