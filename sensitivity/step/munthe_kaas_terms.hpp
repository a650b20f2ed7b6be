#pragma once

#include <optional>
#include <span>
#include <vector>

#include "liegrad/sensitivity/step/element_terms.hpp"
#include "liegrad/sensitivity/step/munthe_kaas_recordings.hpp"
#include "liegrad/sensitivity/step/stage_motion.hpp"

namespace liegrad::sensitivity {

/// Where the start and the stages of a Munthe-Kaas step stand, and all else that it depends on.
struct MuntheKaasPlaces {
  /// p = θ' and u = v̇ that have a weight; of an explicit tableau the first are v_n and v̇_n.
  struct Rate {
    int p, u;
  };
  /// One of stage_places().
  struct Stage {
    MotionPlaces motion;
    int base;              ///< log(q̄_n⁻¹∘q̄_i)
    std::optional<int> p;  ///< of a stage whose rate has a weight
  };
  /// A change of q or of v onto the constraints, with what belongs to it: (x, ν, σ) or (y, μ, τ).
  struct Correction {
    int change, multipliers, algebraic;
  };
  /// From the last stage, (q̃, ṽ), to the end.
  struct Projection {
    MotionPlaces end;
    int base;  ///< log of q̄_{n+1} seen from that of the last stage
    Correction position, velocity;
  };
  MotionPlaces start;
  std::vector<Rate> rates;
  std::vector<Stage> stages;
  std::optional<Projection> projection;  ///< with constraints
  /// The step is h = φT.
  int horizon = 0, fraction = 0;
  int weights = 0;  ///< the numbers of set_weights()
};

/// The step equations of a Munthe-Kaas method as terms of a sum, at any point. For each stage of stage_places(), the last of
/// which is the end:
///
///     log(q_n⁻¹∘q_i) - h Σ_j a_ij p_j,   v_i - v_n - h Σ_j a_ij u_j         with b_j in place of a_ij at the end
///     T(θ_i) p_i - v_i,   θ_i = log(q_n⁻¹∘q_i)                              where p_i has a weight
///     M u_i + g + Bᵀλ_i, h_s and d²Φ/dt²                                    as add_accelerations()
///
/// With constraints the last stage is (q̃, ṽ) and has the equations of dae::ConstraintProjection in place of the third line:
///
///     log(q̃⁻¹∘q) - x,   N(x, ν, σ),     v - ṽ - y,   N(y, μ, τ),     Φ and dΦ/dt at (q, v)
///
/// where N is the derivative of M v̇ + g + Bᵀλ and of h_s by v̇, λ and s, at q̃, ṽ and v̇_n, λ_n, s_n; the third line follows
/// at the end, (q, v).
class MuntheKaasTerms : public ElementTerms {
 public:
  MuntheKaasTerms(const dae::Model& system, const dae::ButcherTableau& tableau, TermList& terms);

  /// How many numbers they read of a tableau.
  static int num_weights(const dae::ButcherTableau& tableau);
  void set_weights(std::span<double> weights) const;

  void add_step(const MuntheKaasPlaces& places, int first_row);

 private:
  struct Increment {
    const MotionPlaces &from, &to;
    int base;
  };
  /// Of a part: those of increment_recording().
  std::vector<int> increment_numbers(const Increment& by, int dof, int count) const;
  void add_increment(const Increment& by, int row);
  void add_increment_rate(const Increment& by, int p, int row);
  void add_velocity_change(const MotionPlaces& from, const MotionPlaces& to, int row);
  void add_shares(const MuntheKaasPlaces& places, int stage, int row);
  int add_stage(const MuntheKaasPlaces& places, int stage, int row);
  int add_correction(const MuntheKaasPlaces& places, const MuntheKaasPlaces::Correction& by,
                     int row);
  int add_projection(const MuntheKaasPlaces& places, int row);

  std::vector<StagePlace> stages_;
  ad::Recording difference_, share_;
  PartRecordings increments_, increment_rates_;
};

}  // namespace liegrad::sensitivity
