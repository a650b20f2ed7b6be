#pragma once

#include <memory>
#include <span>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/sensitivity/derivative.hpp"

namespace liegrad::sensitivity {

/// How a run began.
struct StartMade {
  const dae::State& consistent;  ///< after projection, before the method's starting values
  std::span<const double> controls;
  double h;
};

/// The derivative of the state from which the first step starts: of consistent v̇, λ and s, equations (19) of
/// [ArnoldCardonaBruels2015], and of the starting values a_0 and v_0 of Tables 1 and 2.
///
/// Its start is a perturbation (δ, v) of the initial values of the system, which a perturbation of the
/// parameters adds to by the initial function; both are carried back to the constraints by the projection
/// of Consistency, along M⁻¹Bᵀ. Of the rest it reads parameters, controls and time at the start, and h.
std::unique_ptr<Derivative> start_derivative(const dae::System& system,
                                             const dae::IntegrateOptions& options,
                                             const StartMade& start);

}  // namespace liegrad::sensitivity
