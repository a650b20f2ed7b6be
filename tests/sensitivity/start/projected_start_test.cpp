// Initial values that a projection moves onto the constraints by a finite distance: derivatives go through it. Tangents,
// adjoints, the taped run and extrapolated differences of runs agree, see agreement.hpp.

#include "liegrad/models/models.hpp"
#include "liegrad/sensitivity/sensitivity.hpp"
#include "liegrad/sensitivity/taylor_test.hpp"
#include "sensitivity/agreement.hpp"

namespace liegrad::testing {
namespace {

/// Moves all initial values off the constraints.
void move_start(Problem& problem, double distance, double speed) {
  dae::InitialValues initial{problem.system.initial_configuration(),
                             problem.system.initial_velocity()};
  std::vector<double> by(initial.v.size());
  for (std::size_t i = 0; i < by.size(); ++i) {
    const double sign = i % 3 == 0 ? -1 : 1;
    by[i] = sign * distance / (1.0 + static_cast<double>(i % 5));
    initial.v[i] += sign * speed / (1.0 + static_cast<double>(i % 4));
  }
  problem.system.configuration_space().plus<double>(initial.q, by, initial.q);
  problem.options.integrate.initial = initial;
  problem.options.integrate.alpha.consistency.project = true;
}

TEST(ProjectedStart, AgreesWithTheAdjointTheTapeAndDifferences) {
  struct Case {
    std::string name;
    double step, t_end;
    models::Structure structure = {};
  };
  const models::Structure se3 = {.body_group = lie::NodeGroup::se3()};
  Seen seen;
  int number = 1;
  for (const Case& c : {Case{"heavy_top", 1e-3, 4e-3}, Case{"heavy_top", 1e-3, 4e-3, se3},
                        Case{"pendulum", 0.01, 0.04}, Case{"slider_crank", 1e-3, 4e-3}}) {
    Problem problem(models::make_model(c.name, c.structure), c.step, c.t_end);
    problem.options.integrate.alpha.formulation = Formulation::kStabilized;
    move_start(problem, 0.05, 0.3);
    problem.read_all(0.53 * c.t_end);
    expect_agreement(problem, c.name, seen, number);
    number += 3;  // initial configurations, initial velocities, the grid, and again
  }
  seen.print("projected start");
}

TEST(ProjectedStart, IsFollowedByRadauMethodsAndWithASecondRun) {
  Seen seen;
  Problem problem(models::make_model("heavy_top"), 5e-3, 0.02);
  problem.options.integrate.method = dae::Method::kRadau;
  move_start(problem, 0.1, 1);
  problem.read_all(0.0113);
  expect_agreement(problem, "heavy_top, radau-3", seen, 4);

  // From a start that takes other iterations, and back.
  sensitivity::Sensitivity sensitivity(problem.objective, problem.options);
  const Eigen::MatrixXd first = sensitivity.evaluate().jacobian;
  dae::RunValues nearer;
  Problem other(models::make_model("heavy_top"), 5e-3, 0.02);
  move_start(other, 1e-6, 1e-6);
  nearer.initial = other.options.integrate.initial;
  EXPECT_GT((sensitivity.evaluate(nearer).jacobian - first).norm(), 1e-6 * first.norm());
  EXPECT_EQ(sensitivity.evaluate().jacobian, first);
}

TEST(ProjectedStart, HasTaylorRemaindersOfSecondAndThirdOrder) {
  Problem problem(models::make_model("heavy_top"), 1e-3, 5e-3);
  problem.options.integrate.alpha.formulation = Formulation::kStabilized;
  move_start(problem, 0.05, 0.3);
  problem.read("top.x.1");
  problem.read("top.u.2");
  problem.options.variables = {};
  problem.options.variables.parameters = {"top.m", "top.X2"};
  problem.options.variables.initial_configuration = problem.options.variables.initial_velocity =
      true;
  problem.options.second_order = sensitivity::SecondOrder{};
  std::vector<double> direction = {0.7, 0.02};
  for (int i = 0; i < 12; ++i) direction.push_back(0.1 / (1 + i));
  const sensitivity::TaylorTest test =
      sensitivity::taylor_test(problem.objective, problem.options, direction);
  ASSERT_TRUE(test.first.slope.has_value());
  ASSERT_TRUE(test.second.slope.has_value());
  EXPECT_NEAR(*test.first.slope, 2, 0.1);
  EXPECT_NEAR(*test.second.slope, 3, 0.15);
}

}  // namespace
}  // namespace liegrad::testing
