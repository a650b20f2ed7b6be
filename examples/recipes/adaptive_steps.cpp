// How to set the accuracy: steps that follow the error, and what they cost.

#include <cmath>
#include <cstdio>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/models/models.hpp"
using namespace liegrad;

int main() {
  const dae::System system = models::make_model("heavy_top");
  const auto end_with = [&](double tolerance) {
    dae::AdaptiveOptions adaptive;
    adaptive.tolerance.relative = tolerance;
    dae::IntegrateOptions options;
    options.t_end = 0.5;
    options.adaptive = adaptive;
    options.keep_samples = false;
    return dae::integrate(system, options);
  };
  const dae::State exact = end_with(1e-12).final;

  bool is_met = true;
  std::printf("%8s %12s %10s\n", "rtol", "steps, about", "error of x");
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    const dae::Solution solution = end_with(tolerance);
    const std::vector<double>& q = solution.final.q;  // quaternion, then position
    const double error = std::hypot(q[4] - exact.q[4], q[5] - exact.q[5], q[6] - exact.q[6]);
    std::printf("%8.0e %12ld %10s\n", tolerance, (solution.summary.steps + 50) / 100 * 100,
                error < 10 * tolerance ? "< 10 rtol" : "too large");
    is_met = is_met && error < 10 * tolerance;
  }
  return is_met ? 0 : 1;
}
