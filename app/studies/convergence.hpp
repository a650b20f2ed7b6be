#pragma once

#include <vector>

#include "liegrad/dae/state.hpp"
#include "liegrad/dae/system/system.hpp"
#include "studies/reference_states.hpp"

namespace liegrad::app {

/// One number for each of q, v and λ; NaN where there is none.
struct ByVariable {
  double q = 0, v = 0, lambda = 0;
};

/// The largest errors of a run at the ends of its steps,
///
///     max_n |e_n|,   e = log(q_ref⁻¹∘q), v - v_ref, λ - λ_ref,
///
/// in Euclidean norms. Steps at whose ends there is no state of the reference do not count.
class RunErrors {
 public:
  RunErrors(const dae::System& system, const ReferenceStates& reference, double time_tolerance);

  /// To be called with the states of a run in their order.
  void after_step(const dae::State& state);
  const ByVariable& largest() const { return largest_; }
  /// How many states were compared.
  long count() const { return count_; }

 private:
  const dae::System& system_;
  const ReferenceStates& reference_;
  double time_tolerance_;
  std::size_t next_ = 0;
  long count_ = 0;
  ByVariable largest_;
  dae::State exact_;
  std::vector<double> q_error_, difference_;
};

/// The largest Euclidean norms of the coefficients of q (1 for each quaternion), of v and of λ in a reference.
ByVariable largest_norms(const dae::System& system, const ReferenceStates& reference);
/// Errors over sizes; those of size zero stay absolute.
ByVariable relative(const ByVariable& errors, const ByVariable& sizes);

/// log(e_1 / e_2) / log(h_1 / h_2).
ByVariable observed_order(double h_1, const ByVariable& e_1, double h_2, const ByVariable& e_2);

/// The slope of log e over log h by least squares; of errors that are zero or NaN nothing is used.
ByVariable fitted_order(const std::vector<double>& h, const std::vector<ByVariable>& errors);

}  // namespace liegrad::app
