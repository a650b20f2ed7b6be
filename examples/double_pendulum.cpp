// Two arms in a vertical plane on pivots, in absolute coordinates with four constraints. The expected angles are those of
// the same pendulum in its two angles from hanging,
//
//     (J_1 + m_1 a_1² + m_2 l²) θ_1'' + m_2 l a_2 (cos(θ_1 - θ_2) θ_2'' + sin(θ_1 - θ_2) θ_2'²) = -(m_1 a_1 + m_2 l) g sin θ_1
//     (J_2 + m_2 a_2²) θ_2'' + m_2 l a_2 (cos(θ_1 - θ_2) θ_1'' - sin(θ_1 - θ_2) θ_1'²) = -m_2 a_2 g sin θ_2,
//
// by the classical Runge–Kutta method with steps of 1e-4 s.

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/models/models.hpp"
using namespace liegrad;
using Vector = std::array<double, 4>;  // θ_1, θ_2 and their rates

Vector rates(const Vector& y) {
  const double m1 = 0.27, J1 = 0.0012, a1 = 0.11, l = 0.17272, m2 = 0.18, J2 = 0.0014, a2 = 0.15;
  const double g = 9.81, c = std::cos(y[0] - y[1]), s = std::sin(y[0] - y[1]), k = m2 * l * a2;
  const double A = J1 + m1 * a1 * a1 + m2 * l * l, B = k * c, C = J2 + m2 * a2 * a2;
  const double f = -(m1 * a1 + m2 * l) * g * std::sin(y[0]) - k * s * y[3] * y[3];
  const double h = -m2 * a2 * g * std::sin(y[1]) + k * s * y[2] * y[2];
  const double D = A * C - B * B;
  return {y[2], y[3], (C * f - B * h) / D, (A * h - B * f) / D};
}

Vector after(double t_end) {
  const auto moved = [](const Vector& y, double h, const Vector& f) {
    Vector z;
    for (int i = 0; i < 4; ++i) z[i] = y[i] + h * f[i];
    return z;
  };
  Vector y = {0.5, 0.4, 0, 0};
  const int steps = static_cast<int>(std::lround(t_end / 1e-4));
  for (int n = 0; n < steps; ++n) {
    const double h = t_end / steps;
    const Vector a = rates(y), b = rates(moved(y, h / 2, a)), c = rates(moved(y, h / 2, b)),
                 d = rates(moved(y, h, c));
    for (int i = 0; i < 4; ++i) y[i] += h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
  }
  return y;
}

int main() {
  const dae::System system = models::make_model("double_pendulum");
  dae::IntegrateOptions options;
  options.t_end = 3;
  const dae::Solution solution = dae::integrate(system, options);
  dae::Outputs outputs(system);
  std::vector<double> end(outputs.size());
  outputs.evaluate(solution.final, {}, end);
  const double first = end[outputs.offset("arm1.theta")],
               second = end[outputs.offset("arm2.theta")];
  const Vector expected = after(3);
  std::printf("arm 1 at %9.6f rad, expected %9.6f\n", first, expected[0]);
  std::printf("arm 2 at %9.6f rad, expected %9.6f\n", second, expected[1]);
  return std::hypot(first - expected[0], second - expected[1]) < 1e-5 ? 0 : 1;
}
