// A chain of N rods on spherical joints, held at one end and released horizontally. The tip of ten rods at t = 0.5 is that of
// the chain in the angles of its links, by extrapolation in extended precision (tests/models/chain_test.cpp).
// docs/scale.md has what thousands of rods cost.

#include <cmath>
#include <cstdio>
#include <vector>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/models/models.hpp"
using namespace liegrad;

int main() {
  const dae::System system = models::make_model("chain", models::Structure{.bodies = 10});
  const auto tip_error = [&](double h) {
    dae::IntegrateOptions options = dae::alpha_steps(h);
    options.alpha.method.parameters = dae::AlphaParameters::from_spectral_radius(0.8);
    options.t_end = 0.5;
    options.keep_samples = false;
    const dae::Solution solution = dae::integrate(system, options);
    dae::Outputs outputs(system);
    std::vector<double> end(outputs.size());
    outputs.evaluate(solution.final, {}, end);
    const double* tip = &end[outputs.offset("tip.p")];
    return std::hypot(tip[0] + 0.2645835105956680, tip[2] + 0.8619025165550623);
  };
  const double coarse = tip_error(5e-4), fine = tip_error(2.5e-4);
  std::printf("error of the tip %.2e m with h = 5e-4, %.2e m with half of it\n", coarse, fine);
  std::printf("order %.2f\n", std::log2(coarse / fine));
  return fine < 1e-4 && std::abs(std::log2(coarse / fine) - 2) < 0.1 ? 0 : 1;
}
