#include "liegrad/optimize/fit/directions.hpp"

#include <Eigen/SVD>

namespace liegrad::optimize {

Directions directions_of(const Eigen::MatrixXd& jacobian) {
  // The decomposition takes long to compile: it stands in this file alone.
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(jacobian, Eigen::ComputeThinV);
  const Eigen::VectorXd& singular = svd.singularValues();
  Eigen::Index rank = 0;
  while (rank < singular.size() && singular(rank) > kRankTolerance * singular(0)) ++rank;
  return {.determined = svd.matrixV().leftCols(rank),
          .effects = singular.head(rank),
          .undetermined = svd.matrixV().rightCols(svd.matrixV().cols() - rank)};
}

}  // namespace liegrad::optimize
