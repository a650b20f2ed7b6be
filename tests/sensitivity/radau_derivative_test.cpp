// Derivatives of runs with Radau IIA: tangents, adjoints and extrapolated differences of runs agree, see agreement.hpp;
// second derivatives are the rate of first ones.

#include "liegrad/sensitivity/step/radau_derivative.hpp"
#include "agreement.hpp"
#include "liegrad/models/models.hpp"
#include "liegrad/sensitivity/taylor_test.hpp"

namespace liegrad::testing {
namespace {

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
}

TEST(RadauDerivative, HasTaylorRemaindersOfSecondAndThirdOrder) {
  Problem problem(models::make_model("heavy_top"), 5e-3, 0.02);
  problem.read("top.x.1");
  problem.read("top.u.2");
  problem.read("fixed_point.lambda.1");
  with_radau(problem, 3);
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
