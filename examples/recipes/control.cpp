// How to find controls: move a cart of 2 kg by 1.5 m from rest to rest in 2 s with the least ∫u² dt, once freely and
// once with a speed limit.

#include <cmath>
#include <cstdio>

#include "liegrad/control/solve.hpp"
#include "liegrad/elements/forces/actuators.hpp"
#include "liegrad/elements/planar/slider.hpp"
using namespace liegrad;

int main() {
  dae::System system("cart");
  system.add_node("cart", lie::NodeGroup::rn(1));
  system.add("cart", elements::Slider{}, {"cart"}, {.values = {{"m", 2}}});
  system.add("drive", elements::CoordinateActuator{}, {"cart"});

  const auto solve = [&](double fastest) {
    control::Problem problem(system);
    problem.set_horizon(2);
    problem.fix_end_configuration("cart", {1.5});
    problem.fix_end_velocity("cart");
    problem.bound_velocity("cart", 0, {.lower = -fastest, .upper = fastest});
    problem.add_running_cost(
        [](const auto& at) { return at.control("drive.f") * at.control("drive.f"); });
    control::SolveOptions options;
    options.transcription.steps = 200;
    return control::solve(problem, options);
  };
  const control::Solution free = solve(10), limited = solve(1);
  for (const control::Solution* one : {&free, &limited}) {
    std::printf("%s, cost %8.4f, first control %7.4f N, minimum: %s\n",
                name_of(one->summary.status), one->summary.cost, one->controls.front()[0],
                one->certificate.local_minimum ? "yes" : "no");
  }
  // u is linear in time: 12 m²s²/T³; with the speed w on a plateau between two ramps of the length
  // τ = 3 (wT - s)/2w, u begins with 2mw/τ and costs 8 m²w²/3τ.
  const double ramp = 0.75;
  const bool is_right = std::abs(free.summary.cost - 13.5) < 1e-2 &&
                        std::abs(limited.summary.cost - 32 / (3 * ramp)) < 1e-2 &&
                        std::abs(limited.controls.front()[0] - 4 / ramp) < 0.05 &&
                        free.certificate.local_minimum && limited.certificate.local_minimum;
  return is_right ? 0 : 1;
}
