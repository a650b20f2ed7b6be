// Taylor remainders of whole runs: gradients and Hessians are those of the runs, and a wrong one is found.

#include "liegrad/sensitivity/taylor_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "closed_loop_model.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/models/models.hpp"
#include "liegrad/sensitivity/check/difference_runs.hpp"
#include "liegrad/sensitivity/trajectory/trajectory.hpp"

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
  std::string name;
  std::function<dae::System()> make;
  int steps;
  double h;
  std::vector<std::string> outputs;
  /// Outputs at a time inside a step.
  std::vector<std::string> outputs_between = {};
  std::function<void(dae::IntegrateOptions&)> set = {};
  /// Of parameters, relative: the squeezing mechanism can only be closed for small ones.
  double largest_change = 0.02;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

const auto kSo3xr3 = lie::NodeGroup::so3xr3();
const auto kSe3 = lie::NodeGroup::se3();

std::function<dae::System()> model(const std::string& name, const lie::NodeGroup& group = kSo3xr3,
                                   int bodies = 0) {
  return [=] { return models::make_model(name, {.body_group = group, .bodies = bodies}); };
}

std::vector<Case> all_models() {
  std::vector<Case> cases;
  for (const auto& group : {kSo3xr3, kSe3}) {
    const std::string on = group == kSe3 ? "_se3" : "_so3xr3";
    cases.push_back({"heavy_top" + on,
                     model("heavy_top", group),
                     40,
                     1e-3,
                     {"top.x[1]", "top.x[2]", "top.x[3]"}});
    cases.push_back({"slider_crank_3d" + on,
                     model("slider_crank_3d", group),
                     20,
                     2e-3,
                     {"crank.x[1]", "crank.x[3]", "rod.x[2]"},
                     {"rod.x[1]", "universal.lambda[4]"}});
    cases.push_back({"rotor" + on,
                     model("rotor", group),
                     50,
                     1e-4,
                     {"rotor.x[3]"},
                     {"left.p[2]", "rotor.omega[3]"}});
    cases.push_back({"free_body" + on,
                     model("free_body", group),
                     20,
                     0.02,
                     {"body.x[1]", "body.q[2]", "body.omega[3]"},
                     {"marker.p[2]", "body.q[4]"}});
    cases.push_back({"chain" + on, model("chain", group, 5), 50, 2e-3, {"rod5.x[1]", "rod5.x[2]"}});
    cases.push_back({"chain_of_20" + on,
                     model("chain", group, 20),
                     20,
                     5e-3,
                     {"tip.p[1]", "tip.p[3]", "rod7.omega[2]"},
                     {"rod12.x[3]"}});
  }
  cases.push_back({"pendulum", model("pendulum"), 50, 0.02, {"mass.x[1]", "mass.u[2]"}});
  cases.push_back({"slider_crank",
                   model("slider_crank"),
                   50,
                   2e-3,
                   {"crank.x[1]", "rod.x[2]", "slider.x"},
                   {"rod.u[1]"}});
  cases.push_back({"spinning_top",
                   model("spinning_top"),
                   40,
                   1e-3,
                   {"top.q[2]", "top.omega[1]"},
                   {"top.q[4]", "energy"}});
  cases.push_back({"torsional_ball",
                   model("torsional_ball"),
                   40,
                   0.02,
                   {"ball.q[1]", "ball.omega[3]"},
                   {"ball.q[4]", "ball.omega_dot[2]"}});
  for (const auto& group : {lie::NodeGroup::rn(3), lie::NodeGroup::se2()}) {
    const std::string on = group == lie::NodeGroup::se2() ? "_se2" : "_r3";
    cases.push_back({"four_bar" + on,
                     [group] { return planar_four_bar(group); },
                     30,
                     0.01,
                     {"crank.x[1]", "coupler.x[2]", "rocker.u[1]"},
                     {"coupler.x[1]", "A.lambda[1]"}});
    cases.push_back({"andrews" + on,
                     [group] { return models::make_model("andrews", {.planar_group = group}); },
                     20,
                     1e-4,
                     {"angles.beta", "angles.delta", "P.p[2]"},
                     {"angles.gamma", "P.u[2]"},
                     {},
                     2e-3});
  }
  return cases;
}

/// All formulations with all kinds of σ and starting values, and other methods.
std::vector<Case> all_methods() {
  using dae::Formulation, dae::StartingValues;
  struct Example {
    std::string name;
    std::function<dae::System()> make;
    double h;
    std::vector<std::string> outputs, outputs_between;
  };
  const std::vector<std::string> of_top = {"top.x[1]", "fixed_point.lambda[2]"},
                                 of_top_between = {"top.x[3]", "fixed_point.lambda[1]"},
                                 of_bar = {"coupler.x[1]", "A.lambda[1]"},
                                 of_bar_between = {"rocker.x[2]", "C.lambda[2]"};
  const Example top = {"top", model("heavy_top", kSe3), 2e-3, of_top, of_top_between};
  const Example examples[] = {
      top,
      {"bar", [] { return planar_four_bar(lie::NodeGroup::se2()); }, 0.02, of_bar, of_bar_between}};
  const std::pair<std::string, Formulation> formulations[] = {
      {"index3", Formulation::kIndex3},
      {"index2", Formulation::kIndex2},
      {"stabilized", Formulation::kStabilized}};
  const std::pair<std::string, StartingValues> starts[] = {
      {"classical", StartingValues::kClassical},
      {"corrected", StartingValues::kCorrected},
      {"difference", StartingValues::kCorrectedDifference}};
  const double optimal = dae::AlphaMethod{}.parameters.optimal_sigma();
  const std::pair<std::string, double> sigmas[] = {{"0", 0}, {"1", 1}, {"best", optimal}};
  std::vector<Case> cases;
  const auto add = [&](const Example& of, const std::string& name,
                       const std::function<void(dae::IntegrateOptions&)>& set) {
    cases.push_back({of.name + "_" + name, of.make, 12, of.h, of.outputs, of.outputs_between, set});
  };
  for (const Example& example : examples) {
    for (const auto& formulation : formulations) {
      for (const auto& sigma : sigmas) {
        for (const auto& start : starts) {
          add(example, formulation.first + "_sigma_" + sigma.first + "_" + start.first,
              [=](dae::IntegrateOptions& run) {
                run.alpha.formulation = formulation.second;
                run.alpha.method.sigma = sigma.second;
                run.alpha.start = start.second;
              });
        }
      }
      add(example, "adaptive_" + formulation.first, [=](dae::IntegrateOptions& run) {
        run.alpha.formulation = formulation.second;
        run.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = 3e-2, .absolute = 3e-3},
                                            .initial_step = run.step / 2};
      });
    }
    add(example, "hht", [](dae::IntegrateOptions& run) {
      run.alpha.method.parameters = dae::AlphaParameters::hht(-0.1);
    });
  }
  add(top, "updated_lagrangian", [](dae::IntegrateOptions& run) {
    run.alpha.variant = dae::AlphaVariant::kUpdatedLagrangianExp;
  });
  Example on_so3xr3 = top;
  on_so3xr3.make = model("heavy_top");
  add(on_so3xr3, "conformal_rotation_vectors", [](dae::IntegrateOptions& run) {
    run.alpha.variant = dae::AlphaVariant::kUpdatedLagrangianCrv;
  });
  // Munthe-Kaas methods, for a motion without constraints.
  const Example spinning = {
      "spinning", model("spinning_top"), 2e-3, {"top.q[2]", "top.omega[1]"}, {"top.q[4]"}};
  for (const dae::ButcherTableau& tableau : {dae::rk4(), dae::dormand_prince_54(), dae::butcher_6(),
                                             dae::gauss_2(), dae::radau_iia_2()}) {
    std::string name = tableau.name;
    std::ranges::replace(name, '-', '_');
    add(spinning, name, [=](dae::IntegrateOptions& run) {
      run.method = dae::Method::kMuntheKaas;
      run.tableau = tableau;
    });
  }
  add(spinning, "munthe_kaas_adaptive", [](dae::IntegrateOptions& run) {
    run.method = dae::Method::kMuntheKaas;
    run.tableau = dae::dormand_prince_54();
    run.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = 1e-5, .absolute = 1e-6}};
  });
  return cases;
}

/// A short run, and a direction of relative changes of all parameters that are not zero.
struct Problem {
  explicit Problem(const Case& one) : system(one.make()), objective(system) {
    for (const std::string& output : one.outputs) objective.add_output(output);
    for (const std::string& output : one.outputs_between) {
      objective.add_output(output, (0.6 * one.steps + 0.37) * one.h);
    }
    options.integrate = dae::alpha_steps(one.h);
    options.integrate.t_end = one.steps * one.h;
    if (one.set) one.set(options.integrate);
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

/// Multipliers of index 3 carry rounding over h², 2e-7 of this objective where index 2 has 2e-11: too few remainders are
/// clearly above it for a fit, but those that are 50 times above must shrink like εˢ from the first on.
void expect_slope_above_noise(const TaylorTest& test, double slope, double tolerance) {
  const std::vector<double>& values = test.second.values;
  std::size_t k = 0;
  for (; k + 1 < values.size() && values[k + 1] > 50 * test.noise; ++k) {
    const double halvings = std::log2(test.epsilon[k] / test.epsilon[k + 1]);
    EXPECT_NEAR(std::log2(values[k] / values[k + 1]) / halvings, slope, tolerance);
  }
  EXPECT_GE(k, 2u);
}

void expect_slope(const TaylorRemainder& remainder, double slope, double tolerance) {
  ASSERT_TRUE(remainder.slope.has_value());
  EXPECT_NEAR(*remainder.slope, slope, tolerance);
  EXPECT_GE(remainder.used, 3);
}

class TaylorTestOf : public ::testing::TestWithParam<Case> {};

TEST_P(TaylorTestOf, ShowsThatGradientAndHessianAreRight) {
  const Problem problem(GetParam());
  const TaylorTest test = taylor_test(problem.objective, problem.options, problem.direction,
                                      {.first = GetParam().largest_change});
  std::printf("%s: slopes %.3f and %.3f\n", GetParam().name.c_str(), test.first.slope.value_or(0),
              test.second.slope.value_or(0));
  expect_slope(test.first, 2, kFirstTolerance);
  if (test.second.slope) {
    expect_slope(test.second, 3, kSecondTolerance);
  } else {
    expect_slope_above_noise(test, 3, 0.1);
  }
  EXPECT_NE(test.gradient_along, 0);
  EXPECT_NE(test.hessian_along, 0);
}

INSTANTIATE_TEST_SUITE_P(Models, TaylorTestOf, ::testing::ValuesIn(all_models()),
                         [](const auto& given) { return given.param.name; });
INSTANTIATE_TEST_SUITE_P(Methods, TaylorTestOf, ::testing::ValuesIn(all_methods()),
                         [](const auto& given) { return given.param.name; });

TEST(TaylorTest, ShowsThatHessiansByAllVariablesAreRight) {
  // Also where the initial values are moved by a parameter and by themselves.
  Problem problem({"all", model("heavy_top", kSe3), 30, 1e-3, {"top.x[1]", "top.x[3]"}});
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
  Problem problem({"pendulum", model("pendulum"), 20, 0.02, {"mass.x[1]", "mass.x[2]"}});
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
  const Problem problem(all_models().front());
  const DifferentiateOptions& options = problem.options;
  sensitivity::Derivatives derivatives = differentiate(problem.objective, options);
  const Eigen::Map<const Eigen::VectorXd> direction(problem.direction.data(),
                                                    std::ssize(problem.direction));
  sensitivity::Trajectory trajectory(problem.system, options.integrate, {});
  const dae::RunValues defaults;
  trajectory.run(defaults, [](long, const sensitivity::StepMade&, bool) {});
  const sensitivity::VariableSpace space(problem.system, options.variables,
                                         options.integrate.resolved().method, trajectory.grid());
  sensitivity::DifferenceRuns runs(problem.objective, options.integrate, space,
                                   trajectory.given_values(), trajectory.parameters(), false);
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
  const Problem problem({"pendulum", model("pendulum"), 5, 0.02, {"mass.x[1]", "mass.u[2]"}});
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
