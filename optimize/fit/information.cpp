#include "liegrad/optimize/fit/information.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/QR>

#include "liegrad/dae/system/text.hpp"
#include "liegrad/optimize/fit/directions.hpp"

namespace liegrad::optimize {
namespace {

using Eigen::Index;

/// Entries of a direction that are rounding.
constexpr double kZero = 1e-5;

/// The triangular factors of all trials, below each other.
Eigen::MatrixXd stacked_factors(int num_unknowns, const std::vector<WeightedJacobian>& trials) {
  Index rows = 0;
  for (const WeightedJacobian& trial : trials) {
    rows += std::min(trial.jacobian.rows(), trial.jacobian.cols());
  }
  Eigen::MatrixXd stacked =
      Eigen::MatrixXd::Zero(std::max<Index>(rows, num_unknowns), num_unknowns);
  Index row = 0;
  for (const WeightedJacobian& trial : trials) {
    if (trial.jacobian.size() == 0) continue;
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(trial.jacobian);
    const Index size = std::min(trial.jacobian.rows(), trial.jacobian.cols());
    const Eigen::MatrixXd factor =
        qr.matrixQR().topRows(size).template triangularView<Eigen::Upper>();
    for (std::size_t j = 0; j < trial.columns.size(); ++j) {
      stacked.block(row, trial.columns[j], size, 1) += factor.col(static_cast<Index>(j));
    }
    row += size;
  }
  return stacked;
}

/// Rows that span the same space, each with a one where the others have zeros.
void reduce_rows(Eigen::MatrixXd& rows) {
  std::vector<Index> used;
  for (Index k = 0; k < rows.rows(); ++k) {
    Index i = 0, j = 0;
    rows.bottomRows(rows.rows() - k).cwiseAbs().maxCoeff(&i, &j);
    rows.row(k).swap(rows.row(k + i));
    rows.row(k) /= rows(k, j);
    for (Index other = 0; other < rows.rows(); ++other) {
      if (other != k) rows.row(other) -= rows(other, j) * rows.row(k);
    }
  }
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return text;
}

bool is_near(double a, double b) { return std::abs(a - b) < 1e-4; }

/// How unknowns act together, from a direction that has no effect. Relative changes that are equal leave ratios, those
/// that are opposite leave a product, and absolute changes leave differences and sums.
std::string together(const Eigen::VectorXd& change, const Eigen::VectorXd& values) {
  const bool has_zero = (values.array() == 0).any();
  const Eigen::VectorXd relative =
      has_zero ? change : Eigen::VectorXd(change.cwiseQuotient(values));
  const double first = relative(0);
  const auto all_equal = [](const Eigen::VectorXd& list) {
    return ((list / list(0)).array() - 1).abs().maxCoeff() < 1e-4;
  };
  if (!has_zero && all_equal(relative)) {
    return relative.size() == 2 ? "only as a ratio" : "only up to a common factor";
  }
  if (relative.size() == 2 && !has_zero && is_near(relative(1) / first, -1)) {
    return "only as a product";
  }
  if (change.size() == 2 && is_near(change(1) / change(0), -1)) return "only as a sum";
  if (change.size() == 2 && is_near(change(1) / change(0), 1)) return "only as a difference";
  return "only in a combination";
}

}  // namespace

bool Information::is_determined(int unknown) const {
  if (scale(unknown) == 0) return false;
  return undetermined.cols() == 0 || undetermined.row(unknown).norm() < kZero;
}

double Information::std(int unknown) const {
  if (!is_determined(unknown)) return std::numeric_limits<double>::infinity();
  return std::sqrt(covariance(unknown, unknown));
}

Information information_of(int num_unknowns, const std::vector<WeightedJacobian>& trials) {
  Information result;
  Eigen::MatrixXd scaled = stacked_factors(num_unknowns, trials);
  result.scale = scaled.colwise().norm();
  const Eigen::VectorXd inverse =
      result.scale.unaryExpr([](double length) { return length > 0 ? 1 / length : 1.0; });
  scaled = (scaled * inverse.asDiagonal()).eval();
  const Directions directions = directions_of(scaled);
  result.undetermined = directions.undetermined;
  result.factor =
      inverse.asDiagonal() * directions.determined * directions.effects.cwiseInverse().asDiagonal();
  result.covariance = result.factor * result.factor.transpose();
  result.effects = directions.effects;
  return result;
}

std::vector<Undetermined> undetermined_combinations(const Information& information,
                                                    const std::vector<std::string>& names,
                                                    const Eigen::VectorXd& values) {
  std::vector<Undetermined> list;
  if (information.undetermined.cols() == 0) return list;
  Eigen::MatrixXd rows = information.undetermined.transpose();
  reduce_rows(rows);
  for (Index k = 0; k < rows.rows(); ++k) {
    Undetermined one;
    std::vector<double> change, value;
    for (Index j = 0; j < rows.cols(); ++j) {
      if (std::abs(rows(k, j)) < kZero) continue;
      one.names.push_back(names[static_cast<std::size_t>(j)]);
      change.push_back(rows(k, j) / (information.scale(j) > 0 ? information.scale(j) : 1));
      value.push_back(values(j));
    }
    if (one.names.size() == 1) {
      one.sentence = one.names[0] + " has no effect on what was measured";
    } else {
      const Index count = std::ssize(change);
      one.sentence = listed(one.names) + " " +
                     together(Eigen::Map<Eigen::VectorXd>(change.data(), count),
                              Eigen::Map<Eigen::VectorXd>(value.data(), count));
    }
    list.push_back(one);
  }
  return list;
}

Eigen::MatrixXd correlation_of(const Information& information) {
  const Index size = information.covariance.rows();
  Eigen::MatrixXd result = Eigen::MatrixXd::Identity(size, size);
  for (Index i = 0; i < size; ++i) {
    for (Index j = 0; j < size; ++j) {
      const double product =
          information.std(static_cast<int>(i)) * information.std(static_cast<int>(j));
      if (i == j) continue;
      const double value = information.covariance(i, j) / product;
      result(i, j) = std::isfinite(value) ? value : 0;
    }
  }
  return result;
}

}  // namespace liegrad::optimize
