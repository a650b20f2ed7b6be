#pragma once

#include <span>
#include <vector>

#include "liegrad/dae/state.hpp"
#include "liegrad/dae/system.hpp"

namespace liegrad::app {

/// One number for each of q, v and λ; NaN where there is none.
struct ByVariable {
  double q = 0, v = 0, lambda = 0;
};

/// The largest errors of states at the same times as those of the reference,
///
///     max_n |e_n| / |y_n|,   e = log(q_ref⁻¹∘q), v - v_ref, λ - λ_ref,
///
/// [ArnoldCardonaBruels2015, Fig. 6], where |y_n| is the Euclidean norm of the reference's coefficients
/// of q (1 for each quaternion), v or λ. With `absolute`, and where |y_n| = 0, it is |e_n| alone.
ByVariable largest_errors(const dae::System& system, std::span<const dae::State> states,
                          std::span<const dae::State> reference, bool absolute);

/// log(e_1 / e_2) / log(h_1 / h_2).
ByVariable observed_order(double h_1, const ByVariable& e_1, double h_2, const ByVariable& e_2);

/// The slope of log e over log h by least squares; of errors that are zero or NaN nothing is used.
ByVariable fitted_order(const std::vector<double>& h, const std::vector<ByVariable>& errors);

}  // namespace liegrad::app
