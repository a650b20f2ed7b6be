#pragma once

#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "liegrad/ad/eigen_alignment.hpp"

namespace liegrad::dae {

/// The coefficients of a Runge-Kutta method of s stages:
///
///   k_i = f(t_n + c_i h, y_n + h Σ_j a_ij k_j),   y_{n+1} = y_n + h Σ_i b_i k_i
///
/// An aggregate, so that users bring their own; ask problems() about those.
struct ButcherTableau {
  std::string name = {};
  int order = 0;
  Eigen::MatrixXd a = {};
  Eigen::VectorXd b = {}, c = {};
  /// Weights of a second result, whose difference from the first estimates the local error.
  std::optional<Eigen::VectorXd> b_embedded = {};
  int embedded_order = 0;

  /// Each stage needs earlier ones only.
  bool is_explicit() const;
  /// The last stage is evaluated at y_{n+1}, and the first at y_n: it need not be evaluated again.
  bool first_same_as_last() const;
  /// The result is of higher order than the one it is compared with: its error at the end of a run is proportional to
  /// the difference of both in a step. Otherwise it is proportional to the difference per time.
  bool extrapolates() const { return order > embedded_order; }
  /// The difference, per time unless it extrapolates, behaves like h to this power.
  int error_exponent() const;
  /// What is wrong with the coefficients, a sentence each; empty if nothing is found. The order is
  /// believed.
  std::vector<std::string> problems() const;
};

/// The classical method: explicit, 4 stages, order 4.
ButcherTableau rk4();
/// Dormand and Prince 1980: explicit, 7 stages, order 5 with embedded order 4, first same as last.
ButcherTableau dormand_prince_54();
/// Butcher: explicit, 7 stages (the fewest that reach it), order 6.
ButcherTableau butcher_6();
/// Gauss: implicit, 2 stages, order 4, conserves quadratic invariants, A-stable without damping.
ButcherTableau gauss_2();
/// Radau IIA: implicit, 2 stages, order 3, L-stable, the last stage is the result.
ButcherTableau radau_iia_2();
/// The same with 3 stages: order 5.
ButcherTableau radau_iia_3();

}  // namespace liegrad::dae
