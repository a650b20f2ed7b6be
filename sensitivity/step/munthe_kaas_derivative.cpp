#include "liegrad/sensitivity/step/munthe_kaas_derivative.hpp"

#include <functional>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "liegrad/dae/linear/mass_solver.hpp"
#include "liegrad/dae/runge_kutta/munthe_kaas.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/sensitivity/step/columns.hpp"
#include "liegrad/sensitivity/step/constrained_munthe_kaas_derivative.hpp"
#include "liegrad/sensitivity/step/coupled_stages.hpp"
#include "liegrad/sensitivity/step/element_sum.hpp"
#include "liegrad/sensitivity/step/mass_factors.hpp"
#include "liegrad/sensitivity/step/stage_derivative.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::index;
using Span = std::span<double>;
using Const = std::span<const double>;
using Order = StageDerivative::Order;

class MuntheKaasDerivative final : public StepDerivative {
 public:
  MuntheKaasDerivative(const dae::Model& system, const dae::ButcherTableau& tableau,
                       const dae::NewtonOptions& newton);

  void set_run(Const parameters, const dae::ControlLaw& controls) override;
  void set_step(const StepMade& step) override;
  void tangent(int columns, Const start, Const outer, Span end) override;
  void adjoint(int columns, Const end, Span start, Span outer) override;
  void second(Const start_dot, Const outer_dot, const Dual& end, const Dual& start,
              const Dual& outer) override;

 private:
  int num_stages() const { return static_cast<int>(stages_.size()); }
  StageDerivative& stage(int i) { return stages_[index(i)]; }
  /// The first rate of an explicit tableau is that of the start; that of an end which is no stage of the
  /// tableau is read by none.
  int num_rates() const { return num_stages() + (coupled_ ? 0 : 1); }
  auto start_rate(Matrix& rates) const { return model_.rate(rates, 0); }
  auto rate(Matrix& rates, int i) const { return model_.rate(rates, coupled_ ? i : i + 1); }
  Matrix& rates_of(Order order) { return order == Order::kFirst ? rate_gradients_ : rate_dots_; }

  void find_rate(int i, double t_end);
  void find_tangents(const Columns& start, const Columns& outer);
  void find_coupled_tangents(const Columns& start, const Columns& outer);
  void pull_back(const Columns& end, Order order);
  void pull_back_coupled(const Columns& end, Order order);
  void distribute(ColumnsOut start, ColumnsOut outer, Order order);

  StageModel model_;
  KernelSum elements_;  ///< M u + g
  int dof_;
  dae::ControlLaw law_;
  dae::Assembly assembly_;
  std::vector<StageDerivative> stages_;  ///< the last is the end
  int num_coupled_;  ///< of them, which are solved for together; others follow from those before them
  std::optional<CoupledStages> coupled_;
  std::optional<MassFactors> masses_;  ///< of the others

  dae::State at_;
  Matrix rates_;
  Matrix rate_columns_, coupled_columns_, row_columns_;  // of directions
  Matrix rate_gradients_, rate_dots_;
};

MuntheKaasDerivative::MuntheKaasDerivative(const dae::Model& system,
                                           const dae::ButcherTableau& tableau,
                                           const dae::NewtonOptions& newton)
    : model_(system),
      elements_(
          element_sum(system, dae::ElementFunction::kStep, {.position = false, .velocity = false})),
      dof_(system.dof()),
      assembly_(system, dae::Formulation::kIndex3, false, dae::LinearSolverKind::kAutomatic),
      num_coupled_(tableau.is_explicit() ? 0 : static_cast<int>(tableau.b.size())) {
  for (const StagePlace& place : stage_places(tableau)) {
    stages_.emplace_back(model_, elements_, place);
  }
  const bool has_constant_mass = dae::MassSolver(assembly_).is_constant();
  if (num_coupled_ > 0) {
    coupled_.emplace(tableau, assembly_, has_constant_mass, newton.max_iterations);
  }
  masses_.emplace(assembly_, num_stages() - num_coupled_, has_constant_mass);
  rates_.setZero(2 * dof_ * num_rates(), 1);
  at_.q.resize(index(system.configuration_space().num_coeffs()));
  at_.v.resize(index(dof_));
  at_.v_dot.resize(index(dof_));
  set_run(system.parameter_values(), {});
}

void MuntheKaasDerivative::set_run(Const parameters, const dae::ControlLaw& controls) {
  law_ = controls ? dae::ControlLaw(std::cref(controls)) : dae::ControlLaw();
  assembly_.set_parameters(parameters);
  for (StageDerivative& stage : stages_) stage.set_parameters(parameters);
  masses_->start();
  if (coupled_) coupled_->start();
}

void MuntheKaasDerivative::set_step(const StepMade& step) {
  for (StageDerivative& stage : stages_) stage.set_step(step, law_);
  if (coupled_) {
    coupled_->find(step.start, step.h, [this](int i) { stage(i).go_to(assembly_); });
    rates_.topRows(coupled_->rates().size()) = coupled_->rates();
  } else {
    start_rate(rates_) << vector_of(step.start.v), vector_of(step.start.v_dot);
  }
  for (int i = 0; i < num_stages(); ++i) {
    stage(i).set_rates(rates_, step.start, at_);
    if (i < num_coupled_) {
      ColumnsOut(at_.v_dot.data(), dof_, 1) = rate(rates_, i).bottomRows(dof_);
    } else {
      find_rate(i, step.end.t);
    }
    stage(i).set_state(at_);
  }
}

/// Of a stage that follows from those before it, at the state that they lead to; that gets v̇, too.
void MuntheKaasDerivative::find_rate(int i, double t_end) {
  stage(i).go_to(assembly_);
  assembly_.set_configuration(at_.q);
  assembly_.set_velocity(at_.v);
  masses_->find_acceleration(i - num_coupled_, t_end, at_.v_dot);
  auto own = rate(rates_, i);
  model_.system.configuration_space().apply_tangent_operator_inverse<double>(
      stage(i).theta(), at_.v, {own.data(), index(dof_)});
  own.bottomRows(dof_) = vector_of(at_.v_dot);
}

void MuntheKaasDerivative::find_tangents(const Columns& start, const Columns& outer) {
  rate_columns_.setZero(2 * dof_ * num_rates(), start.cols());
  if (coupled_) {
    find_coupled_tangents(start, outer);
  } else {
    start_rate(rate_columns_) = start.middleRows(model_.state.v, 2 * dof_);  // v_n and v̇_n
  }
  for (int i = num_coupled_; i < num_stages(); ++i) {
    stage(i).find_tangents(rate_columns_, start, outer);
    stage(i).find_row_tangent(row_columns_);
    masses_->solve(i - num_coupled_, row_columns_);
    auto own = rate(rate_columns_, i);
    own.topRows(dof_) = stage(i).rate_tangent();
    own.bottomRows(dof_) = -row_columns_;
    stage(i).set_acceleration_tangent(own.bottomRows(dof_));
  }
}

void MuntheKaasDerivative::find_coupled_tangents(const Columns& start, const Columns& outer) {
  // With the rates fixed.
  coupled_columns_.resize(2 * dof_ * num_coupled_, start.cols());
  for (int i = 0; i < num_coupled_; ++i) {
    stage(i).find_tangents(rate_columns_, start, outer);
    stage(i).find_row_tangent(row_columns_);
    rate(coupled_columns_, i).topRows(dof_) = -stage(i).rate_tangent();
    rate(coupled_columns_, i).bottomRows(dof_) = row_columns_;
  }
  // Of the rates, and what follows from them.
  coupled_->solve(coupled_columns_);
  rate_columns_.topRows(coupled_columns_.rows()) = -coupled_columns_;
  for (int i = 0; i < num_coupled_; ++i) {
    stage(i).find_tangents(rate_columns_, start, outer);
    stage(i).set_acceleration_tangent(rate(rate_columns_, i).bottomRows(dof_));
  }
}

void MuntheKaasDerivative::tangent(int columns, Const start, Const outer, Span end) {
  const StateLayout& state = model_.state;
  find_tangents({start.data(), state.size, columns}, {outer.data(), model_.outer.size, columns});
  const Matrix& motion = stages_.back().motion_tangent();
  ColumnsOut to(end.data(), state.size, columns);
  to.middleRows(state.q, dof_) = motion.middleRows(model_.motion.q, dof_);
  to.middleRows(state.v, dof_) = motion.middleRows(model_.motion.v, dof_);
  to.middleRows(state.v_dot, dof_) = motion.middleRows(model_.motion.v_dot, dof_);
}

/// Gradients of all stages for those of the end.
void MuntheKaasDerivative::pull_back(const Columns& end, Order order) {
  Matrix& rates = rates_of(order);
  rates.setZero(2 * dof_ * num_rates(), end.cols());
  for (int i = num_stages() - 1; i >= num_coupled_; --i) {
    stage(i).begin_gradients(end, order);
    // Weights that make the gradient with respect to u vanish.
    Matrix& weights = stage(i).row_weights(order);
    weights = -stage(i).acceleration_gradient(order) - rate(rates, i).bottomRows(dof_);
    masses_->solve_transposed(i - num_coupled_, weights);
    stage(i).add_weights(rate(rates, i).topRows(dof_), order);
    stage(i).spread(rates, order);
  }
  if (coupled_) pull_back_coupled(end, order);
}

void MuntheKaasDerivative::pull_back_coupled(const Columns& end, Order order) {
  Matrix& rates = rates_of(order);
  for (int i = 0; i < num_coupled_; ++i) {
    stage(i).begin_gradients(end, order);
    stage(i).spread(rates, order);
    rate(rates, i).bottomRows(dof_) += stage(i).acceleration_gradient(order);
  }
  // Weights that make the gradients with respect to all rates vanish.
  coupled_->solve_transposed(rates);
  for (int i = 0; i < num_coupled_; ++i) {
    stage(i).row_weights(order) = -rate(rates, i).bottomRows(dof_);
    stage(i).add_weights(rate(rates, i).topRows(dof_), order);
  }
}

/// Adds the gradients of all stages to those of the start and of the rest.
void MuntheKaasDerivative::distribute(ColumnsOut start, ColumnsOut outer, Order order) {
  for (StageDerivative& stage : stages_) stage.distribute(start, outer, order);
  if (!coupled_) start.middleRows(model_.state.v, 2 * dof_) += start_rate(rates_of(order));
}

void MuntheKaasDerivative::adjoint(int columns, Const end, Span start, Span outer) {
  pull_back({end.data(), model_.state.size, columns}, Order::kFirst);
  distribute({start.data(), model_.state.size, columns}, {outer.data(), model_.outer.size, columns},
             Order::kFirst);
}

void MuntheKaasDerivative::second(Const start_dot, Const outer_dot, const Dual& end,
                                  const Dual& start, const Dual& outer) {
  find_tangents({start_dot.data(), model_.state.size, 1}, {outer_dot.data(), model_.outer.size, 1});
  adjoint(1, end.value, start.value, outer.value);
  pull_back({end.dot.data(), model_.state.size, 1}, Order::kSecond);
  distribute({start.dot.data(), model_.state.size, 1}, {outer.dot.data(), model_.outer.size, 1},
             Order::kSecond);
}

}  // namespace

std::unique_ptr<StepDerivative> munthe_kaas_derivative(const dae::Model& system,
                                                       const dae::ButcherTableau& tableau,
                                                       const dae::NewtonOptions& newton) {
  dae::make_munthe_kaas(system, tableau, newton);  // says what is wrong
  if (system.num_multipliers() > 0 || system.num_algebraic() > 0) {
    return constrained_munthe_kaas_derivative(system, tableau);
  }
  return std::make_unique<MuntheKaasDerivative>(system, tableau, newton);
}

}  // namespace liegrad::sensitivity
