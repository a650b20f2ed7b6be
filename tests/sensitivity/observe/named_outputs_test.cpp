// Numbers read from a motion by name: values against dae::Outputs, derivatives against differences; and
// accelerations, which are among them, against velocities and through whole runs.

#include "liegrad/sensitivity/observe/named_outputs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "liegrad/dae/system/outputs.hpp"
#include "liegrad/models/models.hpp"
#include "liegrad/sensitivity/taylor_test.hpp"
#include "sensitivity/agreement.hpp"
#include "sensitivity/closed_loop_model.hpp"
#include "sensitivity/observable_checks.hpp"

namespace liegrad::testing {
namespace {

using sensitivity::named_outputs;

/// Names of all columns that have derivatives.
std::vector<std::string> smooth_columns(const dae::System& system) {
  std::vector<std::string> names;
  for (const std::string& name : dae::Outputs(system).column_names()) {
    if (!name.starts_with("residual.")) names.push_back(name);
  }
  return names;
}

Vector outputs_at(const dae::System& system, const Point& point) {
  dae::System changed = system;
  for (std::size_t i = 0; i < point.parameters.size(); ++i) {
    changed.set_parameter(system.parameters()[i].name, point.parameters[i]);
  }
  dae::Outputs outputs(changed);
  Vector values(index(outputs.size()));
  outputs.evaluate(point.state, point.controls, values);
  return values;
}

TEST_P(EverySystem, HasTheValuesOfItsOutputs) {
  std::mt19937 rng(1);
  const dae::System system = GetParam().make();
  const dae::Outputs outputs(system);
  const std::vector<std::string> names = smooth_columns(system);
  const auto observable = named_outputs(system, names);
  ASSERT_EQ(observable->size(), std::ssize(names));
  for (int k = 0; k < 3; ++k) {
    Point point = some_point(system, rng);
    if (k > 0) point = moved(system, point, some_direction(system, rng), 1);
    go_to(*observable, point);
    const Vector expected = outputs_at(system, point);
    for (std::size_t i = 0; i < names.size(); ++i) {
      EXPECT_DOUBLE_EQ(observable->values()[i], expected[index(outputs.column(names[i]))])
          << names[i];
    }
  }
}

TEST_P(EverySystem, HasAccelerationsThatAreTheRatesOfItsVelocities) {
  std::mt19937 rng(3);
  const dae::System system = GetParam().make();
  const dae::Outputs outputs(system);
  const MotionLayout layout(system);
  const Point point = some_point(system, rng);
  // Along a motion with these velocities and accelerations.
  Vector motion(index(layout.size), 0.0);
  std::copy(point.state.v.begin(), point.state.v.end(), motion.begin() + layout.q);
  std::copy(point.state.v_dot.begin(), point.state.v_dot.end(), motion.begin() + layout.v);
  const Vector rates = derivative_by_differences(
      [&](double t) { return outputs_at(system, moved(system, point, motion, t)); });
  const Vector values = outputs_at(system, point);
  std::size_t compared = 0;
  for (const dae::OutputSpec& output : outputs.list()) {
    const std::string rate = output.name + "_dot";
    const auto is_rate = [&rate](const dae::OutputSpec& other) { return other.name == rate; };
    if (std::none_of(outputs.list().begin(), outputs.list().end(), is_rate)) continue;
    const auto is_of = [&rate](const dae::Node& node) { return rate.starts_with(node.name + "."); };
    if (std::none_of(system.nodes().begin(), system.nodes().end(), is_of)) continue;
    ASSERT_EQ(outputs.spec(rate).size, output.size);
    for (std::size_t i = 0; i < index(output.size); ++i) {
      const double expected = rates[index(outputs.offset(output.name)) + i];
      EXPECT_NEAR(values[index(outputs.offset(rate)) + i], expected,
                  1e-9 * (1 + std::abs(expected)))
          << rate << " " << i;
      compared += 1;
    }
  }
  // One for each velocity; nothing is left out.
  EXPECT_EQ(compared, index(system.dof()));
}

TEST_P(EverySystem, HasOutputsWithExactDerivatives) {
  std::mt19937 rng(2);
  const dae::System system = GetParam().make();
  const auto observable = named_outputs(system, smooth_columns(system));
  check_derivatives(system, *observable, some_point(system, rng), rng);
}

INSTANTIATE_TEST_SUITE_P(Models, EverySystem, ::testing::ValuesIn(all_cases()),
                         [](const auto& one) { return one.param.name; });

TEST(NamedOutputs, StandInTheOrderGivenAndMayRepeat) {
  std::mt19937 rng(4);
  const dae::System system = models::make_model("heavy_top", {.body_group = lie::NodeGroup::se3()});
  const dae::Outputs outputs(system);
  const std::vector<std::string> names = {"energy",  "top.u[2]",         "fixed_point.lambda.3",
                                          "top.q.1", "energy.potential", "top.u.2"};
  const auto all = named_outputs(system, smooth_columns(system));
  const auto some = named_outputs(system, names);
  const Point point = some_point(system, rng);
  go_to(*all, point);
  go_to(*some, point);
  const Vector weights = random_numbers(some->size(), rng);
  const Vector direction = some_direction(system, rng);
  Vector all_weights(index(all->size()), 0.0), tangents(index(all->size()), 0.0);
  all->tangent(1, direction, tangents);
  Vector some_tangents(names.size(), 0.0);
  some->tangent(1, direction, some_tangents);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::size_t column = index(outputs.column(names[i]));
    EXPECT_EQ(some->values()[i], all->values()[column]) << names[i];
    EXPECT_EQ(some_tangents[i], tangents[column]) << names[i];
    all_weights[column] += weights[i];
  }
  expect_near(gradient_of(system, *some, weights), gradient_of(system, *all, all_weights),
              kRoundingTolerance, "gradient");
}

TEST(NamedOutputs, ReadEitherSignOfAQuaternionAsTheSameRotation) {
  std::mt19937 rng(5);
  for (const char* const model : {"spinning_top", "heavy_top"}) {
    const dae::System system = models::make_model(model);
    const auto observable = named_outputs(system, {"top.q.1", "top.q.2", "top.q.3", "top.q.4"});
    const Vector weights = random_numbers(4, rng);
    Point point = some_point(system, rng);
    go_to(*observable, point);
    const Vector values(observable->values().begin(), observable->values().end());
    const Vector gradient = gradient_of(system, *observable, weights);
    EXPECT_GE(values[0], 0);
    EXPECT_NE(dae::max_of(gradient), 0);
    for (std::size_t i = 0; i < 4; ++i) point.state.q[i] = -point.state.q[i];
    go_to(*observable, point);
    EXPECT_EQ(Vector(observable->values().begin(), observable->values().end()), values);
    EXPECT_EQ(gradient_of(system, *observable, weights), gradient);
  }
}

TEST(NamedOutputs, TurnWithTheirAngleAlsoWhereItJumps) {
  const dae::System system = workbench();
  const auto observable = named_outputs(system, {"hinge.theta"});
  const MotionLayout layout(system);
  std::mt19937 rng(6);
  const std::size_t hinge = index(system.node_index("hinge"));
  const int coeff = system.configuration_space().coeff_offset(static_cast<int>(hinge));
  const int dof = system.configuration_space().dof_offset(static_cast<int>(hinge));
  // Half turns of both signs, right angles, and none at all.
  const double circle[][2] = {{-1, 0.0}, {-1, -0.0}, {0, 1}, {0, -1}, {1, 0}, {1, -0.0}};
  for (const auto& [cosine, sine] : circle) {
    Point point = some_point(system, rng);
    point.state.q[index(coeff)] = cosine;
    point.state.q[index(coeff) + 1] = sine;
    go_to(*observable, point);
    EXPECT_EQ(observable->values()[0], std::atan2(sine, cosine));
    Vector expected(index(layout.size), 0.0), second = expected;
    const Vector gradient = gradient_of(system, *observable, {1.0});
    expected[index(layout.q + dof)] = 1;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      EXPECT_NEAR(gradient[i], expected[i], 1e-15) << cosine << " " << sine << " " << i;
    }
    observable->second(Vector{1.0}, expected, second);
    EXPECT_LT(dae::max_of(second), 1e-15);
  }
}

TEST(NamedOutputs, HaveNoDerivativeByWhatTheyCannotDependOn) {
  std::mt19937 rng(7);
  struct Expected {
    std::string name;
    Support support;
  };
  const auto check = [&rng](const dae::System& system, const std::vector<Expected>& list) {
    const MotionLayout layout(system);
    const Point point = some_point(system, rng);
    for (const auto& [name, support] : list) {
      const auto observable = named_outputs(system, {name});
      go_to(*observable, point);
      const Vector gradient = gradient_of(system, *observable, {1.0});
      EXPECT_EQ(support_of(system, gradient), support) << name;
      // The same of perturbations: along what it does not depend on nothing moves.
      Vector direction = random_numbers(layout.size, rng), tangent = {0.0};
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        if (gradient[i] != 0.0) direction[i] = 0;
      }
      observable->tangent(1, direction, tangent);
      EXPECT_EQ(tangent[0], 0.0) << name;
      Vector second(gradient.size(), 0.0);
      observable->second(Vector{1.0}, direction, second);
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        if (direction[i] == 0.0) continue;
        EXPECT_EQ(second[i], 0.0) << name << " " << i;
      }
    }
  };
  check(models::make_model("heavy_top", {.body_group = lie::NodeGroup::se3()}),
        {{"top.x[3]", {.q = true}},
         {"top.q.2", {.q = true}},
         {"top.omega.1", {.v = true}},
         {"top.u.1", {.q = true, .v = true}},
         {"top.omega_dot.1", {.v_dot = true}},
         {"top.u_dot.1", {.q = true, .v = true, .v_dot = true}},
         {"fixed_point.lambda.2", {.lambda = true}},
         {"energy", {.q = true, .v = true, .parameters = true}},
         {"energy.kinetic", {.v = true, .parameters = true}},
         {"energy.potential", {.q = true, .parameters = true}},
         {"momentum.angular.1", {.q = true, .v = true, .parameters = true}}});
  check(models::make_model("heavy_top"),
        {{"top.u.2", {.v = true}}, {"top.u_dot.2", {.v_dot = true}}});
  check(workbench(), {{"hinge.omega", {.v = true}},
                      {"hinge.omega_dot", {.v_dot = true}},
                      {"filter.c.2", {.v = true}},
                      {"sensor.s.2", {.s = true}},
                      {"sensor.pair.1", {.controls = true, .time = true}},
                      {"sensor.pair.2", {.q = true, .v = true, .s = true}}});
}

TEST(NamedOutputs, AreTheNumbersOfTheMotionThemselvesWhereTheyCan) {
  std::mt19937 rng(8);
  const dae::System system = workbench();
  const MotionLayout layout(system);
  const auto observable =
      named_outputs(system, {"sensor.lambda", "sensor.s.1", "filter.c.2", "filter.c_dot.1"});
  go_to(*observable, some_point(system, rng));
  Vector expected(index(layout.size), 0.0);
  expected[index(layout.lambda)] = 2;
  expected[index(layout.s)] = 3;
  expected[index(layout.v_dot - 1)] = 5;
  expected[index(layout.lambda - 2)] = 7;
  EXPECT_EQ(gradient_of(system, *observable, {2, 3, 5, 7}), expected);
}

// Accelerations over whole runs.

struct ShortRun {
  std::string name;
  dae::System system;
  double step;
};

/// All groups that a model may have.
std::vector<ShortRun> some_runs() {
  const lie::NodeGroup se3 = lie::NodeGroup::se3(), se2 = lie::NodeGroup::se2();
  return {{"heavy_top_SO3xR3", models::make_model("heavy_top"), 1e-3},
          {"heavy_top_SE3", models::make_model("heavy_top", {.body_group = se3}), 1e-3},
          {"spinning_top_SO3", models::make_model("spinning_top"), 2e-3},
          {"pendulum_R2", models::make_model("pendulum"), 0.02},
          {"four_bar_R3", planar_four_bar(lie::NodeGroup::rn(3)), 0.02},
          {"four_bar_SE2", planar_four_bar(se2), 0.02}};
}

bool is_acceleration(const std::string& column) { return column.find("_dot") != column.npos; }

/// How far accelerations are from differences of the velocities of the same run, which have errors of order
/// 2, as the run has; relative to the largest acceleration.
double distance_from_differences(const ShortRun& run, double step) {
  dae::IntegrateOptions options = dae::alpha_steps();
  options.step = step;
  options.t_end = 12 * run.step;
  options.alpha.formulation = Formulation::kStabilized;
  options.alpha.start = StartingValues::kCorrected;
  const std::vector<dae::State> states = dae::integrate(run.system, options).samples;
  dae::Outputs outputs(run.system);
  Vector before(index(outputs.size())), here = before, after = before;
  double largest = 0, worst = 0;
  // At the same times with all steps.
  const auto stride = static_cast<std::size_t>(std::lround(run.step / step));
  for (std::size_t n = stride; n + stride < states.size(); n += stride) {
    outputs.evaluate(states[n - 1], {}, before);
    outputs.evaluate(states[n], {}, here);
    outputs.evaluate(states[n + 1], {}, after);
    for (const std::string& column : outputs.column_names()) {
      if (!is_acceleration(column)) continue;
      std::string velocity = column;
      velocity.erase(velocity.find("_dot"), 4);
      const std::size_t i = index(outputs.column(velocity));
      const double value = here[index(outputs.column(column))];
      largest = std::max(largest, std::abs(value));
      worst = std::max(worst, std::abs(value - (after[i] - before[i]) / (2 * step)));
    }
  }
  return worst / largest;
}

TEST(Accelerations, AreTheLimitOfDifferencesOfVelocitiesOfRuns) {
  for (const ShortRun& run : some_runs()) {
    const double coarse = distance_from_differences(run, run.step / 4);
    const double fine = distance_from_differences(run, run.step / 8);
    EXPECT_LT(fine, 1e-3) << run.name;
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1) << run.name << ": " << coarse << " " << fine;
    std::printf("%s: %.1e, %.1e, order %.2f\n", run.name.c_str(), coarse, fine,
                std::log2(coarse / fine));
  }
}

TEST(Accelerations, HaveTheSameDerivativesOfWholeRunsByAllModes) {
  for (const ShortRun& run : some_runs()) {
    Problem problem(run.system, run.step, 12 * run.step);
    // Longer than elsewhere: the rounding of accelerations is that of positions over h², as of multipliers.
    problem.options.difference_step = 0.03;
    for (const std::string& column : smooth_columns(run.system)) {
      if (!is_acceleration(column)) continue;
      problem.read(column);
      problem.read(column, 7.4 * run.step);
    }
    for (const Formulation formulation : {Formulation::kIndex3, Formulation::kStabilized}) {
      problem.options.integrate.alpha.formulation = formulation;
      Seen seen;
      expect_agreement(problem, run.name, seen);
      seen.print(run.name);
    }
  }
}

TEST(Accelerations, HaveSecondDerivativesOfWholeRuns) {
  std::mt19937 rng(9);
  for (const ShortRun& run : some_runs()) {
    Problem problem(run.system, run.step, 12 * run.step);
    problem.options.integrate.alpha.formulation = Formulation::kStabilized;
    problem.options.variables.initial_configuration = false;
    problem.options.variables.initial_velocity = false;
    problem.options.variables.t_end = problem.options.variables.step = false;
    for (const std::string& column : smooth_columns(run.system)) {
      if (is_acceleration(column)) problem.read(column);
    }
    Vector direction;
    for (const dae::ParameterSpec& parameter : run.system.parameters()) {
      direction.push_back(0.3 * parameter.value * random_numbers(1, rng)[0]);
    }
    problem.options.second_order.emplace().weights = random_numbers(problem.objective.size(), rng);
    const sensitivity::TaylorTest test =
        sensitivity::taylor_test(problem.objective, problem.options, direction);
    ASSERT_TRUE(test.first.slope && test.second.slope) << run.name;
    EXPECT_NEAR(*test.first.slope, 2, 0.05) << run.name;
    EXPECT_NEAR(*test.second.slope, 3, 0.1) << run.name;
    std::printf("%s: slopes %.3f, %.3f\n", run.name.c_str(), *test.first.slope, *test.second.slope);
  }
}

TEST(NamedOutputs, ComplainAboutNamesThatDoNotExist) {
  const dae::System system = models::make_model("heavy_top");
  const auto message = [&system](const std::string& name) {
    return message_of([&] { named_outputs(system, {"energy", name}); });
  };
  EXPECT_EQ(message("top.omga.1"),
            "system 'heavy_top': there is no output 'top.omga.1'; did you mean 'top.omega.1'?");
  EXPECT_EQ(message("energi"),
            "system 'heavy_top': there is no output 'energi'; did you mean 'energy'?");
  // A whole output is not a number.
  EXPECT_EQ(message("fixed_point.lambda"),
            "system 'heavy_top': there is no output 'fixed_point.lambda'; did you mean "
            "'fixed_point.lambda.1', 'fixed_point.lambda.2' or 'fixed_point.lambda.3'?");
}

TEST(NamedOutputs, RefuseResiduals) {
  const dae::System system = models::make_model("heavy_top");
  for (const std::string name : {"residual.position", "residual.velocity"}) {
    EXPECT_EQ(message_of([&] { named_outputs(system, {name}); }),
              "system 'heavy_top': output '" + name +
                  "' is a largest magnitude, which has no derivative; choose another");
  }
}

}  // namespace
}  // namespace liegrad::testing
