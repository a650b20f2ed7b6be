// The heavy top with its fixed point built in: on SO(3) alone, J + m(|X|² I - X Xᵀ) about the point and the torque
// m X × Rᵀg, without a constraint. Its rotation is that of the top with three constraints
// [ArnoldCardonaBruels2015, section 2.4], whose centre is at R X.

#include <cmath>
#include <cstdio>
#include <vector>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/models/models.hpp"
using namespace liegrad;

int main() {
  dae::IntegrateOptions options;
  options.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = 1e-9}};
  const auto end_of = [&](const char* name) {
    return dae::integrate(models::make_model(name), options).final;
  };
  const dae::State turning = end_of("spinning_top"), held = end_of("heavy_top");
  // R X with X = (0, 1, 0): the second column of R, from the quaternion w, x, y, z.
  const std::vector<double>& q = turning.q;
  const double x[3] = {2 * (q[1] * q[2] - q[0] * q[3]), 1 - 2 * (q[1] * q[1] + q[3] * q[3]),
                       2 * (q[2] * q[3] + q[0] * q[1])};
  const double* with_joint = &held.q[4];
  std::printf("centre at (%.7f, %.7f, %.7f) m on SO(3)\n", x[0], x[1], x[2]);
  std::printf("      and (%.7f, %.7f, %.7f) m with a joint\n", with_joint[0], with_joint[1],
              with_joint[2]);
  const double apart = std::hypot(x[0] - with_joint[0], x[1] - with_joint[1], x[2] - with_joint[2]);
  return apart < 1e-7 ? 0 : 1;
}
