#pragma once

#include <vector>

#include "liegrad/dae/runge_kutta/radau_coefficients.hpp"
#include "liegrad/sensitivity/step/collocation_recordings.hpp"
#include "liegrad/sensitivity/step/element_terms.hpp"

namespace liegrad::sensitivity {

/// Where the start and the stages of a Radau step stand, and all else that it depends on. The last stage is its end.
struct RadauPlaces {
  MotionPlaces start;
  std::vector<MotionPlaces> stages;
  std::vector<int> stabilizers;  ///< of each stage hη, one number for each constraint
  std::vector<int> bases;  ///< of each stage log(q̄_n⁻¹∘q̄_i), one number for each velocity
  /// The step is h = φT.
  int horizon = 0, fraction = 0;
  int method = 0;  ///< the numbers of set_method_numbers()
};

/// The step equations of a Radau method as terms of a sum, at any point. Stage after stage:
///
///     the relations of collocation_recordings.hpp, with B(q_n)ᵀ(hη_i)     2 rows for each velocity
///     M v̇ + g + Bᵀλ, h_s, Φ and dΦ/dt at the stage, as in EquationRows
///
/// v̇, λ and s of full order at the end, which are others than those of the last stage where there are constraints, are those
/// of add_accelerations().
class RadauTerms : public ElementTerms {
 public:
  RadauTerms(const dae::Model& system, int stages, TermList& terms);

  /// How many numbers they read of a method: A⁻¹ row by row, W⁻¹ and 1.
  static int num_method_numbers(const dae::Model& system, int stages);
  void set_method_numbers(std::span<double> numbers) const;
  /// W, the diagonal that makes velocities of η; see dae::StabilizerWeights.
  std::span<const double> weights() const { return weights_; }

  /// Where the equations of the elements begin among the rows of a stage, and how many there are.
  int first_element_row() const { return 2 * system_.dof(); }
  int stage_size() const { return first_element_row() + rows_.size; }
  int stages_size() const { return coefficients_.stages * stage_size(); }

  void add_stages(const RadauPlaces& places, int first_row);

 private:
  class Parts;

  dae::RadauCoefficients coefficients_;
  EquationRows rows_;
  std::vector<double> weights_;
  ad::Recording rate_;
  PartRecordings own_turns_, other_turns_;
};

}  // namespace liegrad::sensitivity
