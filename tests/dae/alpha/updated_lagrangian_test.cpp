// The updated Lagrangian method against the experiments of [BruelsCardonaArnold2012, section 7.1] and
// its own equations.

#include "liegrad/dae/alpha/updated_lagrangian.hpp"
#include "liegrad/dae/alpha/generalized_alpha.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dae/heavy_top_runs.hpp"
#include "liegrad/dae/alpha/alpha_memory.hpp"
#include "liegrad/dae/integrate.hpp"
#include "liegrad/lie/coordinate_maps.hpp"
#include "liegrad/models/models.hpp"
#include "support/allocations.hpp"

namespace liegrad::dae {
namespace {

/// ρ∞ = 0.9 as in section 7.1.
IntegrateOptions options_for(AlphaVariant variant, double step, double t_end) {
  IntegrateOptions options = dae::alpha_steps();
  options.alpha.variant = variant;
  options.alpha.method.parameters = AlphaParameters::from_spectral_radius(0.9);
  options.step = step;
  options.t_end = t_end;
  options.keep_samples = false;
  return options;
}

struct Energies {
  std::vector<double> change;  ///< since the first step, after each step
  double spin_change = 0;      ///< of Ω₂ = 150, largest
  double iterations = 0;       ///< per step
};

Energies energies(AlphaVariant variant) {
  const System system = models::make_model("heavy_top");
  Assembly assembly(system, Formulation::kIndex3, false, LinearSolverKind::kAutomatic);
  std::vector<double> outputs(static_cast<std::size_t>(system.num_element_outputs()));
  const auto energy = [&](const std::vector<double>& q, const std::vector<double>& v) {
    assembly.set_configuration(q);
    assembly.set_velocity(v);
    const auto observed = assembly.observe(outputs);
    return observed.kinetic + observed.potential;
  };
  const double first = energy(system.initial_configuration(), system.initial_velocity());
  Energies result;
  IntegrateOptions options = options_for(variant, 2e-3, 2);
  options.alpha.newton.residual_tolerance = 1e-10;
  options.alpha.guess = FirstGuess::kZeroMultiplier;  // as Table 1 does
  options.on_step = [&](const State& state) {
    result.change.push_back(energy(state.q, state.v) - first);
    result.spin_change = std::max(result.spin_change, std::abs(state.v[1] - 150));
    return true;
  };
  const Solution solution = integrate(system, options);
  EXPECT_TRUE(solution.summary.is_complete()) << solution.summary.message;
  EXPECT_NEAR(first, 5436, 1);
  result.iterations = static_cast<double>(solution.summary.newton_iterations) /
                      static_cast<double>(solution.summary.steps);
  return result;
}

TEST(UpdatedLagrangian, GainsEnergyWithConformalRotationVectorsOnly) {
  const Energies crv = energies(AlphaVariant::kUpdatedLagrangianCrv);
  EXPECT_NEAR(crv.change.back(), 170, 20);
  // Steadily: each tenth of the interval adds about as much.
  for (std::size_t i = 1; i <= 10; ++i) {
    EXPECT_NEAR(crv.change[i * crv.change.size() / 10 - 1],
                crv.change.back() * static_cast<double>(i) / 10, 0.05 * crv.change.back());
  }
  const auto largest = [](const Energies& e) {
    return std::abs(*std::max_element(e.change.begin(), e.change.end(), [](double a, double b) {
      return std::abs(a) < std::abs(b);
    }));
  };
  const Energies exponential = energies(AlphaVariant::kUpdatedLagrangianExp);
  const Energies lie_group = energies(AlphaVariant::kLieGroup);
  EXPECT_LT(largest(lie_group), 0.2);
  // "… this effect does not appear": it loses a little instead.
  EXPECT_LT(largest(exponential), 0.03 * crv.change.back());
  RecordProperty("crv", std::to_string(crv.change.back()));
  RecordProperty("exponential", std::to_string(largest(exponential)));
  RecordProperty("lie_group", std::to_string(largest(lie_group)));

  // "The mean number of Newton iterations per time step is equal to 3 for both methods."
  for (const Energies* each : {&crv, &exponential, &lie_group}) {
    EXPECT_NEAR(each->iterations, 3, 0.05);
  }
  // The equation of Ω₂ has no torque and no gyroscopic term: generalized-α leaves a constant alone,
  // unless coordinates mix.
  EXPECT_LT(lie_group.spin_change, 1e-9);
  RecordProperty("spin",
                 std::to_string(exponential.spin_change) + " " + std::to_string(crv.spin_change));
}

TEST(UpdatedLagrangian, IsOfSecondOrder) {
  struct Run {
    AlphaVariant variant;
    lie::NodeGroup group;
  };
  for (const Run& run : {Run{AlphaVariant::kUpdatedLagrangianExp, lie::NodeGroup::so3xr3()},
                         Run{AlphaVariant::kUpdatedLagrangianExp, lie::NodeGroup::se3()},
                         Run{AlphaVariant::kUpdatedLagrangianCrv, lie::NodeGroup::so3xr3()}}) {
    const System system = models::make_model("heavy_top", run.group);
    const double t_end = 0.2;
    const auto end = [&](int n) {
      const Solution solution = integrate(system, options_for(run.variant, t_end / n, t_end));
      EXPECT_TRUE(solution.summary.is_complete()) << solution.summary.message;
      return solution.final;
    };
    const State a = end(1600), b = end(3200), c = end(6400);
    const auto distances = [&](const State& x, const State& y) {
      std::vector<double> delta(x.v.size());
      system.configuration_space().minus<double>(x.q, y.q, delta);
      double q = 0, v = 0;
      for (std::size_t i = 0; i < delta.size(); ++i) {
        q = std::hypot(q, delta[i]);
        v = std::hypot(v, x.v[i] - y.v[i]);
      }
      return std::pair(q, v);
    };
    const auto coarse = distances(a, b), fine = distances(b, c);
    EXPECT_NEAR(std::log2(coarse.first / fine.first), 2, 0.1);
    EXPECT_NEAR(std::log2(coarse.second / fine.second), 2, 0.1);
  }
}

TEST(UpdatedLagrangian, HasMultipliersOfSecondOrderFromCorrectedStarts) {
  // Classical starts have errors of first order in the first steps on SO(3)×R³, which are gone later.
  using testing::TopErrors, testing::TopRun;
  struct Case {
    AlphaVariant variant;
    lie::NodeGroup group;
  };
  for (const Case& c : {Case{AlphaVariant::kUpdatedLagrangianExp, lie::NodeGroup::so3xr3()},
                        Case{AlphaVariant::kUpdatedLagrangianExp, lie::NodeGroup::se3()},
                        Case{AlphaVariant::kUpdatedLagrangianCrv, lie::NodeGroup::so3xr3()}}) {
    const auto errors = [&](StartingValues start, double h, double from) {
      const TopRun run{
          .group = c.group, .variant = c.variant, .start = start, .h = h, .t_end = 0.2};
      return testing::errors_of(run.run(), run, from);
    };
    const auto order = [&](StartingValues start, double from, double TopErrors::*variable) {
      return std::log2(errors(start, 2.5e-4, from).*variable /
                       errors(start, 1.25e-4, from).*variable);
    };
    for (const StartingValues start :
         {StartingValues::kCorrected, StartingValues::kCorrectedDifference}) {
      EXPECT_NEAR(order(start, 0, &TopErrors::lambda), 2, 0.1);
    }
    EXPECT_NEAR(order(StartingValues::kCorrected, 0, &TopErrors::q), 2, 0.1);
    EXPECT_NEAR(order(StartingValues::kCorrected, 0, &TopErrors::v), 2, 0.1);
    EXPECT_NEAR(order(StartingValues::kClassical, 0.1, &TopErrors::lambda), 2, 0.1);
    const double classical = errors(StartingValues::kClassical, 1e-3, 0).lambda,
                 corrected = errors(StartingValues::kCorrected, 1e-3, 0).lambda;
    std::printf("λ at h = 1e-3: %.2e from a classical start, %.2e from a corrected one\n",
                classical, corrected);
    if (c.group.kind == lie::GroupKind::kSO3xR3) {
      EXPECT_NEAR(order(StartingValues::kClassical, 0, &TopErrors::lambda), 1, 0.05);
      EXPECT_LE(corrected, 0.25 * classical);
    }
  }
}

/// The motion at the end of a step from some start, as Kinematics reports it, for a given increment.
struct OneStep {
  System system;
  Assembly assembly;
  MethodState start;
  double h = 0.02;
  AlphaParameters parameters = AlphaParameters::from_spectral_radius(0.9);
  std::unique_ptr<Kinematics> kinematics;

  OneStep(const lie::NodeGroup& group, bool crv)
      : system(models::make_model("heavy_top", group)),
        assembly(system, Formulation::kIndex3, true, LinearSolverKind::kAutomatic),
        kinematics(make_updated_lagrangian(system.configuration_space(), parameters, crv)) {
    start.q = system.initial_configuration();
    start.v = {1.5, 20, -4, 0.4, 0.3, -0.2};
    start.v_dot = {3, -2, 5, 0.5, 1, -1};
    begin_alpha(State(start), false, start);
    std::ranges::copy(std::array{2.5, -2.0, 5.5, 0.4, 1.0, -1.5}, alpha_memory(start).a.begin());
    kinematics->begin(start, h, assembly);
  }
};

/// Newton's matrix is the derivative of its residual along every correction.
TEST(UpdatedLagrangian, HasAnExactMatrix) {
  for (const auto& [group, crv] :
       {std::pair(lie::NodeGroup::so3xr3(), false), std::pair(lie::NodeGroup::so3xr3(), true),
        std::pair(lie::NodeGroup::se3(), false)}) {
    OneStep step(group, crv);
    Assembly& assembly = step.assembly;
    const std::vector<double> increment = {1.7, 19, -4.5, 0.5, 0.2, -0.3};
    const std::vector<double> lambda = {3, -20, 150};
    std::copy(lambda.begin(), lambda.end(), assembly.multipliers().begin());
    const auto residual = [&](int unknown, double w, bool with_matrix) {
      step.kinematics->guess_increment(increment);
      step.kinematics->evaluate(assembly, true);
      std::vector<double> correction(6, 0.0);
      correction[static_cast<std::size_t>(unknown)] = w;
      step.kinematics->correct(correction, {}, 1);
      step.kinematics->evaluate(assembly, with_matrix);
      assembly.evaluate(with_matrix);
      return std::vector<double>(assembly.residual().begin(), assembly.residual().end());
    };
    for (int j = 0; j < 6; ++j) {
      const double w = 1e-4;
      const std::vector<double> plus = residual(j, w, false), minus = residual(j, -w, false);
      residual(j, 0, true);
      for (int i = 0; i < assembly.size(); ++i) {
        const std::size_t k = static_cast<std::size_t>(i);
        const double quotient = (plus[k] - minus[k]) / (2 * w);
        // w² of the quotient and its rounding, of numbers up to 1e3.
        EXPECT_NEAR(assembly.entry(i, j), quotient, 1e-6 * std::max(1.0, std::abs(quotient)))
            << "row " << i << ", column " << j << (crv ? ", crv" : ", exp");
      }
    }
  }
}

/// (74) and (75) are time derivatives: with q(t) = q_n∘μ(c(t)) for any curve c, v = T ċ and its rate.
TEST(UpdatedLagrangian, ReportsVelocityAndAccelerationOfTheLocalCoordinates) {
  for (const bool crv : {false, true}) {
    OneStep step(lie::NodeGroup::so3xr3(), crv);
    const AlphaParameters& p = step.parameters;
    const std::vector<double> increment = {1.7, 19, -4.5, 0.5, 0.2, -0.3};
    step.kinematics->guess_increment(increment);
    step.kinematics->evaluate(step.assembly, false);
    MethodState end = step.start;
    step.kinematics->finish(end);

    using Vec = lie::Vec<double, 3>;
    Vec c, rate, acceleration, a;
    for (int i = 0; i < 3; ++i) {
      const std::size_t k = static_cast<std::size_t>(i);
      const double a_n = alpha_memory(step.start).a[k], v_n = step.start.v[k];
      c(i) = step.h * increment[k];
      a(i) = (c(i) - step.h * v_n - (0.5 - p.beta) * step.h * step.h * a_n) /
             (p.beta * step.h * step.h);                                       // (77)
      rate(i) = v_n + (1 - p.gamma) * step.h * a_n + p.gamma * step.h * a(i);  // (78)
      acceleration(i) =
          ((1 - p.alpha_m) * a(i) + p.alpha_m * a_n - p.alpha_f * step.start.v_dot[k]) /
          (1 - p.alpha_f);  // (79)
    }
    const auto tangent = [&](const Vec& at) {
      return crv ? lie::ConformalRotationVector::tangent_operator<lie::SO3<double>>(at)
                 : lie::SO3<double>::tangent_operator(at);
    };
    const double e = 1e-5;
    const Vec along = (tangent(c + e * rate) * rate - tangent(c - e * rate) * rate) / (2 * e);
    const Vec v = tangent(c) * rate, v_dot = tangent(c) * acceleration + along,
              auxiliary = tangent(c) * a + along;  // (74), (75), (76)
    const auto group = crv ? lie::ConformalRotationVector::to_group<lie::SO3<double>>(c)
                           : lie::SO3<double>::exp(c);
    for (int i = 0; i < 3; ++i) {
      const std::size_t k = static_cast<std::size_t>(i);
      EXPECT_NEAR(end.v[k], v(i), 1e-12 * 20);
      EXPECT_NEAR(end.v_dot[k], v_dot(i), 1e-5);  // of the difference quotient, numbers near 1e2
      EXPECT_NEAR(alpha_memory(end).a[k], auxiliary(i), 1e-5);
    }
    for (int i = 0; i < 4; ++i) {
      EXPECT_NEAR(end.q[static_cast<std::size_t>(i)], group.coeffs()(i), 1e-15);  // q_n has R = I
    }
    // R^3 is plain generalized-α.
    EXPECT_NEAR(end.q[4], step.start.q[4] + step.h * increment[3], 1e-15);
  }
}

TEST(UpdatedLagrangian, IsTheLieGroupMethodWhereTheGroupCommutes) {
  const System system = models::make_model("pendulum");
  const Solution lie_group = integrate(system, options_for(AlphaVariant::kLieGroup, 1e-2, 1));
  for (const AlphaVariant variant :
       {AlphaVariant::kUpdatedLagrangianExp, AlphaVariant::kUpdatedLagrangianCrv}) {
    const Solution local = integrate(system, options_for(variant, 1e-2, 1));
    ASSERT_TRUE(local.summary.is_complete()) << local.summary.message;
    for (std::size_t i = 0; i < local.final.q.size(); ++i) {
      EXPECT_NEAR(local.final.q[i], lie_group.final.q[i], 1e-11);
    }
  }
}

TEST(UpdatedLagrangian, RefusesConformalRotationVectorsOnSE3) {
  const System system = models::make_model("heavy_top", lie::NodeGroup::se3());
  try {
    make_updated_lagrangian(system.configuration_space(), AlphaParameters{}, true);
    FAIL() << "nothing was thrown";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("SO(3)xR^3"), std::string::npos) << error.what();
  }
}

using UpdatedLagrangianAllocation = test::Allocation;

TEST_F(UpdatedLagrangianAllocation, DoesNotHappenInAStep) {
  const System system = models::make_model("heavy_top");
  for (const AlphaVariant variant :
       {AlphaVariant::kUpdatedLagrangianExp, AlphaVariant::kUpdatedLagrangianCrv}) {
    const IntegrateOptions options = options_for(variant, 1e-3, 1);
    GeneralizedAlpha stepper(system, options.alpha);
    Consistency consistency(system, {}, LinearSolverKind::kAutomatic);
    stepper.start(consistency.initial_state(0, {}), 1e-3);
    // The first step takes memory for scales.
    stepper.step(1e-3, 1e-3);
    stepper.accept();
    for (int n = 1; n < 5; ++n) {
      EXPECT_EQ(test::allocations_of([&] {
                  stepper.step(1e-3, (n + 1) * 1e-3);
                  stepper.accept();
                }),
                0);
      EXPECT_TRUE(stepper.report().success);
    }
  }
}

}  // namespace
}  // namespace liegrad::dae
