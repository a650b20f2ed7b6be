// Andrews' squeezing mechanism, [ArnoldBruels2007, section 5.2], against the solution of the published test
// set, and against a better one: the mechanism in the angle β alone, by extrapolation in extended precision
// (its β agrees with the energy integral to 16 digits; the published one is off by 1.1e-9). Multipliers are
// those of the accelerations at the end of a run of order eight in absolute coordinates.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>
#include <vector>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/start/consistency.hpp"
#include "liegrad/models/models.hpp"

namespace liegrad::testing {
namespace {

using dae::Formulation;

constexpr std::size_t kNumAngles = 7, kNumMultipliers = 20;

/// β, Θ, γ, Φ, δ, Ω, ε at t = 0.03.
const std::vector<double> kPublishedAngles = {
    15.81077119629904,  -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
    0.5244099658805304, 0.5347301163226948, 1.048080741042263};
const std::vector<double> kPublishedRates = {
    1139.920302151208,  -1424.379294994111, 11.03291221937134, 19.29337464421385,
    0.5735699284790808, -19.29337464421385, 0.3231791658026955};
/// Of the joints P with K3, K4 and K6.
const std::vector<double> kPublishedMultipliers = {199.1753333731910, -29.75531228015052,
                                                   23.06654119098399, 31.45271365475927,
                                                   22.64249232082739, 11.61740700019673};

/// Angles, rates and the multipliers of all joints in the order of the system: O, Q, B, A5, A7, E, F, P3,
/// P4, P6.
const std::vector<double> kReference = {
    15.810771195153706, -15.756371058411837, 0.04082224011964579, -0.5347301163420796,
    0.5244099658799541, 0.5347301163420796,  1.0480807410419379,  //
    1139.920302259106,  -1424.379295177540,  11.03291191061815,   19.29337410503126,
    0.5735699148294793, -19.29337410503126,  0.3231791492491173,  //
    332.6284907056517,  22.67305359525897,   281.2982217314217,   16.391923520127236,
    -28.77027383502683, 172.4132969761141,   -24.58487069141376,  -9.421042937382772,
    6.920886971750039,  -4.41660446133344,   -1.5835708785731273, -27.589789432668457,
    1.5069539089148585, -8.95412608842548,   199.17534810452634,  -29.755309974975628,
    23.066543611622755, 31.45272527578248,   22.642494786392977,  11.617392352586897};

dae::System mechanism(const lie::NodeGroup& group = lie::NodeGroup::rn(3)) {
  return models::andrews({.planar_group = group});
}

dae::IntegrateOptions with_step(double h, Formulation formulation = Formulation::kIndex3) {
  dae::IntegrateOptions options = dae::alpha_steps();
  options.step = h;
  options.t_end = 0.03;
  options.keep_samples = false;
  options.alpha.formulation = formulation;
  // As in the paper, with its starting values.
  options.alpha.method.parameters = dae::AlphaParameters::from_spectral_radius(0.7);
  return options;
}

/// The numbers of kReference. Angles of bodies on SE(2) are put on the turn of the reference.
class Variables {
 public:
  explicit Variables(const dae::System& system) : system_(system), outputs_(system) {}

  std::vector<double> operator()(const dae::State& state) {
    std::vector<double> out(static_cast<std::size_t>(outputs_.size()));
    outputs_.evaluate(state, {}, out);
    const bool pose = system_.nodes()[0].group.kind == lie::GroupKind::kSE2;
    const auto first = out.begin() + outputs_.offset("angles.beta");
    std::vector<double> list(first, first + kNumAngles);
    if (pose) {
      for (std::size_t i = 0; i < kNumAngles; ++i) {
        constexpr double kTurn = 2 * std::numbers::pi;
        list[i] += kTurn * std::round((kReference[i] - list[i]) / kTurn);
      }
    }
    const auto rate = [&](int body) {
      return state.v[static_cast<std::size_t>(3 * (body - 1) + (pose ? 0 : 2))];
    };
    for (const double x : {rate(1), rate(2) - rate(1), rate(3), rate(4) - rate(5), rate(5),
                           rate(6) - rate(7), rate(7)}) {
      list.push_back(x);
    }
    list.insert(list.end(), state.lambda.begin(), state.lambda.end());
    return list;
  }

 private:
  const dae::System& system_;
  dae::Outputs outputs_;
};

TEST(Andrews, StartsAsThePublishedTestSet) {
  for (const auto& group : {lie::NodeGroup::rn(3), lie::NodeGroup::se2()}) {
    const dae::System system = mechanism(group);
    ASSERT_EQ(system.dof(), 21);
    ASSERT_EQ(system.num_multipliers(), 20);
    dae::Consistency consistency(system, {}, dae::LinearSolverKind::kAutomatic);
    const dae::State state = consistency.initial_state(0, {});
    std::vector<double> position(kNumMultipliers), velocity(kNumMultipliers);
    consistency.assembly().set_configuration(state.q);
    consistency.assembly().constraint_values(position, velocity);
    for (const double x : position) EXPECT_LE(std::abs(x), 3e-17);

    const std::size_t angle = group.kind == lie::GroupKind::kSE2 ? 0 : 2;
    EXPECT_NEAR(state.v_dot[angle], 14222.4439199541138705911625887, 1e-8);
    EXPECT_NEAR(state.v_dot[3 + angle] - state.v_dot[angle], -10666.8329399655854029433719415,
                1e-8);
    const double expected[] = {98.5668703962410896, -6.12268834425566266, 0, 0, 0, 0};
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(state.lambda[14 + i], expected[i], 1e-12) << i;
  }
}

/// The limit h → 0 of numbers that were computed with halved steps, for errors c_2 h² + c_3 h³ + ….
std::vector<double> extrapolated(std::vector<std::vector<double>> columns) {
  for (double factor = 4; columns.size() > 1; factor *= 2) {
    for (std::size_t k = 0; k + 1 < columns.size(); ++k) {
      for (std::size_t i = 0; i < columns[k].size(); ++i) {
        columns[k][i] = columns[k + 1][i] + (columns[k + 1][i] - columns[k][i]) / (factor - 1);
      }
    }
    columns.pop_back();
  }
  return columns[0];
}

/// Accuracies of limits. Index 3 finds multipliers from second differences of positions: rounding, divided
/// by h². "For very small h, the Lagrange multipliers are more sensitive to numerical errors"
/// [ArnoldBruels2007]. The stabilised form loses digits of its angles where Newton's iteration stops: its
/// limit of β is off by 2e-10, and by 4e-12 with residual_tolerance = 1e-8.
constexpr double kMultipliers = 1e-7, kRoundedMultipliers = 1e-4;
constexpr double kAngles = 1e-11, kStabilizedAngles = 1e-9;

struct Study {
  const char* name;
  lie::NodeGroup group;
  Formulation formulation;
  double angles, multipliers;
};
const Study kStudies[] = {
    {"index 3 on R^3", lie::NodeGroup::rn(3), Formulation::kIndex3, kAngles, kRoundedMultipliers},
    {"index 2 on R^3", lie::NodeGroup::rn(3), Formulation::kIndex2, kAngles, kMultipliers},
    {"stabilized on R^3", lie::NodeGroup::rn(3), Formulation::kStabilized, kStabilizedAngles,
     kMultipliers},
    {"index 3 on SE(2)", lie::NodeGroup::se2(), Formulation::kIndex3, kAngles, kRoundedMultipliers},
    {"stabilized on SE(2)", lie::NodeGroup::se2(), Formulation::kStabilized, kStabilizedAngles,
     kMultipliers},
};

TEST(Andrews, IsOfSecondOrderInAllVariablesAndHasThePublishedLimit) {
  for (const Study& study : kStudies) {
    SCOPED_TRACE(study.name);
    const dae::System system = mechanism(study.group);
    Variables variables(system);
    std::vector<std::vector<double>> ends;
    for (double h = 4e-5; h > 2e-6; h /= 2) {
      ends.push_back(variables(dae::integrate(system, with_step(h, study.formulation)).final));
    }
    ASSERT_EQ(ends.size(), 5u);
    double smallest = 9, largest = 0;
    for (std::size_t i = 0; i < kReference.size(); ++i) {
      for (std::size_t k = 1; k < 4; ++k) {
        const double slope =
            std::log2(std::abs((ends[k - 1][i] - kReference[i]) / (ends[k][i] - kReference[i])));
        smallest = std::min(smallest, slope);
        largest = std::max(largest, slope);
        EXPECT_NEAR(slope, 2, 0.1) << "variable " << i << ", refinement " << k;
      }
    }
    // The published angles have errors of up to 1.4e-9, the rates 5.4e-7, the multipliers 1.5e-5.
    const std::vector<double> limit = extrapolated(ends);
    double from_published = 0, from_reference = 0, multipliers = 0;
    for (std::size_t i = 0; i < kNumAngles; ++i) {
      const double tolerance = study.angles;
      EXPECT_NEAR(limit[i], kReference[i], tolerance);
      EXPECT_NEAR(limit[i], kPublishedAngles[i], 1.5e-9 + tolerance);
      EXPECT_NEAR(limit[7 + i], kReference[7 + i], 1e3 * tolerance);
      EXPECT_NEAR(limit[7 + i], kPublishedRates[i], 6e-7 + 1e3 * tolerance);
      from_published = std::max(from_published, std::abs(limit[i] - kPublishedAngles[i]));
      from_reference = std::max(from_reference, std::abs(limit[i] - kReference[i]));
    }
    if (study.angles == kAngles) {
      // Of β, Θ and γ the published digits end here, relative to themselves.
      const auto off = [&](std::size_t i) { return std::abs(limit[i] / kPublishedAngles[i] - 1); };
      EXPECT_NEAR(off(0), 7.2e-11, 0.1e-11);
      EXPECT_NEAR(off(1), 9.1e-11, 0.1e-11);
      EXPECT_NEAR(off(2), 2.7e-10, 0.5e-10);
    }
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_NEAR(limit[28 + i], kPublishedMultipliers[i], 2e-5 + study.multipliers);
    }
    for (std::size_t i = 14; i < kReference.size(); ++i) {
      multipliers = std::max(multipliers, std::abs(limit[i] - kReference[i]));
    }
    EXPECT_LE(multipliers, study.multipliers);
    std::printf(
        "%s: slopes %.3f to %.3f; angles within %.1e of the published, %.1e of the better; "
        "multipliers within %.1e\n",
        study.name, smallest, largest, from_published, from_reference, multipliers);
  }
}

/// How rough the force in K1 is, at Q: mean absolute second difference of a multiplier from step to step,
/// in parts of its range.
double roughness(double rho, Formulation formulation) {
  const dae::System system = mechanism();
  dae::IntegrateOptions options = with_step(3e-4, formulation);
  options.alpha.method.parameters = dae::AlphaParameters::from_spectral_radius(rho);
  std::vector<double> force;
  options.on_step = [&force](const dae::State& state) {
    force.push_back(state.lambda[2]);
    return true;
  };
  EXPECT_TRUE(dae::integrate(system, options).summary.is_complete());
  EXPECT_EQ(force.size(), 100u);
  double sum = 0;
  for (std::size_t i = 1; i + 1 < force.size(); ++i) {
    sum += std::abs(force[i + 1] - 2 * force[i] + force[i - 1]);
  }
  const auto [least, most] = std::minmax_element(force.begin(), force.end());
  return sum / static_cast<double>(force.size() - 2) / (*most - *least);
}

TEST(Andrews, NeedsNumericalDampingForItsMultipliersInIndex3) {
  // Figures 7 and 8 of the paper: step 3e-4, ρ∞ = 0.7 and 1.
  const double damped = roughness(0.7, Formulation::kIndex3);
  const double undamped = roughness(1, Formulation::kIndex3);
  std::printf("roughness %.4f with damping, %.4f without\n", damped, undamped);
  EXPECT_LE(damped, 0.03);
  EXPECT_GE(undamped, 5 * damped);
  // Constraints at the level of velocities do not oscillate.
  EXPECT_LE(roughness(1, Formulation::kIndex2), 0.03);
  EXPECT_LE(roughness(1, Formulation::kStabilized), 0.03);
}

}  // namespace
}  // namespace liegrad::testing
