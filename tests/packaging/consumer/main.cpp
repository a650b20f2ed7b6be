// Uses a header of each installed component, a function of cppad_lib, the library that must be found
// when this program starts, and a kernel that was compiled when it was built.

#include <cmath>
#include <cstdlib>
#include <iostream>

#include <liegrad/ad/kernel.hpp>
#include <liegrad/ad/scalar.hpp>
#include <liegrad/lie/so3.hpp>

#include "square.hpp"

/// Whether square() has its kernel built in, and the kernel its numbers.
bool kernel_works() {
  setenv("LIEGRAD_CC", "false", /*overwrite=*/1);  // no compiler, so built in or not at all
  const liegrad::ad::Kernel kernel(square(), kSpec);
  std::array<double, 2> out{};
  kernel(std::array{3.0}, out);
  std::cout << "square(3) = " << out[0] << ", its derivative " << out[1] << '\n';
  return kernel.info().origin == liegrad::ad::NativeCodeOrigin::kBuiltIn && out[0] == 9 &&
         out[1] == 6;
}

/// Whether Eigen, with this program's flags, multiplies matrices that are large enough for its blocked product.
bool products_work() {
  const Eigen::MatrixXd a = Eigen::MatrixXd::Random(90, 70), b = Eigen::MatrixXd::Random(70, 50);
  const Eigen::MatrixXd c = a * b;
  return std::abs(c(40, 30) - a.row(40).dot(b.col(30))) < 1e-13;
}

int main() {
  using Scalar = CppAD::AD<double>;
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

  Vector theta = Vector::Zero(3);
  CppAD::Independent(theta);
  const Vector same = liegrad::lie::SO3<Scalar>::exp(theta).log();
  CppAD::ADFun<double> tape(theta, same);
  const Eigen::VectorXd jacobian = tape.Jacobian(Eigen::VectorXd(Eigen::VectorXd::Zero(3)));

  CppAD::cpp_graph graph;
  tape.to_graph(graph);
  std::cout << "the derivative of log(exp(θ)) is " << jacobian.transpose() << ", from "
            << graph.operator_vec_size() << " operations\n";
  const bool all =
      Eigen::Matrix3d(jacobian.data()).isIdentity(1e-14) && kernel_works() && products_work();
  return all ? 0 : 1;
}
