// Forces: springs derive from their potential, dampers take energy, action equals reaction, on bodies of
// both groups, on points and on the ground; and motions that can be worked out by hand.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <optional>

#include "force_checks.hpp"
#include "interpreted_kernels.hpp"
#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/start/consistency.hpp"
#include "liegrad/dae/system/outputs.hpp"
#include "liegrad/elements/bodies/point_mass.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/coordinates/joint_angle.hpp"
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
#include "liegrad/elements/frame_along.hpp"
#include "liegrad/elements/joints/prismatic_joint.hpp"
#include "liegrad/elements/joints/revolute_joint.hpp"

namespace liegrad::testing {
namespace {

using lie::NodeGroup;
using Values = std::map<std::string, double>;

constexpr double kGravity = 9.81;

/// Where the elements are attached: frames that have nothing special.
const dae::BodyFrame kFrameA = {{0.3, -0.2, 0.4}, {0.8, 0.1, -0.3, 0.2}},
                     kFrameB = {{-0.5, 0.1, 0.2}, {0.9, -0.4, 0.2, 0.1}};

/// Two nodes apart, of the given groups, or the ground in place of the first.
dae::System two_nodes(const std::optional<NodeGroup>& a, const NodeGroup& b) {
  dae::System system("two nodes");
  const auto place = [&system](const std::string& name, const NodeGroup& group, double x) {
    system.add_node(name, group);
    std::vector<double> coeffs = {x, 0.3 * x, -0.2};
    if (group != NodeGroup::rn(3)) coeffs.insert(coeffs.begin(), {1, 0, 0, 0});
    system.set_initial_configuration(name, coeffs);
  };
  if (a) place("a", *a, -1);
  system.add_frame("a.frame", a ? "a" : "ground", kFrameA);
  place("b", b, 1.5);
  if (b != NodeGroup::rn(3)) system.add_frame("b.frame", "b", kFrameB);
  return system;
}

/// Where elements are attached to b: a point has no frames.
std::string place_on_b(const NodeGroup& b) { return b == NodeGroup::rn(3) ? "b" : "b.frame"; }

/// Groups of two nodes; without the first, the ground is in its place.
struct Pair {
  std::optional<NodeGroup> a;
  NodeGroup b;

  std::string name() const {
    return (a ? name_of(*a) : "ground") + " and " + (b == NodeGroup::rn(3) ? "R^3" : name_of(b));
  }
  /// Where the frames are.
  Pose frame_a(const ForceChecks& checks, const std::vector<double>& q) const {
    return checks.pose(q, a ? "a" : "ground") * pose_of(kFrameA);
  }
  Pose frame_b(const ForceChecks& checks, const std::vector<double>& q) const {
    const Pose node = checks.pose(q, "b");
    return b == NodeGroup::rn(3) ? node : node * pose_of(kFrameB);
  }
};

/// All pairs of groups of rigid bodies, and each group with the ground.
std::vector<Pair> frame_pairs() {
  std::vector<Pair> pairs;
  for (const NodeGroup& b : both_groups()) {
    pairs.push_back({std::nullopt, b});
    for (const NodeGroup& a : both_groups()) pairs.push_back({a, b});
  }
  return pairs;
}
/// Those, and points.
std::vector<Pair> point_pairs() {
  std::vector<Pair> pairs = frame_pairs();
  pairs.push_back({std::nullopt, NodeGroup::rn(3)});
  for (const NodeGroup& a : both_groups()) pairs.push_back({a, NodeGroup::rn(3)});
  return pairs;
}

template <class E>
dae::System connected(const Pair& pair, const E& element, const Values& values) {
  dae::System system = two_nodes(pair.a, pair.b);
  system.add("element", element, {"a.frame", place_on_b(pair.b)}, {.values = values});
  return system;
}

/// An element with springs and dampers: their parameters, and the deflection x of the frames a and b that
/// dampers take the power d ẋ² from, by other means than those of the element.
struct SpringAndDamper {
  Values springs, no_springs, dampers;
  std::vector<double> damping;  ///< by entry of x
  std::function<Eigen::VectorXd(const Pose& a, const Pose& b)> deflection;
  bool third_law_of_torques = true;
};

template <class E>
void expect_spring_and_damper(const std::vector<Pair>& pairs, const E& element,
                              const SpringAndDamper& is) {
  for (const Pair& pair : pairs) {
    SCOPED_TRACE(pair.name());
    const dae::System elastic = connected(pair, element, is.springs);
    ForceChecks of_springs(elastic);
    of_springs.expect_gradient_of_potential();
    if (pair.a) of_springs.expect_third_law(is.third_law_of_torques);

    Values only_dampers = is.no_springs;
    only_dampers.insert(is.dampers.begin(), is.dampers.end());
    const dae::System damped = connected(pair, element, only_dampers);
    ForceChecks of_dampers(damped);
    of_dampers.expect_power_of_dampers(
        Eigen::Map<const Eigen::VectorXd>(is.damping.data(), std::ssize(is.damping)),
        [&](const ForceChecks& checks, const std::vector<double>& q) {
          return is.deflection(pair.frame_a(checks, q), pair.frame_b(checks, q));
        });
    if (pair.a) of_dampers.expect_third_law(is.third_law_of_torques);
  }
}

TEST(PointSpring, DerivesFromItsEnergyAndTakesPower) {
  expect_spring_and_damper(point_pairs(), elements::PointSpring{},
                           {.springs = {{"k", 7}, {"l0", 1.2}},
                            .no_springs = {{"k", 0}},
                            .dampers = {{"d", 2}},
                            .damping = {2},
                            .deflection = [](const Pose& a, const Pose& b) -> Eigen::VectorXd {
                              return Eigen::VectorXd::Constant(
                                  1, (b.translation() - a.translation()).norm());
                            }});
}
TEST(Bushing, DerivesFromItsEnergyAndTakesPower) {
  const Values springs = {{"k1", 7}, {"k2", 3}, {"k3", 11}, {"kr1", 2}, {"kr2", 5}, {"kr3", 0.5}};
  Values none;
  for (const auto& [name, unused] : springs) none[name] = 0;
  expect_spring_and_damper(
      frame_pairs(), elements::Bushing{},
      {.springs = springs,
       .no_springs = none,
       .dampers = {{"d1", 2}, {"d2", 1}, {"d3", 3}, {"dr1", 0.3}, {"dr2", 0.7}, {"dr3", 1.1}},
       .damping = {2, 1, 3, 0.3, 0.7, 1.1},
       .deflection = [](const Pose& a, const Pose& b) -> Eigen::VectorXd {
         const Pose relative = a.inverse() * b;
         Eigen::VectorXd both(6);
         both << relative.translation(), relative.rotation().log();
         return both;
       }});
}
TEST(CartesianSpring, DerivesFromItsEnergyAndTakesPower) {
  const Values springs = {{"k1", 7}, {"k2", 3}, {"k3", 11}};
  expect_spring_and_damper(point_pairs(), elements::CartesianSpring{},
                           {.springs = springs,
                            .no_springs = {{"k1", 0}, {"k2", 0}, {"k3", 0}},
                            .dampers = {{"d1", 2}, {"d2", 1}, {"d3", 3}},
                            .damping = {2, 1, 3},
                            .deflection = [](const Pose& a, const Pose& b) -> Eigen::VectorXd {
                              return b.translation() - a.translation();
                            },
                            .third_law_of_torques = false});
  // Equal stiffnesses have no axes; with others the bodies are turned, too.
  for (const bool equal : {true, false}) {
    const dae::System system =
        connected({NodeGroup::so3xr3(), NodeGroup::se3()}, elements::CartesianSpring{},
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
  EXPECT_NEAR(checks.power({0}, Eigen::VectorXd::Constant(1, -2)), -2 * 2 * 3 - 2 * 3, 1e-13);
  // In the transition, at half of v_s.
  EXPECT_NEAR(checks.power({0}, Eigen::VectorXd::Constant(1, 5e-4)),
              -3 * 25e-8 - 3 * 5e-4 * std::tanh(0.5), 1e-16);
}

TEST(QuadraticDrag, IsAForceAtItsPointAgainstTheAir) {
  const double rho = 1.3, c_d = 0.5, area = 0.2, u_s = 0.8;
  const Vec3 wind(4, -1, 2);
  for (const NodeGroup& group : {NodeGroup::so3xr3(), NodeGroup::se3(), NodeGroup::rn(3)}) {
    dae::System system = two_nodes(std::nullopt, group);
    system.add("drag", elements::QuadraticDrag{}, {place_on_b(group)},
               {.values = {{"rho", rho},
                           {"c_d", c_d},
                           {"A", area},
                           {"u_s", u_s},
                           {"wind1", wind(0)},
                           {"wind2", wind(1)},
                           {"wind3", wind(2)}}});
    const Pair nodes{std::nullopt, group};
    SCOPED_TRACE(nodes.name());
    ForceChecks checks(system);
    for (int i = 0; i < 4; ++i) {
      const std::vector<double> q = checks.random_configuration();
      const Vec3 omega = 3 * checks.random(3), u = 3 * checks.random(3);
      const Eigen::VectorXd v = checks.rigid_motion(q, omega, u);
      const Vec3 point = nodes.frame_b(checks, q).translation();
      const Vec3 w = u + omega.cross(point) - wind;
      const Vec3 force = -0.5 * rho * c_d * area * std::hypot(w.norm(), u_s) * w;
      lie::Vec<double, 6> expected;
      expected << point.cross(force), force;
      const double scale = 1 + expected.norm();
      EXPECT_LE((checks.wrench(q, checks.rows(q, v)) - expected).norm(), 1e-13 * scale);
      const std::vector<double> output = checks.outputs(q, v);
      EXPECT_LE((Eigen::Map<const Vec3>(output.data()) - force).norm(), 1e-13 * scale);
    }
  }
}

TEST(QuadraticDrag, TakesPowerInStillAir) {
  for (const NodeGroup& group : {NodeGroup::so3xr3(), NodeGroup::se3(), NodeGroup::rn(3)}) {
    dae::System system = two_nodes(std::nullopt, group);
    system.add("drag", elements::QuadraticDrag{}, {place_on_b(group)});
    ForceChecks(system).expect_no_power_supplied();
  }
}

void expect_right_loads(const NodeGroup& group, elements::LoadAxes axes) {
  const Eigen::Vector3d f(3, -2, 5), m(0.4, 0.9, -1.5);
  const double factor = 0.5 + 2 * std::sin(0.7);  // of the law below at t = 0.7/2π
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
  const Eigen::VectorXd v = by_law.random(6);
  const Eigen::VectorXd rows = by_law.rows(q, v, 0.7 / (2 * std::numbers::pi));
  for (int i = 0; i < 3; ++i) {
    by_control.controls()[static_cast<std::size_t>(i)] = factor * f(i);
    by_control.controls()[static_cast<std::size_t>(3 + i)] = factor * m(i);
  }
  const Eigen::VectorXd rows_of_controls = by_control.rows(q, v);

  const Pose body = by_law.pose(q, "b");
  const Vec3 point = (body * pose_of(kFrameB)).translation();
  const Mat3 turn =
      axes == elements::LoadAxes::kBody ? body.rotation().matrix() : Mat3(Mat3::Identity());
  const Vec3 force = factor * (turn * f), torque = factor * (turn * m);
  lie::Vec<double, 6> expected;
  expected << torque + point.cross(force), force;
  EXPECT_LE((by_law.wrench(q, rows) - expected).norm(), 1e-12);
  EXPECT_LE((by_control.wrench(q, rows_of_controls) - expected).norm(), 1e-12);
}

TEST(AppliedLoads, HaveTheRightPowerAndAreThoseOfActuators) {
  for (const NodeGroup& group : both_groups()) {
    for (const auto axes : {elements::LoadAxes::kInertial, elements::LoadAxes::kBody}) {
      SCOPED_TRACE(name_of(group) +
                   (axes == elements::LoadAxes::kBody ? ", axes of the body" : ", inertial axes"));
      expect_right_loads(group, axes);
    }
  }
}

dae::IntegrateOptions run(double h, double t_end) {
  dae::IntegrateOptions options = dae::alpha_steps();
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
  dae::IntegrateOptions options = dae::alpha_steps();  // all of them as they are
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
dae::System block(const NodeGroup& group, double m) {
  dae::System system("block");
  system.add_node("block", group);
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
  for (const NodeGroup& group : both_groups()) {
    for (const double pull : {3.0, 10.0}) {
      dae::System system = block(group, m);
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
}

TEST(ReactionFriction, DeceleratesABlockByItsWeight) {
  const double m = 2, mu = 0.3, v0 = 5;
  for (const NodeGroup& group : both_groups()) {
    // Without damping, and as if by a wheel on the guide: m v̇ = -μ r m g - d v.
    for (const auto& [r, d] : {std::pair{1.0, 0.0}, std::pair{0.4, 1.5}}) {
      dae::System system = block(group, m);
      // The guide has forces along x and y of its frames, and torques.
      system.add("friction", elements::ReactionFriction{.multipliers = 5, .first = 0, .count = 2},
                 {"s"},
                 {.values = {{"mu", mu}, {"r", r}, {"d", d}}, .reads_multipliers_of = {"guide"}});
      system.set_initial_velocity("block", {0, 0, 0, v0, 0, 0});
      system.set_initial_velocity("s", {v0});
      const double t = 1, friction = mu * r * m * kGravity;
      const double exact = d == 0 ? v0 - friction / m * t
                                  : (v0 + friction / d) * std::exp(-d / m * t) - friction / d;
      const dae::Solution solution = dae::integrate(system, run(1e-2, t));
      ASSERT_TRUE(solution.summary.is_complete()) << solution.summary.message;
      // The method is exact for constant forces, else of order 2 in h d/m.
      EXPECT_NEAR(solution.final.v.at(6), exact, d == 0 ? 1e-6 : 5e-5);
      EXPECT_GT(solution.final.v.at(6), 1);
    }
  }
}

/// A pendulum about a horizontal axis, with friction from the force of its bearing: v̇ and λ that belong to an
/// angle from hanging down and a rate, against
///
///     (J + m l²) θ̈ = -m g l sin θ - μ r √(N² + ε²) tanh(θ̇/v_s) - d θ̇,
///
/// where N = m |a + g e_z| with the acceleration a = l θ̈ e×n - l θ̇² n of the centre of mass, which is at the
/// distance l from the axis e in the direction n. Returns N.
double expect_friction_of_pendulum(const NodeGroup& group, double theta, double rate) {
  const double m = 2, l = 0.3, inertia = 0.15, mu = 0.2, r = 0.25, d = 0.08, v_s = 0.5, eps = 2;
  const Vec3 axis = Vec3(3, 4, 0) / 5, down(0, 0, -1), place(0.5, 1, 2);
  const Rotation turn = Rotation::exp(theta * axis);
  const Vec3 n = turn.matrix() * down;
  const Pose pose(turn, place + l * n);
  dae::System system("pendulum");
  system.add_node("pendulum", group);
  system.add_node("theta", NodeGroup::rn(1));
  // Both principal moments in the plane of the axis are the same, so that J is about e.
  system.add("pendulum", elements::RigidBody{}, {"pendulum"},
             {.values = {{"m", m}, {"J1", inertia}, {"J2", inertia}, {"J3", 0.1}}});
  system.set_initial_configuration("pendulum", coeffs_of(pose));
  system.set_initial_configuration("theta", {theta});
  system.set_initial_velocity("pendulum",
                              velocity_of(group, pose, rate * axis, rate * l * axis.cross(n)));
  system.set_initial_velocity("theta", {rate});
  system.add_frame("bearing", "ground",
                   elements::frame_along({place(0), place(1), place(2)}, {3, 4, 0}));
  system.add_frame("pivot", "pendulum", elements::frame_along({0, 0, l}, {3, 4, 0}));
  system.add("hinge", elements::RevoluteJoint{}, {"bearing", "pivot"});
  system.add("angle", elements::JointAngle{}, {"bearing", "pivot", "theta"});
  system.add("friction", elements::ReactionFriction{.multipliers = 5, .first = 0, .count = 3},
             {"theta"},
             {.values = {{"mu", mu}, {"r", r}, {"d", d}, {"v_s", v_s}, {"eps", eps}},
              .reads_multipliers_of = {"hinge"}});
  const dae::State state =
      dae::Consistency(system, {}, dae::LinearSolverKind::kDense).initial_state(0, {});
  const double acceleration = state.v_dot.at(6);
  const Vec3 a = l * acceleration * axis.cross(n) - l * rate * rate * n;
  const double force = (m * (a - kGravity * down)).norm();
  const double friction = -mu * r * std::hypot(force, eps) * std::tanh(rate / v_s) - d * rate;
  EXPECT_NEAR((inertia + m * l * l) * acceleration, -m * kGravity * l * std::sin(theta) + friction,
              1e-11);
  dae::Outputs outputs(system);
  std::vector<double> numbers(static_cast<std::size_t>(outputs.size()));
  outputs.evaluate(state, {}, numbers);
  EXPECT_NEAR(numbers[static_cast<std::size_t>(outputs.offset("friction.force"))], friction, 1e-11);
  return force;
}

TEST(ReactionFriction, BrakesAPendulumByTheForceOfItsBearing) {
  for (const NodeGroup& group : both_groups()) {
    SCOPED_TRACE(name_of(group));
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (const double theta : {-2.5, 0.0, 0.8, 3.0}) {
      for (const double rate : {-9.0, -0.3, 0.0, 4.0}) {
        const double force = expect_friction_of_pendulum(group, theta, rate);
        least = std::min(least, force);
        most = std::max(most, force);
      }
    }
    EXPECT_GT(most, 5 * least) << "the force of the bearing must matter";
  }
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
  // Rounding of v = 25, over h.
  EXPECT_NEAR(end.v_dot[0], 0, 1e-11);
}

TEST(CoordinateActuator, PushesACoordinate) {
  for (const NodeGroup& group : both_groups()) {
    dae::System system = block(group, 2);
    system.add("motor", elements::CoordinateActuator{}, {"s"});
    dae::IntegrateOptions options = run(0.01, 1);
    options.controls = [](double, std::span<double> u) { u[0] = 6; };
    EXPECT_NEAR(dae::integrate(system, options).final.v.at(3), 3, 1e-10);
  }
}

/// What an element says between two bodies at (1, 2, 3) and (2, 2, 3), or on a coordinate.
template <class E>
std::string validation_message(const E& element, const Values& values) {
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
  return element.validation_message(dae::Position<double>(nodes, parameters, {}, 0));
}

TEST(Forces, ComplainAboutValuesThatMakeNoSense) {
  const std::string length = "has length 0, and thus no direction; move one of its ends";
  EXPECT_EQ(validation_message(elements::PointSpring{}, {{"a.X1", 1}}), length);
  EXPECT_EQ(validation_message(elements::PointSpring{}, {{"a.X1", 0.9}, {"b.X1", -0.1}}), length);
  EXPECT_EQ(validation_message(elements::PointSpring{}, {}), "");
  EXPECT_EQ(validation_message(elements::PointSpring{}, {{"k", -1}}),
            "has k = -1; it must not be negative");
  EXPECT_EQ(validation_message(elements::PointSpring{}, {{"l0", -2}}),
            "has l0 = -2; it must not be negative");
  EXPECT_EQ(validation_message(elements::CoordinateSpring{}, {{"d", -2}}),
            "has d = -2; it must not be negative");
  EXPECT_EQ(validation_message(elements::CartesianSpring{}, {{"k3", -2}}),
            "has k3 = -2; it must not be negative");
  EXPECT_EQ(validation_message(elements::CoordinateFriction{}, {{"v_s", 0}}),
            "has v_s = 0; it must be positive");
  EXPECT_EQ(validation_message(elements::ReactionFriction{}, {{"eps", 0}}),
            "has eps = 0; it must be positive");
  EXPECT_EQ(validation_message(elements::QuadraticDrag{}, {{"rho", -1.2}}),
            "has rho = -1.2; it must not be negative");
  EXPECT_EQ(validation_message(elements::Bushing{}, {{"dr2", -1}}),
            "has dr2 = -1; it must not be negative");
  EXPECT_EQ(validation_message(elements::Bushing{}, {{"b.e0", 0}, {"b.e2", 1}}),
            "has frames that are half a turn apart, where its torque has no direction; turn one of "
            "them");
  EXPECT_EQ(validation_message(elements::AppliedForce<elements::SmoothStartLaw>{}, {{"t_s", -1}}),
            "has a starting time t_s = -1 s; it must be positive");
  dae::System system("block");
  system.add_node("s", NodeGroup::rn(1));
  EXPECT_THROW(
      system.add("friction", elements::ReactionFriction{.multipliers = 2, .count = 3}, {"s"}),
      InvalidArgument);
}

}  // namespace
}  // namespace liegrad::testing
