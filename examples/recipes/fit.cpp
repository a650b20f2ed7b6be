// How to find parameters from measurements in memory: stiffness and damping of an oscillator. The "measurements" are
// the closed solution with k = 40 N/m, d = 0.6 N s/m and a little noise.

#include <cmath>
#include <cstdio>
#include <random>

#include "liegrad/elements/forces/coordinate_spring.hpp"
#include "liegrad/elements/planar/slider.hpp"
#include "liegrad/optimize/fit/fit.hpp"
using namespace liegrad;

int main() {
  dae::System system("oscillator");
  system.add_node("s", lie::NodeGroup::rn(1));
  system.add("mass", elements::Slider{}, {"s"});
  system.add("spring", elements::CoordinateSpring{}, {"s"});
  system.set_initial_configuration("s", {0.1});

  optimize::Series series = optimize::series_of(system, "s.x", 0);
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, 1e-3);
  const double decay = 0.3, rate = std::sqrt(40 - decay * decay);
  for (int i = 0; i <= 200; ++i) {
    const double t = 0.02 * i;
    const double exact =
        0.1 * std::exp(-decay * t) * (std::cos(rate * t) + decay / rate * std::sin(rate * t));
    series.times.push_back(t);
    series.values.push_back(exact + noise(random));
  }

  optimize::FitProblem problem{system, {{.name = "swing", .series = {series}}}};
  problem.free = {"spring.k", "spring.d"};
  problem.start = {{"spring.k", 30}, {"spring.d", 0.1}};
  problem.lower = {{"spring.d", 0}};
  const optimize::FitResult result = optimize::fit(problem, {});
  for (const optimize::Estimate& one : result.parameters) {
    std::printf("%-9s %9.4f +- %.4f  %s\n", one.name.c_str(), one.value, one.std,
                one.verdict.c_str());
  }
  std::printf("noise %.5f m\n", result.output("s.x").noise);
  const optimize::Estimate &k = result["spring.k"], &d = result["spring.d"];
  const bool is_right = result.converged && std::abs(k.value - 40) < 3 * k.std &&
                        std::abs(d.value - 0.6) < 3 * d.std && k.std < 0.1;
  return is_right ? 0 : 1;
}
