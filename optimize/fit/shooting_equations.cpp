#include "liegrad/optimize/fit/shooting_equations.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/optimize/fit/directions.hpp"

namespace liegrad::optimize {
namespace {

using dae::index;
using Eigen::Index;

/// Rows in units of their own lengths; those that are rounding beside the longest stay short.
Eigen::MatrixXd with_equal_rows(Eigen::MatrixXd matrix) {
  const Eigen::VectorXd lengths = matrix.rowwise().norm();
  if (lengths.size() == 0 || lengths.maxCoeff() == 0) return matrix;
  constexpr double kShortest = 1e-6;
  const double shortest = kShortest * lengths.maxCoeff();
  for (Index i = 0; i < matrix.rows(); ++i) matrix.row(i) /= std::max(lengths(i), shortest);
  return matrix;
}

/// An orthonormal basis of the rows of a matrix.
Eigen::MatrixXd row_space(const Eigen::MatrixXd& matrix) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(matrix.transpose());
  constexpr double kNoEffect = 1e-8;
  qr.setThreshold(kNoEffect);
  return qr.householderQ() * Eigen::MatrixXd::Identity(matrix.cols(), qr.rank());
}

}  // namespace

ShootingEquations::ShootingEquations(const FitEngine& engine,
                                     const std::vector<TrialResiduals>& weighted,
                                     const Eigen::VectorXd* x)
    : num_unknowns_(engine.unknowns().size()) {
  const Residuals& residuals = engine.residuals();
  const Unknowns& unknowns = engine.unknowns();
  size_ = num_unknowns_;
  Index rows = 0;
  std::vector<std::vector<int>> pieces;
  for (int trial = 0; trial < residuals.num_trials(); ++trial) {
    const Trial& own = residuals.trial(trial);
    pieces.push_back(residuals.pieces_of_rows(trial));
    std::vector<Node>& nodes = nodes_.emplace_back();
    const Eigen::MatrixXd& jacobian = weighted[index(trial)].jacobian;
    for (int k = 1; k < own.num_pieces(); ++k) {
      // What the node of a piece has an effect on: samples of the piece and its end.
      std::vector<Index> samples;
      for (std::size_t i = 0; i < pieces.back().size(); ++i) {
        if (pieces.back()[i] == k) samples.push_back(static_cast<Index>(i));
      }
      const Eigen::MatrixXd& end = own.continuity()[index(k)].by_node;
      Eigen::MatrixXd effects(std::ssize(samples) + end.rows(), own.node_size());
      effects << with_equal_rows(jacobian(samples, Eigen::all).rightCols(own.node_size())),
          with_equal_rows(end);
      Node& node = nodes.emplace_back(size_, 0, row_space(effects));
      node.size = static_cast<int>(node.basis.cols());
      size_ += node.size;
    }
    rows += weighted[index(trial)].values.size();
  }
  Index priors = 0;
  for (const Unknowns::Unknown& unknown : unknowns.list()) priors += unknown.prior ? 1 : 0;
  residuals_ = Eigen::VectorXd::Zero(rows + priors);
  jacobian_ = Eigen::MatrixXd::Zero(rows + priors, size_);
  Index row = 0;
  for (int trial = 0; trial < residuals.num_trials(); ++trial) {
    const TrialResiduals& own = weighted[index(trial)];
    const Index count = own.values.size();
    residuals_.segment(row, count) = own.values;
    const int local = unknowns.num_local(trial);
    for (int j = 0; j < local; ++j) {
      jacobian_.col(unknowns.global(trial, j)).segment(row, count) = own.jacobian.col(j);
    }
    for (Index i = 0; i < count; ++i) {
      const int piece = pieces[index(trial)][static_cast<std::size_t>(i)];
      if (piece == 0) continue;
      const Node& node = nodes_[index(trial)][index(piece - 1)];
      jacobian_.row(row + i).segment(node.first, node.size) =
          own.jacobian.row(i).tail(node.basis.rows()) * node.basis;
    }
    row += count;
  }
  for (int i = 0; i < unknowns.size(); ++i) {
    const auto& prior = unknowns.list()[index(i)].prior;
    if (!prior) continue;
    jacobian_(row, i) = 1 / prior->std;
    if (x != nullptr) residuals_(row) = ((*x)(i)-prior->value) / prior->std;
    row += 1;
  }
  conditions_.resize(0, size_);
  for (int trial = 0; trial < residuals.num_trials(); ++trial) add_conditions(engine, trial);
}

void ShootingEquations::add_conditions(const FitEngine& engine, int trial) {
  const Unknowns& unknowns = engine.unknowns();
  const std::vector<Continuity>& list = engine.residuals().trial(trial).continuity();
  const std::vector<Node>& nodes = nodes_[index(trial)];
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const Node& to = nodes[k];
    const Index first = conditions_.rows();
    conditions_.conservativeResize(first + to.size, Eigen::NoChange);
    conditions_.bottomRows(to.size).setZero();
    gaps_.conservativeResize(first + to.size);
    gaps_.tail(to.size) = to.basis.transpose() * list[k].gap;
    conditions_.block(first, to.first, to.size, to.size) -=
        Eigen::MatrixXd::Identity(to.size, to.size);
    if (k > 0) {
      const Node& from = nodes[k - 1];
      conditions_.block(first, from.first, to.size, from.size) =
          to.basis.transpose() * list[k].by_node * from.basis;
    }
    const Eigen::MatrixXd by_local =
        to.basis.transpose() * list[k].by_parameters * unknowns.parameter_map(trial);
    for (int j = 0; j < unknowns.num_local(trial); ++j) {
      conditions_.col(unknowns.global(trial, j)).tail(to.size) += by_local.col(j);
    }
  }
}

double ShootingEquations::violation_of(int trial, const std::vector<Continuity>& continuity) const {
  double sum = 0;
  const std::vector<Node>& nodes = nodes_[index(trial)];
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const Eigen::VectorXd gap = nodes[k].basis.transpose() * continuity[k].gap;
    for (Index i = 0; i < gap.size(); ++i) {
      sum += std::abs(gap(i)) * jacobian_.col(nodes[k].first + i).norm();
    }
  }
  return sum;
}

Eigen::VectorXd ShootingEquations::node_step(int trial, int piece, const Eigen::VectorXd& d) const {
  const Node& node = nodes_[index(trial)][index(piece - 1)];
  return node.basis * d.segment(node.first, node.size);
}

Eigen::MatrixXd ShootingEquations::node_rows(int trial, int piece,
                                             const Eigen::MatrixXd& of) const {
  const Node& node = nodes_[index(trial)][index(piece - 1)];
  return node.basis * of.middleRows(node.first, node.size);
}

Eigen::VectorXd ShootingEquations::effects() const {
  Eigen::VectorXd lengths(num_unknowns_);
  for (int i = 0; i < num_unknowns_; ++i) {
    lengths(i) = jacobian_.col(i).norm();
    if (lengths(i) == 0) lengths(i) = conditions_.col(i).norm();
  }
  return lengths;
}

ShootingEquations::Reduced ShootingEquations::reduced(const std::vector<int>& held) const {
  Reduced result;
  for (int i = 0; i < size_; ++i) {
    if (std::find(held.begin(), held.end(), i) == held.end()) result.free.push_back(i);
  }
  const Index free = std::ssize(result.free);
  Eigen::MatrixXd jacobian = jacobian_(Eigen::all, result.free);
  Eigen::MatrixXd conditions = conditions_(Eigen::all, result.free);
  result.scale.resize(free);
  for (Index j = 0; j < free; ++j) {
    const double length = std::hypot(jacobian.col(j).norm(), conditions.col(j).norm());
    result.scale(j) = length > 0 ? length : 1;
    jacobian.col(j) /= result.scale(j);
    conditions.col(j) /= result.scale(j);
  }
  // Conditions in units of their own terms.
  Eigen::VectorXd gaps = gaps_;
  for (Index i = 0; i < gaps.size(); ++i) {
    const double length = conditions.row(i).norm();
    conditions.row(i) /= length;
    gaps(i) /= length;
  }
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(conditions.transpose());
  const Index rank = qr.rank();
  const Eigen::MatrixXd q = qr.householderQ() * Eigen::MatrixXd::Identity(free, free);
  const Eigen::VectorXd sorted = qr.colsPermutation().transpose() * gaps;
  const Eigen::VectorXd y = qr.matrixR()
                                .topLeftCorner(rank, rank)
                                .template triangularView<Eigen::Upper>()
                                .transpose()
                                .solve(-sorted.head(rank));
  result.particular = q.leftCols(rank) * y;
  result.null_space = q.rightCols(free - rank);
  result.jacobian = jacobian * result.null_space;
  return result;
}

Eigen::VectorXd ShootingEquations::step(const std::vector<int>& held, double damping) const {
  const Reduced reduced = this->reduced(held);
  const Eigen::VectorXd unscaled = reduced.scale.cwiseInverse().asDiagonal() * reduced.particular;
  Eigen::VectorXd d = Eigen::VectorXd::Zero(size_);
  d(reduced.free) = unscaled;
  const Index directions = reduced.jacobian.cols(), rows = reduced.jacobian.rows();
  if (directions == 0) return d;
  Eigen::MatrixXd matrix(rows + directions, directions);
  matrix << reduced.jacobian,
      std::sqrt(damping) * Eigen::MatrixXd(reduced.jacobian.colwise().norm().asDiagonal());
  Eigen::VectorXd right = Eigen::VectorXd::Zero(rows + directions);
  right.head(rows) = -(residuals_ + jacobian_ * d);
  // Directions without effect stay: the shortest of all solutions.
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver(matrix.rows(), matrix.cols());
  solver.setThreshold(kRankTolerance);
  solver.compute(matrix);
  const Eigen::VectorXd along = reduced.null_space * solver.solve(right);
  d(reduced.free) += reduced.scale.cwiseInverse().asDiagonal() * along;
  return d;
}

}  // namespace liegrad::optimize
