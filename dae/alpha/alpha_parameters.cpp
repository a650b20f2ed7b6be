#include "liegrad/dae/alpha/alpha_parameters.hpp"

#include <cmath>
#include <utility>

#include "liegrad/dae/system/sentence.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::dae {
namespace {

// A difference in the order condition that the digits of a sentence() do not show is taken for rounding. What it
// adds to the velocity, 1e-11 h v̈ in unit time [ArnoldCardonaBruels2015, Eq. (40b)], is less than a
// corrector iteration leaves.
constexpr double kOrderTolerance = 1e-11;

/// [ArnoldCardonaBruels2015, Eq. (42)] after its choice of α_m and α_f.
AlphaParameters second_order(double alpha_m, double alpha_f) {
  const double gamma = 0.5 + alpha_f - alpha_m;
  const double beta = 0.25 * (gamma + 0.5) * (gamma + 0.5);
  return {.alpha_m = alpha_m, .alpha_f = alpha_f, .beta = beta, .gamma = gamma};
}

}  // namespace

AlphaParameters AlphaParameters::from_spectral_radius(double rho) {
  // Negated, so that NaN is refused as well.
  if (!(rho >= 0.0 && rho <= 1.0)) {
    throw InvalidArgument(sentence("spectral radius at infinity rho = ", rho,
                                   " is outside [0, 1]; choose 0 (strongest damping) to 1 (none)"));
  }
  return second_order((2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0));
}

AlphaParameters AlphaParameters::hht(double alpha) {
  if (!(alpha >= -1.0 / 3.0 && alpha <= 0.0)) {
    const bool opposite_sign = alpha > 0.0 && alpha <= 1.0 / 3.0;
    throw InvalidArgument(
        opposite_sign
            ? sentence("Hilber-Hughes-Taylor parameter alpha = ", alpha,
                       " is outside [-1/3, 0]; in the sign of its authors it is ", -alpha)
            : sentence("Hilber-Hughes-Taylor parameter alpha = ", alpha,
                       " is outside [-1/3, 0]; choose -1/3 (strongest damping) to 0 (none)"));
  }
  return second_order(0.0, 0.0 - alpha);  // not -alpha, which may be a negative zero
}

AlphaParameters AlphaParameters::newmark() { return second_order(0.0, 0.0); }

std::vector<std::string> AlphaParameters::problems() const {
  std::vector<std::string> found;
  for (const auto& [name, value] : {std::pair("alpha_m", alpha_m), std::pair("alpha_f", alpha_f),
                                    std::pair("beta", beta), std::pair("gamma", gamma)}) {
    if (!std::isfinite(value)) {
      found.push_back(sentence(name, " = ", value, " is not a finite number; give one"));
    }
  }
  if (alpha_m == 1.0) {
    found.emplace_back(
        "alpha_m = 1 leaves the new acceleration-like vector a undefined; choose alpha_m below "
        "alpha_f");
  }
  if (alpha_f == 1.0) {
    found.emplace_back(
        "alpha_f = 1 leaves the new accelerations undefined; choose alpha_f below 0.5");
  }
  if (beta == 0.0) {
    found.emplace_back(
        "beta = 0 lets no force act on the new positions, so constraints cannot be satisfied; "
        "choose beta above gamma / 2");
  }
  if (gamma == 0.0) {
    found.emplace_back(
        "gamma = 0 leaves the stabilised and the sigma-modified forms undefined; choose gamma = "
        "0.5 - alpha_m + alpha_f");
  }
  return found;
}

std::vector<std::string> AlphaParameters::warnings() const {
  if (!problems().empty()) return {};
  std::vector<std::string> found;

  const double second_order_gamma = 0.5 - delta_alpha();
  if (std::abs(gamma - second_order_gamma) > kOrderTolerance) {
    found.push_back(sentence("the method is of first order only, since gamma = ", gamma,
                             " differs from 0.5 - alpha_m + alpha_f = ", second_order_gamma,
                             "; choose that value for second order"));
  }

  // The conditions are sufficient [ArnoldCardonaBruels2015, Lemma 4.17], hence "may".
  const auto unstable = [&](const std::string& reason) {
    found.push_back(
        sentence("errors of constraint forces may persist or grow, since ", reason,
                 "; a spectral radius rho below 1 gives parameters without this defect"));
  };
  if (alpha_m >= alpha_f) {
    unstable(sentence("alpha_m = ", alpha_m, " is not below alpha_f = ", alpha_f));
  }
  if (alpha_f >= 0.5) unstable(sentence("alpha_f = ", alpha_f, " is not below 0.5"));
  if (gamma >= 2.0 * beta) {
    unstable(sentence("gamma = ", gamma, " is not below 2 beta = ", 2.0 * beta));
  }
  return found;
}

}  // namespace liegrad::dae
