// Forces: springs derive from their potential, dampers take energy, action equals reaction, on bodies of
// both groups, on points and on the ground; and motions that can be worked out by hand.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <optional>

#include "force_checks.hpp"
#include "liegrad/dae/integrate.hpp"
#include "liegrad/elements/bodies/point_mass.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/coordinates/joint_displacement.hpp"
#include "liegrad/elements/coordinates/table_law.hpp"
#include "liegrad/elements/forces/actuators.hpp"
#include "liegrad/elements/forces/applied_force.hpp"
#include "liegrad/elements/forces/applied_torque.hpp"
#include "liegrad/elements/forces/bushing.hpp"
#include "liegrad/elements/forces/cartesian_spring.hpp"
#include "liegrad/elements/forces/coordinate_friction.hpp"
#include "liegrad/elements/forces/coordinate_spring.hpp"
#include "liegrad/elements/forces/point_spring.hpp"
#include "liegrad/elements/forces/quadratic_drag.hpp"
#include "liegrad/elements/joints/prismatic_joint.hpp"

namespace liegrad::testing {
namespace {

using lie::NodeGroup;
using Values = std::map<std::string, double>;

constexpr double kGravity = 9.81;

/// Two nodes apart, of the given groups, or the ground in place of the first; with frames in them that
/// have nothing special.
dae::System two_nodes(const std::optional<NodeGroup>& a, const NodeGroup& b) {
  dae::System system("two nodes");
  const auto place = [&system](const std::string& name, const NodeGroup& group, double x) {
    system.add_node(name, group);
    std::vector<double> coeffs = {x, 0.3 * x, -0.2};
    if (group != NodeGroup::rn(3)) coeffs.insert(coeffs.begin(), {1, 0, 0, 0});
    system.set_initial_configuration(name, coeffs);
  };
  if (a) place("a", *a, -1);
  system.add_frame("a.frame", a ? "a" : "ground", {{0.3, -0.2, 0.4}, {0.8, 0.1, -0.3, 0.2}});
  place("b", b, 1.5);
  if (b != NodeGroup::rn(3)) {
    system.add_frame("b.frame", "b", {{-0.5, 0.1, 0.2}, {0.9, -0.4, 0.2, 0.1}});
  }
  return system;
}

/// Where elements are attached to b: a point has no frames.
std::string place_on_b(const NodeGroup& b) { return b == NodeGroup::rn(3) ? "b" : "b.frame"; }

/// Pairs of groups for elements between frames, and further ones for elements between points.
struct Pair {
  std::optional<NodeGroup> a;
  NodeGroup b;
};
const std::vector<Pair> kFramePairs = {{NodeGroup::so3xr3(), NodeGroup::se3()},
                                       {std::nullopt, NodeGroup::se3()}};
const std::vector<Pair> kPointPairs = {{NodeGroup::so3xr3(), NodeGroup::se3()},
                                       {std::nullopt, NodeGroup::se3()},
                                       {NodeGroup::so3xr3(), NodeGroup::rn(3)}};

template <class E>
dae::System connected(const Pair& pair, const E& element, const Values& values) {
  dae::System system = two_nodes(pair.a, pair.b);
  system.add("element", element, {"a.frame", place_on_b(pair.b)}, {.values = values});
  return system;
}

/// All checks of an element with springs and dampers: `springs` and `dampers` alone, and both.
template <class E>
void expect_spring_and_damper(const std::vector<Pair>& pairs, const E& element,
                              const Values& springs, const Values& dampers,
                              const Values& no_springs, bool torques = true) {
  for (const Pair& pair : pairs) {
    SCOPED_TRACE(pair.a ? "two nodes" : "a node and the ground");
    dae::System elastic = connected(pair, element, springs);
    ForceChecks of_springs(elastic);
    of_springs.expect_gradient_of_potential();
    if (pair.a) of_springs.expect_third_law(torques);
    Values only_dampers = no_springs;
    only_dampers.insert(dampers.begin(), dampers.end());
    dae::System damped = connected(pair, element, only_dampers);
    ForceChecks of_dampers(damped);
    of_dampers.expect_no_power_supplied();
    if (pair.a) of_dampers.expect_third_law(torques);
  }
}

TEST(PointSpring, DerivesFromItsEnergyAndTakesPower) {
  expect_spring_and_damper(kPointPairs, elements::PointSpring{}, {{"k", 7}, {"l0", 1.2}},
                           {{"d", 2}}, {{"k", 0}});
}
TEST(Bushing, DerivesFromItsEnergyAndTakesPower) {
  const Values springs = {{"k1", 7}, {"k2", 3}, {"k3", 11}, {"kr1", 2}, {"kr2", 5}, {"kr3", 0.5}};
  const Values dampers = {{"d1", 2},    {"d2", 1},    {"d3", 3},
                          {"dr1", 0.3}, {"dr2", 0.7}, {"dr3", 1.1}};
  Values none;
  for (const auto& [name, unused] : springs) none[name] = 0;
  expect_spring_and_damper(kFramePairs, elements::Bushing{}, springs, dampers, none);
}
TEST(CartesianSpring, DerivesFromItsEnergyAndTakesPower) {
  const Values springs = {{"k1", 7}, {"k2", 3}, {"k3", 11}};
  expect_spring_and_damper(kPointPairs, elements::CartesianSpring{}, springs,
                           {{"d1", 2}, {"d2", 1}, {"d3", 3}}, {{"k1", 0}, {"k2", 0}, {"k3", 0}},
                           false);
  // Equal stiffnesses have no axes; with others the bodies are turned, too.
  for (const bool equal : {true, false}) {
    const dae::System system = connected(kPointPairs[0], elements::CartesianSpring{},
                                         equal ? Values{{"k1", 5}, {"k2", 5}, {"k3", 5}} : springs);
    ForceChecks checks(system);
    const std::vector<double> q = checks.random_configuration();
    const Eigen::VectorXd g = checks.rows(q, Eigen::VectorXd::Zero(system.dof()));
    const double work = g.dot(checks.rigid_motion(q, {0.3, -0.5, 0.8}, Eigen::Vector3d::Zero()));
    EXPECT_EQ(std::abs(work) < 1e-12, equal) << work;
  }
}

TEST(CoordinateForces, DeriveFromTheirEnergyOrTakePower) {
  dae::System spring("spring");
  spring.add_node("s", NodeGroup::rn(1));
  spring.add("spring", elements::CoordinateSpring{}, {"s"}, {.values = {{"k", 4}, {"s0", 2}}});
  ForceChecks(spring).expect_gradient_of_potential();

  dae::System friction("friction");
  friction.add_node("s", NodeGroup::rn(1));
  friction.add("damper", elements::CoordinateSpring{}, {"s"}, {.values = {{"k", 0}, {"d", 2}}});
  friction.add("friction", elements::CoordinateFriction{}, {"s"},
               {.values = {{"f_c", 3}, {"d", 1}}});
  ForceChecks checks(friction);
  checks.expect_no_power_supplied(1e-3);
  checks.expect_no_power_supplied(3);
  // 2 ṡ of the damper, 1 ṡ and 3 of the friction.
  EXPECT_NEAR(checks.rows({0}, Eigen::VectorXd::Constant(1, -2))(0), -2 * 3 - 3, 1e-14);
}

TEST(QuadraticDrag, TakesPowerFromBodiesInStillAir) {
  for (const NodeGroup& group : {NodeGroup::so3xr3(), NodeGroup::se3(), NodeGroup::rn(3)}) {
    dae::System system = two_nodes(std::nullopt, group);
    system.add("drag", elements::QuadraticDrag{}, {place_on_b(group)});
    ForceChecks(system).expect_no_power_supplied();
  }
  // In a wind it pushes.
  dae::System system = two_nodes(std::nullopt, NodeGroup::rn(3));
  system.add("drag", elements::QuadraticDrag{}, {"b"},
             {.values = {{"wind1", 4}, {"rho", 1.3}, {"c_d", 0.5}, {"A", 0.2}}});
  const Eigen::VectorXd g =
      ForceChecks(system).rows(system.initial_configuration(), Eigen::Vector3d(1, 0, 0));
  EXPECT_NEAR(-g(0), 0.5 * 1.3 * 0.5 * 0.2 * 9, 1e-6);
}

TEST(AppliedLoads, HaveTheRightPowerAndAreThoseOfActuators) {
  const Eigen::Vector3d f(3, -2, 5), m(0.4, 0.9, -1.5);
  const double factor = 0.5 + 2 * std::sin(0.7);  // of the law below at t = 0.7/2π
  for (const bool turns : {false, true}) {
    // Each with the group whose velocities belong to the other axes.
    const auto axes = turns ? elements::LoadAxes::kBody : elements::LoadAxes::kInertial;
    const NodeGroup group = turns ? NodeGroup::so3xr3() : NodeGroup::se3();
    const Values law = {{"offset", 0.5}, {"amplitude", 2}};
    dae::System applied = two_nodes(std::nullopt, group);
    Values values = law;
    values.insert({{"f1", f(0)}, {"f2", f(1)}, {"f3", f(2)}});
    applied.add("force", elements::AppliedForce<elements::HarmonicLaw>{axes, {}}, {"b.frame"},
                {.values = values});
    values = law;
    values.insert({{"m1", m(0)}, {"m2", m(1)}, {"m3", m(2)}});
    applied.add("torque", elements::AppliedTorque<elements::HarmonicLaw>{axes, {}}, {"b.frame"},
                {.values = values});
    dae::System controlled = two_nodes(std::nullopt, group);
    controlled.add("force", elements::ActuatorForce{axes}, {"b.frame"});
    controlled.add("torque", elements::ActuatorTorque{axes}, {"b.frame"});

    ForceChecks by_law(applied), by_control(controlled);
    const std::vector<double> q = by_law.random_configuration();
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(6);
    const Eigen::VectorXd rows = by_law.rows(q, zero, 0.7 / (2 * std::numbers::pi));
    for (int i = 0; i < 3; ++i) {
      by_control.controls()[static_cast<std::size_t>(i)] = factor * f(i);
      by_control.controls()[static_cast<std::size_t>(3 + i)] = factor * m(i);
    }
    EXPECT_LE((rows - by_control.rows(q, zero)).norm(), 1e-13);

    // Power on a rigid motion of the body: force times velocity of the point, torque times ω.
    const Eigen::Matrix3d r =
        lie::SO3<double>::from_coeffs(Eigen::Map<const Eigen::Vector4d>(q.data())).matrix();
    const Eigen::Vector3d omega(0.3, 1.2, -0.7), u(2, 0.5, -1);
    const Eigen::Vector3d point =
        Eigen::Map<const Eigen::Vector3d>(q.data() + 4) + r * Eigen::Vector3d(-0.5, 0.1, 0.2);
    const Eigen::Vector3d force = factor * (turns ? Eigen::Vector3d(r * f) : f);
    const Eigen::Vector3d torque = factor * (turns ? Eigen::Vector3d(r * m) : m);
    EXPECT_NEAR(-rows.dot(by_law.rigid_motion(q, omega, u)),
                force.dot(u + omega.cross(point)) + torque.dot(omega), 1e-12);
  }
}

dae::IntegrateOptions run(double h, double t_end) {
  dae::IntegrateOptions options;
  options.step = h;
  options.t_end = t_end;
  options.alpha.start = dae::StartingValues::kCorrected;
  return options;
}

TEST(PointSpring, MovesAMassAsADampedOscillator) {
  const double m = 2, k = 50, d = 3, l0 = 0.4, x0 = 0.3;
  dae::System system("oscillator");
  system.add_node("mass", NodeGroup::rn(3));
  system.add("mass", elements::PointMass{}, {"mass"}, {.values = {{"m", m}, {"gravity3", 0}}});
  system.add("spring", elements::PointSpring{}, {"ground", "mass"},
             {.values = {{"k", k}, {"d", d}, {"l0", l0}}});
  system.set_initial_configuration("mass", {0, l0 + x0, 0});
  const double decay = d / (2 * m), omega = std::sqrt(k / m - decay * decay), t = 1.5;
  const double exact =
      x0 * std::exp(-decay * t) * (std::cos(omega * t) + decay / omega * std::sin(omega * t));
  std::vector<double> errors;
  for (const double h : {0.02, 0.01, 0.005}) {
    errors.push_back(std::abs(dae::integrate(system, run(h, t)).final.q[1] - l0 - exact));
  }
  EXPECT_LT(errors[2], 1e-4);
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.1);
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 2, 0.1);
}

TEST(PointSpring, MayBeVeryStiff) {
  // A pendulum on a spring that gives way by 1e-8 of its length.
  dae::System system("pendulum");
  system.add_node("mass", NodeGroup::rn(3));
  system.add("mass", elements::PointMass{}, {"mass"});
  system.add("spring", elements::PointSpring{}, {"ground", "mass"},
             {.values = {{"k", 1e9}, {"l0", 1}}});
  system.set_initial_configuration("mass", {1, 0, 0});
  dae::IntegrateOptions options;  // all of them as they are
  options.t_end = 0.6;
  const dae::Solution solution = dae::integrate(system, options);
  EXPECT_TRUE(solution.summary.is_complete()) << solution.summary.message;
  for (const dae::State& state : solution.samples) {
    ASSERT_NEAR(std::hypot(state.q[0], state.q[2]), 1, 2e-6) << "t = " << state.t;
  }
  // ½ v² = g h.
  const dae::State& end = solution.final;
  EXPECT_NEAR(0.5 * (end.v[0] * end.v[0] + end.v[2] * end.v[2]), -kGravity * end.q[2], 1e-3);
}

TEST(QuadraticDrag, LeadsToTheTerminalVelocity) {
  const double m = 0.5, rho = 1.2, c_d = 0.4, area = 0.3;
  const double terminal = std::sqrt(2 * m * kGravity / (rho * c_d * area));
  dae::System system("fall");
  system.add_node("mass", NodeGroup::rn(3));
  system.add("mass", elements::PointMass{}, {"mass"}, {.values = {{"m", m}}});
  system.add("drag", elements::QuadraticDrag{}, {"mass"},
             {.values = {{"rho", rho}, {"c_d", c_d}, {"A", area}}});
  const dae::Solution solution = dae::integrate(system, run(0.01, 10));
  for (const dae::State& state : solution.samples) {
    ASSERT_NEAR(state.v[2], -terminal * std::tanh(kGravity * state.t / terminal), 1e-4);
  }
  EXPECT_NEAR(solution.final.v[2], -terminal, 1e-5);
}

/// A block that can slide along x, with its displacement as a coordinate.
dae::System block(double m) {
  dae::System system("block");
  system.add_node("block", NodeGroup::se3());
  system.add_node("s", NodeGroup::rn(1));
  // z axes along x.
  const dae::BodyFrame along_x{{0, 0, 0}, {std::sqrt(0.5), 0, std::sqrt(0.5), 0}};
  system.add_frame("track", "ground", along_x);
  system.add_frame("block.frame", "block", along_x);
  system.add("block", elements::RigidBody{}, {"block"}, {.values = {{"m", m}}});
  system.add("guide", elements::PrismaticJoint{}, {"track", "block.frame"});
  system.add("displacement", elements::JointDisplacement{}, {"track", "block.frame", "s"});
  return system;
}

TEST(CoordinateFriction, HoldsABlockOrLetsItSlide) {
  const double m = 2, f_c = 6, v_s = 1e-3;
  for (const double pull : {3.0, 10.0}) {
    dae::System system = block(m);
    system.add("friction", elements::CoordinateFriction{}, {"s"}, {.values = {{"f_c", f_c}}});
    system.add("pull", elements::AppliedForce<>{}, {"block"}, {.values = {{"f1", pull}}});
    const dae::Solution solution = dae::integrate(system, run(1e-3, 0.5));
    ASSERT_TRUE(solution.summary.is_complete()) << solution.summary.message;
    const double speed = solution.final.v.at(6);
    EXPECT_NEAR(solution.final.q[4], solution.final.q[7], 1e-12);
    if (pull < f_c) {
      EXPECT_NEAR(speed, v_s * std::atanh(pull / f_c), 1e-8);
    } else {
      // It reaches v_s within v_s m/(pull - f_c), and is late by about as much.
      EXPECT_NEAR(speed, (pull - f_c) / m * 0.5, 2 * v_s);
    }
  }
}

TEST(ReactionFriction, DeceleratesABlockByItsWeight) {
  const double m = 2, mu = 0.3, v0 = 5;
  dae::System system = block(m);
  // The guide has forces along x and y of its frames, and torques.
  system.add("friction", elements::ReactionFriction{.multipliers = 5, .first = 0, .count = 2},
             {"s"}, {.values = {{"mu", mu}}, .reads_multipliers_of = {"guide"}});
  system.set_initial_velocity("block", {0, 0, 0, v0, 0, 0});
  system.set_initial_velocity("s", {v0});
  const dae::Solution solution = dae::integrate(system, run(1e-2, 1));
  ASSERT_TRUE(solution.summary.is_complete()) << solution.summary.message;
  EXPECT_NEAR(solution.final.v.at(6), v0 - mu * kGravity, 1e-6);
}

TEST(Bushing, CarriesABodyAtItsStaticDeflection) {
  const double m = 3, k = 2000, kr = 40, torque = 12;
  for (const NodeGroup& group : {NodeGroup::so3xr3(), NodeGroup::se3()}) {
    dae::System system("bushing");
    system.add_node("body", group);
    system.add("body", elements::RigidBody{}, {"body"}, {.values = {{"m", m}}});
    Values values = {{"k1", k}, {"k2", k}, {"k3", k}, {"kr1", kr}, {"kr2", kr}, {"kr3", kr}};
    for (const char* const d : {"d1", "d2", "d3"}) values[d] = 2 * std::sqrt(k * m);
    for (const char* const d : {"dr1", "dr2", "dr3"}) values[d] = 2 * std::sqrt(kr);
    system.add("bushing", elements::Bushing{}, {"ground", "body"}, {.values = values});
    // About an axis that stays, where the rotation is the angle.
    system.add("torque", elements::AppliedTorque<>{}, {"body"}, {.values = {{"m2", torque}}});
    const dae::Solution solution = dae::integrate(system, run(5e-3, 5));
    ASSERT_TRUE(solution.summary.is_complete()) << solution.summary.message;
    dae::Outputs outputs(system);
    std::vector<double> numbers(static_cast<std::size_t>(outputs.size()));
    outputs.evaluate(solution.final, {}, numbers);
    const double* const displacement = numbers.data() + outputs.offset("bushing.displacement");
    const double* const rotation = numbers.data() + outputs.offset("bushing.rotation");
    EXPECT_NEAR(displacement[2], -m * kGravity / k, 1e-10);
    EXPECT_NEAR(displacement[0], 0, 1e-10);
    EXPECT_NEAR(rotation[1], torque / kr, 1e-8);
    EXPECT_NEAR(rotation[0], 0, 1e-10);
  }
}

TEST(AppliedForce, FollowsATableWithCorners) {
  dae::System system("impulse");
  system.add_node("mass", NodeGroup::rn(3));
  system.add("mass", elements::PointMass{}, {"mass"}, {.values = {{"m", 2}, {"gravity3", 0}}});
  system.add("force",
             elements::AppliedForce<elements::LinearTableLaw>{
                 elements::LoadAxes::kInertial, elements::LinearTableLaw({0, 1, 2}, {0, 50, 0})},
             {"mass"}, {.values = {{"f1", 1}}});
  const dae::State end = dae::integrate(system, run(0.01, 3)).final;
  EXPECT_NEAR(end.v[0], 50.0 / 2, 1e-2);
  EXPECT_NEAR(end.v_dot[0], 0, 1e-12);
}

TEST(CoordinateActuator, PushesACoordinate) {
  dae::System system = block(2);
  system.add("motor", elements::CoordinateActuator{}, {"s"});
  dae::IntegrateOptions options = run(0.01, 1);
  options.controls = [](double, std::span<double> u) { u[0] = 6; };
  EXPECT_NEAR(dae::integrate(system, options).final.v.at(3), 3, 1e-10);
}

/// What an element says between two bodies at (1, 2, 3) and (2, 2, 3), or on a coordinate.
template <class E>
std::string complaint(const E& element, const Values& values) {
  const dae::ElementShape shape = element.shape();
  std::vector<double> parameters;
  for (const dae::ParameterSpec& parameter : shape.parameters) {
    const auto value = values.find(parameter.name);
    parameters.push_back(value == values.end() ? parameter.value : value->second);
  }
  std::vector<dae::Position<double>::Node> nodes;
  for (const dae::NodeSlot& slot : shape.nodes) {
    if (slot.role == dae::NodeRole::kCoordinates) {
      nodes.push_back({NodeGroup::rn(1), {0}});
    } else {
      const double x = nodes.empty() ? 1 : 2;
      nodes.push_back({NodeGroup::se3(), {1, 0, 0, 0, 1, 0, 0, 0, 1, x, 2, 3}});
    }
  }
  return element.complaint(dae::Position<double>(nodes, parameters, {}, 0));
}

TEST(Forces, ComplainAboutValuesThatMakeNoSense) {
  const std::string length = "has length 0, and thus no direction; move one of its ends";
  EXPECT_EQ(complaint(elements::PointSpring{}, {{"a.X1", 1}}), length);
  EXPECT_EQ(complaint(elements::PointSpring{}, {{"a.X1", 0.9}, {"b.X1", -0.1}}), length);
  EXPECT_EQ(complaint(elements::PointSpring{}, {}), "");
  EXPECT_EQ(complaint(elements::PointSpring{}, {{"k", -1}}), "has k = -1; it must not be negative");
  EXPECT_EQ(complaint(elements::PointSpring{}, {{"l0", -2}}),
            "has l0 = -2; it must not be negative");
  EXPECT_EQ(complaint(elements::CoordinateSpring{}, {{"d", -2}}),
            "has d = -2; it must not be negative");
  EXPECT_EQ(complaint(elements::CartesianSpring{}, {{"k3", -2}}),
            "has k3 = -2; it must not be negative");
  EXPECT_EQ(complaint(elements::CoordinateFriction{}, {{"v_s", 0}}),
            "has v_s = 0; it must be positive");
  EXPECT_EQ(complaint(elements::ReactionFriction{}, {{"eps", 0}}),
            "has eps = 0; it must be positive");
  EXPECT_EQ(complaint(elements::QuadraticDrag{}, {{"rho", -1.2}}),
            "has rho = -1.2; it must not be negative");
  EXPECT_EQ(complaint(elements::Bushing{}, {{"dr2", -1}}), "has dr2 = -1; it must not be negative");
  EXPECT_EQ(complaint(elements::Bushing{}, {{"b.e0", 0}, {"b.e2", 1}}),
            "has frames that are half a turn apart, where its torque has no direction; turn one of "
            "them");
  EXPECT_EQ(complaint(elements::AppliedForce<elements::SmoothStartLaw>{}, {{"t_s", -1}}),
            "has a starting time t_s = -1 s; it must be positive");
  dae::System system("block");
  system.add_node("s", NodeGroup::rn(1));
  EXPECT_THROW(
      system.add("friction", elements::ReactionFriction{.multipliers = 2, .count = 3}, {"s"}),
      InvalidArgument);
}

}  // namespace
}  // namespace liegrad::testing
