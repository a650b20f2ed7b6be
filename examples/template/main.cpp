// The speed of the arm decays with c l²/(J + m l²) = 0.5 1/s.

#include <cmath>
#include <cstdio>
#include <vector>

#include <liegrad/dae/integrate.hpp>

#include "mechanism.hpp"

int main() {
  using namespace liegrad;
  const dae::System system = make_mechanism();
  dae::IntegrateOptions options;
  options.t_end = 2;
  const dae::Solution solution = dae::integrate(system, options);
  if (!solution.summary.is_complete()) return std::puts(solution.summary.message.c_str()), 1;

  dae::Outputs outputs(system);
  std::vector<double> end(outputs.size());
  outputs.evaluate(solution.final, {}, end);
  const double speed = end[outputs.column("arm.omega[3]")], expected = 10 * std::exp(-1.0);
  std::printf("speed %.6f rad/s, expected %.6f\n", speed, expected);
  return std::abs(speed - expected) < 1e-4 ? 0 : 1;
}
