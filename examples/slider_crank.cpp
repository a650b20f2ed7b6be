// The planar slider–crank of [ArnoldBruels2007, section 5.1]: ten coordinates, eight constraints, a hinge without mass.
// Generalized-α is of second order in positions and multipliers; the values at t = 1 are those of the mechanism in two
// coordinates, by extrapolation in extended precision (tests/models/slider_crank_test.cpp).

#include <cmath>
#include <cstdio>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/models/models.hpp"
using namespace liegrad;

int main() {
  const dae::System system = models::make_model("slider_crank");
  const double angle = 7.414624985538759, force = -15.24176754656283;
  double errors[2][2] = {};
  for (int k = 0; k < 2; ++k) {
    dae::IntegrateOptions options = dae::alpha_steps(k == 0 ? 1.0 / 6400 : 1.0 / 12800);
    options.alpha.method.parameters = dae::AlphaParameters::from_spectral_radius(0.7);
    options.keep_samples = false;
    const dae::State end = dae::integrate(system, options).final;
    errors[k][0] = std::abs(end.q[2] - angle);
    errors[k][1] = std::abs(end.lambda[0] - force);
    std::printf("h = 1/%d: error of the angle %.2e rad, of the force %.2e N\n", 6400 << k,
                errors[k][0], errors[k][1]);
  }
  const double q = std::log2(errors[0][0] / errors[1][0]),
               f = std::log2(errors[0][1] / errors[1][1]);
  std::printf("orders %.2f and %.2f\n", q, f);
  return std::abs(q - 2) < 0.05 && std::abs(f - 2) < 0.05 ? 0 : 1;
}
