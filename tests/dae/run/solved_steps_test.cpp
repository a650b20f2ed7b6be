// Whatever the kind of Newton's matrix, the step, the forces and the axes: the equations of a step are solved.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/start/consistency.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/coordinates/driven_coordinate.hpp"
#include "liegrad/elements/coordinates/joint_angle.hpp"
#include "liegrad/elements/coordinates/laws.hpp"
#include "liegrad/elements/forces/coordinate_friction.hpp"
#include "liegrad/elements/forces/coordinate_spring.hpp"
#include "liegrad/elements/frame_along.hpp"
#include "liegrad/elements/joints/revolute_joint.hpp"
#include "liegrad/models/models.hpp"

namespace liegrad::testing {
namespace {

using dae::Formulation;
using dae::NewtonKind;

constexpr std::array kFormulations = {Formulation::kIndex3, Formulation::kIndex2,
                                      Formulation::kStabilized};
constexpr std::array kKinds = {NewtonKind::kFull, NewtonKind::kModified, NewtonKind::kSimplified};

/// The largest difference of configurations.
double distance(const dae::State& a, const dae::State& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.q.size(); ++i) {
    largest = std::max(largest, std::abs(a.q[i] - b.q[i]));
  }
  return largest;
}

dae::Solution run(const dae::System& system, Formulation formulation, NewtonKind kind, double h,
                  double t_end) {
  dae::IntegrateOptions options = dae::alpha_steps();
  options.step = h;
  options.t_end = t_end;
  options.alpha.formulation = formulation;
  options.alpha.start = dae::StartingValues::kCorrected;
  options.alpha.newton.kind = kind;
  options.keep_samples = false;
  dae::Solution solution = dae::integrate(system, options);
  EXPECT_TRUE(solution.summary.is_complete()) << solution.summary.message;
  return solution;
}

TEST(KeptMatrices, SolveStepsOfAnyLength) {
  // Of 20000 steps whose error is 1.6e-6, none may add to it: a motion residual of 1e-3 N in each had made 2.5e-5.
  struct Case {
    const char* model;
    double h, t_end, tolerance;
  };
  for (const Case& c : {Case{"heavy_top", 2e-5, 0.4, 1e-9}, Case{"andrews", 1e-6, 0.01, 1e-9},
                        Case{"slider_crank_3d", 2e-5, 0.1, 1e-9}}) {
    const dae::System system = models::make_model(c.model);
    for (const auto formulation : {Formulation::kIndex3, Formulation::kIndex2}) {
      const dae::Solution full = run(system, formulation, NewtonKind::kFull, c.h, c.t_end);
      for (const auto kind : {NewtonKind::kModified, NewtonKind::kSimplified}) {
        const dae::Solution kept = run(system, formulation, kind, c.h, c.t_end);
        EXPECT_LE(distance(kept.final, full.final), c.tolerance)
            << c.model << " " << static_cast<int>(formulation) << " " << static_cast<int>(kind);
      }
    }
  }
}

/// The crank of docs/elements.md about an axis of any direction.
dae::System driven_crank(const lie::NodeGroup& group, const std::array<double, 3>& axis,
                         double gravity) {
  dae::System system("crank");
  system.add_node("crank", group);
  system.add_node("crank.angle", lie::NodeGroup::rn(1));
  system.add(
      "crank", elements::RigidBody{}, {"crank"},
      {.values = {{"m", 3}, {"J1", 0.05}, {"J2", 0.06}, {"J3", 0.04}, {"gravity3", gravity}}});
  system.add_frame("bearing", "ground", elements::frame_along({0, 0, 1}, axis));
  system.add_frame("crank.bearing", "crank", elements::frame_along({0, 0, -0.2}, axis));
  system.set_initial_configuration("crank", {1, 0, 0, 0, 0, 0, 1.2});
  system.add("hinge", elements::RevoluteJoint{}, {"bearing", "crank.bearing"});
  system.add("angle", elements::JointAngle{}, {"bearing", "crank.bearing", "crank.angle"});
  system.add("spring", elements::CoordinateSpring{}, {"crank.angle"},
             {.values = {{"k", 4}, {"d", 0.1}}});
  system.add("motor", elements::DrivenCoordinate<elements::SmoothStartLaw>{}, {"crank.angle"},
             {.values = {{"omega", 6}, {"t_s", 0.5}}});
  return system;
}

TEST(Rest, EndsWhereADriveBegins) {
  for (const auto& group : {lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()}) {
    for (const std::array<double, 3>& axis :
         {std::array{1.0, 0.0, 0.0}, std::array{1.0, 1.0, 0.0}, std::array{1.0, 2.0, 3.0},
          std::array{0.2, -0.5, 0.8}}) {
      for (const double gravity : {0.0, -9.81}) {
        const dae::System system = driven_crank(group, axis, gravity);
        for (const auto formulation : kFormulations) {
          for (const auto kind : kKinds) {
            for (const double h : {1e-2, 1e-3}) {
              const dae::Solution solution = run(system, formulation, kind, h, 1);
              EXPECT_EQ(solution.summary.failed_attempts, 0);
              EXPECT_TRUE(solution.summary.trusted) << solution.summary.reason_for_doubt;
              // Half of omega t_s, and omega for the rest of a second.
              EXPECT_NEAR(solution.final.q[7], 6 * 0.25 + 6 * 0.5, 1e-3);
            }
          }
        }
      }
    }
  }
}

TEST(Rest, IsLeftInStepsOfAnyLength) {
  // All but two of its bodies begin with accelerations of nearly zero.
  const dae::System system = models::make_model("andrews");
  for (const auto formulation : kFormulations) {
    for (const auto kind : kKinds) {
      for (const double h : {1e-6, 1e-7, 1e-8, 1e-9}) {
        const dae::Solution solution = run(system, formulation, kind, h, 20 * h);
        EXPECT_EQ(solution.summary.failed_attempts, 0)
            << static_cast<int>(formulation) << " " << static_cast<int>(kind) << " " << h;
        EXPECT_LE(solution.summary.newton_iterations, 60);
      }
    }
  }
}

TEST(Rest, IsKeptByAChainThatHangs) {
  // Rods of a unit length along x, hung along gravity, which is given that direction.
  dae::System system = models::chain({.bodies = 10});
  system.set_parameter("gravity1", 7);
  system.set_parameter("gravity2", 0);
  system.set_parameter("gravity3", 0);
  for (const auto formulation : kFormulations) {
    const dae::Solution solution = run(system, formulation, NewtonKind::kFull, 1e-2, 1);
    EXPECT_EQ(solution.summary.failed_attempts, 0);
    for (const double v : solution.final.v) EXPECT_NEAR(v, 0, 1e-9);
  }
}

/// A pendulum whose bearing rubs in proportion to its own force.
dae::System rubbing_pendulum(const lie::NodeGroup& group) {
  dae::System system("pendulum");
  system.add_node("pendulum", group);
  system.add_node("theta", lie::NodeGroup::rn(1));
  system.add("pendulum", elements::RigidBody{}, {"pendulum"},
             {.values = {{"m", 2}, {"J1", 0.3}, {"J2", 0.3}, {"J3", 0.1}}});
  system.set_initial_configuration("pendulum", {1, 0, 0, 0, 0, 0.5, 0});
  system.add_frame("bearing", "ground", elements::frame_along({0, 0, 0}, {1, 0, 0}));
  system.add_frame("pivot", "pendulum", elements::frame_along({0, -0.5, 0}, {1, 0, 0}));
  system.add("hinge", elements::RevoluteJoint{}, {"bearing", "pivot"});
  system.add("angle", elements::JointAngle{}, {"bearing", "pivot", "theta"});
  system.add("friction", elements::ReactionFriction{.multipliers = 5, .first = 0, .count = 3},
             {"theta"},
             {.values = {{"mu", 0.4}, {"r", 0.2}, {"d", 0.01}, {"v_s", 0.1}, {"eps", 0.1}},
              .reads_multipliers_of = {"hinge"}});
  return system;
}

TEST(ForcesThatReadMultipliers, AreSolvedForToo) {
  for (const auto& group : {lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()}) {
    const dae::System system = rubbing_pendulum(group);
    for (const auto formulation : kFormulations) {
      dae::IntegrateOptions options = dae::alpha_steps();
      options.step = 5e-3;
      options.alpha.formulation = formulation;
      const dae::Solution fast = dae::integrate(system, options);
      options.alpha.newton.leave_out_last = false;
      const dae::Solution exact = dae::integrate(system, options);
      ASSERT_TRUE(fast.summary.is_complete() && exact.summary.is_complete());
      EXPECT_LE(distance(fast.final, exact.final), 1e-11) << static_cast<int>(formulation);
    }
  }
}

TEST(Inertia, IsFoundInBodiesOfAnySize) {
  for (const double size : {5e-4, 1e4}) {
    const double m = 1000 * std::pow(size, 3), inertia = 0.1 * m * size * size;
    dae::System system("pendulum");
    system.add_node("body", lie::NodeGroup::so3xr3());
    system.add("body", elements::RigidBody{}, {"body"},
               {.values = {{"m", m}, {"J1", inertia}, {"J2", inertia}, {"J3", inertia}}});
    system.add_frame("A", "ground", elements::frame_along({0, 0, 0}, {1, 2, 0}));
    system.add_frame("body.A", "body", elements::frame_along({0, 0, size}, {1, 2, 0}));
    system.set_initial_configuration("body", {1, 0, 0, 0, 0, 0, -size});
    system.add("hinge", elements::RevoluteJoint{}, {"A", "body.A"});
    EXPECT_NO_THROW(
        dae::Consistency(system, {}, dae::LinearSolverKind::kAutomatic).initial_state(0, {}));
    // A body that has none is still named.
    system.add_node("massless", lie::NodeGroup::so3xr3());
    EXPECT_THROW(
        dae::Consistency(system, {}, dae::LinearSolverKind::kAutomatic).initial_state(0, {}),
        InvalidArgument);
  }
}

}  // namespace
}  // namespace liegrad::testing
