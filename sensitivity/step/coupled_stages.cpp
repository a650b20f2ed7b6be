#include "liegrad/sensitivity/step/coupled_stages.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/sensitivity/step/derivative.hpp"

namespace liegrad::sensitivity {

using dae::index;

CoupledStages::CoupledStages(const dae::ButcherTableau& tableau, dae::Assembly& assembly,
                             bool has_constant_mass, int max_iterations)
    : tableau_(tableau),
      assembly_(assembly),
      max_iterations_(max_iterations),
      stages_(static_cast<int>(tableau.b.size())),
      dof_(assembly.system().dof()),
      matrix_(tableau, assembly, has_constant_mass),
      rates_(2 * dof_ * stages_),
      residual_(2 * dof_ * stages_),
      point_(2 * dof_),
      q_(index(assembly.system().configuration_space().num_coeffs())),
      tangents_(index(stages_), matrix_.tangent()) {}

void CoupledStages::find(const dae::State& start, double h, const GoToStage& go_to_stage) {
  h_ = h;
  for (int i = 0; i < stages_; ++i) {
    rate(i).head(dof_) = vector_of(start.v) + h * tableau_.c(i) * vector_of(start.v_dot);
    rate(i).tail(dof_) = vector_of(start.v_dot);
  }
  // Newton's iteration converges quadratically: after a small correction one more leaves rounding only.
  for (int iteration = 0; !(correct(start, go_to_stage) <= 1); ++iteration) {
    if (!rates_.allFinite()) {
      throw no_derivative(start.t + h, "the iteration for its stages diverges; make steps smaller");
    }
    if (iteration == max_iterations_) {
      throw no_derivative(start.t + h, "its stages are not found in " +
                                           std::to_string(max_iterations_) +
                                           " iterations; make steps smaller");
    }
  }
  correct(start, go_to_stage);
  linearize(start, go_to_stage);
}

/// Residual and matrix at the current rates.
void CoupledStages::linearize(const dae::State& start, const GoToStage& go_to_stage) {
  for (int i = 0; i < stages_; ++i) {
    go_to_stage(i);
    evaluate(start, i);
  }
  if (matrix_.solver().factorize()) return;
  const int unknown = std::max(matrix_.solver().singular_unknown(), 0);
  throw no_derivative(start.t + h_, "the matrix of its stages is singular at " +
                                        assembly_.unknown_name(unknown % dof_));
}

/// A correction of the rates; its size, of which 1 is small: relative to the rates, and to what rounding of
/// configurations means for them, below which no correction gets.
double CoupledStages::correct(const dae::State& start, const GoToStage& go_to_stage) {
  constexpr double kSmall = 1e-9, kRounding = 16 * std::numeric_limits<double>::epsilon();
  linearize(start, go_to_stage);
  matrix_.solver().solve(all(residual_));
  rates_ -= residual_;
  double rate = 0, correction = 0;
  for (Eigen::Index k = 0; k < rates_.size(); ++k) {
    const double unit = k / dof_ % 2 == 0 ? 1 : h_;
    rate = std::max(rate, unit * std::abs(rates_(k)));
    const double size = unit * std::abs(residual_(k));
    if (!(size <= correction)) correction = size;  // keeps NaN
  }
  return correction / (kSmall * rate + kRounding * std::max(1.0, dae::max_of(start.q)) / h_);
}

/// The residual of a stage and its rows of the matrix.
void CoupledStages::evaluate(const dae::State& start, int stage) {
  point_.head(dof_).setZero();
  point_.tail(dof_) = vector_of(start.v);
  for (int j = 0; j < stages_; ++j) point_ += h_ * tableau_.a(stage, j) * rate(j);
  const std::size_t dof = index(dof_), first = 2 * dof * index(stage);
  const std::span<const double> point = all(point_), own = all(rates_).subspan(first);
  assembly_.system().configuration_space().plus<double>(start.q, point, q_);
  assembly_.set_configuration(q_);
  assembly_.set_velocity(point.last(dof));
  assembly_.set_acceleration(own.subspan(dof, dof));
  const std::span<double> rows = all(residual_).subspan(first);
  matrix_.set_tangent(point.first(dof), own.first(dof), rows.first(dof), true);
  matrix_.evaluate(stage, h_, true);
  tangents_[index(stage)] = matrix_.tangent();
  for (std::size_t k = 0; k < dof; ++k) {
    rows[k] -= point[dof + k];
    rows[dof + k] = assembly_.residual()[k];
  }
}

/// T of each stage, or its transposed, times the p of that stage.
void CoupledStages::apply_tangents(Matrix& rates, bool transposed) {
  for (int i = 0; i < stages_; ++i) {
    auto p = rates.middleRows(2 * dof_ * i, dof_);
    product_.setZero(dof_, rates.cols());
    for (std::size_t k = 0; k < tangents_[index(i)].size(); ++k) {
      auto [row, column] = matrix_.tangent_entries()[k];
      if (transposed) std::swap(row, column);
      product_.row(row) += tangents_[index(i)][k] * p.row(column);
    }
    p = product_;
  }
}

void CoupledStages::solve(Matrix& columns) {
  apply_tangents(columns, false);
  matrix_.solver().solve(static_cast<int>(columns.cols()), rows_of_stages(columns));
}

void CoupledStages::solve_transposed(Matrix& columns) {
  matrix_.solver().solve_transposed(static_cast<int>(columns.cols()), rows_of_stages(columns));
  apply_tangents(columns, true);
}

/// The first rows; there may be more.
std::span<double> CoupledStages::rows_of_stages(Matrix& columns) const {
  return all(columns).first(index(2 * dof_ * stages_ * static_cast<int>(columns.cols())));
}

}  // namespace liegrad::sensitivity
