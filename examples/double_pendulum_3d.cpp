// A double pendulum in space: the upper rod on a hinge with friction, the lower one on an inclined hinge with a spring,
// both drawn along x and started from other angles. The expected position is that of steps of 1e-5 s by another method.

#include <cmath>
#include <cstdio>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/elements/mechanism/mechanism.hpp"
using namespace liegrad;
using namespace liegrad::elements;

int main() {
  Mechanism pendulum("double pendulum");
  pendulum.add_rod("upper", {0, 0, 0}, {1, 0, 0}, {.radius = 0.03, .density = 700});
  pendulum.add_rod("lower", {1, 0, 0}, {1.8, 0, 0}, {.radius = 0.02, .density = 700});
  pendulum.add_revolute("shoulder", "ground", "upper", {.axis = {0, 1, 0}});
  pendulum.add_revolute("elbow", "upper", "lower", {.point = {1, 0, 0}, .axis = {0, 1, 1}});
  pendulum.add_on_joint("friction", CoordinateFriction{}, "shoulder", {.values = {{"v_s", 0.1}}});
  pendulum.add_on_joint("spring", CoordinateSpring{}, "elbow", {.values = {{"k", 3}}});
  pendulum.set_initial("shoulder", 0.4);
  pendulum.set_initial("elbow", -0.6, 2);  // the rate in rad/s
  const dae::System system = pendulum.make_system();

  const dae::Solution solution = dae::integrate(system, {});
  dae::Outputs outputs(system);
  std::vector<double> end(outputs.size());
  outputs.evaluate(solution.final, {}, end);
  const double* x = &end[outputs.offset("lower.x")];
  std::printf("lower rod at (%.6f, %.6f, %.6f) m\n", x[0], x[1], x[2]);
  return std::hypot(x[0] + 1.216999, x[1] - 0.138263, x[2] + 0.598078) < 1e-5 ? 0 : 1;
}
