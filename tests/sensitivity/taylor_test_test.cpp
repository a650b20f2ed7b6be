// Taylor remainders of whole runs: gradients and Hessians are those of the runs, and a wrong one is found.

#include "liegrad/sensitivity/taylor_test.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "liegrad/dae/numbers.hpp"
#include "liegrad/models/models.hpp"
#include "liegrad/sensitivity/difference_runs.hpp"
#include "liegrad/sensitivity/trajectory.hpp"

namespace liegrad::testing {
namespace {

using dae::index;
using sensitivity::DifferentiateOptions;
using sensitivity::Objective;
using sensitivity::taylor_test;
using sensitivity::TaylorRemainder;
using sensitivity::TaylorTest;
using Vector = std::vector<double>;

/// Of slopes by least squares over at least three halvings.
constexpr double kFirstTolerance = 0.05, kSecondTolerance = 0.1;

struct Case {
  std::string model;
  lie::NodeGroup group;
  int bodies, steps;
  double h;
  std::vector<std::string> outputs;

  std::string name() const { return model + (group == lie::NodeGroup::se3() ? "_se3" : "_so3xr3"); }
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name(); }

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const auto& group : {lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()}) {
    cases.push_back({"heavy_top", group, 0, 40, 1e-3, {"top.x[1]", "top.x[2]", "top.x[3]"}});
    cases.push_back(
        {"slider_crank_3d", group, 0, 20, 2e-3, {"crank.x[1]", "crank.x[3]", "rod.x[2]"}});
    cases.push_back({"rotor", group, 0, 50, 1e-4, {"rotor.x[3]"}});
    cases.push_back({"chain", group, 5, 50, 2e-3, {"rod5.x[1]", "rod5.x[2]"}});
  }
  const auto any = lie::NodeGroup::so3xr3();
  cases.push_back({"pendulum", any, 0, 50, 0.02, {"mass.x[1]", "mass.u[2]"}});
  cases.push_back({"slider_crank", any, 0, 50, 2e-3, {"crank.x[1]", "rod.x[2]", "slider.x"}});
  return cases;
}

/// A short run, and a direction of relative changes of all parameters that are not zero.
struct Problem {
  explicit Problem(const Case& one)
      : system(models::make_model(one.model, {.body_group = one.group, .bodies = one.bodies})),
        objective(system) {
    for (const std::string& output : one.outputs) objective.add_output(output);
    options.integrate.step = one.h;
    options.integrate.t_end = one.steps * one.h;
    std::mt19937 generator(2);
    std::uniform_real_distribution<double> relative(-1, 1);
    for (const dae::ParameterSpec& parameter : system.parameters()) {
      if (parameter.value == 0) continue;
      options.variables.parameters.push_back(parameter.name);
      direction.push_back(relative(generator) * parameter.value);
    }
  }
  Problem(const Problem&) = delete;  // the objective refers to the system
  Problem& operator=(const Problem&) = delete;

  dae::System system;
  Objective objective;
  DifferentiateOptions options;
  Vector direction;
};

void expect_slope(const TaylorRemainder& remainder, double slope, double tolerance) {
  ASSERT_TRUE(remainder.slope.has_value());
  EXPECT_NEAR(*remainder.slope, slope, tolerance);
  EXPECT_GE(remainder.used, 3);
}

class TaylorTestOf : public ::testing::TestWithParam<Case> {};

TEST_P(TaylorTestOf, ShowsThatGradientAndHessianAreRight) {
  const Problem problem(GetParam());
  const TaylorTest test = taylor_test(problem.objective, problem.options, problem.direction);
  expect_slope(test.first, 2, kFirstTolerance);
  expect_slope(test.second, 3, kSecondTolerance);
  EXPECT_NE(test.gradient_along, 0);
  EXPECT_NE(test.hessian_along, 0);
}

INSTANTIATE_TEST_SUITE_P(Models, TaylorTestOf, ::testing::ValuesIn(all_cases()),
                         [](const auto& given) { return given.param.name(); });

TEST(TaylorTest, ShowsThatHessiansByAllVariablesAreRight) {
  // Also where the initial values are moved by a parameter and by themselves.
  Problem problem({"heavy_top", lie::NodeGroup::se3(), 0, 30, 1e-3, {"top.x[1]", "top.x[3]"}});
  sensitivity::Variables& variables = problem.options.variables;
  variables.initial_configuration = variables.initial_velocity = true;
  variables.t_end = variables.step = true;
  for (int i = 0; i < 2 * problem.system.dof(); ++i) {
    problem.direction.push_back(0.5 * std::cos(1.7 * i));
  }
  problem.direction.push_back(0.5 * problem.options.integrate.t_end);
  problem.direction.push_back(-0.3 * problem.options.integrate.step);
  const TaylorTest test = taylor_test(problem.objective, problem.options, problem.direction);
  expect_slope(test.first, 2, kFirstTolerance);
  expect_slope(test.second, 3, kSecondTolerance);
}

TEST(TaylorTest, CountsWeights) {
  Problem problem({"pendulum", lie::NodeGroup::so3xr3(), 0, 20, 0.02, {"mass.x[1]", "mass.x[2]"}});
  problem.options.second_order.emplace().weights = {1, 0};
  const TaylorTest one = taylor_test(problem.objective, problem.options, problem.direction);
  problem.options.second_order->weights = {0, -2};
  const TaylorTest two = taylor_test(problem.objective, problem.options, problem.direction);
  problem.options.second_order->weights = {1, -2};
  const TaylorTest both = taylor_test(problem.objective, problem.options, problem.direction);
  EXPECT_NEAR(both.value, one.value + two.value, 1e-14);
  EXPECT_NEAR(both.gradient_along, one.gradient_along + two.gradient_along, 1e-14);
  EXPECT_NEAR(both.hessian_along, one.hessian_along + two.hessian_along, 1e-13);
  expect_slope(both.second, 3, kSecondTolerance);
}

// Negative controls: one wrong number, and the slope falls by one.

TEST(TaylorTest, FindsAWrongEntryOfAGradient) {
  const Problem problem(all_cases().front());
  const DifferentiateOptions& options = problem.options;
  sensitivity::Derivatives derivatives = differentiate(problem.objective, options);
  const Eigen::Map<const Eigen::VectorXd> direction(problem.direction.data(),
                                                    std::ssize(problem.direction));
  const sensitivity::Trajectory trajectory(problem.system, options.integrate, {},
                                           [](long, const sensitivity::StepMade&, bool) {});
  const sensitivity::VariableSpace space(problem.system, options.variables, trajectory.grid());
  const dae::State& initial = trajectory.initial_state();
  sensitivity::DifferenceRuns runs(problem.objective, options.integrate, space,
                                   {initial.q, initial.v}, false);
  Vector full(index(space.size()), 0.0);
  for (std::size_t i = 0; i < problem.direction.size(); ++i) {
    full[index(space.chosen()[i])] = problem.direction[i];
  }
  const auto sum_along = [&](double epsilon) {
    double sum = 0;
    for (const double value : runs.values(full, epsilon)) sum += value;
    return sum;
  };
  const double right = (derivatives.jacobian * direction).sum();
  expect_slope(taylor_test(sum_along, right, 0).first, 2, kFirstTolerance);
  derivatives.jacobian(0, 0) *= 2;
  const double wrong = (derivatives.jacobian * direction).sum();
  expect_slope(taylor_test(sum_along, wrong, 0).first, 1, kFirstTolerance);
}

TEST(TaylorTest, FindsWrongDerivativesOfAFunction) {
  const auto f = [](double x) { return std::exp(2 * x); };
  expect_slope(taylor_test(f, 2, 4).first, 2, kFirstTolerance);
  expect_slope(taylor_test(f, 2, 4).second, 3, kSecondTolerance);
  expect_slope(taylor_test(f, 2.01, 4).first, 1, kFirstTolerance);
  expect_slope(taylor_test(f, 2.01, 4).second, 1, kSecondTolerance);
  expect_slope(taylor_test(f, 2, 4.01).first, 2, kFirstTolerance);
  expect_slope(taylor_test(f, 2, 4.01).second, 2, kSecondTolerance);
}

TEST(TaylorTest, HasNoSlopeWhereNothingButRoundingRemains) {
  const auto linear = [](double x) { return 1 + 3 * x; };
  EXPECT_FALSE(taylor_test(linear, 3, 0).first.slope.has_value());
  const auto quadratic = [](double x) { return std::sin(1.0) + 3 * x + 0.7 * x * x; };
  expect_slope(taylor_test(quadratic, 3, 1.4).first, 2, kFirstTolerance);
  EXPECT_FALSE(taylor_test(quadratic, 3, 1.4).second.slope.has_value());
  EXPECT_LT(taylor_test(quadratic, 3, 1.4).noise, 1e-15);
}

void expect_refused(const std::string& sentence, const Problem& problem, const Vector& direction,
                    const sensitivity::TaylorTestOptions& test) {
  try {
    taylor_test(problem.objective, problem.options, direction, test);
    ADD_FAILURE() << "nothing was thrown in place of: " << sentence;
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.what(), sentence);
  }
}

TEST(TaylorTest, RefusesBadInput) {
  const Problem problem(
      {"pendulum", lie::NodeGroup::so3xr3(), 0, 5, 0.02, {"mass.x[1]", "mass.u[2]"}});
  expect_refused("the direction of a Taylor test has 1 numbers for 4 variables", problem, {1}, {});
  expect_refused("the largest step of a Taylor test must be positive; it is 0", problem,
                 problem.direction, {.first = 0});
  expect_refused("the ratio of the steps of a Taylor test must be between 0 and 1; it is 2",
                 problem, problem.direction, {.ratio = 2});
  expect_refused("a Taylor test needs at least 3 steps, and has 2", problem, problem.direction,
                 {.count = 2});
}

}  // namespace
}  // namespace liegrad::testing
