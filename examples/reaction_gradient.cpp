// How the force that holds a top depends on its mass, inertia and spin: one sweep backwards over the run.

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "liegrad/models/models.hpp"
#include "liegrad/sensitivity/differentiate.hpp"
using namespace liegrad;

int main() {
  sensitivity::Objective objective(models::make_model("heavy_top"));
  objective.add_output("fixed_point.lambda[3]", 0.5);  // at t = 0.5

  sensitivity::DifferentiateOptions how;
  how.integrate.t_end = 1;
  how.variables.parameters = {"top.m", "top.J2", "top.omega2"};
  const sensitivity::Derivatives exact = sensitivity::differentiate(objective, how);
  how.mode = sensitivity::Mode::kDifference;
  const sensitivity::Derivatives differences = sensitivity::differentiate(objective, how);

  std::printf("force %.6f N\n%-12s %14s %14s\n", exact.values[0], "by", "exact", "differences");
  double worst = 0;
  for (int j = 0; j < 3; ++j) {
    const double d = exact.jacobian(0, j), other = differences.jacobian(0, j);
    std::printf("%-12s %14.8f %14.8f\n", how.variables.parameters[j].c_str(), d, other);
    worst = std::max(worst, std::abs(d - other) / std::abs(d));
  }
  return worst < 1e-5 ? 0 : 1;
}
