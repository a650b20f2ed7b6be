// Linear configuration spaces: the pendulum of [ArnoldCardonaBruels2015, Example 3.2, Figure 5] and the
// rheonomic test equation at the end of their section 3.2.

#include <gtest/gtest.h>

#include <cmath>

#include "liegrad/dae/alpha/alpha_memory.hpp"
#include "liegrad/dae/alpha/generalized_alpha.hpp"
#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/system/element.hpp"
#include "liegrad/elements/planar/pendulum.hpp"
#include "liegrad/models/models.hpp"

namespace liegrad::testing {
namespace {

using dae::Formulation;

/// λ of the pendulum by other means: the angle by tiny Runge–Kutta steps. With Φ = (x² + y² - l²)/2,
/// m ẍ = -xλ, m ÿ = -mg - yλ, so that λ = m(φ'² + g cos φ) for l = 1, φ from the lowest point.
std::vector<double> exact_multipliers(double x0, double h, int steps) {
  constexpr double kGravity = 9.81;
  double angle = std::asin(x0);
  double rate = std::sqrt(1 - 2 * kGravity * (1 - std::cos(angle)));
  std::vector<double> lambda = {rate * rate + kGravity * std::cos(angle)};
  const int inner = 200;
  const double k = h / inner;
  for (int n = 0; n < steps; ++n) {
    for (int i = 0; i < inner; ++i) {
      const auto slope = [&](double a) { return -kGravity * std::sin(a); };
      const double a1 = rate, r1 = slope(angle);
      const double a2 = rate + k / 2 * r1, r2 = slope(angle + k / 2 * a1);
      const double a3 = rate + k / 2 * r2, r3 = slope(angle + k / 2 * a2);
      const double a4 = rate + k * r3, r4 = slope(angle + k * a3);
      angle += k / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
      rate += k / 6 * (r1 + 2 * r2 + 2 * r3 + r4);
    }
    lambda.push_back(rate * rate + kGravity * std::cos(angle));
  }
  return lambda;
}

std::vector<double> multiplier_errors(double x0, double h, double t_end) {
  dae::System system = models::make_model("pendulum");
  system.set_parameter("mass.x0", x0);
  dae::IntegrateOptions options = dae::alpha_steps();
  options.t_end = t_end;
  options.step = h;
  options.alpha.method.parameters = dae::AlphaParameters::from_spectral_radius(0.9);
  // With a_0 = v̇_0; what a_0 changes is far below the error that v_0 causes.
  options.alpha.start = dae::StartingValues::kClassical;
  const dae::Solution solution = dae::integrate(system, options);
  const auto exact = exact_multipliers(x0, h, static_cast<int>(solution.samples.size()) - 1);
  std::vector<double> errors;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    errors.push_back(std::abs(solution.samples[i].lambda[0] - exact[i]));
  }
  return errors;
}

double largest(const std::vector<double>& errors, std::size_t from = 0) {
  return *std::max_element(errors.begin() + static_cast<std::ptrdiff_t>(from), errors.end());
}

TEST(Pendulum, HasTheTransientErrorsOfThePaper) {
  const auto coarse = multiplier_errors(0.2, 2e-2, 2.5), fine = multiplier_errors(0.2, 1e-2, 2.5);
  EXPECT_NEAR(largest(coarse), 2.48e-1, 0.01e-1);
  EXPECT_NEAR(largest(fine), 1.23e-1, 0.01e-1);
  // Gone after about a hundred steps.
  EXPECT_LE(largest(coarse, 100), 0.05 * largest(coarse));
  EXPECT_LE(largest(fine, 110), 0.05 * largest(fine));
}

TEST(Pendulum, IsOfSecondOrderFromTheLowestPoint) {
  const double ratio =
      largest(multiplier_errors(0, 2e-2, 1)) / largest(multiplier_errors(0, 1e-2, 1));
  EXPECT_NEAR(ratio, 4, 0.3);
}

/// q̈ = -λ with q = t³/6.
struct PrescribedCube {
  dae::ElementShape shape() const {
    return {
        .type = "prescribed_cube", .nodes = {{dae::NodeRole::kCoordinates, 1}}, .constraints = 1};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    balance.row(0, 0) += at.acceleration_coordinates(0)(0);
  }
  template <class S>
  lie::Vec<S, 1> constraint(const dae::Position<S>& at) const {
    const S& t = at.time();
    return lie::Vec<S, 1>(at.coordinates(0)(0) - t * t * t / S(6));
  }
};

/// c_n of [ArnoldCardonaBruels2015, Eq. (53)].
double transient_coefficient(const dae::AlphaParameters& p, double rho, int n) {
  return p.c_q() * (1 + rho) * (1 + rho) *
         (0.5 * n * (n - 1) * (rho * rho - 1) * std::pow(-rho, n - 2) +
          n * (2 - rho) * std::pow(-rho, n - 1));
}

TEST(RheonomicConstraint, HasTheErrorOfTheLinearAnalysis) {
  dae::System system("cube");
  system.add_node("x", lie::NodeGroup::rn(1));
  system.add("cube", PrescribedCube{}, {"x"});
  const double h = 0.01;
  for (const double rho : {0.6, 0.9}) {
    dae::IntegrateOptions options = dae::alpha_steps();
    options.t_end = 1;
    options.step = h;
    options.alpha.method.parameters = dae::AlphaParameters::from_spectral_radius(rho);
    // The exact a_0 = v̇(Δ_α h) = Δ_α h, with v_0 exact.
    dae::GeneralizedAlpha stepper(system, options.alpha);
    dae::Consistency consistency(system, {}, dae::LinearSolverKind::kAutomatic);
    stepper.start(consistency.initial_state(0, {}), h);
    dae::MethodState start = stepper.state();
    dae::alpha_memory(start).a[0] = options.alpha.method.parameters.delta_alpha() * h;
    stepper.restart(start, h);
    for (int n = 1; n <= 60; ++n) {
      ASSERT_TRUE(stepper.step(h, n * h).success);
      stepper.accept();
      // λ = -q̈ = -t; the errors of the paper are exact minus numerical.
      const double error = -n * h - stepper.state().lambda[0];
      EXPECT_NEAR(error, transient_coefficient(options.alpha.method.parameters, rho, n) * h, 1e-8)
          << rho << " " << n;
    }
  }
}

}  // namespace
}  // namespace liegrad::testing
