// The built-in systems with beams: the right-angle beam and the four-bar mechanism of
// [BruelsCardonaArnold2012, sections 7.2 and 7.3], and the cantilever.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/modal_analysis.hpp"
#include "liegrad/dae/static_equilibrium.hpp"
#include "liegrad/elements/mechanism/mechanism.hpp"
#include "liegrad/models/models.hpp"

namespace liegrad::testing {
namespace {

const lie::NodeGroup kGroups[] = {lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()};
const char* name_of(const lie::NodeGroup& group) {
  return group.kind == lie::GroupKind::kSE3 ? "SE(3)" : "SO(3)xR^3";
}

dae::System make(const std::string& name, const lie::NodeGroup& group, int elements) {
  return models::make_model(name, models::Structure{.body_group = group, .bodies = elements});
}

/// Values of a column of the outputs at the samples of a run.
std::vector<double> column(const dae::System& system, const dae::Solution& solution,
                           const std::string& name) {
  dae::Outputs outputs(system);
  std::vector<double> numbers(static_cast<std::size_t>(outputs.size())), values;
  const auto place = static_cast<std::size_t>(outputs.column(name));
  for (const dae::State& state : solution.samples) {
    outputs.evaluate(state, std::vector<double>(system.controls().size()), numbers);
    values.push_back(numbers[place]);
  }
  return values;
}

double iterations_per_step(const dae::Solution& solution) {
  return static_cast<double>(solution.summary.newton_iterations) /
         static_cast<double>(solution.summary.steps);
}

/// The largest distance between the same columns of two runs at the times of their samples.
double largest_difference(const dae::System& system, const dae::Solution& a, const dae::Solution& b,
                          const std::vector<std::string>& names) {
  double largest = 0;
  for (const std::string& name : names) {
    const std::vector<double> x = column(system, a, name), y = column(system, b, name);
    EXPECT_EQ(x.size(), y.size());
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
      largest = std::max(largest, std::abs(x[i] - y[i]));
    }
  }
  return largest;
}

// ---------------------------------------------------------------- the right-angle beam

dae::IntegrateOptions right_angle_options(double h, double t_end = 30) {
  dae::IntegrateOptions options = dae::alpha_steps();
  options.t_end = t_end;
  options.step = h;
  options.alpha.method.parameters = dae::AlphaParameters::hht(-0.05);
  return options;
}

/// Ten elements in all and the step of the paper. The tolerance is not printed; with the residual below 1e-3 N
/// and Nm, a 50000th of the load, there are no more iterations than its 3.83.
TEST(RightAngleBeam, NeedsNoMoreIterationsThanThePaper) {
  for (const lie::NodeGroup& group : kGroups) {
    const dae::System system = make("right_angle_beam", group, 5);
    EXPECT_EQ(system.num_multipliers(), 0);
    dae::IntegrateOptions options = right_angle_options(0.2);
    options.alpha.newton.residual_tolerance = 1e-3;
    const dae::Solution solution = dae::integrate(system, options);
    ASSERT_TRUE(solution.summary.is_complete()) << solution.summary.message;
    EXPECT_EQ(solution.summary.failed_attempts, 0);
    EXPECT_LE(iterations_per_step(solution), 3.83) << name_of(group);
  }
}

TEST(RightAngleBeam, KeepsItsEnergyBoundedWhenTheForceIsGone) {
  for (const lie::NodeGroup& group : kGroups) {
    const dae::System system = make("right_angle_beam", group, 5);
    const dae::Solution solution = dae::integrate(system, right_angle_options(0.2));
    ASSERT_TRUE(solution.summary.is_complete()) << solution.summary.message;
    const std::vector<double> energy = column(system, solution, "energy"),
                              tip = column(system, solution, "tip.x.3");
    const std::size_t gone = 10;  // t = 2
    const double start = energy[gone];
    EXPECT_GT(start, 100);
    for (std::size_t i = gone; i < energy.size(); ++i) {
      EXPECT_LT(energy[i], 1.02 * start) << name_of(group) << ", sample " << i;
      EXPECT_GT(energy[i], 0.95 * start) << name_of(group) << ", sample " << i;
    }
    // Vibrations of the size of the structure.
    EXPECT_GT(*std::ranges::max_element(tip), 7);
    EXPECT_LT(*std::ranges::min_element(tip), -7);
  }
}

/// Exudyn's beams, which interpolate otherwise, with 20 elements a leg: z of elbow and tip.
TEST(RightAngleBeam, MovesAsInExudyn) {
  constexpr double kTolerance = 0.005;
  const dae::System system = make("right_angle_beam", kGroups[0], 20);
  dae::IntegrateOptions options = right_angle_options(0.01);
  options.sample_interval = 2;
  const dae::Solution solution = dae::integrate(system, options);
  ASSERT_TRUE(solution.summary.is_complete()) << solution.summary.message;
  const std::vector<double> elbow = column(system, solution, "elbow.x.3"),
                            tip = column(system, solution, "tip.x.3");
  ASSERT_EQ(elbow.size(), 16u);
  EXPECT_NEAR(elbow[8], -0.928, kTolerance);
  EXPECT_NEAR(tip[8], -9.711, kTolerance);
  EXPECT_NEAR(elbow[15], -0.231, kTolerance);
  EXPECT_NEAR(tip[15], 0.133, kTolerance);
}

TEST(RightAngleBeam, IsOfSecondOrderInTheStep) {
  const dae::System system = make("right_angle_beam", kGroups[0], 5);
  const auto run = [&system](double h) {
    dae::IntegrateOptions options = right_angle_options(h, 4);
    options.sample_interval = 0.2;
    return dae::integrate(system, options);
  };
  const std::vector<std::string> names = {"elbow.x.3", "tip.x.1", "tip.x.2", "tip.x.3"};
  const dae::Solution reference = run(7.8125e-4);
  const double coarse = largest_difference(system, run(0.0125), reference, names),
               fine = largest_difference(system, run(0.00625), reference, names);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.15) << coarse << " and " << fine;
}

// ---------------------------------------------------------------- the four-bar mechanism

dae::IntegrateOptions four_bar_options(double h, double t_end) {
  dae::IntegrateOptions options = dae::alpha_steps();
  options.t_end = t_end;
  options.step = h;
  options.alpha.method.parameters = dae::AlphaParameters::from_spectral_radius(0.9);
  return options;
}

TEST(FourBar, TurnsSeveralTimesWithTheStepOfThePaper) {
  for (const lie::NodeGroup& group : kGroups) {
    const dae::System system = make("four_bar", group, 10);
    const dae::Solution solution = dae::integrate(system, four_bar_options(0.02, 5));
    ASSERT_TRUE(solution.summary.is_complete()) << name_of(group) << solution.summary.message;
    EXPECT_EQ(solution.summary.failed_attempts, 0);
    EXPECT_LE(iterations_per_step(solution), 3.05) << name_of(group);  // those of the paper
    // -5 (t - 0.25): nearly four turns.
    EXPECT_NEAR(column(system, solution, "angle.x").back(), -5 * 4.75, 1e-9);
    const std::vector<double> out_of_plane = column(system, solution, "BC.C.x.3");
    EXPECT_GT(*std::ranges::max_element(out_of_plane) - *std::ranges::min_element(out_of_plane),
              1e-5);
  }
}

/// Displacements and multipliers on the way to nearly the final speed. Shorter steps end in rounding: relative errors of
/// displacements are 4e-10 at h = 2.5e-3.
TEST(FourBar, IsOfSecondOrderInTheStep) {
  for (const lie::NodeGroup& group : kGroups) {
    const dae::System system = make("four_bar", group, 2);
    const auto run = [&system](double h) {
      dae::IntegrateOptions options = four_bar_options(h, 0.4);
      options.alpha.start = dae::StartingValues::kCorrected;
      options.sample_interval = 0.04;
      return dae::integrate(system, options);
    };
    const dae::Solution reference = run(3.125e-4), coarse = run(5e-3), fine = run(2.5e-3);
    const auto order = [&](const std::vector<std::string>& names) {
      return std::log2(largest_difference(system, coarse, reference, names) /
                       largest_difference(system, fine, reference, names));
    };
    EXPECT_NEAR(order({"BC.C.x.1", "BC.C.x.2", "BC.C.x.3"}), 2, 0.15) << name_of(group);
    EXPECT_NEAR(order({"hinge_C.lambda.1", "hinge_C.lambda.2", "hinge_C.lambda.3"}), 2, 0.15)
        << name_of(group);
    EXPECT_NEAR(order({"motor.lambda"}), 2, 0.15) << name_of(group);
  }
}

/// The same with rods in place of beams: four hinges of which one is tilted leave no freedom.
TEST(FourBar, CannotMoveWithRigidBars) {
  elements::Mechanism bars("rigid bars");
  const elements::Cylinder rod{.radius = 0.01, .density = 7800};
  bars.add_rod("AB", {0, 0, 0}, {0, 0.12, 0}, rod);
  bars.add_rod("BC", {0, 0.12, 0}, {0.24, 0.12, 0}, rod);
  bars.add_rod("CD", {0.24, 0.12, 0}, {0.24, 0, 0}, rod);
  const double tilt = 5 * std::numbers::pi / 180;
  bars.add_revolute("A", "ground", "AB", {});
  bars.add_revolute("B", "AB", "BC", {.point = {0, 0.12, 0}});
  bars.add_revolute("C", "BC", "CD",
                    {.point = {0.24, 0.12, 0}, .axis = {std::sin(tilt), 0, std::cos(tilt)}});
  bars.add_revolute("D", "CD", "ground", {.point = {0.24, 0, 0}});
  try {
    dae::integrate(bars.make_system(), dae::alpha_steps());
    ADD_FAILURE() << "not refused";
  } catch (const InvalidArgument& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("(rank 18 of 20)"), std::string::npos) << text;
    EXPECT_NE(text.find("with as many independent constraints as velocities nothing can move"),
              std::string::npos)
        << text;
  }
}

// ---------------------------------------------------------------- Radau's methods

/// Steps far longer than axial waves need to pass an element: 3 m at 1000 m/s, and 40 mm at 3500 m/s.
TEST(FlexibleModels, RunWithRadausMethodsAtLongSteps) {
  for (const int stages : {2, 3}) {
    for (const auto& [name, step] :
         {std::pair("right_angle_beam", 0.2), std::pair("four_bar", 0.02)}) {
      const dae::System system = make(name, kGroups[0], 3);
      dae::IntegrateOptions options;
      options.method = dae::Method::kRadau;
      options.radau.stages = stages;
      options.step = step;
      options.t_end = 20 * step;
      const dae::Solution solution = dae::integrate(system, options);
      ASSERT_TRUE(solution.summary.is_complete()) << name << ": " << solution.summary.message;
      EXPECT_EQ(solution.summary.steps, 20) << name;
      EXPECT_LT(solution.summary.max_position_residual, 1e-12) << name;
    }
  }
}

/// Waves along and across the legs have 300 to 1700 rad/s and hardly any amplitude: positions have the tolerance with steps
/// that are too long for them. The explicit method resolves them.
TEST(RightAngleBeam, FollowsTheToleranceOfPositionsWithoutResolvingWaves) {
  constexpr double kTolerance = 1e-6, kWay = 10;
  const dae::System system = make("right_angle_beam", kGroups[0], 5);
  dae::IntegrateOptions options;
  options.t_end = 3;
  options.sample_interval = 0.5;
  const dae::Solution run = dae::integrate(system, options);
  ASSERT_TRUE(run.summary.is_complete()) << run.summary.message;
  EXPECT_LT(run.summary.steps, 1700 * options.t_end / 4);
  ASSERT_EQ(run.summary.warnings.size(), 1u);
  EXPECT_NE(run.summary.warnings[0].find("is damped and not resolved"), std::string::npos)
      << run.summary.warnings[0];
  options.method = dae::Method::kMuntheKaas;
  options.tableau = dae::dormand_prince_54();
  options.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = 1e-7}};
  const dae::Solution fine = dae::integrate(system, options);
  ASSERT_TRUE(fine.summary.is_complete()) << fine.summary.message;
  EXPECT_TRUE(fine.summary.warnings.empty());
  EXPECT_LT(
      largest_difference(system, run, fine,
                         {"elbow.x.1", "elbow.x.2", "elbow.x.3", "tip.x.1", "tip.x.2", "tip.x.3"}),
      30 * kTolerance * kWay);
}

/// Where errors of waves were counted as if they added up, steps that were short enough to resolve them stayed so: 2e-8 s
/// before 1 ms had passed.
TEST(FourBar, DoesNotResolveWavesAtATightTolerance) {
  const dae::System system = make("four_bar", kGroups[0], 10);
  for (const auto newton : {dae::RadauNewton::kAutomatic, dae::RadauNewton::kSimplified}) {
    dae::IntegrateOptions options;
    options.method = dae::Method::kRadau;
    options.radau.newton = newton;
    options.t_end = 1;
    options.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = 1e-8}};
    options.on_step = [&](const dae::State& state) { return state.t < 0.05; };
    options.keep_samples = false;
    const dae::Solution run = dae::integrate(system, options);
    EXPECT_EQ(run.summary.termination, dae::Termination::kStoppedByCallback) << run.summary.message;
    EXPECT_LT(run.summary.max_position_residual, 1e-13);
    EXPECT_LT(run.summary.steps, 300);
  }
}

/// A chain that cracks like a whip and a rotor have high rates, and no vibration that may be given up.
TEST(FlexibleModels, AreTheOnlyOnesWhoseVibrationsAreGivenUp) {
  for (const char* name : {"chain", "rotor"}) {
    const dae::System system = models::make_model(name);
    dae::IntegrateOptions options;
    options.t_end = 1;
    options.keep_samples = false;
    const dae::Solution run = dae::integrate(system, options);
    ASSERT_TRUE(run.summary.is_complete()) << name << ": " << run.summary.message;
    EXPECT_TRUE(run.summary.warnings.empty()) << name << ": " << run.summary.warnings[0];
  }
}

// ---------------------------------------------------------------- the cantilever

TEST(Cantilever, HasTheReactionsOfItsWeightAndItsLoads) {
  for (const lie::NodeGroup& group : kGroups) {
    dae::System system = make("cantilever", group, 8);
    system.set_parameter("tip.load.f2", 3);
    system.set_parameter("tip.moment.m1", 0.5);
    const dae::StaticSolution rest = dae::find_equilibrium(system);
    ASSERT_TRUE(rest.converged) << rest.message;
    dae::Outputs outputs(system);
    std::vector<double> numbers(static_cast<std::size_t>(outputs.size()));
    outputs.evaluate(rest.state, {}, numbers);
    const auto value = [&](const std::string& name) {
      return numbers[static_cast<std::size_t>(outputs.column(name))];
    };
    const double weight = 0.785 * 9.81;
    EXPECT_NEAR(value("root.force.1"), 0, 1e-7);
    EXPECT_NEAR(value("root.force.2"), -3, 1e-7);
    EXPECT_NEAR(value("root.force.3"), weight, 1e-7);
    // Small deflections: f L³/3EI, and the weight m g L⁴/8EI.
    EXPECT_NEAR(value("tip.displacement.2"), 3 / (3 * 175.0), 0.01 * 3 / (3 * 175.0));
    EXPECT_NEAR(value("tip.displacement.3"), -weight / (8 * 175), 0.02 * weight / (8 * 175));
    EXPECT_NEAR(value("tip.rotation.1"), 0.5 / 113.6, 0.01 * 0.5 / 113.6);
  }
}

/// Constant curvature, exact for any number of elements; the clamp is at the origin.
TEST(Cantilever, BendsToAnArcWithAnyNumberOfElements) {
  constexpr double kStiffness = 175;
  for (const lie::NodeGroup& group : kGroups) {
    for (const int elements : {1, 2, 4}) {
      for (const double moment : {10.0, 100.0, 500.0}) {
        dae::System system = make("cantilever", group, elements);
        system.set_parameter("gravity3", 0);
        system.set_parameter("tip.moment.m3", moment);
        const dae::StaticSolution rest = dae::find_equilibrium(system);
        ASSERT_TRUE(rest.converged) << elements << " elements, " << moment << ": " << rest.message;
        dae::Outputs outputs(system);
        std::vector<double> numbers(static_cast<std::size_t>(outputs.size()));
        outputs.evaluate(rest.state, {}, numbers);
        const auto rotation = static_cast<std::size_t>(outputs.column("tip.rotation.3"));
        EXPECT_NEAR(numbers[rotation], moment / kStiffness, 1e-11);
      }
    }
  }
}

/// The same bar in mm, N and t: lengths a thousand times as large, frequencies the same.
TEST(Cantilever, BendsAndVibratesAlikeInMillimetres) {
  const std::vector<std::pair<std::string, double>> powers = {
      {"L", 1},  {"EA", 0}, {"GA", 0}, {"GJ", 2},       {"EI", 2},
      {"m", -2}, {"J1", 0}, {"J2", 0}, {"gravity3", 1}, {"tip.moment.m2", 1}};
  for (const lie::NodeGroup& group : kGroups) {
    dae::System metres = make("cantilever", group, 6);
    metres.set_parameter("tip.load.f3", -50);
    metres.set_parameter("tip.moment.m2", 3);
    dae::System millimetres = metres;
    for (const auto& [name, power] : powers) {
      millimetres.set_parameter(name, metres.parameter(name) * std::pow(1000, power));
    }
    const dae::StaticSolution rest = dae::find_equilibrium(metres),
                              same = dae::find_equilibrium(millimetres);
    ASSERT_TRUE(rest.converged && same.converged) << rest.message << same.message;
    EXPECT_EQ(rest.newton_iterations, same.newton_iterations);
    dae::Outputs outputs(metres), outputs_same(millimetres);
    std::vector<double> numbers(static_cast<std::size_t>(outputs.size())), numbers_same = numbers;
    outputs.evaluate(rest.state, {}, numbers);
    outputs_same.evaluate(same.state, {}, numbers_same);
    const auto deflection = static_cast<std::size_t>(outputs.column("tip.displacement.3"));
    EXPECT_LT(numbers[deflection], -0.05);
    EXPECT_NEAR(numbers_same[deflection], 1000 * numbers[deflection], 1e-9);
    const dae::ModalSolution modes = dae::modal_analysis(metres, rest.state),
                             modes_same = dae::modal_analysis(millimetres, same.state);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(modes_same.modes[i].frequency / modes.modes[i].frequency, 1, 1e-9);
    }
  }
}

TEST(Cantilever, SaysThatAnElementIsTurnedTooFar) {
  dae::System system = make("cantilever", kGroups[0], 1);
  system.set_parameter("gravity3", 0);
  system.set_parameter("tip.moment.m3", 2 * std::numbers::pi * 175);
  const dae::StaticSolution rest = dae::find_equilibrium(system);
  EXPECT_FALSE(rest.converged);
  EXPECT_NE(rest.message.find("where element 'beam.beam1' has ends that are turned by 3.1"),
            std::string::npos)
      << rest.message;
  EXPECT_NE(rest.message.find("use more elements"), std::string::npos) << rest.message;
}

}  // namespace
}  // namespace liegrad::testing
