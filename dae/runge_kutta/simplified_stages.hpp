#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "liegrad/dae/linear/coupled_matrix.hpp"
#include "liegrad/dae/runge_kutta/radau_coefficients.hpp"
#include "liegrad/dae/runge_kutta/stabilizer_gram.hpp"

namespace liegrad::dae {

/// With c_a, c_v and k the factors of a change of v in h v̇, in v and in θ/h.
StepCoefficients stage_coefficients(double h, double c_a, double c_v, double k);

/// Corrections of the stages of a Radau step with the matrix of one stage for all, [HairerWanner1996, Section IV.8]:
/// one real and one complex system of a single stage.
///
/// In the stabilised formulation these are systems of index 2 in v, λ and s, without η: D and Z see positions move by
/// δv in place of δv - Nδη, which is put right by the next correction whatever the stiffness, as δη is small from then on.
/// η follows stage by stage from B(δv_i - Nδη_i) = -Σ_j (A⁻¹)_ij Φ_j/h.
class SimplifiedStages {
 public:
  /// `assembly` has the equations of a stage; `weights` is the diagonal of W, of N = W B(q_n)ᵀ.
  SimplifiedStages(const Assembly& assembly, const RadauCoefficients& coefficients,
                   LinearSolverKind solver);

  /// Where the matrices are evaluated; the caller writes the point.
  Assembly& stage() { return stage_; }
  /// False if one is singular.
  bool factorize(double h, const Stabilizer* n, std::span<const double> weights);
  /// Keeps these matrices for another step, which has another N.
  bool keep(const Stabilizer* n, std::span<const double> weights) {
    return !gram_ || gram_->factorize(*n, weights);
  }
  int singular_unknown() const { return singular_unknown_; }

  /// From residuals of all stages, in the rows of the assembly.
  void solve(std::span<const double> residual, const Stabilizer* n, std::span<const double> weights,
             std::span<double> correction);

  /// Whether there is a real system, as with three stages.
  bool can_filter() const { return real_mode() >= 0; }
  /// Replaces differences of θ and v by (1 - hJ/γ)⁻¹ times them, tangent to the constraints, with h and J of the last
  /// factorize(): J must be the same in the matrix and on the right. Where the stiff directions of a second one were turned
  /// by an angle φ, differences would grow by (ωh)²φ.
  void filter(const Stabilizer* n, std::span<const double> weights, std::span<double> theta,
              std::span<double> v);

 private:
  /// Residuals of all stages to those of the modes, with the opposite sign.
  template <int Stages>
  void transform(const double* residual);
  /// Solutions of the modes to corrections of the stages.
  template <int Stages>
  void transform_back(double* correction) const;
  int real_mode() const;
  bool factorize(LinearSolver& matrix);
  /// Takes Nη away from a velocity or an increment such that B times the rest is zero.
  void make_tangent(const Stabilizer& n, std::span<const double> weights, std::span<double> x);
  /// Evaluates the entries_ of the matrix at the point of the last factorize().
  void evaluate_entries(const StepCoefficients& coefficients, std::vector<double>& to);
  void add_product(std::span<const double> values, std::span<const double> x,
                   double position_factor);

  RadauCoefficients coefficients_;
  int stages_, dof_, size_;  ///< size of the assembly
  bool has_stabilizer_;
  Assembly stage_;
  std::vector<int> rows_;  ///< of the assembly, by row of a stage here
  std::vector<CoupledMatrix> modes_;
  std::optional<StabilizerGram> gram_;
  int singular_unknown_ = -1;
  struct Entry {
    int row, column, place;
    bool is_position;
  };
  std::vector<Entry> entries_;  ///< of the matrix of stage_ in columns of velocities
  double h_ = 0;                ///< of the matrices
  // Their parts γM, and hK and Z, by entry; found by the first filter() that needs them.
  bool has_parts_ = false;
  std::vector<double> mass_, stiffness_;
  static constexpr int kMostStages = 3;
  /// S⁻¹ and S by rows, real and imaginary parts of complex modes one after the other.
  std::array<double, kMostStages * kMostStages> from_stages_{}, to_stages_{};
  std::vector<double> modal_;  ///< right-hand sides and solutions of all modes
  std::vector<double> right_, scratch_, eta_;
};

}  // namespace liegrad::dae
