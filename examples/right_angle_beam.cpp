// The right-angle cantilever of [BruelsCardonaArnold2012, section 7.2] with the section of [SimoVuQuoc1988]: two legs of
// 10 m, a force of up to 50 N at the elbow out of their plane until t = 2 s, then free vibrations as large as the
// structure. HHT with α = -0.05 and ten elements as in the paper. The force does work until it is gone; from then on the
// energy may only be lost by the damping of the method.

#include <algorithm>
#include <cstdio>
#include <vector>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/models/models.hpp"
using namespace liegrad;

int main() {
  const dae::System system = models::make_model("right_angle_beam", models::Structure{.bodies = 5});
  dae::IntegrateOptions options = dae::alpha_steps(0.2);
  options.alpha.method.parameters = dae::AlphaParameters::hht(-0.05);
  options.t_end = 30;
  const dae::Solution solution = dae::integrate(system, options);
  if (!solution.summary.is_complete()) return std::puts(solution.summary.message.c_str()), 1;

  dae::Outputs outputs(system);
  std::vector<double> row(outputs.size());
  double work = 0, least = 1e9, most = 0, highest = 0, lowest = 0;
  for (const dae::State& state : solution.samples) {
    outputs.evaluate(state, {}, row);
    const double energy = row[outputs.column("energy")], tip = row[outputs.column("tip.x[3]")];
    highest = std::max(highest, tip);
    lowest = std::min(lowest, tip);
    if (state.t < 2 - 1e-9) continue;
    if (work == 0) work = energy;
    least = std::min(least, energy / work);
    most = std::max(most, energy / work);
  }
  std::printf("work of the force %.1f J, then energy between %.3f and %.3f of it\n", work, least,
              most);
  std::printf("the tip moves between %.2f m and %.2f m\n", lowest, highest);
  return most < 1.02 && least > 0.95 && highest > 7 && lowest < -7 ? 0 : 1;
}
