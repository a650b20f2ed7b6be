// A body in free flight, of the inertia diag(0.01, 0.02, 0.03) and thrown with Ω = (1, 5, 0.5): its centre of mass is
// on a parabola, x = x_0 + u t + g t²/2, and it tumbles about the axis of middle inertia with constant angular momentum
// R J Ω and energy ½ Ω·JΩ.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/models/models.hpp"
using namespace liegrad;

int main() {
  const dae::System system = models::make_model("free_body");
  dae::IntegrateOptions options;
  options.t_end = 2;
  const dae::Solution solution = dae::integrate(system, options);

  dae::Outputs outputs(system);
  std::vector<double> start(outputs.size()), end(outputs.size());
  outputs.evaluate(solution.samples.front(), {}, start);
  outputs.evaluate(solution.final, {}, end);
  const double* x = &end[outputs.offset("body.x")];
  const double height = 1 + 3 * 2 - 9.81 * 2;
  // About the centre of mass: what the motion of the centre has is taken away.
  const auto spin = [&](const std::vector<double>& at, int i) {
    const double *c = &at[outputs.offset("body.x")], *u = &at[outputs.offset("body.u")];
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    return at[outputs.offset("momentum.angular") + i] - (c[j] * u[k] - c[k] * u[j]);  // m = 1
  };
  double drift = 0;
  for (int i = 0; i < 3; ++i) drift = std::max(drift, std::abs(spin(end, i) - spin(start, i)));
  const double energy = end[outputs.offset("energy")] - start[outputs.offset("energy")];
  std::printf("centre at (%.6f, %.6f, %.6f) m, expected (2, 0, %.6f)\n", x[0], x[1], x[2], height);
  std::printf("angular momentum changed by %.0e of 0.1 N m s, energy by %.0e J\n", drift, energy);
  const bool is_right =
      std::hypot(x[0] - 2, x[1], x[2] - height) < 1e-6 && drift < 1e-6 && std::abs(energy) < 1e-5;
  return is_right ? 0 : 1;
}
