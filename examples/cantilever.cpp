// A clamped bar of steel: the moment 2π EI/L bends it to a circle, so that its tip comes back to the clamp; its lowest
// bending frequency is that of a slender beam, 1.8751² √(EI/mL⁴)/2π (Euler and Bernoulli). docs/beams.md has both.

#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include "liegrad/dae/modal_analysis.hpp"
#include "liegrad/dae/static_equilibrium.hpp"
#include "liegrad/dae/system/outputs.hpp"
#include "liegrad/models/models.hpp"
using namespace liegrad;

int main() {
  dae::System bar = models::make_model("cantilever", {.bodies = 16});
  bar.set_parameter("gravity3", 0);
  const double EI = bar.parameter("EI"), m = bar.parameter("m");  // L = 1
  const double pi = std::numbers::pi, slender = std::pow(1.8751, 2) * std::sqrt(EI / m) / (2 * pi);
  const dae::ModalSolution modes = dae::modal_analysis(bar, dae::find_equilibrium(bar).state);
  std::printf("lowest frequency %.3f Hz, expected %.3f\n", modes.modes[0].frequency, slender);

  bar.set_parameter("tip.moment.m2", 2 * pi * EI);
  const dae::StaticSolution circle = dae::find_equilibrium(bar, {.load_steps = 20});
  dae::Outputs outputs(bar);
  std::vector<double> bent(outputs.size());
  outputs.evaluate(circle.state, {}, bent);
  const double* tip = &bent[outputs.offset("tip.displacement")];
  std::printf("tip moved by (%.9f, %.9f) m, expected (-1, 0)\n", tip[0], tip[2]);
  const bool is_right = std::abs(modes.modes[0].frequency / slender - 1) < 5e-3 &&
                        circle.converged && std::hypot(tip[0] + 1, tip[2]) < 1e-9;
  return is_right ? 0 : 1;
}
