// The heavy top in Euler parameters, one of the descriptions without a Lie group that
// [HolzingerArnoldGerstmayr2025, section 7.1] compares with: seven coordinates of R^7, of which four are the quaternion
// e of the rotation, held at length one by a constraint.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>

#include "dae/heavy_top_runs.hpp"
#include "liegrad/dae/system/element.hpp"

namespace liegrad::testing {
namespace {

using dae::Formulation;

/// G of ω = 2Gė, in the body frame.
template <class S>
std::array<std::array<S, 4>, 3> rate_matrix(const std::array<S, 4>& e) {
  return {{{-e[1], e[0], e[3], -e[2]}, {-e[2], -e[3], e[0], e[1]}, {-e[3], e[2], -e[1], e[0]}}};
}

/// Lagrange's equations of 2ėᵀGᵀJGė, with Gė = -Ġe and Ġė = 0: 4GᵀJGë + 8ĠᵀJGė = 0; m ẍ = mγ;
/// Φ = (X - Rᵀx, (eᵀe - 1)/2).
struct EulerParameterTop {
  dae::ElementShape shape() const {
    return {.type = "euler_parameter_top",
            .nodes = {{dae::NodeRole::kCoordinates, 7}},
            .constraints = 4};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    constexpr double kInertia[] = {0.234375, 0.46875, 0.234375}, kMass = 15;
    const auto q = at.coordinates(0), v = at.velocity_coordinates(0),
               v_dot = at.acceleration_coordinates(0);
    const auto G = rate_matrix<S>({q(0), q(1), q(2), q(3)});
    const auto rate = rate_matrix<S>({v(0), v(1), v(2), v(3)});
    for (std::size_t i = 0; i < 3; ++i) {
      S spin(0), change(0);
      for (int k = 0; k < 4; ++k) {
        const std::size_t column = static_cast<std::size_t>(k);
        spin += G[i][column] * v(k);
        change += G[i][column] * v_dot(k);
      }
      for (int k = 0; k < 4; ++k) {
        const std::size_t column = static_cast<std::size_t>(k);
        balance.row(0, k) +=
            4 * kInertia[i] * (G[i][column] * change + 2.0 * rate[i][column] * spin);
      }
    }
    for (int k = 4; k < 7; ++k) {
      balance.row(0, k) += kMass * (v_dot(k) + (k == 6 ? 9.81 : 0.0));
    }
  }
  template <class S>
  lie::Vec<S, 4> constraint(const dae::Position<S>& at) const {
    const auto q = at.coordinates(0);
    const lie::Vec<S, 3> e(q(1), q(2), q(3)), x(q(4), q(5), q(6));
    const S square = lie::rotation::dot<S>(e, e), along = lie::rotation::dot<S>(e, x);
    const lie::Vec<S, 3> across = lie::rotation::cross<S>(e, x);
    lie::Vec<S, 4> values;
    for (int i = 0; i < 3; ++i) {
      const S in_body = (q(0) * q(0) - square) * x(i) + 2.0 * along * e(i) - 2.0 * q(0) * across(i);
      values(i) = (i == 1 ? 1.0 : 0.0) - in_body;
    }
    values(3) = 0.5 * (q(0) * q(0) + square - 1.0);
    return values;
  }
};

dae::System euler_parameter_top() {
  dae::System system("euler_parameter_top");
  system.add_node("top", lie::NodeGroup::rn(7));
  system.add("top", EulerParameterTop{}, {"top"});
  const double spin = 150, turn = -4.61538;
  system.set_initial_configuration("top", {1, 0, 0, 0, 0, 1, 0});
  system.set_initial_velocity("top", {0, 0, spin / 2, turn / 2, -turn, 0, 0});
  return system;
}

/// A state as that of the top on SO(3)×R³.
dae::State as_pose(dae::State state) {
  const auto G = rate_matrix<double>({state.q[0], state.q[1], state.q[2], state.q[3]});
  std::vector<double> v;
  for (const auto& row : G) {
    double omega = 0;
    for (std::size_t k = 0; k < 4; ++k) omega += 2 * row[k] * state.v[k];
    v.push_back(omega);
  }
  v.insert(v.end(), state.v.begin() + 4, state.v.end());
  state.v = v;
  return state;
}

TEST(EulerParameters, AreLessAccurateThanTheLieGroupMethods) {
  // Figures 3 and 4: "the σ-modified methods … outperform both conventional formulations". Here σ = 0 does too.
  const dae::System system = euler_parameter_top();
  for (const auto& [formulation, rho] :
       {std::pair(Formulation::kIndex3, 0.65), std::pair(Formulation::kStabilized, 1.0)}) {
    const auto errors = [&, f = formulation, r = rho](double h) {
      const TopRun run{.formulation = f, .rho = r, .h = h};
      dae::Solution solution = dae::integrate(system, run.options());
      EXPECT_TRUE(solution.summary.is_complete()) << solution.summary.message;
      for (dae::State& state : solution.samples) state = as_pose(state);
      return std::pair(errors_of(solution, run, 0.5), errors_of(run.run(), run, 0.5));
    };
    const auto [coarse, unused] = errors(5e-4);
    const auto [fine, of_group] = errors(2.5e-4);
    std::printf("h = 2.5e-4: errors of q %.2e, v %.2e, λ %.2e; on the group %.2e, %.2e, %.2e\n",
                fine.q, fine.v, fine.lambda, of_group.q, of_group.v, of_group.lambda);
    for (double TopErrors::*variable : {&TopErrors::q, &TopErrors::v, &TopErrors::lambda}) {
      EXPECT_NEAR(std::log2(coarse.*variable / fine.*variable), 2, 0.15);
      EXPECT_GE(fine.*variable / of_group.*variable, 4);
    }
  }
}

TEST(EulerParameters, NeedOneMoreIterationThanTheLieGroupMethods) {
  // 3.8 and 2 in the paper, from zero accelerations and multipliers: their equations are not linear in the turn.
  const auto iterations = [](const dae::System& system) {
    const TopRun run{.rho = 0.65};
    dae::IntegrateOptions options = run.options();
    options.keep_samples = false;
    options.alpha.guess = dae::FirstGuess::kZeroMultiplier;
    options.alpha.newton.residual_tolerance = 1e-6;
    const dae::IntegrateSummary summary = dae::integrate(system, options).summary;
    EXPECT_TRUE(summary.is_complete()) << summary.message;
    return static_cast<double>(summary.newton_iterations) / static_cast<double>(summary.steps);
  };
  const double of_parameters = iterations(euler_parameter_top()),
               of_group = iterations(models::make_model("heavy_top"));
  std::printf("%.2f iterations a step; %.2f on the group\n", of_parameters, of_group);
  EXPECT_GE(of_parameters, of_group + 0.5);
}

}  // namespace
}  // namespace liegrad::testing
