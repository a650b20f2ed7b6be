#pragma once

#include <cmath>

namespace liegrad::optimize {

/// How much a sample far from the run counts, as a function of its residual over its noise. d is where the loss
/// leaves that of least squares.
struct Loss {
  enum class Kind { kSquares, kHuber, kCauchy } kind = Kind::kSquares;
  double d = 1;
};

/// The residual r of length √s is replaced by w r, so that |w r|² = ρ(s): squares of the new residuals add up to the
/// robust cost, and their exact derivative is w J + 2 w' r rᵀJ.
struct LossWeight {
  double weight = 1;
  double slope = 0;  ///< dw/ds
};

inline LossWeight loss_weight(const Loss& loss, double s) {
  const double limit = loss.d * loss.d;
  switch (loss.kind) {
    case Loss::Kind::kSquares: return {};
    case Loss::Kind::kHuber: {
      // ρ = s below d², 2 d √s - d² above.
      if (s <= limit) return {};
      const double rho = 2 * loss.d * std::sqrt(s) - limit, rho_slope = loss.d / std::sqrt(s);
      const double weight = std::sqrt(rho / s);
      return {weight, (rho_slope / s - rho / (s * s)) / (2 * weight)};
    }
    case Loss::Kind::kCauchy: {
      // ρ = d² log(1 + s/d²), with its series where the quotient ρ/s loses digits.
      const double z = s / limit;
      if (z < 1e-4) {
        const double weight = 1 - z / 4 + 13 * z * z / 96;
        return {weight, (-0.25 + 13 * z / 48) / limit};
      }
      const double rho = limit * std::log1p(z), weight = std::sqrt(rho / s);
      return {weight, (1 / ((1 + z) * s) - rho / (s * s)) / (2 * weight)};
    }
  }
  return {};
}

}  // namespace liegrad::optimize
