#pragma once

#include <string>
#include <vector>

namespace liegrad::dae {

/// The algorithmic parameters of a generalized-α method [ArnoldCardonaBruels2015, Eq. (37)]:
///
///   Δq_n = v_n + (½ - β) h a_n + β h a_{n+1}
///   v_{n+1} = v_n + (1 - γ) h a_n + γ h a_{n+1}
///   (1 - α_m) a_{n+1} + α_m a_n = (1 - α_f) v̇_{n+1} + α_f v̇_n
///
/// An aggregate: AlphaParameters{.alpha_m = …, .alpha_f = …, .beta = …, .gamma = …} takes any
/// values; ask problems() and warnings() about them. Without values it is newmark().
struct AlphaParameters {
  double alpha_m = 0.0;
  double alpha_f = 0.0;
  double beta = 0.25;
  double gamma = 0.5;

  /// The optimal parameters of Chung and Hulbert [ArnoldCardonaBruels2015, Eq. (42)] for a spectral
  /// radius ρ∞ in [0, 1] at infinite frequency: 0 removes it in three steps, as many as its Jordan
  /// block has rows, 1 does not damp at all. Throws InvalidArgument for other values.
  static AlphaParameters from_spectral_radius(double rho);

  /// The method of Hilber, Hughes and Taylor: α_m = 0, and the rest as in
  /// [ArnoldCardonaBruels2015, Eq. (42)] with α_f = -α. The sign is that of its authors, α in
  /// [-1/3, 0]; ρ∞ = (1 + α)/(1 - α), which -1/3 makes smallest. Throws InvalidArgument for other
  /// values, also for the opposite sign that [BruelsCardonaArnold2012, Section 7.2] and other texts
  /// use.
  static AlphaParameters hht(double alpha);

  /// The trapezoidal rule of Newmark: second order, without damping.
  static AlphaParameters newmark();

  /// Δ_α: a_n approximates v̇(t_n + Δ_α h) [ArnoldCardonaBruels2015, Eq. (41)].
  double delta_alpha() const { return alpha_m - alpha_f; }
  /// C_q: the local error of q begins with C_q h³ v̈ [ArnoldCardonaBruels2015, Eq. (40a)].
  double c_q() const { return (1.0 - 6.0 * beta - 3.0 * delta_alpha()) / 6.0; }

  /// C_v: the local error of v begins with C_v h³ v⃛, when a_n is that of a smooth motion (docs/step-control.md).
  double c_v() const { return 1.0 / 6.0 - delta_alpha() * (alpha_m - 0.5 + gamma) - 0.5 * gamma; }

  /// The factor of the commutator h³ v^ v̇ in the local error of the σ-modified method
  /// [HolzingerArnoldGerstmayr2025, Eq. (40)]; 1/12 without modification, σ = 0.
  double commutator_coefficient(double sigma) const {
    return (1.0 / 3.0 - sigma * beta / gamma) / 4.0;
  }
  /// The σ that makes it vanish, σβ/γ = ⅓.
  double optimal_sigma() const { return gamma / (3.0 * beta); }

  /// ∂v_{n+1}/∂Δq_n [ArnoldCardonaBruels2015, Eq. (58b)].
  double velocity_factor() const { return gamma / beta; }
  /// h ∂v̇_{n+1}/∂Δq_n [ArnoldCardonaBruels2015, Eq. (58c)].
  double acceleration_factor() const { return (1.0 - alpha_m) / (beta * (1.0 - alpha_f)); }

  /// What makes the method undefined, a sentence each: values that are not finite, and zeros of the
  /// denominators above [ArnoldCardonaBruels2015, Lemma 3.3].
  std::vector<std::string> problems() const;

  /// What makes a defined method inaccurate or unstable, a sentence each: the violated among the
  /// order condition [ArnoldCardonaBruels2015, Eq. (41)] and the stability conditions for
  /// constrained systems [ArnoldCardonaBruels2015, Eq. (134)]. Empty if there are problems().
  std::vector<std::string> warnings() const;
};

/// A member of the σ-family of generalized-α methods.
struct AlphaMethod {
  AlphaParameters parameters = AlphaParameters::from_spectral_radius(0.8);
  double sigma = 0;
};

}  // namespace liegrad::dae
