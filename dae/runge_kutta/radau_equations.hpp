#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "liegrad/dae/linear/coupled_matrix.hpp"
#include "liegrad/dae/runge_kutta/radau_kinematics.hpp"
#include "liegrad/dae/runge_kutta/simplified_stages.hpp"

namespace liegrad::dae {

/// The equations of the stages of a Radau step in the unknowns p, λ, s and η of all stages,
///
///     h (M v̇_i + g + Bᵀλ_i) = 0,   Φ(q_i) / h = 0,   h h_s = 0,   B v_i + Φ_t = 0,
///
/// with q_i, v_i and v̇_i from RadauKinematics and f_i = W B(q_n)ᵀη_i (docs/integrators.md). Which of them and whether
/// there is η follows from the formulation of the assembly. W is diagonal, about M⁻¹, and makes f a velocity whatever the
/// unit of length: see StabilizerWeights. Nothing is allocated after the first step.
class RadauEquations {
 public:
  using GoToTime = std::function<void(double)>;

  /// `go_to_time` moves the assembly, and controls with it, to a time.
  RadauEquations(Assembly& assembly, const RadauCoefficients& coefficients, LinearSolverKind solver,
                 GoToTime go_to_time);

  /// Values of all parameters of the model.
  void set_parameters(std::span<const double> parameters);
  /// Takes the diagonal of W.
  void set_weights(std::span<const double> weights) {
    weights_.assign(weights.begin(), weights.end());
  }
  /// Starts a step. Precondition: `start` stays where it is until the next one.
  void begin(const State& start, double h);
  /// Takes a guess of velocities, by stage, with η = 0. That of multipliers and algebraic states is written to them.
  void guess(std::span<const double> v);
  /// p, λ, s and η of all stages, one after the other.
  int num_unknowns() const;
  void write_unknowns(std::span<double> to) const;
  /// Takes them instead of a guess.
  void set_unknowns(std::span<const double> unknowns);
  std::span<double> multipliers(int stage) { return part(lambda_, stage); }
  std::span<double> algebraic(int stage) { return part(s_, stage); }
  std::span<const double> stabilizers(int stage) { return part(eta_, stage); }
  /// f of all stages.
  std::span<const double> forces() const { return force_; }
  std::span<const double> weights() const { return weights_; }
  const RadauKinematics& kinematics() const { return kinematics_; }
  RadauKinematics& kinematics() { return kinematics_; }

  /// Finds the residual of all stages, in the rows of the assembly, stage after stage.
  void evaluate();
  /// Finds the motion of the stages, which evaluate() does too.
  void update() { kinematics_.update(force_); }
  std::span<const double> residual() const { return residual_; }
  /// The matrix of Newton's iteration at the current unknowns; false if it is singular.
  bool factorize_full();
  /// Makes what factorize_simplified() needs, which does it itself otherwise.
  void prepare_simplified();
  /// Matrices of a stage that stands for all.
  bool factorize_simplified();
  /// Corrections are made with the matrices that factorize_simplified() made last, in an earlier step.
  bool keep_simplified();
  int singular_unknown() const { return singular_unknown_; }
  /// The factors of the first of these.
  const LinearSolver& full_matrix() const { return full_->solver(); }
  /// Corrects the unknowns with the matrix that was factorised last.
  void correct();
  /// The last correction of velocities, by stage.
  std::span<const double> correction(int stage) const {
    return std::span<const double>(correction_).subspan(static_cast<std::size_t>(stage * size_));
  }

  /// Writes the changes of θ of all stages by the last correction, to first order.
  void write_changes(std::vector<double>& theta) const { kinematics_.integrate(change_, theta); }

  /// Moves an assembly, and its controls, to a time.
  void go_to_time(double t, Assembly& to);

  /// Writes the error of θ and v at the end, of order h^(s+1), [HairerWanner1996, Section IV.8]: filtered by the matrix
  /// of one stage, and with it tangent to the constraints: the real one of the simplified iteration, or that of the start
  /// of the step where the iteration was full or has none. False if that is singular.
  bool estimate_error(std::span<double> theta, std::span<double> v);
  /// Takes out of θ and v what vibrates faster than 1/time, by (1 - time J)⁻¹ twice with J of the start of the step. False
  /// if that is singular.
  bool keep_slow_part(double time, std::span<double> theta, std::span<double> v);
  /// Of the assembly's matrix, in columns of velocities.
  struct Entry {
    int row, column, place;
    bool is_position;
  };
  std::span<const Entry> entries() const { return entries_; }
  /// Adds W B(q_n)ᵀη times a factor.
  void add_stabilizer_force(std::span<const double> eta, double factor, std::span<double> to);

 private:
  template <class T>
  std::span<T> part(std::vector<T>& list, int stage) const {
    const std::size_t count = list.size() / static_cast<std::size_t>(stages_);
    return std::span(list).subspan(static_cast<std::size_t>(stage) * count, count);
  }
  void place_stage(int stage, Assembly& to);
  void place_start(Assembly& to);
  void apply();
  /// Makes (1 - hJ/γ)⁻¹ of the start of the step, for filter().
  bool factorize_filter(double h);
  void filter(std::span<double> theta, std::span<double> v);
  void evaluate_entries(const StepCoefficients& coefficients, std::vector<double>& to);
  /// Adds entries_ with these values times x to right_.
  void add_product(std::span<const double> values, std::span<const double> x,
                   double position_factor);

  Assembly& assembly_;
  RadauCoefficients coefficients_;
  LinearSolverKind solver_;
  GoToTime go_to_time_;
  int stages_, dof_, size_;
  RadauKinematics kinematics_;
  const State* start_ = nullptr;
  double h_ = 0;
  std::vector<double> parameters_, weights_;
  std::vector<double> lambda_, s_, eta_, force_;  ///< by stage
  std::vector<double> residual_, correction_, change_;
  std::vector<double> force_change_;  ///< of one stage
  // Made when first needed.
  std::unique_ptr<CoupledMatrix> full_;
  std::unique_ptr<SimplifiedStages> simplified_;
  bool uses_full_ = true;
  int singular_unknown_ = -1;
  std::vector<Entry> entries_;
  // Of the filter: its step, γM, and hK and Z by entry.
  double filter_step_ = 0;
  std::vector<double> mass_, stiffness_, right_;
};

}  // namespace liegrad::dae
