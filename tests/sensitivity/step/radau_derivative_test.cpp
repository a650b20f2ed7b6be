// Derivatives of runs with Radau IIA: tangents, adjoints, the taped run and extrapolated differences of runs agree, see
// agreement.hpp; second derivatives are the rate of first ones.

#include "liegrad/sensitivity/step/radau_derivative.hpp"
#include "liegrad/elements/forces/actuators.hpp"
#include "liegrad/models/models.hpp"
#include "liegrad/sensitivity/sensitivity.hpp"
#include "liegrad/sensitivity/taylor_test.hpp"
#include "sensitivity/agreement.hpp"

namespace liegrad::testing {
namespace {

/// Tangents, adjoints and the tape agree better than what all methods are asked for.
void expect_ten_digits(const Seen& seen) {
  EXPECT_LE(seen.adjoint, 1e-10);
  EXPECT_LE(seen.tape, 1e-10);
}

Problem& with_radau(Problem& problem, int stages) {
  problem.options.integrate.method = dae::Method::kRadau;
  problem.options.integrate.radau.stages = stages;
  return problem;
}

TEST(RadauDerivative, AgreesWithTheAdjointAndWithDifferences) {
  struct Case {
    std::string name;
    double step, t_end, read_at;
    models::Structure structure = {};
  };
  const models::Structure se3 = {.body_group = lie::NodeGroup::se3()};
  Seen seen;
  int number = 0;
  for (const Case& c :
       {Case{"heavy_top", 5e-3, 0.04, 0.0213}, Case{"heavy_top", 5e-3, 0.04, 0.0213, se3},
        Case{"pendulum", 0.1, 0.6, 0.37}, Case{"slider_crank", 0.01, 0.05, 0.021},
        Case{"chain", 0.01, 0.05, 0.023, {.bodies = 3}}, Case{"free_body", 0.1, 0.5, 0.21, se3}}) {
    for (const int stages : {2, 3}) {
      Problem problem(models::make_model(c.name, c.structure), c.step, c.t_end);
      problem.read_all(c.read_at);
      with_radau(problem, stages);
      expect_agreement(problem, c.name + ", stages " + std::to_string(stages), seen, number++);
    }
  }
  seen.print("Radau IIA");
  expect_ten_digits(seen);
}

TEST(RadauDerivative, HoldsOnTheStepsThatErrorControlChose) {
  Seen seen;
  Problem problem(models::make_model("heavy_top"), 1, 0.1);
  problem.read_all(0.043);
  with_radau(problem, 3);
  problem.options.integrate.adaptive =
      dae::AdaptiveOptions{.tolerance = {.relative = 1e-4, .absolute = 1e-5}};
  problem.options.variables.step = false;
  expect_agreement(problem, "adaptive steps", seen, 4);
  seen.print("adaptive Radau IIA");
  expect_ten_digits(seen);
}

TEST(RadauDerivative, HoldsForControlsThatFollowALaw) {
  Seen seen;
  for (const int stages : {2, 3}) {
    dae::System system = models::make_model("heavy_top");
    system.add("motor", elements::ActuatorTorque{}, {"top"});
    Problem problem(std::move(system), 5e-3, 0.04);
    problem.read_all(0.0213);
    with_radau(problem, stages);
    problem.options.variables.controls = true;
    problem.options.integrate.controls = [](double t, std::span<double> u) {
      u[0] = 30 * std::sin(20 * t);
      u[1] = 10 * t;
      u[2] = -7;
    };
    expect_agreement(problem, "a control law, stages " + std::to_string(stages), seen);
  }
  seen.print("control law of Radau IIA");
  expect_ten_digits(seen);
}

TEST(RadauDerivative, HasTaylorRemaindersOfSecondAndThirdOrder) {
  for (const bool is_adaptive : {false, true}) {
    SCOPED_TRACE(is_adaptive ? "adaptive" : "fixed steps");
    Problem problem(models::make_model("heavy_top"), 5e-3, 0.02);
    problem.read("top.x.1");
    problem.read("top.u.2");
    problem.read("fixed_point.lambda.1");
    with_radau(problem, 3);
    if (is_adaptive) {
      problem.options.integrate.adaptive =
          dae::AdaptiveOptions{.tolerance = {.relative = 1e-5, .absolute = 0}};
    }
    problem.options.variables = {};
    problem.options.variables.parameters = {"top.m", "top.J1", "top.omega2"};
    problem.options.second_order = sensitivity::SecondOrder{};
    const std::vector<double> direction = {0.7, 0.02, 20};
    const sensitivity::TaylorTest test =
        sensitivity::taylor_test(problem.objective, problem.options, direction);
    ASSERT_TRUE(test.first.slope.has_value());
    ASSERT_TRUE(test.second.slope.has_value());
    EXPECT_NEAR(*test.first.slope, 2, 0.1);
    EXPECT_NEAR(*test.second.slope, 3, 0.15);
  }
}

TEST(RadauDerivative, HasSecondDerivativesThatAreTheRateOfFirstOnes) {
  // Everything that second derivatives go through: η, λ and v̇ between steps, also with algebraic states.
  for (const std::string name : {"heavy_top", "slider_crank", "free_body"}) {
    SCOPED_TRACE(name);
    Problem problem(models::make_model(name), 5e-3, 0.02);
    problem.read_all(0.0113);
    with_radau(problem, 3);
    problem.options.variables = {};
    for (const dae::ParameterSpec& parameter : problem.system.parameters()) {
      problem.options.variables.parameters.push_back(parameter.name);
    }
    const std::size_t count = problem.options.variables.parameters.size();
    sensitivity::SecondOrder second;
    for (int i = 0; i < problem.objective.size(); ++i) second.weights.push_back(1.0 / (i + 1));
    std::vector<double> direction(count);
    const std::vector<double> values = problem.system.parameter_values();
    for (std::size_t i = 0; i < count; ++i) direction[i] = 0.1 * values[i] / (1.0 + double(i));
    second.directions = {direction};
    problem.options.second_order = second;
    sensitivity::Sensitivity sensitivity(problem.objective, problem.options);
    const Eigen::VectorXd product = sensitivity.evaluate().hessian_products.col(0);
    const Eigen::Map<const Eigen::VectorXd> weights(second.weights.data(),
                                                    problem.objective.size());
    const auto gradient = [&](double x) -> Eigen::VectorXd {
      dae::RunValues moved{.parameters = values};
      for (std::size_t i = 0; i < count; ++i) moved.parameters[i] += x * direction[i];
      return sensitivity.evaluate(moved).jacobian.transpose() * weights;
    };
    // Central differences, extrapolated once.
    const double x = 1e-3;
    const Eigen::VectorXd wide = (gradient(2 * x) - gradient(-2 * x)) / (4 * x);
    const Eigen::VectorXd narrow = (gradient(x) - gradient(-x)) / (2 * x);
    const Eigen::VectorXd rate = (4 * narrow - wide) / 3;
    for (Eigen::Index i = 0; i < product.size(); ++i) {
      const double scale = std::max(std::abs(rate(i)), 1e-6 * rate.cwiseAbs().maxCoeff());
      EXPECT_NEAR(product(i), rate(i), 1e-6 * scale) << problem.options.variables.parameters[i];
    }
    EXPECT_GT(product.norm(), 0);
  }
}

TEST(RadauDerivative, HasTheValuesOfASimulationBetweenSteps) {
  const dae::System system = models::make_model("heavy_top");
  const double t = 0.0213;
  sensitivity::Objective objective(system);
  objective.add_output("fixed_point.lambda[2]", t);
  objective.add_output("top.omega_dot[1]", t);
  objective.add_output("top.x[1]", t);
  sensitivity::DifferentiateOptions how;
  how.integrate = dae::alpha_steps(5e-3);
  how.integrate.t_end = 0.04;
  how.integrate.method = dae::Method::kRadau;
  how.variables.parameters = {"top.m", "top.omega2"};
  const sensitivity::Derivatives d = sensitivity::differentiate(objective, how);

  dae::IntegrateOptions run = how.integrate;
  run.sample_interval = t;
  run.keep_samples = true;
  const dae::Solution solution = dae::integrate(system, run);
  ASSERT_GE(solution.samples.size(), 2U);
  const dae::State& sample = solution.samples[1];
  ASSERT_NEAR(sample.t, t, 1e-15);
  EXPECT_NEAR(d.values(0), sample.lambda[1], 1e-10 * std::abs(sample.lambda[1]));
  EXPECT_NEAR(d.values(1), sample.v_dot[0], 1e-10 * std::abs(sample.v_dot[0]));
  EXPECT_NEAR(d.values(2), sample.q[4], 1e-14);
}

TEST(RadauDerivative, IsRefusedForRedundantConstraintsAndOtherFormulations) {
  const dae::System top = models::make_model("heavy_top");
  dae::IntegrateOptions options = dae::alpha_steps();
  options.method = dae::Method::kRadau;
  options.radau.formulation = Formulation::kIndex3;
  EXPECT_THROW(sensitivity::radau_derivative(top, options), InvalidArgument);
  options.radau.formulation = Formulation::kStabilized;
  options.alpha.consistency.allow_redundant = true;
  EXPECT_THROW(sensitivity::radau_derivative(top, options), InvalidArgument);
}

}  // namespace
}  // namespace liegrad::testing
