// The slider–crank mechanism of [ArnoldBruels2007, section 5.1]: second order in all variables, with a
// massless hinge, in every formulation. The paper prints curves, not numbers; the numbers here come from
// the same mechanism in two coordinates, θ1 and x4, by extrapolation in extended precision, and its joint
// forces from the balance of each body.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>
#include <span>
#include <vector>

#include "liegrad/dae/alpha/alpha_memory.hpp"
#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/start/consistency.hpp"
#include "liegrad/models/models.hpp"

namespace liegrad::testing {
namespace {

using dae::Formulation;

constexpr Formulation kFormulations[] = {Formulation::kIndex3, Formulation::kIndex2,
                                         Formulation::kStabilized};

dae::IntegrateOptions with_step(double h, Formulation formulation = Formulation::kIndex3) {
  dae::IntegrateOptions options = dae::alpha_steps();
  options.step = h;
  options.t_end = 1;
  options.keep_samples = false;
  options.alpha.formulation = formulation;
  // As in the paper, with its starting values.
  options.alpha.method.parameters = dae::AlphaParameters::from_spectral_radius(0.7);
  return options;
}

/// Variables whose errors are measured: θ1, θ2, x3, x4, their rates, all multipliers.
std::vector<double> variables(const dae::State& state) {
  std::vector<double> list;
  for (const auto* vector : {&state.q, &state.v}) {
    for (const std::size_t i : {2u, 5u, 6u, 7u}) list.push_back((*vector)[i]);
  }
  list.insert(list.end(), state.lambda.begin(), state.lambda.end());
  return list;
}

/// At t = 1, to at least 13 digits.
const std::vector<double> kReference = {
    7.414624985538759,   -0.469581082835239,   0.6626619501461975, 0.6004431372840045,
    -6.575234686574981,  1.568152071784229,    2.210991813488876,  -2.981938985827391,
    -15.24176754656283,  0.464643191177381,     // ground on crank
    -14.689908142031459, 11.0234711250137372,   // hinge on crank
    14.689908142031459,  -11.0234711250137372,  // hinge on rod
    -42.1860281860517,   15.8101854234267};     // slider on rod

TEST(SliderCrank, StartsWithTheAccelerationsAndForcesOfTheTwoCoordinates) {
  const dae::System system = models::slider_crank({});
  ASSERT_EQ(system.dof(), 10);
  ASSERT_EQ(system.num_multipliers(), 8);
  dae::Consistency consistency(system, {}, dae::LinearSolverKind::kAutomatic);
  const dae::State state = consistency.initial_state(0, {});
  // At θ1 = π/2 the rod only translates: 1/θ1'' = m1 l1²/3 + (m2 + m3) l1².
  const double acceleration = 1 / 0.0333;
  EXPECT_NEAR(state.v_dot[2], acceleration, 1e-12);
  EXPECT_NEAR(state.v_dot[5], 0, 1e-12);
  EXPECT_NEAR(state.v_dot[6], -0.3 * acceleration, 1e-12);
  EXPECT_NEAR(state.v_dot[7], 0, 1e-12);
  const double y = 0.910236910884545;
  const double expected[] = {-4.3 / 1.11, y, 2.5 / 1.11, -y, -2.5 / 1.11, y, 1 / 1.11, -y};
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(state.lambda[i], expected[i], 1e-13) << i;
}

TEST(SliderCrank, IsOfSecondOrderInAllVariables) {
  const dae::System system = models::slider_crank({});
  for (const Formulation formulation : kFormulations) {
    std::vector<std::vector<double>> ends;
    for (double h = 1.0 / 3200; h > 1.0 / 30000; h /= 2) {
      ends.push_back(variables(dae::integrate(system, with_step(h, formulation)).final));
    }
    ASSERT_EQ(ends.size(), 4u);
    double smallest = 9, largest = 0, extrapolated = 0;
    for (std::size_t i = 0; i < kReference.size(); ++i) {
      for (std::size_t k = 1; k < ends.size(); ++k) {
        const double slope =
            std::log2(std::abs((ends[k - 1][i] - kReference[i]) / (ends[k][i] - kReference[i])));
        smallest = std::min(smallest, slope);
        largest = std::max(largest, slope);
        EXPECT_NEAR(slope, 2, 0.05) << "variable " << i << ", refinement " << k;
      }
      // All formulations have one limit.
      const double limit = ends[3][i] + (ends[3][i] - ends[2][i]) / 3;
      const double error = std::abs(limit - kReference[i]) / std::max(1.0, std::abs(kReference[i]));
      extrapolated = std::max(extrapolated, error);
      EXPECT_LE(error, 5e-7) << "variable " << i;
    }
    std::printf("formulation %d: slopes from %.3f to %.3f, extrapolated to %.1e\n",
                static_cast<int>(formulation), smallest, largest, extrapolated);
  }
}

TEST(SliderCrank, HasAccelerationsOfSecondOrder) {
  // Section 2.1: as equilibrium holds at each step, accelerations are of second order. The acceleration-like a_n
  // is not: it stands for those at t_n + Δ_α h.
  const dae::System system = models::slider_crank({});
  for (const Formulation formulation : kFormulations) {
    std::vector<dae::MethodState> ends;
    for (const double n : {1600, 3200, 6400, 12800}) {
      dae::IntegrateOptions options = with_step(1.0 / n, formulation);
      options.on_step = [end = &ends.emplace_back()](const dae::MethodState& state) {
        *end = state;
        return true;
      };
      dae::integrate(system, options);
    }
    for (const std::size_t i : {2u, 5u, 6u, 7u}) {
      const auto slope = [&](auto values_of, std::size_t k) {
        const auto value = [&](std::size_t run) { return values_of(ends[run])[i]; };
        return std::log2(std::abs((value(k) - value(k + 1)) / (value(k + 1) - value(k + 2))));
      };
      for (const std::size_t k : {0u, 1u}) {
        EXPECT_NEAR(slope([](const auto& end) { return std::span(end.v_dot); }, k), 2, 0.1) << i;
      }
      EXPECT_NEAR(slope([](const auto& end) { return dae::alpha_memory(end).a; }, 1), 1, 0.3) << i;
    }
  }
}

TEST(SliderCrank, IsOfFirstOrderWithoutTheOrderCondition) {
  // θ1, x4 and the first multiplier at t = 0.2. (The first-order error of θ1' is small there: its slope
  // falls from 1.80 with these steps to 1.03 with h = 1/512000.)
  const double reference[] = {1.796647411670789, 0.4568461225652221, -4.060651992262245};
  const dae::System system = models::slider_crank({});
  for (const bool satisfied : {true, false}) {
    std::vector<std::vector<double>> errors;
    for (const double h : {1.0 / 2000, 1.0 / 4000, 1.0 / 8000}) {
      dae::IntegrateOptions options = with_step(h);
      options.t_end = 0.2;
      if (!satisfied) {
        // β moves with γ, or 2β ≥ γ would be lost, and with it stability.
        dae::AlphaParameters& parameters = options.alpha.method.parameters;
        parameters.gamma += 0.05;
        parameters.beta = std::pow(parameters.gamma + 0.5, 2) / 4;
      }
      const dae::State end = dae::integrate(system, options).final;
      errors.push_back(
          {end.q[2] - reference[0], end.q[7] - reference[1], end.lambda[0] - reference[2]});
    }
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t k = 1; k < errors.size(); ++k) {
        EXPECT_NEAR(std::log2(std::abs(errors[k - 1][i] / errors[k][i])), satisfied ? 2 : 1, 0.1)
            << "variable " << i << ", refinement " << k;
      }
    }
  }
}

TEST(SliderCrank, HasAMasslessHingeInEveryFormulation) {
  const dae::System system = models::slider_crank({});
  // M is the derivative of the equations of motion by accelerations: zero for the hinge, (x5, y5).
  dae::Assembly assembly(system, Formulation::kIndex3, false, dae::LinearSolverKind::kDense);
  assembly.set_configuration(system.initial_configuration());
  assembly.set_velocity(system.initial_velocity());
  assembly.set_acceleration(std::vector<double>(10, 0.0));
  assembly.set_identity_maps();
  assembly.coefficients() = {};
  assembly.evaluate(true);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(assembly.entry(i, i) > 0, i < 8) << i;
    for (int j = 8; j < 10; ++j) EXPECT_EQ(assembly.entry(i, j), 0);
  }
  // The step of the paper. Forces on the hinge are in balance, and it is where crank and rod meet.
  for (const Formulation formulation : kFormulations) {
    dae::IntegrateOptions options = with_step(5e-3, formulation);
    int steps = 0;
    options.on_step = [&](const dae::State& state) {
      ++steps;
      const double tolerance = 1e-9 * (1 + std::abs(state.lambda[2]) + std::abs(state.lambda[3]));
      EXPECT_NEAR(state.lambda[2], -state.lambda[4], tolerance);
      EXPECT_NEAR(state.lambda[3], -state.lambda[5], tolerance);
      if (formulation != Formulation::kIndex2) {
        EXPECT_NEAR(state.q[8], 0.3 * std::cos(state.q[2]), 1e-9);
        EXPECT_NEAR(state.q[9], 0.3 * std::sin(state.q[2]), 1e-9);
      }
      return true;
    };
    const dae::Solution solution = dae::integrate(system, options);
    EXPECT_TRUE(solution.summary.is_complete()) << solution.summary.message;
    EXPECT_EQ(steps, 200);
    // Figure 2 can be read to about this accuracy.
    EXPECT_NEAR(solution.final.q[2], kReference[0], 0.05);
    EXPECT_NEAR(solution.final.q[7], kReference[3], 0.01);
  }
}

TEST(SliderCrank, GainsTheWorkOfTheTorque) {
  dae::System system = models::slider_crank({});
  // Other lengths and another angle: the initial values follow, nothing is projected.
  system.set_parameter("crank.l", 0.2);
  system.set_parameter("rod.l", 0.7);
  system.set_parameter("crank.theta0", 1);
  const double x3 = 0.2 * std::cos(1.0) + std::sqrt(0.49 - 0.04 * std::pow(std::sin(1.0), 2));
  EXPECT_NEAR(system.initial_configuration()[6], x3, 1e-15);
  dae::Outputs outputs(system);
  std::vector<double> out(static_cast<std::size_t>(outputs.size())), errors;
  for (const double h : {1e-3, 5e-4, 2.5e-4}) {
    const dae::Solution solution = dae::integrate(system, with_step(h));
    outputs.evaluate(solution.final, {}, out);
    const double work = solution.final.q[2] - 1;
    errors.push_back(std::abs(out[static_cast<std::size_t>(outputs.offset("energy"))] - work));
    EXPECT_EQ(solution.summary.consistency.position_change, 0);
  }
  EXPECT_LE(errors[2], 1e-3);
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 2, 0.2);
}

}  // namespace
}  // namespace liegrad::testing
