// The heavy top of [ArnoldCardonaBruels2015, section 2.4]: a spinning body whose lowest point is held by
// three constraints, m u̇ - Rλ = mγ, J Ω̇ + Ω×JΩ + X×λ = 0, Φ = X - Rᵀx = 0.
//
// Integrated as a differential-algebraic system it must approach the same top written without constraints
// on SO(3), with order 2 in position and, from corrected starting values, in the multipliers. The force
// that holds the point follows from Newton's law for the free motion: λ = m Rᵀ(u̇ - γ).

#include <cmath>
#include <cstdio>

#include <Eigen/Geometry>

#include <liegrad/dae/integrate.hpp>
#include <liegrad/models/models.hpp>

namespace {

using namespace liegrad;
using Vector = lie::Vec<double, 3>;

struct Exact {
  Vector position, force;
};

/// At t = 1, by a Munthe-Kaas method of order 6 on SO(3).
Exact exact() {
  dae::IntegrateOptions options = dae::alpha_steps();
  options.method = dae::Method::kMuntheKaas;
  options.tableau = dae::butcher_6();
  options.step = 1e-4;
  const dae::State end = dae::integrate(models::make_model("spinning_top"), options).final;
  const auto rotation =
      lie::SO3<double>::from_quaternion({end.q[0], end.q[1], end.q[2], end.q[3]}).matrix();
  const Vector centre(0, 1, 0), gravity(0, 0, -9.81);
  const Vector omega(end.v[0], end.v[1], end.v[2]);
  const Vector omega_dot(end.v_dot[0], end.v_dot[1], end.v_dot[2]);
  const Vector acceleration = omega_dot.cross(centre) + omega.cross(omega.cross(centre));
  return {rotation * centre, 15 * (acceleration - rotation.transpose() * gravity)};
}

}  // namespace

int main() {
  const Exact reference = exact();
  std::printf("      h   error of x(1)   error of lambda(1), relative\n");
  double last_position = 0, last_force = 0, position_order = 0, force_order = 0;
  for (const double h : {1e-3, 5e-4, 2.5e-4}) {
    dae::IntegrateOptions options = dae::alpha_steps();
    options.step = h;
    options.alpha.start = dae::StartingValues::kCorrected;
    const dae::State end = dae::integrate(models::make_model("heavy_top"), options).final;
    const Vector position(end.q[4], end.q[5], end.q[6]);
    const Vector force(end.lambda[0], end.lambda[1], end.lambda[2]);
    const double position_error = (position - reference.position).norm();
    const double force_error = (force - reference.force).norm() / reference.force.norm();
    std::printf("%.1e   %13.3e   %13.3e\n", h, position_error, force_error);
    position_order = std::log2(last_position / position_error);
    force_order = std::log2(last_force / force_error);
    last_position = position_error;
    last_force = force_error;
  }
  std::printf("observed orders: %.2f and %.2f\n", position_order, force_order);
  return std::abs(position_order - 2) < 0.05 && std::abs(force_order - 2) < 0.1 ? 0 : 1;
}
