// How to find when something happens, and how to end there: a ball is thrown up with 5 m/s from 1 m.

#include <cmath>
#include <cstdio>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/elements/bodies/point_mass.hpp"
using namespace liegrad;

int main() {
  dae::System system("throw");
  system.add_node("ball", lie::NodeGroup::rn(3));
  system.add("ball", elements::PointMass{}, {"ball"});
  system.set_initial_configuration("ball", {0, 0, 1});
  system.set_initial_velocity("ball", {2, 0, 5});

  dae::IntegrateOptions options;
  options.t_end = 10;
  using Direction = dae::EventOptions::Direction;
  options.events = {{.output = "ball.u[3]", .direction = Direction::kFalling},  // the highest point
                    {.output = "ball.x[3]", .level = 0, .stop = true}};         // the ground
  const dae::Solution solution = dae::integrate(system, options);
  for (const dae::EventFound& found : solution.events) {
    std::printf("%s = %g at t = %.9f s, height %.9f m\n",
                options.events[found.event].output.c_str(), options.events[found.event].level,
                found.state.t, found.state.q[2]);
  }
  std::printf("the run ends at x = %.9f m\n", solution.final.q[0]);

  // v/g, and the root of 1 + vt - gt²/2.
  const double g = 9.81, top = 5 / g, ground = (5 + std::sqrt(25 + 2 * g)) / g;
  const bool is_right = solution.events.size() == 2 &&
                        std::abs(solution.events[0].state.t - top) < 1e-9 &&
                        std::abs(solution.events[1].state.t - ground) < 1e-9 &&
                        solution.summary.termination == dae::Termination::kStoppedByEvent;
  return is_right ? 0 : 1;
}
