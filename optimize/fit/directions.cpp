#include "liegrad/optimize/fit/directions.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>

namespace liegrad::optimize {

Directions directions_of(const Eigen::MatrixXd& jacobian) {
  // Its triangular factor has the same singular values and right singular vectors, and is square: other decompositions
  // of Eigen compile for half a minute.
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(jacobian);
  const Eigen::MatrixXd factor =
      qr.matrixQR().topRows(jacobian.cols()).triangularView<Eigen::Upper>();
  const Eigen::JacobiSVD<Eigen::MatrixXd, Eigen::NoQRPreconditioner> svd(factor,
                                                                         Eigen::ComputeFullV);
  const Eigen::VectorXd& singular = svd.singularValues();
  Eigen::Index rank = 0;
  while (rank < singular.size() && singular(rank) > kRankTolerance * singular(0)) ++rank;
  return {.determined = svd.matrixV().leftCols(rank),
          .effects = singular.head(rank),
          .undetermined = svd.matrixV().rightCols(svd.matrixV().cols() - rank)};
}

}  // namespace liegrad::optimize
