#include "liegrad/dae/runge_kutta/radau_coefficients.hpp"

#include <cmath>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "liegrad/dae/runge_kutta/butcher_tableau.hpp"

namespace liegrad::dae {

RadauCoefficients::RadauCoefficients(int num_stages) : stages(num_stages) {
  const ButcherTableau tableau = stages == 2 ? radau_iia_2() : radau_iia_3();
  a = tableau.a;
  c = tableau.c;
  inverse = a.inverse();
  const Eigen::EigenSolver<Eigen::MatrixXd> eigen(inverse);
  const Eigen::MatrixXcd s = eigen.eigenvectors(), s_inverse = s.inverse();
  for (int i = 0; i < stages; ++i) {
    const std::complex<double> gamma = eigen.eigenvalues()(i);
    if (gamma.imag() < 0) continue;
    modes.push_back({gamma, s.col(i), s_inverse.row(i).transpose()});
  }
  // The real eigenvalue, or what has the size of a complex one.
  for (const Mode& mode : modes) {
    if (error_gamma == 0 || mode.is_real()) error_gamma = std::abs(mode.gamma);
  }
  // h y'_n/γ + h Σ d_i Y'_i vanishes for polynomials of degree s, and hY' = A⁻¹(Y - y_n).
  Eigen::MatrixXd powers(stages, stages);
  for (int k = 0; k < stages; ++k) {
    for (int i = 0; i < stages; ++i) powers(k, i) = std::pow(c(i), k);
  }
  const Eigen::VectorXd right = -1 / error_gamma * Eigen::VectorXd::Unit(stages, 0);
  const Eigen::VectorXd d = powers.lu().solve(right);
  error_weights = inverse.transpose() * d;
  const auto factorial = [](int n) { return std::tgamma(n + 1); };
  const double of_result = factorial(stages) * factorial(stages - 1) /
                           (factorial(2 * stages - 1) * factorial(2 * stages));
  error_ratio = of_result * error_gamma * factorial(stages) / c.prod();
}

/// R(z) is the last entry of (1 - zA)⁻¹(1, …, 1)ᵀ, as the last row of A are the weights.
double RadauCoefficients::amplification(double x) const {
  const std::complex<double> z(0, x);
  std::complex<double> sum = 0;
  for (const Mode& mode : modes) {
    const std::complex<double> weight = mode.to_stages(stages - 1) * mode.from_stages.sum();
    sum += weight / (1.0 - z / mode.gamma);
    if (!mode.is_real()) sum += std::conj(weight) / (1.0 - z / std::conj(mode.gamma));
  }
  return std::abs(sum);
}

}  // namespace liegrad::dae
