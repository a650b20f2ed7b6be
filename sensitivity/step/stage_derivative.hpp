#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include "liegrad/dae/equations/assembly.hpp"
#include "liegrad/dae/run/stepper.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/sensitivity/step/columns.hpp"
#include "liegrad/sensitivity/step/derivative.hpp"
#include "liegrad/sensitivity/step/kernel_sum.hpp"
#include "liegrad/sensitivity/step/motion_layout.hpp"

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
  KernelSum kinematics;  ///< stage_functions()
  KernelSum elements;    ///< M u + g
};

/// Which stage of a step, or its end.
struct StagePlace {
  Eigen::VectorXd weights;  ///< a_ij or b_j
  double c = 1;
  bool is_at_end_time = false;  ///< t_{n+1} in place of t_n + c h
  bool is_end = false;          ///< of the step, whether it is a stage of the tableau or not
};

/// Derivatives of one stage of a Munthe-Kaas step, see munthe_kaas_derivative(): of
///
///     θ = h Σ_j a_j p_j,   v = v_n + h Σ_j a_j u_j,   (δ, θ') as in stage_functions(),   M u + g
///
/// by the rates (p_j, u_j), its own u, the start of the step and all else that a step depends on. That M u + g
/// is zero, and which stage has which rate, is for the step to know.
class StageDerivative {
 public:
  /// Of gradients, or of their derivatives along the direction that find_tangents() was called with, when
  /// the gradients themselves are known.
  enum class Order { kFirst, kSecond };

  StageDerivative(StageModel& model, const StagePlace& place);

  void set_parameters(std::span<const double> parameters) { motion_.set_parameters(parameters); }
  /// Takes time and controls of a step.
  void set_step(const StepMade& step, const dae::ControlLaw& law);
  /// Moves an assembly to them.
  void go_to(dae::Assembly& assembly) const;
  /// Finds θ and v, and with them the state but for v̇.
  void set_rates(const Matrix& rates, const dae::State& start, dae::State& state);
  std::span<const double> theta() const { return all(point_).first(dae::index(model_.dof)); }
  /// Takes all of the state that set_rates() found.
  void set_state(const dae::State& state) { motion_.set(state, controls_); }

  // Directions, in columns.

  /// Finds those of all that follows from the rates, the start and the rest, with u fixed.
  void find_tangents(const Matrix& rates, const Columns& start, const Columns& outer);
  void set_acceleration_tangent(const Eigen::Ref<const Matrix>& u) {
    motion_columns_.middleRows(model_.motion.v_dot, model_.dof) = u;
  }
  /// That of θ'.
  auto rate_tangent() const { return values_.bottomRows(model_.dof); }
  /// That of M u + g.
  void find_row_tangent(Matrix& rows) const;
  /// As in MotionLayout.
  const Matrix& motion_tangent() const { return motion_columns_; }

  // Gradients, in columns. A step begins them, chooses the weights of M u + g, and adds what these mean.

  /// What they have apart from the weights of M u + g and of θ'.
  void begin_gradients(const Columns& end, Order order);
  /// With respect to u, without those.
  auto acceleration_gradient(Order order) {
    return gradients_of(order).motion.middleRows(model_.motion.v_dot, model_.dof);
  }
  /// The weights of M u + g, for the step to set.
  Matrix& row_weights(Order order) { return gradients_of(order).rows; }
  /// Adds what row_weights() and the weights of θ' mean.
  void add_weights(const Eigen::Ref<const Matrix>& of_rate, Order order);
  /// Adds what gradients with respect to θ and v mean for the rates.
  void spread(Matrix& rates, Order order);
  /// Adds them to those of the start and of the rest.
  void distribute(ColumnsOut start, ColumnsOut outer, Order order);

 private:
  enum class Controls { kStart, kEnd, kConstant };
  struct Gradients {
    Matrix values;     ///< with respect to (δ, θ')
    Matrix rows;       ///< weights of M u + g
    Matrix arguments;  ///< with respect to (δ_n, θ, v)
    Matrix motion;     ///< with respect to what M u + g depends on
  };

  Gradients& gradients_of(Order order) { return order == Order::kFirst ? gradients_ : dots_; }
  int controls_offset() const;
  template <class Sum>
  void combine(const Matrix& rates, Sum& sum) const;
  void pull_back(const Matrix& motion, Matrix& values, Matrix& arguments);

  StageModel& model_;
  StagePlace place_;
  Controls controls_kind_ = Controls::kConstant;
  MotionPoint motion_;

  double t_ = 0, h_ = 0;
  std::vector<double> controls_;
  Eigen::VectorXd point_, slope_;  ///< (θ, v), and its derivative by h
  // Directions: of h and of the slope, and of what Gradients has gradients of.
  Eigen::RowVectorXd h_columns_;
  Matrix slope_columns_, arguments_, values_, motion_columns_;
  Gradients gradients_, dots_;
  Matrix added_values_, added_motion_;
};

}  // namespace liegrad::sensitivity
