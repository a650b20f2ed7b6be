#include "liegrad/sensitivity/step/projection_derivative.hpp"

#include <algorithm>

#include "liegrad/dae/equations/place_state.hpp"
#include "liegrad/dae/system/node_tangent.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/sensitivity/step/entries.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::index;
using Span = std::span<double>;
using Const = std::span<const double>;

/// Makes Q = T(x) the map of each node.
struct SetMaps {
  Const x;
  dae::NodeStore& nodes;

  template <template <class> class G>
  void turning(int node, int dof) const {
    using Tangent = typename G<double>::Tangent;
    const Tangent angle = Eigen::Map<const Tangent>(x.data() + dof);
    dae::node_tangent<G, double>(angle).store(nodes.map(node));
  }
  void linear(int /*dof*/, int /*count*/) const {}
};

}  // namespace

ProjectionDerivative::Correction::Correction(const dae::Model& model, int constraints)
    : assembly(model, dae::Formulation::kIndex3, false, dae::LinearSolverKind::kAutomatic),
      point(model),
      first_constraint(constraints) {}

ProjectionDerivative::ProjectionDerivative(const dae::Model& model, StageFunctions& kinematics)
    : space_(model.configuration_space()),
      layout_(model),
      rows_(model, {.position = false, .velocity = false}),
      dof_(model.dof()),
      multipliers_(model.num_multipliers()),
      algebraic_(model.num_algebraic()),
      unknowns_(dof_ + multipliers_ + algebraic_),
      kinematics_(kinematics),
      // They are needed in every step, also of one run.
      normal_(element_sum(model, dae::ElementFunction::kRate, {}, {}, dae::Runs::kMany)),
      constraints_(
          element_sum(model, dae::ElementFunction::kConstraints, {}, {}, dae::Runs::kMany)),
      position_(model, 0),
      velocity_(model, multipliers_),
      end_(model),
      chart_point_(index(2 * dof_), 0.0) {
  const dae::Assembly& assembly = position_.assembly;
  for (const auto& [row, column] : assembly.pattern()) {
    const int constraint = row - assembly.multiplier_offset();
    const int place = assembly.matrix().position(row, column);
    if (constraint < 0 || row >= assembly.algebraic_offset()) {
      other_places_.push_back(place);
    } else {
      constraint_places_.push_back(place);
      constraint_entries_.emplace_back(constraint, column);
    }
  }
}

void ProjectionDerivative::set_parameters(Const parameters) {
  for (Correction* correction : {&position_, &velocity_}) {
    correction->assembly.set_parameters(parameters);
    correction->point.set_parameters(parameters);
  }
  end_.set_parameters(parameters);
}

void ProjectionDerivative::set(const dae::State& before, const dae::State& end, Const controls,
                               dae::Assembly& at_end) {
  space_.minus<double>(end.q, before.q, Span(chart_point_).first(index(dof_)));
  find_matrices(before, end, controls, at_end);
  for (Correction* correction : {&position_, &velocity_}) correction->point.set(before, controls);
  end_.set(end, controls);
  set_correction(Const(chart_point_).first(index(dof_)), at_end, position_);
  row_columns_.resize(index(dof_));
  for (std::size_t i = 0; i < index(dof_); ++i) row_columns_[i] = end.v[i] - before.v[i];
  set_correction(row_columns_, at_end, velocity_);
}

void ProjectionDerivative::find_matrices(const dae::State& before, const dae::State& end,
                                         Const controls, dae::Assembly& at_end) {
  const auto evaluate = [&](dae::Assembly& assembly) {
    assembly.set_time(end.t);
    std::ranges::copy(controls, assembly.controls().begin());
    assembly.coefficients() = {};
    assembly.evaluate(true);
  };
  place_state(before, velocity_.assembly);
  evaluate(velocity_.assembly);
  place_state(end, position_.assembly);
  dae::for_each_part(space_, SetMaps{chart_point_, position_.assembly.nodes()});
  evaluate(position_.assembly);
  const Span position = position_.assembly.matrix().values();
  const Span velocity = velocity_.assembly.matrix().values();
  const Const there = at_end.matrix().values();
  for (const int place : other_places_) position[index(place)] = velocity[index(place)];
  for (const int place : constraint_places_) velocity[index(place)] = there[index(place)];
  for (Correction* correction : {&position_, &velocity_}) {
    if (!correction->assembly.matrix().factorize()) {
      throw no_derivative(end.t, "the mass matrix is singular on the constraints");
    }
  }
}

/// ν and σ that belong to x, or μ and τ to y: with T(x)x = x both solve the equations of velocities, where B x is what it is.
void ProjectionDerivative::set_correction(Const change, dae::Assembly& at_end,
                                          Correction& correction) {
  const Span rates = correction.point.rates();
  std::ranges::fill(rates, 0.0);
  const Span all = rates.subspan(index(2 * dof_), index(unknowns_));
  const Const values = at_end.matrix().values();
  for (std::size_t k = 0; k < constraint_places_.size(); ++k) {
    const auto& [constraint, coordinate] = constraint_entries_[k];
    all[index(dof_ + constraint)] +=
        values[index(constraint_places_[k])] * change[index(coordinate)];
  }
  velocity_.assembly.matrix().solve(all);
}

void ProjectionDerivative::find_chart_tangent(int columns, Const before, Const x, Span end) {
  const Entries entries(columns);
  entries.clear(chart_columns_, 3 * dof_);
  entries.copy(before, layout_.q, dof_, chart_columns_, 0);
  if (!x.empty()) entries.copy(x, 0, dof_, chart_columns_, dof_);
  entries.clear(chart_values_, 2 * dof_);
  kinematics_.tangent(chart_point_, columns, chart_columns_, chart_values_);
  entries.copy(chart_values_, 0, dof_, end, layout_.q);
}

void ProjectionDerivative::find_tangent(int columns, Const before, Const end,
                                        Correction& correction) {
  const Entries entries(columns);
  entries.clear(direction_, layout_.size_with_rates);
  entries.copy(before, 0, layout_.size, direction_, 0);
  entries.clear(row_columns_, rows_.size);
  normal_.tangent(correction.point.numbers(), columns, direction_, row_columns_);
  entries.clear(constraint_columns_, 2 * multipliers_);
  constraints_.tangent(end_.numbers(), columns, end, constraint_columns_);
  Vector& to = correction.tangent;
  entries.clear(to, unknowns_);
  entries.scale(row_columns_, rows_.motion, -1, dof_, to, 0);
  entries.scale(constraint_columns_, correction.first_constraint, -1, multipliers_, to, dof_);
  entries.scale(row_columns_, rows_.algebraic, -1, algebraic_, to, dof_ + multipliers_);
  correction.assembly.matrix().solve(columns, to);
}

void ProjectionDerivative::tangent(int columns, Const before, Span end) {
  const Entries entries(columns);
  entries.copy(before, 0, layout_.size, end, 0);
  std::ranges::fill(entries.of(end, layout_.v_dot, unknowns_), 0.0);
  find_chart_tangent(columns, before, {}, end);
  find_tangent(columns, before, end, position_);
  find_chart_tangent(columns, before, position_.tangent, end);
  find_tangent(columns, before, end, velocity_);
  entries.add(velocity_.tangent, 0, dof_, end, layout_.v);
}

void ProjectionDerivative::clear(int columns, Gradients& gradients) const {
  const Entries entries(columns);
  entries.clear(gradients.of_x, unknowns_);
  entries.clear(gradients.of_y, unknowns_);
  entries.clear(gradients.chart, 3 * dof_);
  entries.clear(gradients.constraint_weights, 2 * multipliers_);
}

void ProjectionDerivative::add_weights(int columns, Correction& correction, Vector& of_correction,
                                       Vector& weights, Gradients& own, Span end, Span before) {
  const Entries entries(columns);
  correction.assembly.matrix().solve_transposed(columns, of_correction);
  entries.clear(weights, rows_.size);
  entries.scale(of_correction, 0, -1, dof_, weights, rows_.motion);
  entries.scale(of_correction, dof_ + multipliers_, -1, algebraic_, weights, rows_.algebraic);
  entries.clear(gradient_, layout_.size_with_rates);
  normal_.adjoint(correction.point.numbers(), columns, weights, gradient_);
  entries.add(gradient_, 0, layout_.size, before, 0);
  // Only those of its own constraints: of the others they are added elsewhere.
  entries.clear(constraint_columns_, 2 * multipliers_);
  entries.scale(of_correction, dof_, -1, multipliers_, constraint_columns_,
                correction.first_constraint);
  constraints_.adjoint(end_.numbers(), columns, constraint_columns_, end);
  entries.copy(constraint_columns_, correction.first_constraint, multipliers_,
               own.constraint_weights, correction.first_constraint);
}

void ProjectionDerivative::pull_back(int columns, Gradients& own, Span end, Span before) {
  const Entries entries(columns);
  entries.add(end, layout_.v, dof_, own.of_y, 0);
  add_weights(columns, velocity_, own.of_y, own.y_weights, own, end, before);
  entries.add(end, layout_.v, dof_, before, layout_.v);

  const auto pull_back_chart = [&](Vector& to) {
    entries.clear(own.chart_values, 2 * dof_);
    entries.copy(end, layout_.q, dof_, own.chart_values, 0);
    kinematics_.adjoint(chart_point_, columns, own.chart_values, to);
  };
  chart_columns_.assign(own.chart.begin(), own.chart.end());
  pull_back_chart(chart_columns_);
  entries.add(chart_columns_, dof_, dof_, own.of_x, 0);
  add_weights(columns, position_, own.of_x, own.x_weights, own, end, before);
  pull_back_chart(own.chart);
  entries.add(own.chart, 0, dof_, before, layout_.q);
  entries.add(end, layout_.parameters, layout_.size - layout_.parameters, before,
              layout_.parameters);
}

void ProjectionDerivative::adjoint(int columns, Span end, Span before) {
  clear(columns, first_);
  pull_back(columns, first_, end, before);
}

/// What a change of N does to the gradients with respect to the motion before and to a correction.
void ProjectionDerivative::add_second(Const before_dot, const Correction& correction,
                                      const Vector& weights, Vector& of_correction, Span before) {
  const Entries entries(1);
  entries.clear(direction_, layout_.size_with_rates);
  entries.copy(before_dot, 0, layout_.size, direction_, 0);
  entries.copy(correction.tangent, 0, unknowns_, direction_, layout_.rates.v_dot);
  entries.clear(gradient_, layout_.size_with_rates);
  normal_.second(correction.point.numbers(), weights, direction_, gradient_);
  entries.add(gradient_, 0, layout_.size, before, 0);
  entries.add(gradient_, layout_.rates.v_dot, unknowns_, of_correction, 0);
}

void ProjectionDerivative::second(Const before_dot, Const end_dot, const Dual& end,
                                  const Dual& before) {
  const Entries entries(1);
  adjoint(1, end.value, before.value);
  clear(1, second_);
  add_second(before_dot, position_, first_.x_weights, second_.of_x, before.dot);
  add_second(before_dot, velocity_, first_.y_weights, second_.of_y, before.dot);
  constraints_.second(end_.numbers(), first_.constraint_weights, end_dot, end.dot);
  entries.clear(chart_columns_, 3 * dof_);
  entries.copy(before_dot, layout_.q, dof_, chart_columns_, 0);
  entries.copy(position_.tangent, 0, dof_, chart_columns_, dof_);
  kinematics_.second(chart_point_, first_.chart_values, chart_columns_, second_.chart);
  pull_back(1, second_, end.dot, before.dot);
}

}  // namespace liegrad::sensitivity
