#pragma once

#include <vector>

#include "liegrad/dae/equations/formulation.hpp"
#include "liegrad/dae/equations/step_equations.hpp"
#include "liegrad/sensitivity/step/defect_recordings.hpp"
#include "liegrad/sensitivity/step/element_terms.hpp"

namespace liegrad::sensitivity {

/// Where the two ends of a generalized-α step stand, and all else that it depends on.
struct StepPlaces {
  MotionPlaces start, end;
  int start_a = 0, end_a = 0;
  /// -hη of a stabilised step, one number for each constraint.
  int stabilizer = 0;
  /// The step is h = φT.
  int horizon = 0, fraction = 0;
  /// log(q̄_n⁻¹∘q̄_{n+1}), one number for each velocity.
  int base = 0;
  /// α_m, α_f, β, γ, σ.
  int method = 0;
};

/// Writes the five numbers that step terms read of a method.
void set_method_numbers(const dae::AlphaMethod& method, std::span<double> numbers);

/// The step equations of a generalized-α method as terms of a sum, at any point:
///
///     the residuals of defect_recording(), with -hB(q_n)ᵀη when stabilised     3 rows for each velocity
///     M v̇ + g + Bᵀλ, h_s, Φ and dΦ/dt at the end, as in EquationRows
class StepTerms : public ElementTerms {
 public:
  StepTerms(const dae::Model& system, dae::Formulation formulation, dae::SigmaForm form,
            TermList& terms);

  /// Where the equations of the elements begin, and how many rows there are.
  int first_element_row() const { return 3 * system_.dof(); }
  int num_rows() const { return first_element_row() + rows_.size; }

  void add_step(const StepPlaces& places, int first_row);

 private:
  class Parts;

  dae::Formulation formulation_;
  EquationRows rows_;
  PartRecordings defects_;
};

}  // namespace liegrad::sensitivity
