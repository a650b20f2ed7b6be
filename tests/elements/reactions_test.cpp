// Forces and torques of joints, as outputs and as multipliers: against statics by hand, against known
// motions, and for every joint against the equations of motion of the bodies it connects.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "constraint_checks.hpp"
#include "interpreted_kernels.hpp"
#include "liegrad/dae/start/consistency.hpp"
#include "liegrad/dae/system/outputs.hpp"
#include "liegrad/elements/bodies/general_rigid_body.hpp"
#include "liegrad/elements/bodies/point_mass.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/frame_along.hpp"
#include "liegrad/elements/joints/cylindrical_joint.hpp"
#include "liegrad/elements/joints/distance_joint.hpp"
#include "liegrad/elements/joints/fixed_joint.hpp"
#include "liegrad/elements/joints/plane_joint.hpp"
#include "liegrad/elements/joints/point_on_line.hpp"
#include "liegrad/elements/joints/prismatic_joint.hpp"
#include "liegrad/elements/joints/revolute_joint.hpp"
#include "liegrad/elements/joints/spherical_joint.hpp"
#include "liegrad/elements/joints/universal_joint.hpp"
#include "liegrad/elements/planar/planar_body.hpp"
#include "liegrad/elements/planar/planar_fixed_joint.hpp"
#include "liegrad/elements/planar/planar_point_on_line.hpp"
#include "liegrad/elements/planar/planar_prismatic_joint.hpp"
#include "liegrad/elements/planar/planar_revolute_joint.hpp"
#include "poses.hpp"

namespace liegrad::testing {
namespace {

using elements::frame_along;
using elements::frame_with_axes;
using lie::rotation::cross;

constexpr double kGravity = 9.81;
const Vec3 kX(1, 0, 0), kY(0, 1, 0), kZ(0, 0, 1), kZero(0, 0, 0);

/// A system at its initial values, with v̇ and λ of the equations of motion.
class Instant {
 public:
  explicit Instant(const dae::System& system, bool project = false)
      : state_(dae::Consistency(system, {.project = project}, dae::LinearSolverKind::kDense)
                   .initial_state(0, {})),
        outputs_(system),
        values_(static_cast<std::size_t>(outputs_.size())) {
    outputs_.evaluate(state_, {}, values_);
  }
  const dae::State& state() const { return state_; }
  Vec3 output(const std::string& name) const {
    const double* const x = values_.data() + outputs_.offset(name);
    return {x[0], x[1], x[2]};
  }
  /// λ of an element, from its i-th.
  double lambda(const std::string& element, int i) const {
    return values_[static_cast<std::size_t>(outputs_.offset(element + ".lambda") + i)];
  }
  Vec3 lambda3(const std::string& element, int first) const {
    return {lambda(element, first), lambda(element, first + 1), lambda(element, first + 2)};
  }
  bool has(const std::string& name) const {
    for (const dae::OutputSpec& output : outputs_.list()) {
      if (output.name == name) return true;
    }
    return false;
  }

 private:
  dae::State state_;
  dae::Outputs outputs_;
  std::vector<double> values_;
};

void expect_near(const Vec3& found, const Vec3& expected, const std::string& what,
                 double tolerance = 1e-11) {
  EXPECT_LE((found - expected).norm(), tolerance)
      << what << ": " << found.transpose() << " instead of " << expected.transpose();
}

void add_body(dae::System& system, const std::string& name, const lie::NodeGroup& group,
              const Pose& pose, double m, const Vec3& inertia = Vec3(0.3, 0.4, 0.5)) {
  system.add_node(name, group);
  system.add(name, elements::RigidBody{}, {name},
             {.values = {{"m", m}, {"J1", inertia(0)}, {"J2", inertia(1)}, {"J3", inertia(2)}}});
  system.set_initial_configuration(name, coeffs_of(pose));
}

/// A frame in space as one of a body.
dae::BodyFrame seen_from(const Pose& body, const Pose& frame) {
  const Pose in_body = body.inverse() * frame;
  const auto c = in_body.coeffs();
  return {.position = {c(4), c(5), c(6)}, .orientation = {c(0), c(1), c(2), c(3)}};
}

TEST(Statics, OfACantilever) {
  const double m = 2, l = 1.5;
  for (const lie::NodeGroup& group : both_groups()) {
    for (const bool reversed : {false, true}) {
      const Pose body(Rotation::exp(Vec3(0.3, -0.6, 0.9)), Vec3(l, 0, 0));
      const Pose wall(Rotation::exp(Vec3(-0.5, 0.2, 1)), kZero);
      dae::System system("cantilever");
      add_body(system, "beam", group, body, m);
      system.add_frame("wall", "ground", seen_from(Pose::identity(), wall));
      system.add_frame("root", "beam", seen_from(body, wall));
      const std::vector<std::string> frames = reversed ? std::vector<std::string>{"root", "wall"}
                                                       : std::vector<std::string>{"wall", "root"};
      system.add("clamp", elements::FixedJoint{}, frames);
      const Instant at(system);
      // On b: the beam, or the wall.
      const double sign = reversed ? -1 : 1;
      const Vec3 force = sign * m * kGravity * kZ, torque = -sign * m * kGravity * l * kY;
      expect_near(at.output("clamp.force"), force, "force");
      expect_near(at.output("clamp.torque"), torque, "torque");
      expect_near(at.lambda3("clamp", 0), force, "multipliers of the force");
      expect_near(at.lambda3("clamp", 3), wall.rotation().matrix().transpose() * torque,
                  "multipliers of the torque, in the axes of a");
    }
  }
}

TEST(Statics, OfABodyThatHangs) {
  const double m = 3, l = 0.8;
  for (const lie::NodeGroup& group : both_groups()) {
    // On a rod, from a point of the body above its centre.
    const Pose body(Rotation::exp(Vec3(0.7, 0.1, -0.4)), Vec3(1, 2, -l - 0.25));
    dae::System system("hanging");
    add_body(system, "body", group, body, m);
    system.add_frame("hook", "ground", frame_along({1, 2, 0}, {1, 0, 0}));
    system.add_frame("eye", "body", seen_from(body, Pose(Rotation::identity(), Vec3(1, 2, -l))));
    system.add("rod", elements::DistanceJoint{}, {"hook", "eye"}, {.values = {{"l", l}}});
    const Instant at(system);
    EXPECT_NEAR(at.lambda("rod", 0), m * kGravity, 1e-12) << "tension is positive";
    expect_near(at.output("rod.force"), m * kGravity * kZ, "force");
    for (const double x : at.state().v_dot) EXPECT_NEAR(x, 0, 1e-12);
  }
}

TEST(Statics, OfABeamOnAHingeAndASlidingShoe) {
  // The hinge about y is at the origin; the shoe stands under the end at (L, 0, 0), on a plane; the centre
  // of the beam is at (c, d, 0), so that its weight also twists the hinge.
  const double m = 4, shoe = 0.5, length = 2, c = 0.7, d = 0.2;
  for (const lie::NodeGroup& group : both_groups()) {
    const Pose beam(Rotation::exp(Vec3(0, 0.4, 0.1)), Vec3(c, d, 0));
    const Pose foot(Rotation::exp(Vec3(0, 0, 0.9)), Vec3(length, 0, -0.1));
    const Pose hinge = pose_of(frame_along({0, 0, 0}, {0, 1, 0}));
    const Pose end(Rotation::identity(), Vec3(length, 0, 0));
    dae::System system("beam");
    add_body(system, "beam", group, beam, m);
    add_body(system, "shoe", group, foot, shoe);
    system.add_frame("bearing", "ground", seen_from(Pose::identity(), hinge));
    system.add_frame("start", "beam", seen_from(beam, hinge));
    system.add_frame("end", "beam", seen_from(beam, end));
    system.add_frame("top", "shoe", seen_from(foot, end));
    system.add_frame("floor", "ground", {.position = {-3, 5, -0.2}});
    system.add_frame("sole", "shoe", seen_from(foot, Pose(foot.rotation(), Vec3(length, 0, -0.2))));
    system.add("hinge", elements::RevoluteJoint{}, {"bearing", "start"});
    system.add("ball", elements::SphericalJoint{}, {"end", "top"});
    system.add("plane", elements::PlaneJoint{}, {"floor", "sole"});
    const Instant at(system);
    const double weight = m * kGravity, support = weight * c / length;
    expect_near(at.output("plane.force"), (support + shoe * kGravity) * kZ, "force of the floor");
    expect_near(at.output("plane.torque"), kZero, "torque of the floor");
    EXPECT_NEAR(at.lambda("plane", 0), support + shoe * kGravity, 1e-11);
    expect_near(at.lambda3("ball", 0), -support * kZ, "force of the beam on the shoe");
    expect_near(at.output("hinge.force"), (weight - support) * kZ, "force of the hinge");
    const Vec3 torque = d * weight * kX;
    expect_near(at.output("hinge.torque"), torque, "torque of the hinge");
    EXPECT_NEAR(at.lambda("hinge", 3), torque.dot(hinge.rotation().matrix().col(0)), 1e-11);
    EXPECT_NEAR(at.lambda("hinge", 4), torque.dot(hinge.rotation().matrix().col(1)), 1e-11);
  }
}

TEST(Dynamics, OfAPhysicalPendulum) {
  // About y, centre of mass at the distance l, at the angle phi from hanging down, turning at a rate.
  const double m = 2, l = 0.7, inertia = 0.3, phi = 0.8, rate = 3;
  const Vec3 radial(-std::sin(phi), 0, -std::cos(phi));  // from the pivot to the centre
  const Vec3 tangent = cross<double>(kY, radial);
  // (J + m l²) φ̈ about y: the moment of the weight.
  const double moment = cross<double>(l * radial, -m * kGravity * kZ)(1);
  const double angular = moment / (inertia + m * l * l);
  const Vec3 acceleration = l * angular * tangent - l * rate * rate * radial;
  const Vec3 force = m * (acceleration + kGravity * kZ);
  for (const lie::NodeGroup& group : both_groups()) {
    const Pose body(Rotation::exp(phi * kY), l * radial),
        axis = pose_of(frame_along({0, 0, 0}, {0, 1, 0}));
    dae::System system("pendulum");
    add_body(system, "body", group, body, m, Vec3(0.25, inertia, 0.2));
    system.set_initial_velocity("body", velocity_of(group, body, rate * kY, rate * l * tangent));
    system.add_frame("bearing", "ground", seen_from(Pose::identity(), axis));
    system.add_frame("pivot", "body", seen_from(body, axis));
    system.add("hinge", elements::RevoluteJoint{}, {"bearing", "pivot"});
    const Instant at(system);
    EXPECT_NEAR(at.state().v_dot[1], angular, 1e-12);
    expect_near(at.output("hinge.force"), force, "force");
    expect_near(at.lambda3("hinge", 0), force, "multipliers");
    expect_near(at.output("hinge.torque"), kZero, "torque");
  }
}

TEST(Dynamics, OfAFlywheelThatIsNotBalanced) {
  // Centre of mass on the axis, products of inertia: the bearing turns the angular momentum with the
  // wheel, by the torque ω×Jω = ω² (-J23, J13, 0) in the wheel.
  const double rate = 20, j13 = 0.02, j23 = -0.05;
  for (const lie::NodeGroup& group : both_groups()) {
    const Pose axis = pose_of(frame_with_axes({0.4, -0.2, 1}, {0, 1, 0}, {1, 2, 2}));
    const Pose wheel = axis * Pose(Rotation::exp(0.6 * kZ), kZero);
    dae::System system("flywheel");
    system.add_node("wheel", group);
    system.add("wheel", elements::GeneralRigidBody{}, {"wheel"},
               {.values = {{"m", 5},
                           {"J11", 0.3},
                           {"J22", 0.35},
                           {"J33", 0.5},
                           {"J13", j13},
                           {"J23", j23},
                           {"gravity3", 0}}});
    system.set_initial_configuration("wheel", coeffs_of(wheel));
    system.set_initial_velocity("wheel", velocity_of(group, wheel, rate * kZ, kZero));
    system.add_frame("housing", "ground", seen_from(Pose::identity(), axis));
    system.add("bearing", elements::RevoluteJoint{}, {"housing", "wheel"});
    const Instant at(system);
    const Vec3 in_wheel = rate * rate * Vec3(-j23, j13, 0);
    const Vec3 torque = wheel.rotation().matrix() * in_wheel;
    const Vec3 in_housing = Rotation::exp(0.6 * kZ).matrix() * in_wheel;
    expect_near(at.output("bearing.torque"), torque, "torque");
    expect_near(at.output("bearing.force"), kZero, "force");
    EXPECT_NEAR(at.lambda("bearing", 3), in_housing(0), 1e-11);
    EXPECT_NEAR(at.lambda("bearing", 4), in_housing(1), 1e-11);
    EXPECT_NEAR(at.state().v_dot[2], 0, 1e-12);
  }
}

/// Every joint between two moving bodies: its force and torque are what both bodies need to move as they do.
template <class E>
void expect_free_body_balance(const lie::NodeGroup& group_a, const lie::NodeGroup& group_b) {
  SCOPED_TRACE(E{}.shape().type + " between " + name_of(group_a) + " and " + name_of(group_b));
  const lie::NodeGroup groups[] = {group_a, group_b};
  const Vec3 inertia[] = {{0.3, 0.4, 0.5}, {0.6, 0.35, 0.4}};
  const double mass[] = {2, 3};
  const dae::BodyFrame frames[] = {frame_with_axes({0.3, -0.5, 0.2}, {1, 2, 3}, {2, -1, 0.5}),
                                   frame_along({-0.4, 0.1, 0.6}, {-1, 0.5, -2})};
  const char* const names[] = {"a", "b"};
  dae::System system("joint");
  for (const int i : {0, 1}) {
    const Pose pose(Rotation::exp(Vec3(0.2 * i, -0.3, 0.5 * i)), Vec3(0.8 * i, 0.1, 0.4));
    add_body(system, names[i], groups[i], pose, mass[i], inertia[i]);
    system.add_frame(std::string("frame_") + names[i], names[i], frames[i]);
  }
  system.add("joint", E{}, {"frame_a", "frame_b"});
  ConstraintChecks checks(system, 13);
  const std::vector<double> q = checks.consistent_configuration();
  const Eigen::VectorXd v = 3 * checks.random(12);
  for (const std::size_t i : {0u, 1u}) {
    system.set_initial_configuration(
        names[i], {q.begin() + 7 * static_cast<long>(i), q.begin() + 7 * static_cast<long>(i) + 7});
    const auto own = v.segment<6>(6 * static_cast<Eigen::Index>(i));
    system.set_initial_velocity(names[i], {own.begin(), own.end()});
  }
  const Instant at(system, /*project=*/true);
  // That of a spherical joint is its multiplier.
  const Vec3 force = at.has("joint.force") ? at.output("joint.force") : at.lambda3("joint", 0);
  const Vec3 torque = at.has("joint.torque") ? at.output("joint.torque") : kZero;
  EXPECT_GT(force.norm(), 0.1);

  std::vector<Pose> poses;
  for (const int i : {0, 1}) {
    poses.push_back(
        Pose::from_coeffs(Eigen::Map<const lie::Vec<double, 7>>(at.state().q.data() + 7 * i)));
  }
  const Vec3 point = (poses[1] * pose_of(frames[1])).translation();
  for (const int i : {0, 1}) {
    const Mat3 r = poses[static_cast<std::size_t>(i)].rotation().matrix();
    const double* const rates = at.state().v.data() + 6 * i;
    const double* const accelerations = at.state().v_dot.data() + 6 * i;
    const Vec3 omega(rates[0], rates[1], rates[2]), u(rates[3], rates[4], rates[5]);
    const Vec3 omega_dot(accelerations[0], accelerations[1], accelerations[2]);
    Vec3 acceleration(accelerations[3], accelerations[4], accelerations[5]);
    if (groups[i].kind == lie::GroupKind::kSE3)
      acceleration = r * (acceleration + cross<double>(omega, u));
    // What the joint must do to the body: all but the weight.
    const Vec3 needed = mass[i] * (acceleration + kGravity * kZ);
    const Vec3 spin = inertia[i].cwiseProduct(omega);
    const Vec3 needed_torque =
        r * (inertia[i].cwiseProduct(omega_dot) + cross<double>(omega, spin));
    const double sign = i == 1 ? 1 : -1;
    const Vec3 arm = point - poses[static_cast<std::size_t>(i)].translation();
    const double tolerance = 1e-11 * (1 + needed.norm() + needed_torque.norm());
    expect_near(sign * force, needed, std::string("force on ") + names[i], tolerance);
    expect_near(sign * (torque + cross<double>(arm, force)), needed_torque,
                std::string("torque on ") + names[i], tolerance);
  }
}

TEST(Dynamics, ReactionsAreWhatTheBodiesNeedToMoveAsTheyDo) {
  for (const lie::NodeGroup& a : both_groups()) {
    for (const lie::NodeGroup& b : both_groups()) {
      expect_free_body_balance<elements::SphericalJoint>(a, b);
      expect_free_body_balance<elements::RevoluteJoint>(a, b);
      expect_free_body_balance<elements::UniversalJoint>(a, b);
      expect_free_body_balance<elements::PrismaticJoint>(a, b);
      expect_free_body_balance<elements::CylindricalJoint>(a, b);
      expect_free_body_balance<elements::PlaneJoint>(a, b);
      expect_free_body_balance<elements::FixedJoint>(a, b);
      expect_free_body_balance<elements::DistanceJoint>(a, b);
      expect_free_body_balance<elements::PointOnLine>(a, b);
    }
  }
}

using Vec2 = Eigen::Vector2d;

/// What a planar joint does to b: λ as the table of docs/elements.md reads it, with the y axis of frame a.
struct PlanarReaction {
  Vec2 force;
  double torque;
};
PlanarReaction reaction(const elements::PlanarRevoluteJoint&, const double* lambda, const Vec2&) {
  return {{lambda[0], lambda[1]}, 0};
}
PlanarReaction reaction(const elements::PlanarPointOnLine&, const double* lambda, const Vec2& y) {
  return {lambda[0] * y, 0};
}
PlanarReaction reaction(const elements::PlanarPrismaticJoint&, const double* lambda,
                        const Vec2& y) {
  return {lambda[0] * y, lambda[1]};
}
PlanarReaction reaction(const elements::PlanarFixedJoint&, const double* lambda, const Vec2&) {
  return {{lambda[0], lambda[1]}, lambda[2]};
}

/// A planar body in an instant: where it is, and how it is accelerated.
struct PlanarBodyState {
  Eigen::Matrix2d r;
  Vec2 x, acceleration;
  double omega_dot;

  PlanarBodyState(const lie::NodeGroup& group, const double* q, const double* v,
                  const double* v_dot) {
    const bool is_pose = group.kind == lie::GroupKind::kSE2;
    const double c = is_pose ? q[0] : std::cos(q[2]), s = is_pose ? q[1] : std::sin(q[2]);
    r << c, -s, s, c;
    if (is_pose) {  // v = (ω, U), u = R U
      x = Vec2(q[2], q[3]);
      omega_dot = v_dot[0];
      acceleration = r * (Vec2(v_dot[1], v_dot[2]) + v[0] * Vec2(-v[2], v[1]));
    } else {
      x = Vec2(q[0], q[1]);
      omega_dot = v_dot[2];
      acceleration = Vec2(v_dot[0], v_dot[1]);
    }
  }
  Vec2 point(const Vec2& in_body) const { return x + r * in_body; }
};
double moment(const Vec2& arm, const Vec2& force) { return arm(0) * force(1) - arm(1) * force(0); }

template <class E>
void expect_planar_balance(const lie::NodeGroup& group_a, const lie::NodeGroup& group_b) {
  const lie::NodeGroup groups[] = {group_a, group_b};
  SCOPED_TRACE(E{}.shape().type +
               (group_a.kind == lie::GroupKind::kSE2 ? " between SE(2)" : " between R^3") +
               (group_b.kind == lie::GroupKind::kSE2 ? " and SE(2)" : " and R^3"));
  const double mass[] = {2, 3}, inertia[] = {0.3, 0.7};
  const Vec2 gravity(1.5, -kGravity), point_a(0.3, -0.5), point_b(-0.4, 0.2),
      direction_a = Vec2(3, 4) / 5;
  const std::string names[] = {"a", "b"};
  dae::System system("joint");
  for (const int i : {0, 1}) {
    system.add_node(names[i], groups[i]);
    system.add(names[i], elements::PlanarBody{}, {names[i]},
               {.values = {{"m", mass[i]},
                           {"J", inertia[i]},
                           {"gravity1", gravity(0)},
                           {"gravity2", gravity(1)}}});
  }
  system.add_planar_frame("frame_a", "a",
                          {.position = {point_a(0), point_a(1)}, .direction = {6, 8}});
  system.add_planar_frame("frame_b", "b",
                          {.position = {point_b(0), point_b(1)}, .direction = {2, 1.5}});
  system.add("joint", E{}, {"frame_a", "frame_b"});
  ConstraintChecks checks(system, 7);
  const std::vector<double> q = checks.consistent_configuration(/*spread=*/0.5);
  const Eigen::VectorXd v = 3 * checks.random(6);
  const lie::GroupList& space = system.configuration_space();
  for (const int i : {0, 1}) {
    const auto first = q.begin() + space.coeff_offset(i);
    system.set_initial_configuration(
        names[i], {first, first + (groups[i].kind == lie::GroupKind::kSE2 ? 4 : 3)});
    const auto own = v.segment<3>(3 * i);
    system.set_initial_velocity(names[i], {own.begin(), own.end()});
  }
  const Instant at(system, /*project=*/true);
  std::vector<PlanarBodyState> bodies;
  for (const int i : {0, 1}) {
    bodies.emplace_back(groups[i], at.state().q.data() + space.coeff_offset(i),
                        at.state().v.data() + 3 * i, at.state().v_dot.data() + 3 * i);
  }
  const Vec2 x_axis = bodies[0].r * direction_a, y_axis(-x_axis(1), x_axis(0));
  const PlanarReaction on_b = reaction(E{}, at.state().lambda.data(), y_axis);
  EXPECT_GT(on_b.force.norm(), 0.1);
  const Vec2 point = bodies[1].point(point_b);
  for (const int i : {0, 1}) {
    const PlanarBodyState& body = bodies[static_cast<std::size_t>(i)];
    const double sign = i == 1 ? 1 : -1;
    // All but the weight.
    const Vec2 needed = mass[i] * (body.acceleration - gravity);
    EXPECT_LE((sign * on_b.force - needed).norm(), 1e-11 * (1 + needed.norm()))
        << "force on " << names[i];
    const double needed_torque = inertia[i] * body.omega_dot;
    EXPECT_NEAR(sign * (on_b.torque + moment(point - body.x, on_b.force)), needed_torque,
                1e-11 * (1 + needed.norm() + std::abs(needed_torque)))
        << "torque on " << names[i];
  }
}

TEST(Dynamics, ReactionsInThePlaneAreWhatTheBodiesNeedToMoveAsTheyDo) {
  const lie::NodeGroup groups[] = {lie::NodeGroup::se2(), lie::NodeGroup::rn(3)};
  for (const lie::NodeGroup& a : groups) {
    for (const lie::NodeGroup& b : groups) {
      expect_planar_balance<elements::PlanarRevoluteJoint>(a, b);
      expect_planar_balance<elements::PlanarPointOnLine>(a, b);
      expect_planar_balance<elements::PlanarPrismaticJoint>(a, b);
      expect_planar_balance<elements::PlanarFixedJoint>(a, b);
    }
  }
}

TEST(Dynamics, OfABeadOnAWire) {
  // The wire carries the part of the weight across itself.
  dae::System system("bead");
  system.add_node("bead", lie::NodeGroup::rn(3));
  system.add("bead", elements::PointMass{}, {"bead"}, {.values = {{"m", 0.5}}});
  system.add_frame("wire", "ground", frame_along({1, 0, 2}, {3, 0, 4}));
  system.add("slot", elements::PointOnLine{}, {"wire", "bead"});
  system.set_initial_configuration("bead", {1 + 0.6 * 7, 0, 2 + 0.8 * 7});
  system.set_initial_velocity("bead", {-0.6, 0, -0.8});
  const Instant at(system);
  const Vec3 along(0.6, 0, 0.8), weight = -0.5 * kGravity * kZ;
  expect_near(at.output("slot.force"), -(weight - along.dot(weight) * along), "force");
  EXPECT_NEAR(std::hypot(at.lambda("slot", 0), at.lambda("slot", 1)), 0.5 * kGravity * 0.6, 1e-13);
}

}  // namespace
}  // namespace liegrad::testing
