// v̈ of the equations of motion, which first steps and corrected starts need, against differences of accelerations.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/start/consistency.hpp"
#include "liegrad/models/models.hpp"

namespace liegrad::dae {
namespace {

/// Systems that turn, with laws of time, with springs, with many elements of a kind.
TEST(Jerk, IsTheRateOfAccelerations) {
  const std::vector<std::pair<std::string, models::Structure>> systems = {
      {"heavy_top", {}},       {"heavy_top", {.body_group = lie::NodeGroup::se3()}},
      {"slider_crank", {}},    {"rotor", {}},
      {"torsional_ball", {}},  {"right_angle_beam", {}},
      {"chain", {.bodies = 6}}};
  for (const auto& [name, structure] : systems) {
    SCOPED_TRACE(name);
    const System system = models::make_model(name, structure);
    IntegrateOptions o =
        alpha_steps(name == "rotor" ? 2e-7 : 2e-5);  // which turns by 0.4 rad in the latter
    o.method = Method::kRadau;
    o.t_end = 22 * o.step;
    const Solution run = integrate(system, o);
    ASSERT_TRUE(run.summary.is_complete()) << run.summary.message;
    const std::size_t last = run.samples.size() - 1;
    const State &before = run.samples[last - 2], &now = run.samples[last - 1],
                &after = run.samples[last];
    Consistency consistency(system, {}, LinearSolverKind::kAutomatic);
    const std::vector<double>& jerk = consistency.jerk(now);
    double scale = 0, difference = 0;
    for (std::size_t i = 0; i < now.v.size(); ++i) {
      const double quotient = (after.v_dot[i] - before.v_dot[i]) / (2 * o.step);
      scale = std::max(scale, std::abs(quotient));
      difference = std::max(difference, std::abs(jerk[i] - quotient));
    }
    EXPECT_LT(difference, 2e-4 * scale);
  }
}

}  // namespace
}  // namespace liegrad::dae
