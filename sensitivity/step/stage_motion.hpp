#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include "liegrad/dae/equations/assembly.hpp"
#include "liegrad/dae/run/stepper.hpp"
#include "liegrad/dae/runge_kutta/butcher_tableau.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/sensitivity/step/columns.hpp"
#include "liegrad/sensitivity/step/derivative.hpp"
#include "liegrad/sensitivity/step/motion_layout.hpp"
#include "liegrad/sensitivity/step/stage_functions.hpp"

namespace liegrad::sensitivity {

/// What all stages of Munthe-Kaas steps of a system have in common.
struct StageModel {
  explicit StageModel(const dae::Model& system);

  /// (p_j, u_j) among the rates of all stages, which stand one after the other.
  template <class Rates>
  auto rate(Rates& rates, int j) const {
    return rates.middleRows(2 * dof * j, 2 * dof);
  }

  const dae::Model& system;
  int dof;
  MotionLayout motion;
  StateLayout state;
  OuterLayout outer;
  StageFunctions kinematics;
};

/// Which stage of a step, or its end.
struct StagePlace {
  Eigen::VectorXd weights;  ///< a_ij or b_j
  double c = 1;
  bool is_at_end_time = false;  ///< t_{n+1} in place of t_n + c h
  bool is_end = false;          ///< of the step, whether it is a stage of the tableau or not
};

/// The stages of a step that are not its start, and its end, which is the last of them.
std::vector<StagePlace> stage_places(const dae::ButcherTableau& tableau);

/// Derivatives of the motion of one stage of a Munthe-Kaas step,
///
///     θ = h Σ_j a_j p_j,   v = v_n + h Σ_j a_j u_j,   (δ, θ') as in StageFunctions,
///
/// by the rates (p_j, u_j), the start of the step and all else that a step depends on. The accelerations that belong to
/// the motion, and which stage has which rate, are for the step to know.
class StageMotion {
 public:
  /// Of gradients, or of their derivatives along the direction that find_tangents() was called with, when
  /// the gradients themselves are known.
  enum class Order { kFirst, kSecond };

  StageMotion(StageModel& model, const StagePlace& place);

  /// Takes time and controls of a step.
  void set_step(const StepMade& step, const dae::ControlLaw& law);
  std::span<const double> controls() const { return controls_; }
  /// Moves an assembly to them.
  void go_to(dae::Assembly& assembly) const;
  /// Finds θ and v, and with them the state but for v̇, λ and s.
  void set_rates(const Matrix& rates, const dae::State& start, dae::State& state);
  std::span<const double> theta() const { return all(point_).first(dae::index(model_.dof)); }

  // Directions, in columns.

  /// Finds those of all that follows from the rates, the start and the rest, with v̇, λ and s fixed.
  void find_tangents(const Matrix& rates, const Columns& start, const Columns& outer);
  /// As in MotionLayout; the step completes it.
  Matrix& motion_tangent() { return motion_columns_; }
  /// That of θ'.
  auto rate_tangent() const { return values_.bottomRows(model_.dof); }

  // Gradients, in columns.

  /// They are zero, their derivatives what a change of the stage does to them.
  void clear_gradients(Eigen::Index columns, Order order);
  /// With respect to the motion, as in MotionLayout: all that were added.
  const Matrix& motion_gradient(Order order) { return gradients_of(order).motion; }
  /// Adds gradients with respect to the motion, and what they mean for (δ_n, θ, v).
  void add_gradients(const Matrix& motion, Order order);
  /// The same with those with respect to θ'.
  void add_gradients(const Matrix& motion, const Eigen::Ref<const RowMajorMatrix>& of_rate,
                     Order order);
  /// Adds what gradients with respect to θ and v mean for the rates.
  void spread(Matrix& rates, Order order);
  /// Adds them to those of the start and of the rest.
  void distribute(ColumnsOut start, ColumnsOut outer, Order order);

 protected:
  StageModel& model_;
  StagePlace place_;
  std::vector<double> controls_;
  Matrix motion_columns_;  ///< of directions

 private:
  struct Gradients {
    Matrix values;     ///< with respect to (δ, θ')
    Matrix arguments;  ///< with respect to (δ_n, θ, v)
    Matrix motion;
  };

  Gradients& gradients_of(Order order) { return order == Order::kFirst ? gradients_ : dots_; }
  int controls_offset() const;
  template <class Sum>
  void combine(const Matrix& rates, Sum& sum) const;
  void pull_back(const Matrix& motion, Order order);

  double t_ = 0, h_ = 0;
  Eigen::VectorXd point_, slope_;  ///< (θ, v), and its derivative by h
  // Directions: of h and of the slope, and of what Gradients has gradients of.
  Matrix h_columns_, slope_columns_, arguments_, values_;
  Gradients gradients_, dots_;
  Matrix added_values_;
};

}  // namespace liegrad::sensitivity
