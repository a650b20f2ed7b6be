// A ball on a torsional spring, the test problem of [RotatingBallTestProblem]:
//
//     R' = R ω~,   m ω' + d ω + k log R = 0,   R(0) = exp(α_0 n~).
//
// With ω(0) parallel to n it turns about n like the damped oscillator m α'' + d α' + k α = 0, for m = 1, d = 0.1, k = 10:
//
//     α = e^{-δt} (α_0 cos νt + (α'_0 + δα_0)/ν sin νt),   δ = d/2m,   ν² = k/m - δ².

#include <cmath>
#include <cstdio>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/models/models.hpp"
using namespace liegrad;

int main() {
  dae::System system = models::make_model("torsional_ball");
  system.set_parameter("ball.omega1", 0);
  system.set_parameter("ball.omega2", 0);
  const double start = 0.5, rate = 1, delta = 0.05, nu = std::sqrt(10 - delta * delta);

  bool is_right = true;
  for (const double t : {1.0, 5.0, 10.0}) {
    dae::IntegrateOptions options;
    options.t_end = t;
    const std::vector<double> q = dae::integrate(system, options).final.q;
    const double angle = 2 * std::atan2(q[3], q[0]);  // about z
    const double exact = std::exp(-delta * t) * (start * std::cos(nu * t) +
                                                 (rate + delta * start) / nu * std::sin(nu * t));
    std::printf("t = %2.0f s: %11.7f rad, expected %11.7f\n", t, angle, exact);
    is_right = is_right && std::abs(angle - exact) < 1e-5;
  }
  return is_right ? 0 : 1;
}
