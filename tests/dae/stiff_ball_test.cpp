// The test problem of [RotatingBallTestProblem] where steps are long compared with the oscillation: about one axis
// every Lie-group method is its classical counterpart on m α'' + d α' + k α = 0, with the same stability.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <Eigen/Dense>

#include "liegrad/dae/alpha/generalized_alpha.hpp"
#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/runge_kutta/munthe_kaas.hpp"
#include "liegrad/dae/runge_kutta/radau.hpp"
#include "liegrad/models/models.hpp"

namespace liegrad::dae {
namespace {

constexpr double kStiffness = 1e4, kFrequency = 100, kAmplitude = 0.5;

/// Without damping, at rest, turned about the axis of its spring.
System stiff_ball(double amplitude = kAmplitude) {
  System system = models::make_model("torsional_ball");
  system.set_parameter("ball.k", kStiffness);
  system.set_parameter("ball.d", 0);
  system.set_parameter("ball.alpha0", amplitude);
  for (const char* const component : {"1", "2", "3"}) {
    system.set_parameter(std::string("ball.omega") + component, 0);
  }
  return system;
}

State initial_state(const System& system) {
  return Consistency(system, {}, LinearSolverKind::kAutomatic).initial_state(0, {});
}

double angle_of(const State& state) { return 2 * std::atan2(state.q[3], state.q[0]); }

/// α and α' after a step of a Runge–Kutta method on α'' = -ω²α.
Eigen::Vector2d classical_step(const ButcherTableau& tableau, const Eigen::Vector2d& y, double h) {
  Eigen::Matrix2d l;
  l << 0, 1, -kStiffness, 0;
  const Eigen::Index s = tableau.b.size();
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Identity(2 * s, 2 * s);
  Eigen::VectorXd right(2 * s);
  for (Eigen::Index i = 0; i < s; ++i) {
    right.segment<2>(2 * i) = l * y;
    for (Eigen::Index j = 0; j < s; ++j) {
      matrix.block<2, 2>(2 * i, 2 * j) -= h * tableau.a(i, j) * l;
    }
  }
  const Eigen::VectorXd k = matrix.partialPivLu().solve(right);
  Eigen::Vector2d end = y;
  for (Eigen::Index i = 0; i < s; ++i) end += h * tableau.b(i) * k.segment<2>(2 * i);
  return end;
}

/// The same for generalized-α: (3)–(5) of [ArnoldBruels2007] with α'' = -ω²α.
struct Oscillator {
  AlphaParameters p;
  double h, angle, rate, acceleration, a;

  void step() {
    // a_{n+1} = c - f ω² α_{n+1} with the numbers c and f of the recurrence.
    const double f = (1 - p.alpha_f) / (1 - p.alpha_m);
    const double c = (p.alpha_f * acceleration - p.alpha_m * a) / (1 - p.alpha_m);
    const double known = angle + h * rate + h * h * ((0.5 - p.beta) * a + p.beta * c);
    const double next = known / (1 + h * h * p.beta * f * kStiffness);
    const double a_next = c - f * kStiffness * next;
    rate += h * ((1 - p.gamma) * a + p.gamma * a_next);
    angle = next;
    acceleration = -kStiffness * next;
    a = a_next;
  }
};

/// Of α and α'/ω, relative to the amplitude.
double deviation(const State& state, double angle, double rate) {
  return std::max(std::abs(angle_of(state) - angle), std::abs(state.v[2] - rate) / kFrequency) /
         kAmplitude;
}

TEST(StiffBall, HasTheStabilityOfTheClassicalRungeKuttaMethod) {
  const System system = stiff_ball();
  for (const ButcherTableau& tableau : {gauss_2(), radau_iia_2()}) {
    for (const double h_omega : {0.1, 0.5, 1.0, 2.5, 5.0, 10.0}) {
      SCOPED_TRACE(tableau.name + ", hω = " + std::to_string(h_omega));
      const double h = h_omega / kFrequency;
      const auto stepper = make_munthe_kaas(system, tableau, {});
      stepper->start(initial_state(system), h);
      Eigen::Vector2d y(kAmplitude, 0);
      double size = kAmplitude;
      for (int n = 0; n < 200; ++n) {
        ASSERT_TRUE(stepper->step(h, (n + 1) * h).success) << stepper->report().message;
        stepper->accept();
        y = classical_step(tableau, y, h);
        ASSERT_LE(deviation(stepper->state(), y(0), y(1)), 1e-11) << n;
        // Both are stable for all steps: Gauss keeps α² + (α'/ω)², Radau IIA reduces it.
        const double now =
            std::hypot(angle_of(stepper->state()), stepper->state().v[2] / kFrequency);
        EXPECT_LE(now, size * (1 + 1e-11));
        const bool keeps_it = tableau.name == gauss_2().name;
        EXPECT_GE(now, keeps_it ? kAmplitude - 1e-11 : 0);
        size = now;
      }
    }
  }
}

TEST(StiffBall, HasTheStabilityOfTheClassicalRadauMethods) {
  const System system = stiff_ball();
  for (const int stages : {2, 3}) {
    for (const RadauNewton newton : {RadauNewton::kFull, RadauNewton::kSimplified}) {
      for (const double h_omega : {0.1, 1.0, 2.5, 5.0, 10.0}) {
        SCOPED_TRACE(std::to_string(stages) + " stages, hω = " + std::to_string(h_omega));
        const double h = h_omega / kFrequency;
        Radau radau(system, {.stages = stages, .newton = newton});
        radau.start(initial_state(system), h);
        Eigen::Vector2d y(kAmplitude, 0);
        for (int n = 0; n < 100; ++n) {
          ASSERT_TRUE(radau.step(h, (n + 1) * h).success) << radau.report().message;
          radau.accept();
          y = classical_step(stages == 2 ? radau_iia_2() : radau_iia_3(), y, h);
          ASSERT_LE(deviation(radau.state(), y(0), y(1)), 1e-11) << n;
        }
      }
    }
  }
}

TEST(StiffBall, HasTheClassicalLimitOfRk4) {
  // |R(ix)| ≤ 1 for x ≤ 2√2. The amplitude is so small that growth does not reach half a turn.
  for (const double h_omega : {0.1, 1.0, 2.80, 2.85}) {
    const double h = h_omega / kFrequency, amplitude = 1e-3;
    const System system = stiff_ball(amplitude);
    const auto stepper = make_munthe_kaas(system, rk4(), {});
    stepper->start(initial_state(system), h);
    for (int n = 0; n < 100; ++n) {
      ASSERT_TRUE(stepper->step(h, (n + 1) * h).success) << stepper->report().message;
      stepper->accept();
    }
    // Of the stability polynomial 1 + z + z²/2 + z³/6 + z⁴/24.
    const double x = h_omega;
    const double factor = std::hypot(1 - x * x / 2 + std::pow(x, 4) / 24, x - std::pow(x, 3) / 6);
    const double size = std::hypot(angle_of(stepper->state()), stepper->state().v[2] / kFrequency);
    EXPECT_NEAR(size / (amplitude * std::pow(factor, 100)), 1, 1e-9) << h_omega;
    EXPECT_EQ(size <= amplitude, h_omega < 2.82) << h_omega;
  }
}

TEST(StiffBall, HasTheStabilityOfClassicalGeneralizedAlpha) {
  const System system = stiff_ball();
  struct Case {
    AlphaVariant variant;
    double sigma;
  };
  for (const Case& c :
       {Case{AlphaVariant::kLieGroup, 0}, Case{AlphaVariant::kLieGroup, 1},
        Case{AlphaVariant::kLieGroup, 0.7}, Case{AlphaVariant::kUpdatedLagrangianExp, 0}}) {
    for (const double rho : {0.8, 0.9, 1.0}) {
      for (const double h_omega : {0.1, 1.0, 2.5, 5.0, 10.0, 100.0}) {
        SCOPED_TRACE("hω = " + std::to_string(h_omega));
        const double h = h_omega / kFrequency;
        AlphaOptions options;
        options.variant = c.variant;
        options.method = {.parameters = AlphaParameters::from_spectral_radius(rho),
                          .sigma = c.sigma};
        GeneralizedAlpha stepper(system, options);
        stepper.start(initial_state(system), h);
        const double acceleration = -kStiffness * kAmplitude;
        Oscillator exact{options.method.parameters, h, kAmplitude, 0, acceleration, acceleration};
        for (int n = 0; n < 100; ++n) {
          ASSERT_TRUE(stepper.step(h, (n + 1) * h).success) << stepper.report().message;
          stepper.accept();
          exact.step();
          // Rounding of positions is hω times as large in velocities.
          ASSERT_LE(deviation(stepper.state(), exact.angle, exact.rate), 1e-11 * (1 + h_omega))
              << n;
        }
      }
    }
  }
}

double energy_of(const System& system, const State& state) {
  Outputs outputs(system);
  std::vector<double> out(static_cast<std::size_t>(outputs.size()));
  outputs.evaluate(state, {}, out);
  return out[static_cast<std::size_t>(outputs.offset("energy"))];
}

IntegrateOptions munthe_kaas(const ButcherTableau& tableau) {
  IntegrateOptions options = dae::alpha_steps();
  options.method = Method::kMuntheKaas;
  options.tableau = tableau;
  return options;
}

/// Runs as a user would, about no particular axis.
Solution run(const System& system, const IntegrateOptions& method, double step, double t_end) {
  IntegrateOptions options = method;
  options.step = step;
  options.t_end = t_end;
  options.keep_samples = false;
  return integrate(system, options);
}

TEST(VeryStiffBall, IsDampedOrRefusedByEveryMethod) {
  System system = models::make_model("torsional_ball");
  system.set_parameter("ball.k", 1e12);
  const double start = energy_of(system, initial_state(system));
  std::vector<IntegrateOptions> methods(5, dae::alpha_steps());
  methods[1].alpha.method.sigma = 1;
  methods[2].alpha.variant = AlphaVariant::kUpdatedLagrangianExp;
  methods[3].alpha.variant = AlphaVariant::kUpdatedLagrangianCrv;
  methods[4].alpha.newton.kind = NewtonKind::kModified;
  for (const ButcherTableau& tableau :
       {rk4(), dormand_prince_54(), butcher_6(), gauss_2(), radau_iia_2()}) {
    methods.push_back(munthe_kaas(tableau));
  }
  for (std::size_t i = 0; i < methods.size(); ++i) {
    SCOPED_TRACE(i);
    const Solution solution = run(system, methods[i], 1e-2, 1);
    // Explicit ones, and conformal rotation vectors, which are not linear in a turn about one axis.
    const bool is_refused = i == 3 || (i >= 5 && i < 8);
    EXPECT_EQ(solution.summary.is_complete(), !is_refused) << solution.summary.message;
    if (is_refused) {
      EXPECT_NE(solution.summary.message.find("'ball' turns by more than half a turn"),
                std::string::npos)
          << solution.summary.message;
      continue;
    }
    EXPECT_EQ(solution.summary.failed_attempts, 0);
    EXPECT_LE(energy_of(system, solution.final), start * (1 + 1e-6));
  }
}

TEST(StiffBall, KeepsItsEnergyAboutAnyAxis) {
  // ω(0) is not parallel to the axis of the spring: 1.25e3 J that Newton's iteration turned into 1e8 from guesses
  // beyond half a turn.
  System system = models::make_model("torsional_ball");
  system.set_parameter("ball.k", kStiffness);
  system.set_parameter("ball.d", 0);
  const double start = energy_of(system, initial_state(system));
  std::vector<IntegrateOptions> methods = {munthe_kaas(gauss_2()), munthe_kaas(radau_iia_2())};
  for (const int stages : {2, 3}) {
    methods.emplace_back().method = Method::kRadau;
    methods.back().radau.stages = stages;
  }
  for (const double sigma : {0.0, 1.0}) {
    for (const double rho : {0.8, 0.9}) {
      methods.push_back(alpha_steps());
      methods.back().alpha.method = {.parameters = AlphaParameters::from_spectral_radius(rho),
                                     .sigma = sigma};
    }
  }
  for (std::size_t i = 0; i < methods.size(); ++i) {
    for (const double h_omega : {1.0, 2.5, 5.0, 10.0}) {
      const Solution solution = run(system, methods[i], h_omega / kFrequency, 10);
      EXPECT_TRUE(solution.summary.is_complete()) << solution.summary.message;
      EXPECT_EQ(solution.summary.failed_attempts, 0) << i << " " << h_omega;
      EXPECT_LE(energy_of(system, solution.final), 1.05 * start) << i << " " << h_omega;
    }
  }
}

TEST(FastBody, IsRefusedBeyondHalfATurnInAStepOfMuntheKaas) {
  System system = models::make_model("free_body");
  const State state = initial_state(system);
  State fast = state;
  fast.v[0] = 100;
  fast.v[1] = fast.v[2] = 0;
  for (const ButcherTableau& tableau : {rk4(), dormand_prince_54(), gauss_2(), radau_iia_2()}) {
    const auto stepper = make_munthe_kaas(system, tableau, {});
    for (const double turn : {0.9, 1.1}) {
      const double h = turn * std::numbers::pi / 100;
      stepper->start(fast, h);
      const StepReport& report = stepper->step(h, h);
      EXPECT_EQ(report.success, turn < 1) << tableau.name << report.message;
      if (turn < 1) continue;
      EXPECT_EQ(report.failure, NewtonFailure::kDiverged);
      EXPECT_NE(report.message.find("turns by more than half a turn"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace liegrad::dae
