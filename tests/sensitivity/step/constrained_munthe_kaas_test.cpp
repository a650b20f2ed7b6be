// Derivatives of runs with explicit Munthe-Kaas methods and joints: tangents, adjoints, the tape of the whole run and
// extrapolated differences of runs agree, see agreement.hpp; second derivatives are the rate of first ones.

#include "liegrad/models/models.hpp"
#include "liegrad/sensitivity/sensitivity.hpp"
#include "liegrad/sensitivity/taylor_test.hpp"
#include "sensitivity/agreement.hpp"
#include "sensitivity/closed_loop_model.hpp"
#include "sensitivity/workshop_model.hpp"

namespace liegrad::testing {
namespace {

/// Of tangents, adjoints and tapes among each other.
constexpr double kExact = 1e-10;

Problem& with_munthe_kaas(Problem& problem, const dae::ButcherTableau& tableau) {
  problem.options.integrate.method = dae::Method::kMuntheKaas;
  problem.options.integrate.tableau = tableau;
  problem.tape_tolerance = kExact;
  return problem;
}

struct Example {
  std::string name;
  dae::System system;
  double step;
  int steps = 8;
  /// Which outputs, all when empty.
  std::vector<std::string> columns = {};

  void read(Problem& problem) const {
    if (columns.empty()) return problem.read_all(2.6 * step);
    for (const std::string& column : columns) {
      problem.read(column);
      problem.read(column, 2.6 * step);
    }
  }
};
std::vector<Example> all_runs() {
  const models::Structure se3 = {.body_group = lie::NodeGroup::se3()};
  const std::vector<std::string> of_crank = {"slider.s",          "crank.theta",
                                             "rod.x.3",           "rod.omega.2",
                                             "revolute.lambda.2", "universal.lambda.4"};
  return {{"heavy_top", models::make_model("heavy_top"), 4e-3},
          {"heavy_top on SE(3)", models::make_model("heavy_top", se3), 4e-3},
          {"slider_crank", models::make_model("slider_crank"), 5e-3},
          // Much of it does not move at all.
          {"slider_crank_3d", models::make_model("slider_crank_3d"), 0.01, 4, of_crank},
          {"four-bar", planar_four_bar(lie::NodeGroup::se2()), 0.05},
          {"chain", models::make_model("chain", {.bodies = 3}), 0.01},
          {"chain on SE(3)",
           models::make_model("chain", {.body_group = lie::NodeGroup::se3(), .bodies = 2}), 0.01}};
}

TEST(ConstrainedMuntheKaasDerivative, AgreesWithTheAdjointTheTapeAndDifferences) {
  int number = 0;
  for (const Example& run : all_runs()) {
    Seen seen;
    for (const dae::ButcherTableau& tableau :
         {dae::rk4(), dae::dormand_prince_54(), dae::butcher_6()}) {
      Problem problem(run.system, run.step, run.steps * run.step);
      run.read(problem);
      with_munthe_kaas(problem, tableau);
      expect_agreement(problem, run.name + ", " + tableau.name, seen, number++);
    }
    EXPECT_LE(seen.adjoint, kExact);
    seen.print(run.name);
  }
}

TEST(ConstrainedMuntheKaasDerivative, HoldsOnTheStepsThatErrorControlChose) {
  int number = 4;
  for (const Example& run : all_runs()) {
    Seen seen;
    Problem problem(run.system, 1, 10 * run.step);
    run.read(problem);
    with_munthe_kaas(problem, dae::dormand_prince_54());
    problem.options.integrate.adaptive =
        dae::AdaptiveOptions{.tolerance = {.relative = 1e-4, .absolute = 1e-5}};
    problem.options.variables.step = false;
    expect_agreement(problem, run.name + ", adaptive steps", seen, number++);
    EXPECT_LE(seen.adjoint, kExact);
    seen.print(run.name + ", adaptive");
  }
}

TEST(ConstrainedMuntheKaasDerivative, HoldsForTimeControlsFirstOrderAndAlgebraicStates) {
  for (const auto& group : {lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()}) {
    Seen seen;
    int number = 7;
    for (const dae::ButcherTableau& tableau : {dae::rk4(), dae::dormand_prince_54()}) {
      const double h = 0.02;
      Problem problem(workshop(group), h, 8 * h);
      problem.read_all(5.3 * h);
      problem.options.integrate.controls = [](double, std::span<double> u) { u[0] = 3; };
      problem.options.variables.controls = true;
      with_munthe_kaas(problem, tableau);
      expect_agreement(problem, tableau.name, seen, number++);
    }
    EXPECT_LE(seen.adjoint, kExact);
    seen.print("workshop");
  }
}

TEST(ConstrainedMuntheKaasDerivative, HasTaylorRemaindersOfSecondAndThirdOrder) {
  for (const bool is_adaptive : {false, true}) {
    for (const Example& run : all_runs()) {
      SCOPED_TRACE(run.name + (is_adaptive ? ", adaptive" : ""));
      Problem problem(run.system, run.step, 4 * run.step);
      // Positions, velocities and multipliers, at the end and within a step.
      run.read(problem);
      with_munthe_kaas(problem, dae::dormand_prince_54());
      if (is_adaptive) {
        problem.options.integrate.adaptive =
            dae::AdaptiveOptions{.tolerance = {.relative = 1e-5, .absolute = 1e-6}};
      }
      problem.options.variables = {};
      std::vector<double> direction;
      for (const dae::ParameterSpec& parameter : problem.system.parameters()) {
        // Lengths of a loop are not free.
        const auto is_one_of = [&](const char* part) {
          return parameter.name.find(part) != parameter.name.npos;
        };
        if (parameter.value == 0) continue;
        if (!is_one_of(".m") && !is_one_of(".J") && !is_one_of("gravity") && !is_one_of(".omega")) {
          continue;
        }
        problem.options.variables.parameters.push_back(parameter.name);
        direction.push_back((direction.size() % 2 == 0 ? 0.3 : -0.2) * parameter.value);
      }
      ASSERT_FALSE(direction.empty());
      const sensitivity::TaylorTest test =
          sensitivity::taylor_test(problem.objective, problem.options, direction);
      ASSERT_TRUE(test.first.slope.has_value());
      ASSERT_TRUE(test.second.slope.has_value()) << test.noise << " of " << test.second.values[0];
      EXPECT_NEAR(*test.first.slope, 2, 0.1);
      EXPECT_NEAR(*test.second.slope, 3, 0.15);
    }
  }
}

TEST(ConstrainedMuntheKaasDerivative, HasSecondDerivativesThatAreTheRateOfFirstOnes) {
  for (const bool in_workshop : {false, true}) {
    const double h = in_workshop ? 0.02 : 4e-3;
    Problem problem(in_workshop ? workshop(lie::NodeGroup::se3())
                                : models::make_model("heavy_top", lie::NodeGroup::se3()),
                    h, 4 * h);
    problem.read_all(2.26 * h);
    with_munthe_kaas(problem, dae::dormand_prince_54());
    problem.options.integrate.controls = [](double t, std::span<double> u) {
      for (double& one : u) one = 3 + t;
    };
    problem.options.variables = {};
    // Not those of the guide, without which the start would violate its constraints.
    std::vector<double> direction;
    const std::vector<double> values = problem.system.parameter_values();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string& name = problem.system.parameters()[i].name;
      const bool is_free = !name.starts_with("guide");
      direction.push_back(is_free ? 0.1 * values[i] / (1.0 + double(i)) : 0.0);
      problem.options.variables.parameters.push_back(name);
    }
    const std::size_t count = direction.size();
    sensitivity::SecondOrder second;
    for (int i = 0; i < problem.objective.size(); ++i) second.weights.push_back(1.0 / (i + 1));
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
      EXPECT_NEAR(product(i), rate(i), 1e-6 * scale)
          << problem.options.variables.parameters[static_cast<std::size_t>(i)];
    }
    EXPECT_GT(product.norm(), 0);
  }
}

TEST(ConstrainedMuntheKaasDerivative, IsTheSameWithCheckpoints) {
  Problem problem(models::make_model("heavy_top"), 1e-3, 0.2);
  problem.read_all(0.0713);
  with_munthe_kaas(problem, dae::dormand_prince_54());
  problem.options.variables = {};
  problem.options.variables.parameters = {"top.m", "top.J1", "top.omega2"};
  problem.options.second_order = sensitivity::SecondOrder{.weights = {}, .directions = {{1, 1, 1}}};
  const Derivatives all = problem.by(Mode::kAdjoint);
  problem.options.checkpoints.megabytes = 0.005;
  const Derivatives some = problem.by(Mode::kAdjoint);
  EXPECT_LE((all.jacobian - some.jacobian).norm(), 1e-10 * all.jacobian.norm());
  EXPECT_LE((all.hessian_products - some.hessian_products).norm(),
            1e-10 * all.hessian_products.norm());
  EXPECT_GT(some.recomputed_steps, 0);
}

TEST(ConstrainedMuntheKaasDerivative, IsRefusedForRedundantConstraints) {
  Problem problem(models::make_model("heavy_top"), 1e-3, 0.01);
  problem.read("top.x.1");
  with_munthe_kaas(problem, dae::dormand_prince_54());
  problem.options.integrate.alpha.consistency.allow_redundant = true;
  try {
    problem.by(Mode::kAdjoint);
    FAIL() << "nothing was thrown";
  } catch (const InvalidArgument& e) {
    EXPECT_NE(std::string(e.what()).find("Munthe-Kaas methods do not allow for redundant "
                                         "constraints; use a Radau or a generalized-alpha method"),
              std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace liegrad::testing
