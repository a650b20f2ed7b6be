#pragma once

#include <memory>

#include "liegrad/dae/run/stepper.hpp"
#include "liegrad/dae/runge_kutta/butcher_tableau.hpp"

namespace liegrad::dae {

/// Munthe-Kaas Runge–Kutta methods, [RotatingBallTestProblem]: in each
/// step a classical Runge–Kutta method solves
///
///     θ' = T⁻¹(θ) v,   M v̇ + g = 0,   q = q_n∘exp(θ),   θ(t_n) = 0.
///
/// Implicit tableaus solve their stages by Newton's method with exact derivatives; they are for systems without
/// constraints. Explicit ones take v̇ of their stages from (19) where there are constraints, see ConstrainedMuntheKaas.
std::unique_ptr<Stepper> make_munthe_kaas(const Model& system, const ButcherTableau& tableau,
                                          const NewtonOptions& newton);

}  // namespace liegrad::dae
