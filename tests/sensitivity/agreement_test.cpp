// All modes agree, for all models and methods; see agreement.hpp.

#include <functional>

#include "agreement.hpp"
#include "closed_loop_model.hpp"
#include "liegrad/models/models.hpp"
#include "workshop_model.hpp"

namespace liegrad::testing {
namespace {

constexpr Formulation kFormulations[] = {Formulation::kIndex3, Formulation::kIndex2,
                                         Formulation::kStabilized};
constexpr StartingValues kStarts[] = {StartingValues::kClassical, StartingValues::kCorrected,
                                      StartingValues::kCorrectedDifference};

// Models.

struct Case {
  std::string name;
  std::function<dae::System()> make;
  double step;
  int steps = 12;
  /// Which outputs, all when empty.
  std::vector<std::string> columns = {};
  double difference_step = 1e-2;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

models::Structure on(const lie::NodeGroup& group, int bodies = 0) {
  return {.body_group = group, .bodies = bodies};
}

std::vector<Case> all_cases() {
  const auto model = [](const std::string& name, const models::Structure& structure = {}) {
    return [name, structure] { return models::make_model(name, structure); };
  };
  const lie::NodeGroup se3 = lie::NodeGroup::se3();
  const std::vector<std::string> of_crank = {"slider.s",          "crank.theta",
                                             "rod.x.3",           "rod.omega.2",
                                             "revolute.lambda.2", "universal.lambda.4"};
  // It does not move along its axis.
  const std::vector<std::string> of_rotor = {"rotor.x.2",
                                             "rotor.x.3",
                                             "rotor.q.1",
                                             "rotor.q.3",
                                             "rotor.u.3",
                                             "rotor.omega.2",
                                             "rotor.omega.3",
                                             "left.p.2",
                                             "right.bearing.force.3",
                                             "left.bearing.force.2",
                                             "energy"};
  const std::vector<std::string> of_andrews = {
      "angles.beta", "angles.delta", "K5.omega", "P.u.2", "joint_B.lambda.1", "joint_P6.lambda.2"};
  const std::vector<std::string> of_chain = {"tip.p.1", "tip.p.3", "rod7.omega.2",
                                             "joint1.lambda.3", "joint12.lambda.1"};
  return {{"heavy_top_SO3xR3", model("heavy_top"), 0.01},
          {"heavy_top_SE3", model("heavy_top", on(se3)), 0.01},
          {"pendulum", model("pendulum"), 0.02},
          {"slider_crank", model("slider_crank"), 5e-3},
          {"spinning_top", model("spinning_top"), 0.01},
          {"torsional_ball", model("torsional_ball"), 0.01},
          {"slider_crank_3d_SO3xR3", model("slider_crank_3d"), 0.01, 6, of_crank},
          {"slider_crank_3d_SE3", model("slider_crank_3d", on(se3)), 0.01, 6, of_crank},
          {"rotor_SO3xR3", model("rotor"), 4.3e-5, 12, of_rotor},
          {"rotor_SE3", model("rotor", on(se3)), 4.3e-5, 12, of_rotor},
          {"four_bar_R3", [] { return planar_four_bar(lie::NodeGroup::rn(3)); }, 0.02},
          {"four_bar_SE2", [] { return planar_four_bar(lie::NodeGroup::se2()); }, 0.02},
          // Of a size of some millimetres.
          {"andrews_SE2", model("andrews", {.planar_group = lie::NodeGroup::se2()}), 1e-3, 4,
           of_andrews, 1e-5},
          {"chain_SO3xR3", model("chain", on(lie::NodeGroup::so3xr3(), 20)), 0.01, 4, of_chain},
          {"chain_SE3", model("chain", on(se3, 20)), 0.01, 4, of_chain}};
}

class AgreementOf : public ::testing::TestWithParam<Case> {};

std::string combination(const dae::AlphaOptions& alpha) {
  return "formulation " + std::to_string(static_cast<int>(alpha.formulation)) + ", sigma " +
         std::to_string(alpha.method.sigma) + ", start " +
         std::to_string(static_cast<int>(alpha.start));
}

TEST_P(AgreementOf, AllModesForAllMethods) {
  const Case& one = GetParam();
  Problem problem(one.make(), one.step, one.steps * one.step);
  const double between = (0.5 * one.steps + 0.3) * one.step;
  if (one.columns.empty()) problem.read_all(between);
  for (const std::string& column : one.columns) {
    problem.read(column);
    problem.read(column, between);
  }
  problem.options.difference_step = one.difference_step;
  const bool large = problem.system.dof() > 10;
  if (problem.system.dof() > 50) {
    problem.options.variables.initial_configuration = false;
    problem.options.variables.initial_velocity = false;
  }
  Seen seen;
  int count = 0;
  dae::AlphaOptions& alpha = problem.options.integrate.alpha;
  const double sigmas[] = {0, 1, alpha.method.parameters.optimal_sigma()};
  for (int i = 0; i < 27; ++i) {
    const int formulation = i / 9, sigma = i / 3 % 3, start = i % 3;
    // Of large systems a Latin square: each pair of choices occurs once.
    if (large && (formulation + sigma + start) % 3 != 0) continue;
    alpha.formulation = kFormulations[formulation];
    alpha.method.sigma = sigmas[sigma];
    alpha.start = kStarts[start];
    expect_agreement(problem, combination(alpha), seen, count++);
  }
  seen.print(one.name);
}

INSTANTIATE_TEST_SUITE_P(Models, AgreementOf, ::testing::ValuesIn(all_cases()),
                         [](const auto& one) { return one.param.name; });

// What the models do not have.

TEST(Agreement, HoldsForTimeControlsFirstOrderAndAlgebraicStates) {
  for (const auto& group : {lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()}) {
    const double h = 0.02;
    Problem problem(workshop(group), h, 10 * h);
    problem.read_all(5.3 * h);
    problem.options.integrate.controls = [](double, std::span<double> u) { u[0] = 3; };
    problem.options.variables.controls = true;
    Seen seen;
    dae::AlphaOptions& alpha = problem.options.integrate.alpha;
    const double sigmas[] = {0, 1, alpha.method.parameters.optimal_sigma()};
    for (int i = 0; i < 27; ++i) {
      alpha.formulation = kFormulations[i / 9];
      alpha.method.sigma = sigmas[i / 3 % 3];
      alpha.start = kStarts[i % 3];
      expect_agreement(problem, combination(alpha), seen, i);
    }
    seen.print("workshop");
  }
}

}  // namespace
}  // namespace liegrad::testing
