// Coordinates of joints as nodes of their own: their constraints, relations between them, and drives.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <type_traits>

#include "constraint_checks.hpp"
#include "liegrad/dae/integrate.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/coordinates/coordinate_relation.hpp"
#include "liegrad/elements/coordinates/driven_coordinate.hpp"
#include "liegrad/elements/coordinates/joint_angle.hpp"
#include "liegrad/elements/coordinates/joint_displacement.hpp"
#include "liegrad/elements/coordinates/table_law.hpp"
#include "liegrad/elements/forces/applied_torque.hpp"
#include "liegrad/elements/forces/coordinate_spring.hpp"
#include "liegrad/elements/joints/cylindrical_joint.hpp"
#include "liegrad/elements/joints/revolute_joint.hpp"

namespace liegrad::testing {
namespace {

using dae::Formulation;
using lie::NodeGroup;
using std::numbers::pi;

constexpr double kGravity = 9.81;
const NodeGroup kGroups[] = {NodeGroup::so3xr3(), NodeGroup::se3()};
const char* name_of(const NodeGroup& group) {
  return group.kind == lie::GroupKind::kSE3 ? "SE(3)" : "SO(3)xR^3";
}

dae::IntegrateOptions run(double h, double t_end) {
  dae::IntegrateOptions options = dae::alpha_steps();
  options.step = h;
  options.t_end = t_end;
  options.alpha.start = dae::StartingValues::kCorrected;
  return options;
}
dae::Solution complete_run(const dae::System& system, const dae::IntegrateOptions& options) {
  dae::Solution solution = dae::integrate(system, options);
  EXPECT_TRUE(solution.summary.is_complete()) << solution.summary.message;
  return solution;
}
/// The number of that name at a state.
double output(const dae::System& system, const dae::State& state, const std::string& name) {
  dae::Outputs outputs(system);
  std::vector<double> numbers(static_cast<std::size_t>(outputs.size()));
  outputs.evaluate(state, {}, numbers);
  return numbers[static_cast<std::size_t>(outputs.column(name))];
}

TEST(JointCoordinates, HaveTheirGradientsCurvaturesAndRanks) {
  dae::System system("joint");
  system.add_node("a", NodeGroup::se3());
  system.add_node("b", NodeGroup::so3xr3());
  for (const char* const s : {"angle", "displacement"}) system.add_node(s, NodeGroup::rn(1));
  system.add_frame("a.axis", "a", {{0.3, -0.2, 0.4}, {0.8, 0.1, -0.3, 0.2}});
  system.add_frame("b.axis", "b", {{-0.5, 0.1, 0.2}, {0.9, -0.4, 0.2, 0.1}});
  system.add("joint", elements::CylindricalJoint{}, {"a.axis", "b.axis"});
  system.add("angle", elements::JointAngle{}, {"a.axis", "b.axis", "angle"});
  system.add("displacement", elements::JointDisplacement{}, {"a.axis", "b.axis", "displacement"});
  system.add("screw", elements::CoordinateRelation{}, {"displacement", "angle"},
             {.values = {{"ratio", -0.3}, {"offset", 0.1}}});
  ConstraintChecks(system).expect_all(14 - 7);
}

TEST(JointCoordinates, HaveThemOnAllPairsOfGroupsAndOnTheGround) {
  const auto check = [](const NodeGroup* a, const NodeGroup* b) {
    dae::System system("joint");
    if (a != nullptr) system.add_node("a", *a);
    if (b != nullptr) system.add_node("b", *b);
    system.add_node("angle", NodeGroup::rn(1));
    system.add_node("displacement", NodeGroup::rn(1));
    system.add_frame("a.axis", a != nullptr ? "a" : "ground",
                     {{0.3, -0.2, 0.4}, {0.8, 0.1, -0.3, 0.2}});
    system.add_frame("b.axis", b != nullptr ? "b" : "ground",
                     {{-0.5, 0.1, 0.2}, {0.9, -0.4, 0.2, 0.1}});
    // Without a joint: the axes are tilted, and the origins off them.
    system.add("angle", elements::JointAngle{}, {"a.axis", "b.axis", "angle"});
    system.add("displacement", elements::JointDisplacement{}, {"a.axis", "b.axis", "displacement"});
    ConstraintChecks(system).expect_all(system.dof() - 2);
  };
  for (const NodeGroup& a : kGroups) {
    for (const NodeGroup& b : kGroups) {
      SCOPED_TRACE(std::string(name_of(a)) + " and " + name_of(b));
      check(&a, &b);
    }
    SCOPED_TRACE(std::string(name_of(a)) + " and the ground");
    check(&a, nullptr);
    check(nullptr, &a);
  }
}

TEST(DrivenCoordinate, HasItsGradientCurvatureAndDerivativesByTime) {
  // The angle of a body follows a law, and another coordinate the angle.
  const auto check = [](const auto& law, const std::map<std::string, double>& values,
                        const std::vector<double>& times) {
    dae::System system("drive");
    system.add_node("body", NodeGroup::se3());
    for (const char* const s : {"angle", "gear"}) system.add_node(s, NodeGroup::rn(1));
    system.add_frame("axis", "ground", {{0.3, -0.2, 0.4}, {0.8, 0.1, -0.3, 0.2}});
    system.add("angle", elements::JointAngle{}, {"axis", "body", "angle"});
    system.add("gears", elements::CoordinateRelation{}, {"angle", "gear"},
               {.values = {{"ratio", 2}}});
    system.add("drive", elements::DrivenCoordinate<std::decay_t<decltype(law)>>{law}, {"gear"},
               {.values = values});
    ConstraintChecks checks(system);
    for (const double t : times) {
      SCOPED_TRACE("t = " + std::to_string(t));
      checks.time = t;
      checks.expect_all(8 - 3, 1);
    }
  };
  // Within pieces: differences go a quarter of a second to both sides.
  check(elements::ConstantLaw{}, {{"value", 0.7}}, {0.3});
  check(elements::PolynomialLaw(4), {{"c0", 0.2}, {"c1", -1}, {"c2", 2}, {"c3", 0.5}}, {-1, 0.3});
  check(elements::HarmonicLaw{},
        {{"offset", 0.3}, {"amplitude", 0.9}, {"frequency", 0.3}, {"phase", 0.2}}, {0.3, 2});
  check(elements::SmoothStartLaw{}, {{"omega", -2}, {"t_s", 1.5}}, {-0.4, 0.3, 0.75, 1.2, 2});
  check(elements::TableLaw({0, 0.6, 1.4, 2}, {0, 0.4, -0.6, 1}), {}, {-0.5, 0.3, 1, 1.7, 2.6});
}

TEST(JointAngle, IsTheTwistWhereAxesAreTilted) {
  // Frame b turned by φ about z and then tilted about an axis across: the twist is still φ, and all
  // coordinates that differ from it by turns satisfy the constraint.
  const elements::JointAngle element;
  std::vector<double> parameters;
  for (const auto& parameter : element.shape().parameters) parameters.push_back(parameter.value);
  for (const double phi : {-3.0, -1.0, 0.0, 2.0, 3.1}) {
    for (const double tilt : {0.0, 0.5, 3.0}) {
      const Eigen::Matrix3d r =
          (lie::SO3<double>::exp({tilt * std::cos(0.4), tilt * std::sin(0.4), 0}) *
           lie::SO3<double>::exp({0, 0, phi}))
              .matrix();
      std::vector<double> view(r.data(), r.data() + 9);
      view.resize(12, 0.0);
      for (const double s : {phi, phi + 2 * pi, phi - 6 * pi, phi + 0.3, phi - 3.0}) {
        const dae::Position<double> at(
            {{dae::ground_group(), {}}, {NodeGroup::se3(), view}, {NodeGroup::rn(1), {s}}},
            parameters, {}, 0);
        EXPECT_NEAR(element.constraint(at)(0), std::remainder(phi - s, 2 * pi), 1e-12);
      }
    }
  }
}

/// A body that turns about the z axis of the ground, with its angle as a coordinate.
void add_rotor(dae::System& system, const std::string& name, const NodeGroup& group, double inertia,
               double speed = 0) {
  const std::string angle = name + ".angle";
  system.add_node(name, group);
  system.add_node(angle, NodeGroup::rn(1));
  system.add(name, elements::RigidBody{}, {name},
             {.values = {{"J1", inertia}, {"J2", inertia}, {"J3", inertia}}});
  system.add(name + ".bearing", elements::RevoluteJoint{}, {"ground", name});
  system.add(angle, elements::JointAngle{}, {"ground", name, angle});
  system.set_initial_velocity(name, {0, 0, speed, 0, 0, 0});
  system.set_initial_velocity(angle, {speed});
}

TEST(JointAngle, CountsTurns) {
  for (const NodeGroup& group : kGroups) {
    for (const bool driven : {true, false}) {
      dae::System system("rotor");
      add_rotor(system, "rotor", group, 2, 10);
      if (driven) {
        system.add("drive",
                   elements::DrivenCoordinate<elements::PolynomialLaw>{elements::PolynomialLaw(2)},
                   {"rotor.angle"}, {.values = {{"c1", 10}}});
      }
      const dae::State end = complete_run(system, run(0.01, 2)).final;
      EXPECT_NEAR(output(system, end, "rotor.angle.x"), 20, 1e-10);
      EXPECT_NEAR(output(system, end, "rotor.angle.u"), 10, 1e-10);
      // The body itself does not know how often it turned.
      const double turned = 2 * std::atan2(end.q[3], end.q[0]);
      EXPECT_NEAR(std::remainder(turned - 20, 2 * pi), 0, 1e-10);
      EXPECT_GT(std::abs(turned - 20), 10);
    }
  }
}

TEST(JointAngle, HoldsWithItsRatesStabilised) {
  for (const auto formulation : {Formulation::kIndex3, Formulation::kStabilized}) {
    dae::System system("torsional pendulum");
    add_rotor(system, "rotor", NodeGroup::se3(), 2, 20);
    // Over more than a turn and back: J θ̈ = -k θ.
    system.add("spring", elements::CoordinateSpring{}, {"rotor.angle"}, {.values = {{"k", 8}}});
    dae::IntegrateOptions options = run(2e-3, 2);
    options.alpha.formulation = formulation;
    const dae::Solution solution = complete_run(system, options);
    for (const dae::State& state : solution.samples) {
      ASSERT_NEAR(state.q[7], 10 * std::sin(2 * state.t), 2e-4) << "t = " << state.t;
    }
    // The torque on the coordinate is that of the spring with the other sign.
    EXPECT_NEAR(output(system, solution.final, "rotor.angle.lambda"), 80 * std::sin(4.0), 2e-3);
    EXPECT_NEAR(output(system, solution.final, "spring.force"), -80 * std::sin(4.0), 2e-3);
  }
}

TEST(CoordinateRelation, MakesAGearTrain) {
  const double j[] = {0.5, 3, 7}, torque = 4, first = 2.5, second = 3;
  for (const NodeGroup& group : kGroups) {
    dae::System system("gears");
    add_rotor(system, "a", group, j[0]);
    add_rotor(system, "b", group, j[1]);
    add_rotor(system, "c", group, j[2]);
    system.add("ab", elements::CoordinateRelation{}, {"a.angle", "b.angle"},
               {.values = {{"ratio", first}}});
    system.add("bc", elements::CoordinateRelation{}, {"b.angle", "c.angle"},
               {.values = {{"ratio", -second}}});  // a belt
    system.add("motor", elements::AppliedTorque<>{}, {"a"}, {.values = {{"m3", torque}}});
    const dae::State end = complete_run(system, run(0.01, 3)).final;
    const double inertia = j[0] + j[1] / (first * first) + j[2] / std::pow(first * second, 2);
    const double angle = 0.5 * torque / inertia * 9;
    EXPECT_NEAR(output(system, end, "a.angle.x"), angle, 1e-8);
    EXPECT_NEAR(output(system, end, "b.angle.x"), -angle / first, 1e-8);
    EXPECT_NEAR(output(system, end, "c.angle.x"), -angle / (first * second), 1e-8);
    // The force of the first pair on a is -λ: what the motor gives beyond J α.
    EXPECT_NEAR(output(system, end, "ab.lambda"), torque - j[0] * torque / inertia, 1e-8);
  }
}

TEST(CoordinateRelation, MakesAScrew) {
  // A nut sinks on a thread of pitch p: z̈ = -m g/(m + J (2π/p)²).
  const double m = 3, j = 0.2, lead = 0.5 / (2 * pi);
  for (const NodeGroup& group : kGroups) {
    dae::System system("screw");
    system.add_node("nut", group);
    for (const char* const s : {"turn", "height"}) system.add_node(s, NodeGroup::rn(1));
    system.add("nut", elements::RigidBody{}, {"nut"}, {.values = {{"m", m}, {"J3", j}}});
    system.add("bolt", elements::CylindricalJoint{}, {"ground", "nut"});
    system.add("turn", elements::JointAngle{}, {"ground", "nut", "turn"});
    system.add("height", elements::JointDisplacement{}, {"ground", "nut", "height"});
    system.add("thread", elements::CoordinateRelation{}, {"height", "turn"},
               {.values = {{"ratio", -lead}}});
    const dae::State end = complete_run(system, run(0.01, 4)).final;
    const double height = -0.5 * m * kGravity / (m + j / (lead * lead)) * 16;
    EXPECT_NEAR(output(system, end, "nut.x.3"), height, 1e-9);
    EXPECT_NEAR(output(system, end, "turn.x"), height / lead, 1e-7);
    EXPECT_GT(std::abs(height / lead), 4 * pi);
  }
}

/// A pendulum with its mass at a distance l along x of its bearing, gravity along -y.
dae::System pendulum(const NodeGroup& group, double m, double j, double l, double angle,
                     double speed) {
  dae::System system("pendulum");
  system.add_node("bob", group);
  system.add_node("angle", NodeGroup::rn(1));
  system.add_frame("bob.bearing", "bob", {{-l, 0, 0}, {1, 0, 0, 0}});
  system.add("bob", elements::RigidBody{}, {"bob"},
             {.values = {{"m", m}, {"J3", j}, {"gravity2", -kGravity}, {"gravity3", 0}}});
  system.add("bearing", elements::RevoluteJoint{}, {"ground", "bob.bearing"});
  system.add("angle", elements::JointAngle{}, {"ground", "bob.bearing", "angle"});
  system.set_initial_configuration("bob", {std::cos(angle / 2), 0, 0, std::sin(angle / 2),
                                           l * std::cos(angle), l * std::sin(angle), 0});
  system.set_initial_configuration("angle", {angle});
  const double along_x = group.kind == lie::GroupKind::kSE3 ? 0 : -std::sin(angle);
  const double along_y = group.kind == lie::GroupKind::kSE3 ? 1 : std::cos(angle);
  system.set_initial_velocity("bob", {0, 0, speed, l * speed * along_x, l * speed * along_y, 0});
  system.set_initial_velocity("angle", {speed});
  return system;
}

TEST(DrivenCoordinate, HasTheTorqueOfTheMotorAsItsMultiplier) {
  const double m = 1.5, j = 0.2, l = 0.8, offset = 0.3, amplitude = 0.9, frequency = 0.5;
  const double omega = 2 * pi * frequency;
  for (const NodeGroup& group : kGroups) {
    dae::System system = pendulum(group, m, j, l, offset, amplitude * omega);
    system.add(
        "motor", elements::DrivenCoordinate<elements::HarmonicLaw>{}, {"angle"},
        {.values = {{"offset", offset}, {"amplitude", amplitude}, {"frequency", frequency}}});
    std::vector<double> errors;
    for (const double h : {4e-3, 2e-3}) {
      double error = 0;
      for (const dae::State& state : complete_run(system, run(h, 2)).samples) {
        const double angle = offset + amplitude * std::sin(omega * state.t);
        const double rate2 = -amplitude * omega * omega * std::sin(omega * state.t);
        const double torque = (j + m * l * l) * rate2 + m * kGravity * l * std::cos(angle);
        error = std::max(error, std::abs(state.lambda.at(6) - torque));
      }
      errors.push_back(error);
    }
    EXPECT_LT(errors[1], 1e-3);
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.15);
  }
}

TEST(DrivenCoordinate, FollowsEveryLaw) {
  const auto expect_followed = [](const auto& law, const std::map<std::string, double>& values,
                                  double t_start, double speed, auto&& expected) {
    dae::System system("rotor");
    add_rotor(system, "rotor", NodeGroup::so3xr3(), 1, speed);
    system.add("drive", elements::DrivenCoordinate<std::decay_t<decltype(law)>>{law},
               {"rotor.angle"}, {.values = values});
    const double start = expected(t_start);
    system.set_initial_configuration("rotor.angle", {start});
    system.set_initial_configuration("rotor",
                                     {std::cos(start / 2), 0, 0, std::sin(start / 2), 0, 0, 0});
    dae::IntegrateOptions options = run(0.01, 2);
    options.t_start = t_start;
    const dae::Solution solution = complete_run(system, options);
    EXPECT_GT(solution.samples.size(), 100u);
    for (const dae::State& state : solution.samples) {
      ASSERT_NEAR(state.q[7], expected(state.t), 1e-11) << "t = " << state.t;
    }
  };
  // The recorded laws, from before their first piece to beyond their last.
  const elements::TableLaw table({0, 0.4, 1, 1.5}, {0, 2, -3, 8});
  const std::vector<double> values = {0, 2, -3, 8};
  const auto spline = [&](double t) { return table.value<double>(values, t); };
  const double slope = spline(0) - spline(-1);
  expect_followed(table, {}, -0.3, slope, spline);
  expect_followed(elements::SmoothStartLaw{}, {{"omega", -5}, {"t_s", 0.5}}, -0.3, 0, [](double t) {
    return elements::SmoothStartLaw{}.value<double>(std::array{-5.0, 0.5}, t);
  });
  expect_followed(elements::ConstantLaw{}, {{"value", 0.7}}, 0, 0, [](double) { return 0.7; });
}

std::string refusal(const dae::System& system) {
  try {
    dae::integrate(system, run(0.01, 0.1));
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing";
}

TEST(JointCoordinates, ComplainAboutValuesThatMakeNoSense) {
  dae::System system("rotor");
  add_rotor(system, "rotor", NodeGroup::so3xr3(), 1);
  system.set_initial_configuration("rotor.angle", {9});
  EXPECT_EQ(refusal(system),
            "element 'rotor.angle' has frames at an angle of 0 rad, but its coordinate starts at "
            "9; start "
            "the coordinate at that angle");
  // Within reach of a projection it is a matter of consistency.
  system.set_initial_configuration("rotor.angle", {1});
  EXPECT_NE(refusal(system).find("rotor.angle"), std::string::npos);
  EXPECT_EQ(refusal(system).find("its coordinate starts"), std::string::npos);
  dae::IntegrateOptions options = run(0.01, 0.1);
  options.alpha.consistency.project = true;
  EXPECT_TRUE(dae::integrate(system, options).summary.is_complete());

  system.set_initial_configuration("rotor.angle", {0});
  system.set_initial_configuration("rotor", {0, 1, 0, 0, 0, 0, 0});
  EXPECT_EQ(refusal(system),
            "element 'rotor.angle' has frames whose z axes are opposite; turn one of them by half "
            "a turn");

  dae::System driven("rotor");
  add_rotor(driven, "rotor", NodeGroup::so3xr3(), 1);
  driven.add("drive", elements::DrivenCoordinate<elements::SmoothStartLaw>{}, {"rotor.angle"},
             {.values = {{"t_s", 0}}});
  EXPECT_EQ(refusal(driven), "element 'drive' has a starting time t_s = 0 s; it must be positive");
}

}  // namespace
}  // namespace liegrad::testing
