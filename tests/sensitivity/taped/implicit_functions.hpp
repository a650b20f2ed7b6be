#pragma once

#include <algorithm>
#include <functional>

#include <Eigen/LU>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/lie/error.hpp"
#include "taped_numbers.hpp"

namespace liegrad::testing {

/// Solutions z of equations R(z; x) = 0 as functions of x.
///
/// The run is computed twice. In the first pass all numbers are constants: Newton's method finds z_0, with the
/// matrix J that CppAD gives. In the second pass x is recorded, and z_0 - J⁻¹R(z_0; x) has the derivative of
/// the solution, as R(z_0) = 0; the same once more removes what rounding leaves.
class ImplicitFunctions {
 public:
  using Equations = std::function<Tapes(TapeSpan)>;

  void record() { recording_ = true; }

  Tapes solve(std::span<const double> guess, const Equations& equations) {
    if (!recording_) roots_.push_back(find(guess, equations));
    const Root& root = roots_[recording_ ? next_++ : roots_.size() - 1];
    Tapes z(root.z.begin(), root.z.end());
    for (int i = 0; i < 2; ++i) {
      const Tapes residual = equations(z);
      for (std::size_t k = 0; k < z.size(); ++k) {
        for (std::size_t j = 0; j < z.size(); ++j) {
          z[k] -= root.inverse(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(j)) *
                  residual[j];
        }
      }
    }
    return z;
  }

 private:
  struct Root {
    std::vector<double> z;
    Eigen::MatrixXd inverse;
  };

  static Root find(std::span<const double> guess, const Equations& equations) {
    constexpr int kMaxIterations = 20;
    Root root{{guess.begin(), guess.end()}, {}};
    const Eigen::Index n = std::ssize(guess);
    for (int i = 0; i < kMaxIterations; ++i) {
      Tapes z(root.z.begin(), root.z.end());
      CppAD::Independent(z);
      Tapes residual = equations(z);
      CppAD::ADFun<double> tape(z, residual);
      const std::vector<double> at = root.z, all = tape.Jacobian(at);
      Eigen::MatrixXd jacobian(n, n);
      for (Eigen::Index k = 0; k < n * n; ++k)
        jacobian(k / n, k % n) = all[static_cast<std::size_t>(k)];
      root.inverse = jacobian.inverse();
      const std::vector<double> right = tape.Forward(0, at);
      const Eigen::VectorXd step =
          root.inverse * Eigen::Map<const Eigen::VectorXd>(right.data(), n);
      for (std::size_t k = 0; k < root.z.size(); ++k)
        root.z[k] -= step(static_cast<Eigen::Index>(k));
      if (step.cwiseAbs().maxCoeff() <= 1e-9 * std::max(1.0, dae::max_of(root.z))) return root;
    }
    throw Error("the equations of a taped run were not solved");
  }

  bool recording_ = false;
  std::vector<Root> roots_;
  std::size_t next_ = 0;
};

}  // namespace liegrad::testing
