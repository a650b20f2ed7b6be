// The flexible four-bar mechanism of [BruelsCardonaArnold2012, section 7.3, Table 2]: three bars, four hinges, of which one
// is tilted by 5°, so that rigid bars could not move at all. The angle at A follows (86): -5 (t - 0.25) rad after the start.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/models/models.hpp"
using namespace liegrad;

int main() {
  const dae::System system = models::make_model("four_bar", models::Structure{.bodies = 4});
  dae::IntegrateOptions options = dae::alpha_steps(0.02);  // the step of the paper
  options.alpha.method.parameters = dae::AlphaParameters::from_spectral_radius(0.9);
  options.t_end = 2;
  const dae::Solution solution = dae::integrate(system, options);
  if (!solution.summary.is_complete()) return std::puts(solution.summary.message.c_str()), 1;

  dae::Outputs outputs(system);
  std::vector<double> row(outputs.size());
  double lowest = 1, highest = -1;
  for (const dae::State& state : solution.samples) {
    outputs.evaluate(state, {}, row);
    lowest = std::min(lowest, row[outputs.column("BC.C.x[3]")]);
    highest = std::max(highest, row[outputs.column("BC.C.x[3]")]);
  }
  const double angle = row[outputs.column("angle.x")];
  std::printf("the crank turned by %.6f rad, expected %.6f\n", angle, -5 * 1.75);
  std::printf("C leaves the plane by %.2e m\n", highest - lowest);
  std::printf("largest |Phi| %.0e\n", solution.summary.max_position_residual);
  return std::abs(angle + 8.75) < 1e-9 && highest - lowest > 1e-5 ? 0 : 1;
}
