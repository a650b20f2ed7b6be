// The chain of rods against its motion in minimal coordinates, the angles of its links, computed by
// extrapolation of order 14 in extended precision (two orders and two tolerances agree to 1e-14, and with
// absolute coordinates and a method of order eight to 3e-14); and what large systems need: memory
// that grows with the number of bodies only, no allocation in steps.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>  // before malloc is defined below
#endif

#include "liegrad/dae/alpha/generalized_alpha.hpp"
#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/joints/spherical_joint.hpp"
#include "liegrad/lie/so3.hpp"
#include "liegrad/models/models.hpp"
#include "support/allocations.hpp"

#if defined(__GLIBC__) && defined(__GLIBC_PREREQ) && !defined(LIEGRAD_ADDRESS_SANITIZER)
#if __GLIBC_PREREQ(2, 33)
#define LIEGRAD_KNOWS_BYTES 1
#endif
#endif

namespace liegrad::testing {
namespace {

using dae::NewtonKind;

struct Reference {
  int bodies;
  double t;
  double tip_x, tip_z;
  /// Links point in the directions (cos φ, 0, sin φ).
  std::vector<double> phi, phi_dot;
};
const Reference kReferences[] = {
    {3,
     0.1,
     0.9941636631117687,
     -0.05044382287121171,
     {-0.182020423180922422, 0.042573098153226821, -0.0128750759721219102},
     {-3.4750775384354413, 0.55879307442653658, -0.11708185736757577}},
    {3,
     0.5,
     -0.2431658452480465,
     -0.9131773534352396,
     {-1.53557286655524499, -1.66851505436780392, -2.30117320762722151},
     {-1.3788085440751559, -9.9554191077356105, -6.9945207699264982}},
    {3,
     1.0,
     -0.9087778658688418,
     -0.02701482769666834,
     {-2.64996379289456223, -3.69009564967180893, -3.0108278711578194},
     {4.0287327032095536, -0.2893628639138713, -6.4912863227554809}},
    {10,
     0.1,
     0.9909020433584164,
     -0.04904977481001921,
     {-0.409996079603448708, -0.122521020425989332, 0.0345607506473962637, -0.00404150761207243021,
      -0.000549384051932138197, 0.000512542824072684788, -0.000206707949206993968,
      6.69647871794428136e-05, -1.98657452046014712e-05, 6.77530927556661301e-06},
     {-4.6988916989041581, -6.00504884975879, 0.14984061932900786, 0.48285322517434315,
      -0.23309525069494489, 0.07740647032231231, -0.02207370379575687, 0.0058584740837300445,
      -0.0015325889000684888, 0.00048699967833281139}},
    {10,
     0.5,
     -0.2645835105956680,
     -0.8619025165550623,
     {-1.52511714846965061, -1.65149245373291119, -1.55121565092861546, -1.53959513816005269,
      -1.74823873037302219, -1.67683440557879133, -1.66700992678688757, -2.05584550835534495,
      -2.57418939569984438, -2.91172549768334543},
     {-4.0238416422848908, -3.8092187059850973, 0.030006964746137499, -5.8566131184561563,
      -11.027748344593253, 5.8930621729834858, -11.908328557700853, -18.630930259151412,
      -12.896720293196812, -0.8540060332786423}},
    {10,
     1.0,
     -0.8966220174640683,
     -0.1481285299492591,
     {-2.46288255347371396, -2.89532029070173892, -3.3898024040130264, -3.69348986213642998,
      -3.39345905151691067, -3.34836289916794708, -2.61681147654475796, -2.99299207537851429,
      -2.61443085946296783, -2.39105851501906597},
     {1.2796680186467575, 9.8268386254308697, 3.5587938181992874, -2.5669501778247294,
      1.5030597748375939, -10.239464192018736, -2.3029704739197956, 2.992888571571106,
      -4.656317810793635, 0.83062898233264828}},
};

constexpr double kTurn = 2 * std::numbers::pi;

dae::IntegrateOptions with_step(double h, double t_end) {
  dae::IntegrateOptions options = dae::alpha_steps();
  options.step = h;
  options.t_end = t_end;
  options.keep_samples = false;
  options.alpha.method.parameters = dae::AlphaParameters::from_spectral_radius(0.8);
  return options;
}

/// The largest differences of a run at its end from the reference, and its multipliers.
struct RunErrors {
  double tip = 0, angles = 0, rates = 0, out_of_plane = 0, constraints = 0;
  std::vector<double> lambda;
};

RunErrors run(const Reference& reference, const lie::NodeGroup& group, double h) {
  const dae::System system = models::chain({.body_group = group, .bodies = reference.bodies});
  const dae::Solution solution = dae::integrate(system, with_step(h, reference.t));
  EXPECT_TRUE(solution.summary.is_complete()) << solution.summary.message;
  dae::Outputs outputs(system);
  std::vector<double> out(dae::index(outputs.size()));
  outputs.evaluate(solution.final, {}, out);
  RunErrors errors;
  const double* const tip = out.data() + outputs.offset("tip.p");
  errors.tip = std::max(std::abs(tip[0] - reference.tip_x), std::abs(tip[2] - reference.tip_z));
  errors.out_of_plane = std::abs(tip[1]);
  for (int i = 0; i < reference.bodies; ++i) {
    // The rods turn about -y.
    const double* const q = solution.final.q.data() + 7 * i;
    const double* const v = solution.final.v.data() + 6 * i;
    double angle = 2 * std::atan2(-q[2], q[0]) - reference.phi[dae::index(i)];
    angle -= kTurn * std::round(angle / kTurn);
    errors.angles = std::max(errors.angles, std::abs(angle));
    errors.rates = std::max(errors.rates, std::abs(-v[1] - reference.phi_dot[dae::index(i)]));
    errors.out_of_plane = std::max({errors.out_of_plane, std::abs(q[1]), std::abs(q[3])});
  }
  errors.lambda = solution.final.lambda;
  errors.constraints = solution.summary.max_position_residual;
  return errors;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

TEST(Chain, IsOfSecondOrderInAllVariables) {
  for (const auto& group : {lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()}) {
    for (const Reference& reference : kReferences) {
      // Multipliers are second differences of positions: with smaller steps, where errors are small at
      // the beginning, one would measure rounding.
      const double h = reference.t < 0.2 ? 2e-3 : 5e-4;
      SCOPED_TRACE(::testing::Message() << reference.bodies << " bodies, t = " << reference.t
                                        << ", group " << static_cast<int>(group.kind));
      const RunErrors coarse = run(reference, group, h), fine = run(reference, group, h / 2);
      const RunErrors finest = run(reference, group, h / 8);
      // The limit of the multipliers from the two finer runs.
      std::vector<double> limit = finest.lambda;
      for (std::size_t i = 0; i < limit.size(); ++i) {
        limit[i] += (finest.lambda[i] - fine.lambda[i]) / 15;
      }
      const double lambda = largest_difference(coarse.lambda, limit);
      const double tip = std::log2(coarse.tip / fine.tip);
      const double angles = std::log2(coarse.angles / fine.angles);
      const double rates = std::log2(coarse.rates / fine.rates);
      const double multipliers = std::log2(lambda / largest_difference(fine.lambda, limit));
      std::printf(
          "%2d, t = %.1f, group %d: slopes %.3f %.3f %.3f %.3f, errors %.1e %.1e %.1e %.1e, "
          "constraints %.1e\n",
          reference.bodies, reference.t, static_cast<int>(group.kind), tip, angles, rates,
          multipliers, fine.tip, fine.angles, fine.rates, lambda, finest.constraints);
      EXPECT_NEAR(tip, 2, 0.1);
      EXPECT_NEAR(angles, 2, 0.1);
      EXPECT_NEAR(rates, 2, 0.1);
      EXPECT_NEAR(multipliers, 2, 0.1);
      for (const RunErrors* errors : {&coarse, &fine, &finest}) {
        EXPECT_LE(errors->constraints, 1e-14);
        EXPECT_LE(errors->out_of_plane, 1e-12);
      }
    }
  }
}

TEST(Chain, KeepsItsEnergyToSecondOrder) {
  for (const auto& group : {lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()}) {
    const dae::System system = models::chain({.body_group = group, .bodies = 10});
    dae::Outputs outputs(system);
    std::vector<double> out(dae::index(outputs.size()));
    std::vector<double> drifts;
    for (const double h : {2e-3, 1e-3, 5e-4}) {
      dae::IntegrateOptions options = with_step(h, 0.5);
      double drift = 0;
      options.on_step = [&](const dae::State& state) {
        outputs.evaluate(state, {}, out);
        drift = std::max(drift, std::abs(out[dae::index(outputs.offset("energy"))]));
        return true;
      };
      ASSERT_TRUE(dae::integrate(system, options).summary.is_complete());
      drifts.push_back(drift);
    }
    std::printf("energy: %.2e %.2e %.2e\n", drifts[0], drifts[1], drifts[2]);
    EXPECT_NEAR(std::log2(drifts[1] / drifts[2]), 2, 0.15);
    EXPECT_LE(drifts[2], 1e-2);
  }
}

/// The chain bent at random.
dae::System bent_chain(int bodies, const lie::NodeGroup& group) {
  dae::System system = models::chain({.body_group = group, .bodies = bodies});
  std::mt19937 rng(1);
  std::normal_distribution<double> normal;
  lie::Vec<double, 3> start = lie::Vec<double, 3>::Zero();
  for (int i = 1; i <= bodies; ++i) {
    const lie::Vec<double, 3> turn(normal(rng), normal(rng), normal(rng));
    const lie::SO3<double> rotation = lie::SO3<double>::exp(turn);
    const lie::Vec<double, 3> half = rotation.matrix().col(0) * (0.5 / bodies);
    const lie::Vec<double, 3> x = start + half;
    start = x + half;
    const auto q = rotation.coeffs();
    system.set_initial_configuration("rod" + std::to_string(i),
                                     {q(0), q(1), q(2), q(3), x(0), x(1), x(2)});
  }
  return system;
}

/// The chain of the model from its end to its beginning.
dae::System reversed_chain(int bodies) {
  constexpr double kRadius = 0.01;
  const double length = 1.0 / bodies, mass = 1.0 / bodies;
  const double across = mass * (3 * kRadius * kRadius + length * length) / 12;
  dae::System system("reversed");
  const auto name = [](int i) { return "rod" + std::to_string(i); };
  for (int i = bodies; i >= 1; --i) {
    system.add_node(name(i), lie::NodeGroup::so3xr3());
    system.set_initial_configuration(name(i), {1, 0, 0, 0, (i - 0.5) * length, 0, 0});
  }
  for (int i = bodies; i >= 1; --i) {
    std::map<std::string, double> ends = {{"b.X1", -length / 2}};
    if (i > 1) ends["a.X1"] = length / 2;
    system.add("joint" + std::to_string(i), elements::SphericalJoint{},
               {i == 1 ? "ground" : name(i - 1), name(i)}, {.values = ends});
  }
  for (int i = bodies; i >= 1; --i) {
    system.add(
        name(i), elements::RigidBody{}, {name(i)},
        {.values = {
             {"m", mass}, {"J1", mass * kRadius * kRadius / 2}, {"J2", across}, {"J3", across}}});
  }
  return system;
}

TEST(Chain, MovesTheSameWhereverItsElementsStand) {
  constexpr int kBodies = 20;
  dae::IntegrateOptions options = with_step(1e-3, 0.2);
  // Which corrections are left out is a matter of rounding.
  options.alpha.newton.leave_out_last = false;
  const dae::State one = dae::integrate(models::chain({.bodies = kBodies}), options).final;
  const dae::State other = dae::integrate(reversed_chain(kBodies), options).final;
  const auto expect_equal = [&](const std::vector<double>& a, const std::vector<double>& b,
                                int each, double tolerance) {
    ASSERT_EQ(a.size(), b.size());
    for (int i = 0; i < kBodies; ++i) {
      for (int k = 0; k < each; ++k) {
        EXPECT_NEAR(a[dae::index(each * i + k)], b[dae::index(each * (kBodies - 1 - i) + k)],
                    tolerance);
      }
    }
  };
  // ε/h for velocities, over short levers.
  expect_equal(one.q, other.q, 7, 1e-13);
  expect_equal(one.v, other.v, 6, 1e-9);
  expect_equal(one.lambda, other.lambda, 3, 1e-7);
  EXPECT_GE(largest_difference(one.q, models::chain({.bodies = kBodies}).initial_configuration()),
            0.1);
}

TEST(Chain, MovesTheSameWithAnySolverInTheStabilisedFormulation) {
  for (const auto& group : {lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()}) {
    const dae::System system = bent_chain(20, group);
    dae::IntegrateOptions options = with_step(1e-3, 0.1);
    options.alpha.formulation = dae::Formulation::kStabilized;
    options.alpha.newton.leave_out_last = false;
    options.alpha.solver = dae::LinearSolverKind::kDense;
    const dae::State dense = dae::integrate(system, options).final;
    options.alpha.solver = dae::LinearSolverKind::kSparse;
    const dae::State sparse = dae::integrate(system, options).final;
    EXPECT_LE(largest_difference(dense.q, sparse.q), 1e-12);
    EXPECT_LE(largest_difference(dense.v, sparse.v), 1e-8);
    EXPECT_LE(largest_difference(dense.lambda, sparse.lambda), 1e-7);
    EXPECT_GE(largest_difference(dense.q, system.initial_configuration()), 1e-2);
  }
}

using Allocation = test::Allocation;

struct SteppedChain {
  dae::Formulation formulation;
  lie::NodeGroup group;
  NewtonKind kind;
};
std::vector<SteppedChain> stepped_chains() {
  std::vector<SteppedChain> chains;
  for (const auto formulation : {dae::Formulation::kIndex3, dae::Formulation::kStabilized}) {
    for (const auto& group : {lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()}) {
      for (const auto kind : {NewtonKind::kFull, NewtonKind::kModified}) {
        chains.push_back({formulation, group, kind});
      }
    }
  }
  return chains;
}

TEST(Chain, HasTheSameFactorsWhenItsMatrixIsFactorisedWhileItIsFilled) {
  for (const auto& [formulation, group, kind] : stepped_chains()) {
    if (kind != NewtonKind::kFull) continue;
    const dae::System system = models::chain({.body_group = group, .bodies = 100});
    dae::AlphaOptions options = with_step(1e-3, 1).alpha;
    options.formulation = formulation;
    dae::GeneralizedAlpha stepper(system, options);
    stepper.start(stepper.own_consistency()->initial_state(0, {}), 1e-3);
    ASSERT_TRUE(stepper.step(1e-3, 1e-3).success);
    dae::Assembly& assembly = stepper.assembly();
    assembly.evaluate(true);
    ASSERT_TRUE(assembly.matrix().factorize());
    const std::vector<double> residual(assembly.residual().begin(), assembly.residual().end());
    std::vector<double> solution(residual.size(), 1.0), again = solution;
    assembly.matrix().solve(solution);
    // Scales are known now, so that this does not fall back to filling first.
    ASSERT_TRUE(assembly.matrix().begin_filling());
    ASSERT_TRUE(assembly.evaluate_and_factorize());
    // The residual was reduced with it; once only, as another solution takes its place.
    std::vector<double> reduced(residual.size()), solved = residual;
    ASSERT_TRUE(assembly.matrix().solve_filled(reduced));
    EXPECT_FALSE(assembly.matrix().solve_filled(reduced));
    assembly.matrix().solve(solved);
    EXPECT_EQ(reduced, solved);
    assembly.matrix().solve(again);
    EXPECT_EQ(again, solution);
    EXPECT_TRUE(std::ranges::equal(assembly.residual(), residual));
  }
}

TEST_F(Allocation, IsNotNeededByTheStepsOfAChain) {
  for (const auto& [formulation, group, kind] : stepped_chains()) {
    const dae::System system = models::chain({.body_group = group, .bodies = 100});
    dae::AlphaOptions options = with_step(1e-3, 1).alpha;
    options.formulation = formulation;
    options.newton.kind = kind;
    dae::GeneralizedAlpha stepper(system, options);
    EXPECT_EQ(stepper.solver(), dae::LinearSolverKind::kSparse);
    const double h = 1e-3;
    stepper.start(
        dae::Consistency(system, {}, dae::LinearSolverKind::kAutomatic).initial_state(0, {}), h);
    for (int n = 1; n <= 3; ++n) {
      ASSERT_TRUE(stepper.step(h, n * h).success);
      stepper.accept();
    }
    bool success = true;
    const int allocations = test::allocations_of([&] {
      for (int n = 4; n <= 60; ++n) {
        success = stepper.step(h, n * h).success && success;
        stepper.accept();
      }
    });
    EXPECT_TRUE(success);
    EXPECT_EQ(allocations, 0);
  }
}

#if defined(LIEGRAD_KNOWS_BYTES)
std::size_t bytes_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// Of a system with all that a run needs, after a step.
double bytes_of_a_run(int bodies, dae::Formulation formulation) {
  const std::size_t before = bytes_in_use();
  const dae::System system = models::chain({.bodies = bodies});
  dae::AlphaOptions options = with_step(1e-3, 1).alpha;
  options.formulation = formulation;
  dae::GeneralizedAlpha stepper(system, options);
  stepper.start(stepper.own_consistency()->initial_state(0, {}), 1e-3);
  EXPECT_TRUE(stepper.step(1e-3, 1e-3).success);
  return static_cast<double>(bytes_in_use() - before);
}

TEST(Chain, NeedsMemoryInProportionToItsLength) {
  for (const auto formulation : {dae::Formulation::kIndex3, dae::Formulation::kStabilized}) {
    // Kernels are loaded once; some sanitizers do not count.
    if (bytes_of_a_run(500, formulation) == 0) GTEST_SKIP() << "the heap does not tell its size";
    const double small = bytes_of_a_run(500, formulation),
                 middle = bytes_of_a_run(1000, formulation),
                 large = bytes_of_a_run(2000, formulation);
    std::printf("%.0f, %.0f, %.0f bytes for a body\n", small / 500, middle / 1000, large / 2000);
    EXPECT_NEAR(middle / small, 2, 0.3);
    EXPECT_NEAR(large / middle, 2, 0.3);
    EXPECT_LE(large / 2000, formulation == dae::Formulation::kIndex3 ? 8.5e3 : 15e3);
  }
}
#endif

}  // namespace
}  // namespace liegrad::testing
