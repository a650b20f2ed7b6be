#pragma once

#include <complex>
#include <vector>

#include <Eigen/Core>

#include "liegrad/ad/eigen_alignment.hpp"

namespace liegrad::dae {

/// Radau IIA with s stages and what its equations are solved with.
///
/// A⁻¹ = S diag(γ) S⁻¹ takes the linear equations of s stages with the same matrix apart into s of one stage each,
/// [HairerWanner1996, Section IV.8]; of two with conjugate γ one is enough.
struct RadauCoefficients {
  /// For 2 or 3 stages.
  explicit RadauCoefficients(int stages);

  int order() const { return 2 * stages - 1; }

  int stages;
  Eigen::MatrixXd a, inverse;  ///< A and A⁻¹
  Eigen::VectorXd c;

  struct Mode {
    std::complex<double> gamma;
    Eigen::VectorXcd to_stages, from_stages;  ///< column of S, row of S⁻¹
    bool is_real() const { return gamma.imag() == 0; }
  };
  std::vector<Mode> modes;  ///< with Im γ ≥ 0

  /// The difference of the result y from one of order s is, before its stiff part is filtered by
  /// (1 - hJ/γ)⁻¹ with γ = error_gamma,
  ///
  ///     h y'_n / γ + Σ_i error_weights_i (Y_i - y_n),       [HairerWanner1996, Section IV.8].
  double error_gamma = 0;
  Eigen::VectorXd error_weights;
  /// For y' = λy and z = hλ the result differs from e^z by C z^2s, with C = s! (s-1)! / ((2s-1)! (2s)!), and from the
  /// embedded one by c z^(s+1), with c = c_1…c_s / (γ s!). This is C/c.
  double error_ratio = 0;

  /// |R(ix)| of the stability function, below 1 for all x > 0.
  double amplification(double x) const;
};

}  // namespace liegrad::dae
