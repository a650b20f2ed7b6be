// Joints that are springs of 1e8 N/m: steps of Radau IIA follow the slow motion of a rod, not the vibration that a spring
// could have, and what is left of the order where the spring is far too fast for the step.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/forces/bushing.hpp"
#include "liegrad/elements/forces/cartesian_spring.hpp"
#include "liegrad/elements/joints/spherical_joint.hpp"

namespace liegrad {
namespace {

constexpr double kStiffness = 1e8, kGravity = 9.81;

enum class Hinge { kJoint, kSpring, kBushing };

/// A rod of 1 m and 1 kg that begins to fall from the horizontal. A spring is as long as the reaction then wants it, so
/// that it does not vibrate.
dae::System rod_on(Hinge hinge) {
  dae::System system("rod");
  const bool is_elastic = hinge != Hinge::kJoint;
  system.add_node("rod", lie::NodeGroup::so3xr3());
  system.set_initial_configuration(
      "rod", {1, 0, 0, 0, 0.5, 0, is_elastic ? -kGravity / 4 / kStiffness : 0});
  system.add(
      "rod", elements::RigidBody{}, {"rod"},
      {.values = {
           {"m", 1}, {"J1", 1e-3}, {"J2", 1.0 / 12}, {"J3", 1.0 / 12}, {"gravity3", -kGravity}}});
  system.add_frame("end", "rod", {.position = {-0.5, 0, 0}});
  switch (hinge) {
    case Hinge::kJoint: system.add("hinge", elements::SphericalJoint{}, {"ground", "end"}); break;
    case Hinge::kSpring:
      system.add("hinge", elements::CartesianSpring{}, {"ground", "end"},
                 {.values = {{"k1", kStiffness}, {"k2", kStiffness}, {"k3", kStiffness}}});
      break;
    case Hinge::kBushing:
      system.add("hinge", elements::Bushing{}, {"ground", "end"},
                 {.values = {{"k1", kStiffness},
                             {"k2", kStiffness},
                             {"k3", kStiffness},
                             {"kr1", kStiffness},
                             {"kr2", 0},
                             {"kr3", kStiffness}}});
      break;
  }
  return system;
}

dae::Solution run(Hinge hinge, const dae::IntegrateOptions& given) {
  dae::IntegrateOptions options = given;
  options.t_end = 1;
  options.keep_samples = false;
  const dae::Solution solution = dae::integrate(rod_on(hinge), options);
  EXPECT_TRUE(solution.summary.is_complete()) << solution.summary.message;
  return solution;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

TEST(StiffJoints, TakeTheStepsOfTheSlowMotion) {
  const dae::Solution joint = run(Hinge::kJoint, {});
  for (const Hinge hinge : {Hinge::kSpring, Hinge::kBushing}) {
    const dae::Solution elastic = run(hinge, {});
    EXPECT_LE(elastic.summary.steps, 4 * joint.summary.steps);
    // A spring gives way by the weight over 1e8 N/m.
    EXPECT_LE(distance(elastic.final.q, joint.final.q), 3e-6);
    EXPECT_LE(distance(elastic.final.v, joint.final.v), 3e-6 * 6);
  }
}

/// hω is 1000 and less: the spring is algebraic for the method.
TEST(StiffJoints, LeaveTheOrderAtLeastThatOfTheStages) {
  for (const int stages : {2, 3}) {
    for (const Hinge hinge : {Hinge::kSpring, Hinge::kBushing}) {
      std::vector<dae::State> ends;
      for (double h = 0.05; h > 0.01; h /= 2) {
        dae::IntegrateOptions options;
        options.method = dae::Method::kRadau;
        options.radau.stages = stages;
        options.step = h;
        ends.push_back(run(hinge, options).final);
      }
      const auto order = [&](std::vector<double> dae::State::*variable) {
        return std::log2(distance(ends[0].*variable, ends[1].*variable) /
                         distance(ends[1].*variable, ends[2].*variable));
      };
      EXPECT_GE(order(&dae::State::q), stages - 0.3) << stages;
      EXPECT_GE(order(&dae::State::v), stages - 0.3) << stages;
    }
  }
}

/// An explicit method has to follow what the spring could do. It is right, and says nothing: its cost does.
TEST(StiffJoints, CostAnExplicitMethodTheStepsOfTheSpring) {
  dae::IntegrateOptions options;
  options.method = dae::Method::kMuntheKaas;
  options.tableau = dae::dormand_prince_54();
  options.t_end = 0.02;
  options.keep_samples = false;
  const dae::Solution solution = dae::integrate(rod_on(Hinge::kSpring), options);
  ASSERT_TRUE(solution.summary.is_complete()) << solution.summary.message;
  // ω is 2e4 1/s for a quarter of the mass, and |hω| at most 3.3 for this tableau.
  EXPECT_GE(solution.summary.steps, 2e4 * 0.02 / 3.5);
}

}  // namespace
}  // namespace liegrad
