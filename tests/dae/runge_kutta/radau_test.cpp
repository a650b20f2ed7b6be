// Radau IIA on the group with constraints: what its form, its multipliers and its step are for, and what it refuses.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "dae/heavy_top_runs.hpp"
#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/runge_kutta/radau.hpp"
#include "liegrad/elements/joints/fixed_point.hpp"
#include "liegrad/lie/error.hpp"
#include "liegrad/models/models.hpp"
#include "support/allocations.hpp"

namespace liegrad::dae {
namespace {

using liegrad::testing::errors_of;
using liegrad::testing::TopErrors;
using liegrad::testing::TopRun;

IntegrateOptions radau_options(const TopRun& run, int stages = 3) {
  IntegrateOptions o = run.options();
  o.method = Method::kRadau;
  o.radau.stages = stages;
  return o;
}

TEST(RadauCoefficients, AreThoseOfTheBook) {
  const RadauCoefficients c(3);
  // [HairerWanner1996, Section IV.8]: γ̂, α̂ ± iβ̂ and e.
  ASSERT_EQ(c.modes.size(), 2u);
  for (const RadauCoefficients::Mode& mode : c.modes) {
    if (mode.is_real()) {
      EXPECT_NEAR(mode.gamma.real(), 3.6378342527444957, 1e-13);
    } else {
      EXPECT_NEAR(mode.gamma.real(), 2.6810828736277521, 1e-13);
      EXPECT_NEAR(mode.gamma.imag(), 3.0504301992474106, 1e-13);
    }
  }
  const double r = std::sqrt(6.0), gamma = 1 / 3.6378342527444957;
  EXPECT_NEAR(c.error_weights(0), gamma / 3 * (-13 - 7 * r), 1e-12);
  EXPECT_NEAR(c.error_weights(1), gamma / 3 * (-13 + 7 * r), 1e-12);
  EXPECT_NEAR(c.error_weights(2), -gamma / 3, 1e-12);
}

TEST(RadauCoefficients, HaveTheStabilityFunctionOfThePadeTable) {
  for (const double x : {0.01, 1.0, 3.0, 10.0, 1e4}) {
    const std::complex<double> z(0, x);
    const auto two = (1.0 + z / 3.0) / (1.0 - 2.0 * z / 3.0 + z * z / 6.0);
    const auto three = (1.0 + 2.0 * z / 5.0 + z * z / 20.0) /
                       (1.0 - 3.0 * z / 5.0 + 3.0 * z * z / 20.0 - z * z * z / 60.0);
    EXPECT_NEAR(RadauCoefficients(2).amplification(x), std::abs(two), 1e-13);
    EXPECT_NEAR(RadauCoefficients(3).amplification(x), std::abs(three), 1e-13);
  }
}

class RadauHeavyTop : public ::testing::TestWithParam<lie::NodeGroup> {};

TEST_P(RadauHeavyTop, IsOfFullOrderAgainstAReferenceByOtherMeans) {
  TopRun run;
  run.group = GetParam();
  run.t_end = 0.08;
  const bool se3 = run.group.kind == lie::GroupKind::kSE3;
  for (const int stages : {2, 3}) {
    const double h = stages == 3 && !se3 ? 2e-3 : 1e-3;
    std::array<TopErrors, 2> e;
    for (int i = 0; i < 2; ++i) {
      const TopRun with_step = run.with_step(h / (1 << i));
      e[static_cast<std::size_t>(i)] =
          errors_of(integrate(run.system(), radau_options(with_step, stages)), with_step);
    }
    const double order = 2 * stages - 1, margin = stages == 2 ? 0.2 : 0.3;
    EXPECT_NEAR(std::log2(e[0].q / e[1].q), order, margin) << stages;
    EXPECT_NEAR(std::log2(e[0].v / e[1].v), order, margin) << stages;
    EXPECT_NEAR(std::log2(e[0].lambda / e[1].lambda), order, margin) << stages;
  }
}

INSTANTIATE_TEST_SUITE_P(Groups, RadauHeavyTop,
                         ::testing::Values(lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()),
                         [](const auto& group) {
                           return group.param.kind == lie::GroupKind::kSE3 ? "SE3" : "SO3xR3";
                         });

/// Errors at t_end of x, v, λ and λ of the last stage.
struct EndErrors {
  double x, v, lambda, stage_lambda;
};
EndErrors errors_at_end(Formulation formulation, double h) {
  TopRun run;
  run.t_end = 0.08;
  const System top = run.system();
  Radau radau(top, {.stages = 3, .formulation = formulation});
  radau.start(Consistency(top, {}, LinearSolverKind::kAutomatic).initial_state(0, {}), h);
  const int steps = static_cast<int>(std::lround(run.t_end / h));
  for (int n = 0; n < steps; ++n) {
    EXPECT_TRUE(radau.step(h, (n + 1) * h).success) << radau.report().message;
    radau.accept();
  }
  const auto exact = liegrad::testing::HeavyTopReference::on_grid(run.t_end, run.t_end).back();
  EndErrors e{};
  for (int k = 0; k < 3; ++k) {
    const std::size_t i = static_cast<std::size_t>(k);
    e.x = std::max(e.x, std::abs(radau.state().q[i + 4] - exact.position(k)));
    e.v = std::max(e.v, std::abs(radau.state().v[i] - exact.omega(k)));
    e.lambda = std::max(e.lambda, std::abs(radau.state().lambda[i] - exact.lambda(k)));
    e.stage_lambda =
        std::max(e.stage_lambda, std::abs(radau.equations().multipliers(2)[i] - exact.lambda(k)));
  }
  return e;
}

TEST(Radau, LosesOrderInIndexThreeAndInTheMultipliersOfItsStages) {
  constexpr double kStep = 1e-3, kMargin = 0.35;
  const auto order = [](double coarse, double fine) { return std::log2(coarse / fine); };
  const EndErrors coarse = errors_at_end(Formulation::kStabilized, kStep),
                  fine = errors_at_end(Formulation::kStabilized, kStep / 2);
  EXPECT_NEAR(order(coarse.lambda, fine.lambda), 5, kMargin);
  EXPECT_NEAR(order(coarse.stage_lambda, fine.stage_lambda), 3, kMargin);
  const EndErrors coarse_3 = errors_at_end(Formulation::kIndex3, kStep),
                  fine_3 = errors_at_end(Formulation::kIndex3, kStep / 2);
  EXPECT_NEAR(order(coarse_3.x, fine_3.x), 5, kMargin);
  EXPECT_NEAR(order(coarse_3.v, fine_3.v), 3, kMargin);
  EXPECT_NEAR(order(coarse_3.stage_lambda, fine_3.stage_lambda), 2, kMargin);
}

using RadauAllocation = test::Allocation;

TEST_F(RadauAllocation, DoesNotHappenInAStep) {
  for (const char* const name : {"heavy_top", "free_body", "chain", "slider_crank", "andrews"}) {
    const System system = models::make_model(name);
    const double h = models::find_model(name).default_step;
    for (const RadauNewton newton : {RadauNewton::kFull, RadauNewton::kSimplified}) {
      Radau radau(system, {.stages = 3, .newton = newton});
      radau.start(Consistency(system, {}, LinearSolverKind::kAutomatic).initial_state(0, {}), h);
      // The first steps make matrices and choose pivots.
      for (int n = 0; n < 6; ++n) {
        const int allocations = test::allocations_of([&] {
          radau.step(h, (n + 1) * h);
          radau.accept();
        });
        EXPECT_TRUE(radau.report().success) << radau.report().message;
        if (n > 2) {
          EXPECT_EQ(allocations, 0) << name;
        }
      }
    }
  }
}

/// In the second correction of a step of the fast top velocities and multipliers change as much as in the first one, while
/// residuals fall by ten: that is no reason for new matrices, nor for those of all stages.
TEST(RadauNewton, KeepsMatricesWhenTheSecondCorrectionIsAsLargeAsTheFirst) {
  for (const double tolerance : {3e-5, 1e-5, 3e-6, 1e-6}) {
    IntegrateOptions o;
    o.method = Method::kRadau;
    o.t_end = 0.2;  // the first steps grow, and have matrices of their own
    o.adaptive.emplace();
    o.adaptive->tolerance.relative = tolerance;
    const IntegrateSummary run = integrate(models::make_model("heavy_top"), o).summary;
    ASSERT_TRUE(run.is_complete()) << run.message;
    // One of them is that of (19), at the end of each step.
    EXPECT_LT(static_cast<double>(run.jacobian_evaluations), 1.6 * static_cast<double>(run.steps))
        << tolerance;
    EXPECT_LT(static_cast<double>(run.newton_iterations), 5.0 * static_cast<double>(run.steps))
        << tolerance;
  }
}

TEST(Radau, RefusesStepsOfMoreThanHalfATurn) {
  System body = models::make_model("free_body");
  IntegrateOptions o = dae::alpha_steps();
  o.method = Method::kRadau;
  o.t_end = 100;
  o.step = 50;
  o.smallest_fraction = 0.9;
  const Solution solution = integrate(body, o);
  EXPECT_FALSE(solution.summary.is_complete());
  EXPECT_NE(solution.summary.message.find("half a turn"), std::string::npos)
      << solution.summary.message;
}

/// A top on the same point twice: it moves as on one, and each joint has half of the force.
TEST(Radau, SharesTheForceOfRedundantConstraints) {
  System twice = models::make_model("heavy_top");
  twice.add("again", elements::FixedPoint{}, {"top"},
            {.values = {{"X1", twice.parameter("top.X1")},
                        {"X2", twice.parameter("top.X2")},
                        {"X3", twice.parameter("top.X3")}}});
  IntegrateOptions o;
  o.t_end = 0.05;
  const Solution one = integrate(models::make_model("heavy_top"), o);
  EXPECT_THROW(integrate(twice, o), InvalidArgument);
  o.alpha.consistency.allow_redundant = true;
  const Solution two = integrate(twice, o);
  ASSERT_TRUE(two.summary.is_complete()) << two.summary.message;
  EXPECT_EQ(two.summary.method, "radau-3");
  EXPECT_LT(two.summary.max_position_residual, 1e-13);
  EXPECT_LT(two.summary.max_velocity_residual, 1e-11);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(two.final.v[i], one.final.v[i], 30e-6 * 150);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(two.final.lambda[i], two.final.lambda[i + 3], 1e-9 * 1e3);
    EXPECT_NEAR(2 * two.final.lambda[i], one.final.lambda[i], 30e-6 * 1e3);
  }
}

TEST(Radau, NamesWhatIsWrongWithItsOptions) {
  const System top = models::make_model("heavy_top");
  IntegrateOptions o = dae::alpha_steps();
  o.method = Method::kRadau;
  o.radau.stages = 4;
  o.radau.max_iterations = 0;
  const std::vector<std::string> problems = o.problems(top);
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[0], "Radau methods have 2 or 3 stages here; stages = 4");
  EXPECT_EQ(problems[1],
            "the stages of a Radau method need at least one iteration; max_iterations = 0");
}

}  // namespace
}  // namespace liegrad::dae
