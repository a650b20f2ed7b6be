// The spatial slider–crank of [HolzingerArnoldGerstmayr2025, section 7.3], with masses and initial values of the IFToMM
// library of benchmarks: a revolute, a spherical, a universal and a prismatic joint, 17 constraints on 18 coordinates,
// moving under gravity. The expected angle and displacement are those of the same mechanism in the crank angle alone, by
// extrapolation in extended precision (tests/models/slider_crank_3d_test.cpp).

#include <cmath>
#include <cstdio>
#include <vector>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/models/models.hpp"
using namespace liegrad;

int main() {
  const dae::System system = models::make_model("slider_crank_3d");
  struct Expected {
    double t, theta, s;
  };
  bool is_right = true;
  for (const Expected& at : {Expected{1, 10.913590729864668, 0.21172166139344378},
                             Expected{5, 54.333332168313162, 0.24071957372961548}}) {
    dae::IntegrateOptions options;
    options.t_end = at.t;
    options.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = 1e-8}};
    options.keep_samples = false;
    const dae::Solution solution = dae::integrate(system, options);
    dae::Outputs outputs(system);
    std::vector<double> end(outputs.size());
    outputs.evaluate(solution.final, {}, end);
    const double theta = end[outputs.offset("crank.theta")], s = end[outputs.offset("slider.s")];
    std::printf("t = %.0f s: crank at %.6f rad, expected %.6f; slider at %.7f m, expected %.7f\n",
                at.t, theta, at.theta, s, at.s);
    is_right = is_right && std::abs(theta - at.theta) < 1e-5 && std::abs(s - at.s) < 1e-6;
  }
  return is_right ? 0 : 1;
}
