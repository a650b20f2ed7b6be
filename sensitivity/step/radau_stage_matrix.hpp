#pragma once

#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "liegrad/dae/runge_kutta/radau.hpp"

namespace liegrad::sensitivity {

/// Where the unknowns and the equations of one stage stand in radau_derivative(), stage after stage:
///
///     p, u = v̇, δ, v, λ, s, η;
///     δ - log(exp(-θ*)∘exp(δ_n)∘exp(θ)),   v - v_n - h Σ_j a_ij u_j,   W⁻¹(T(θ) p - v) + B(q_n)ᵀη,
///     M u + g + Bᵀλ,   Φ,   h_s,   dΦ/dt,             θ = h Σ_j a_ij p_j.
struct RadauStageLayout {
  explicit RadauStageLayout(const dae::Assembly& assembly);
  int p = 0, u, delta, v, lambda, s, eta;
  int place = 0, velocity, kinematics, motion, position, algebraic, rate;
  int size;
};

/// The matrix of these equations' derivatives by these unknowns.
class RadauStageMatrix {
 public:
  RadauStageMatrix(dae::Assembly& assembly, const dae::RadauCoefficients& coefficients);

  /// Fills and factorises it at the stages of a step from `start`, for which go_to_stage sets time and controls, -1
  /// being the start. False if it is singular.
  bool factorize(const dae::State& start, double h, dae::RadauEquations& stages,
                 const std::function<void(int)>& go_to_stage);
  const RadauStageLayout& layout() const { return at_; }
  dae::LinearSolver& solver() { return *solver_; }

 private:
  /// f(row, column, value) for all entries.
  template <class F>
  void for_each_entry(F&& f) const;
  void evaluate(const dae::StepCoefficients& coefficients, std::vector<double>& values);

  dae::Assembly& assembly_;
  dae::RadauCoefficients coefficients_;
  RadauStageLayout at_;
  int stages_, dof_;
  double h_ = 0;
  std::vector<std::pair<int, int>> tangent_entries_;
  std::vector<double> weights_;
  std::vector<double> gradient_;  ///< B(q_n) in the order of the assembly's stabilizer()
  /// By stage: T and D where tangent_entries_ says, the others in the pattern of the assembly.
  struct Stage {
    std::vector<double> tangent, derivative, mass, damping, stiffness;
  };
  std::vector<Stage> parts_;
  std::optional<dae::LinearSolver> solver_;
  std::vector<int> positions_;
};

}  // namespace liegrad::sensitivity
