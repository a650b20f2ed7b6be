// Mechanisms from drawings: inertia and shape of solids, poses and velocities along trees against products of
// exponentials, closed loops against their geometry, the same system written by hand, and what is refused.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "interpreted_kernels.hpp"
#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/start/consistency.hpp"
#include "liegrad/dae/system/element_drawings.hpp"
#include "liegrad/elements/coordinates/joint_angle.hpp"
#include "liegrad/elements/forces/coordinate_friction.hpp"
#include "liegrad/elements/forces/coordinate_spring.hpp"
#include "liegrad/elements/frame_along.hpp"
#include "liegrad/elements/joints/revolute_joint.hpp"
#include "liegrad/elements/mechanism/mechanism.hpp"
#include "poses.hpp"

namespace liegrad::testing {
namespace {

using elements::Box, elements::Cylinder, elements::Mechanism, elements::Solid, elements::Sphere;
using lie::NodeGroup;

constexpr double kPi = std::numbers::pi;

Pose pose_at(const dae::System& system, const std::vector<double>& q, const std::string& node) {
  const int first = system.configuration_space().coeff_offset(system.node_index(node));
  return Pose::from_coeffs(Eigen::Map<const lie::Vec<double, 7>>(q.data() + first));
}
Pose initial_pose(const dae::System& system, const std::string& node) {
  return pose_at(system, system.initial_configuration(), node);
}
double distance(const Pose& a, const Pose& b) { return (a.inverse() * b).log().norm(); }

/// Throws where the initial values do not satisfy the joints.
void expect_consistent(const dae::System& system, bool redundant = false) {
  dae::Consistency consistency(system, {.allow_redundant = redundant},
                               dae::LinearSolverKind::kAutomatic);
  EXPECT_NO_THROW(consistency.initial_state(0, std::vector<double>(system.controls().size())));
}

// ---------------------------------------------------------------- solids

/// Volume and moments of a shape inside of a cube of edge 2, by the midpoint rule.
struct Moments {
  double volume = 0;
  Vec3 about = Vec3::Zero();

  explicit Moments(const std::function<bool(const Vec3&)>& contains) {
    constexpr int n = 120;
    constexpr double h = 2.0 / n;
    for (int i = 0; i < n * n * n; ++i) {
      const Vec3 x =
          Vec3(i % n + 0.5, i / n % n + 0.5, i / (n * n) + 0.5) * h - Vec3::Constant(1.0);
      if (!contains(x)) continue;
      volume += h * h * h;
      about += h * h * h * (Vec3::Constant(x.squaredNorm()) - x.cwiseAbs2());
    }
  }
};

TEST(Solids, HaveTheMassAndTheInertiaOfTheirShape) {
  constexpr double kDensity = 3;
  const auto expect = [&](const Solid& solid, const Moments& exact) {
    const elements::SolidInertia found = elements::inertia_of("body", solid);
    EXPECT_NEAR(found.mass, kDensity * exact.volume, 4e-3 * found.mass);
    for (int i = 0; i < 3; ++i) {
      const double j = found.principal[static_cast<std::size_t>(i)];
      EXPECT_NEAR(j, kDensity * exact.about(i), 8e-3 * j) << i;
    }
  };
  expect(Box{.edges = {1.6, 0.8, 0.4}, .density = kDensity}, Moments([](const Vec3& x) {
           return std::abs(x(0)) < 0.8 && std::abs(x(1)) < 0.4 && std::abs(x(2)) < 0.2;
         }));
  expect(Cylinder{.radius = 0.7, .length = 1.2, .density = kDensity}, Moments([](const Vec3& x) {
           return std::hypot(x(0), x(1)) < 0.7 && std::abs(x(2)) < 0.6;
         }));
  expect(Sphere{.radius = 0.8, .density = kDensity},
         Moments([](const Vec3& x) { return x.norm() < 0.8; }));
  // A mass in place of a density scales everything.
  const auto light = elements::inertia_of("body", Sphere{.radius = 0.8, .mass = 2});
  EXPECT_DOUBLE_EQ(light.mass, 2);
  EXPECT_DOUBLE_EQ(light.principal[1], 0.4 * 2 * 0.64);
}

TEST(Solids, AreDrawnAsTheyAre) {
  Mechanism mechanism("shapes");
  mechanism.add_body("cylinder", Cylinder{.radius = 0.3, .length = 2, .density = 5});
  mechanism.add_body("box", Box{.edges = {0.2, 0.2, 0.7}, .mass = 3});
  mechanism.add_body("sphere", Sphere{.radius = 0.4, .mass = 3});
  const dae::System system = mechanism.make_system();
  const auto drawings =
      dae::drawings_of(system, system.initial_configuration(), system.parameter_values());
  ASSERT_EQ(drawings.size(), 3u);
  const auto& rod = drawings[0].drawing.rods.at(0);
  EXPECT_NEAR(rod.radius, 0.3, 1e-12);
  EXPECT_LT((rod.to - rod.from - Vec3(0, 0, 2)).norm(), 1e-12);
  EXPECT_LT((drawings[1].drawing.boxes.at(0).edges - Vec3(0.2, 0.2, 0.7)).norm(), 1e-12);
  EXPECT_NEAR(drawings[2].drawing.spheres.at(0).radius, 0.4, 1e-12);
}

// ---------------------------------------------------------------- trees

/// A turn about a line of the world, or a displacement along it.
Pose turned(const Vec3& point, const Vec3& axis, double angle) {
  const Rotation turn = Rotation::exp(angle * axis.normalized());
  return Pose(turn, point - turn.transform_vector(point));
}
Pose moved(const Vec3& axis, double distance) {
  return Pose(Rotation::identity(), distance * axis.normalized());
}

/// One body on every kind of joint; two joints are given from the outer body to the inner one.
Mechanism tree(const NodeGroup& group) {
  Mechanism m("tree", {.group = group});
  const Box box{.edges = {0.3, 0.2, 0.1}, .density = 100};
  m.add_body("hand", box, {.position = {2, 1, 0.3}, .orientation = {0.9, 0.1, 0.2, 0.3}});
  m.add_body("arm", box, {.position = {1, 0.5, 0}, .orientation = {1, 2, 3, 4}});
  m.add_body("slide", box, {.position = {2.5, 1, 0}});
  m.add_body("screw", box, {.position = {0, -1, 0}});
  m.add_body("cross", box, {.position = {0, -2, 0.5}});
  m.add_body("ball", box, {.position = {0, -3, 0}});
  m.add_body("lid", box, {.position = {0, -3, 1}});
  m.add_revolute("shoulder", "ground", "arm", {.point = {0.5, 0, 0.1}, .axis = {0, 1, 2}});
  m.add_revolute("wrist", "hand", "arm", {.point = {1.5, 1, 0}, .axis = {1, -1, 0}});
  m.add_prismatic("rail", "slide", "hand", {.point = {2, 1, 0}, .axis = {1, 1, 0}});
  m.add_cylindrical("thread", "ground", "screw", {.point = {0, -1, 0}, .axis = {0, 0.5, 1}});
  m.add_universal("joint", "screw", "cross",
                  {.point = {0, -1.5, 0}, .axis_in_a = {1, 0, 1}, .axis_in_b = {0, 1, 0}});
  m.add_spherical("socket", "cross", "ball", {0, -2.5, 0.2});
  m.add_fixed("glue", "ball", "lid");
  return m;
}

const std::vector<std::pair<std::string, std::pair<double, double>>> kTreeStart = {
    {"shoulder", {0.7, 1.5}},
    {"wrist", {-1.1, 0.4}},
    {"rail", {0.3, -0.6}},
    {"thread.angle", {4, 2}},
    {"thread.displacement", {-0.2, 1}},
    {"joint.angle_a", {0.5, -1}},
    {"joint.angle_b", {-0.4, 0.3}},
    {"socket.rotation_x", {0.3, 1}},
    {"socket.rotation_y", {-0.9, 0.5}},
    {"socket.rotation_z", {0.4, -0.7}}};

/// The poses at a time, by products of exponentials in the world: the joint next to the body first.
std::map<std::string, Pose> poses_of_tree(double t, const dae::System& drawn) {
  std::map<std::string, double> s;
  for (const auto& [name, start] : kTreeStart) s[name] = start.first + t * start.second;
  const auto at = [&](const char* body) { return initial_pose(drawn, body); };
  const Pose arm = turned({0.5, 0, 0.1}, {0, 1, 2}, s["shoulder"]);
  // Given from hand to arm: the hand turns the other way.
  const Pose hand = arm * turned({1.5, 1, 0}, {1, -1, 0}, -s["wrist"]);
  const Pose slide = hand * moved({1, 1, 0}, -s["rail"]);
  const Pose screw = turned({0, -1, 0}, {0, 0.5, 1}, s["thread.angle"]) *
                     moved({0, 0.5, 1}, s["thread.displacement"]);
  const Vec3 centre(0, -1.5, 0);
  const Pose cross = screw * turned(centre, {1, 0, 1}, s["joint.angle_a"]) *
                     turned(centre, {0, 1, 0}, s["joint.angle_b"]);
  const Vec3 by(s["socket.rotation_x"], s["socket.rotation_y"], s["socket.rotation_z"]);
  const Pose ball = cross * turned({0, -2.5, 0.2}, by, by.norm());
  return {{"arm", arm * at("arm")},       {"hand", hand * at("hand")},
          {"slide", slide * at("slide")}, {"screw", screw * at("screw")},
          {"cross", cross * at("cross")}, {"ball", ball * at("ball")},
          {"lid", ball * at("lid")}};
}

TEST(Mechanism, PlacesBodiesByTheCoordinatesOfJoints) {
  for (const NodeGroup& group : both_groups()) {
    const dae::System drawn = tree(group).make_system();
    expect_consistent(drawn);
    Mechanism mechanism = tree(group);
    for (const auto& [name, start] : kTreeStart) {
      mechanism.set_initial(name, start.first, start.second);
    }
    const dae::System system = mechanism.make_system();
    expect_consistent(system);
    constexpr double h = 1e-5;
    const auto now = poses_of_tree(0, drawn), before = poses_of_tree(-h, drawn),
               after = poses_of_tree(h, drawn);
    const std::vector<double> v = system.initial_velocity();
    for (const auto& [name, pose] : now) {
      const Pose found = initial_pose(system, name);
      EXPECT_LT(distance(found, pose), 1e-13) << name << " on " << name_of(group);
      // ω in the body, u in the inertial frame.
      const Vec3 omega =
          (before.at(name).rotation().inverse() * after.at(name).rotation()).log() / (2 * h);
      const Vec3 u = (after.at(name).translation() - before.at(name).translation()) / (2 * h);
      const std::vector<double> expected = velocity_of(group, pose, omega, u);
      const int first = system.configuration_space().dof_offset(system.node_index(name));
      for (int i = 0; i < 6; ++i) {
        EXPECT_NEAR(v[static_cast<std::size_t>(first + i)], expected[static_cast<std::size_t>(i)],
                    1e-8)
            << name << " on " << name_of(group);
      }
    }
  }
}

TEST(Mechanism, StartsWhereItsParametersSay) {
  Mechanism mechanism = tree(NodeGroup::se3());
  for (const auto& [name, start] : kTreeStart) {
    mechanism.set_initial(name, start.first, start.second);
  }
  const dae::System reference = mechanism.make_system();
  dae::System system = tree(NodeGroup::se3()).make_system();
  system.set_parameter("shoulder.angle0", 0.7);
  system.set_parameter("shoulder.angle_rate0", 1.5);
  EXPECT_LT(distance(initial_pose(system, "arm"), initial_pose(reference, "arm")), 1e-14);
  // A joint that is moved takes along what it carries.
  const Pose before = initial_pose(system, "slide");
  system.set_parameter("wrist.b.X1", system.parameter("wrist.b.X1") + 0.1);
  system.set_parameter("socket.a.X3", 0.4);
  system.set_parameter("thread.a.e1", 0.3);
  EXPECT_NEAR((initial_pose(system, "slide").translation() - before.translation()).norm(), 0.1,
              1e-13);
  expect_consistent(system);
}

/// A tree that floats begins at the first of its bodies.
TEST(Mechanism, FloatsWithoutGround) {
  Mechanism mechanism("pair");
  mechanism.add_body("a", Sphere{.radius = 0.1, .mass = 1}, {.position = {1, 2, 3}});
  mechanism.add_body("b", Sphere{.radius = 0.1, .mass = 1}, {.position = {2, 2, 3}});
  mechanism.add_revolute("hinge", "b", "a", {.point = {1, 2, 3}, .axis = {0, 0, 1}});
  mechanism.set_initial("hinge", -kPi / 2, 3);
  const dae::System system = mechanism.make_system();
  EXPECT_LT(distance(initial_pose(system, "a"), Pose(Rotation::identity(), Vec3(1, 2, 3))), 1e-15);
  EXPECT_LT((initial_pose(system, "b").translation() - Vec3(1, 3, 3)).norm(), 1e-15);
  expect_consistent(system);
}

/// Two thousand bodies take seconds to build at most: what is added costs the same however much there is.
TEST(Mechanism, GrowsToThousandsOfBodies) {
  Mechanism chain("chain");
  constexpr int kBodies = 2000;
  const auto name = [](int i) { return i == 0 ? "ground" : "body" + std::to_string(i); };
  for (int i = 1; i <= kBodies; ++i) {
    const double x = i;
    chain.add_body(name(i), Sphere{.radius = 0.1, .mass = 1}, {.position = {x, 0, 0}});
    chain.add_revolute("hinge" + std::to_string(i), name(i - 1), name(i),
                       {.point = {x - 0.5, 0, 0}});
  }
  chain.set_initial("hinge1", kPi / 2);
  const dae::System system = chain.make_system();
  const Vec3 last = initial_pose(system, name(kBodies)).translation();
  EXPECT_LT((last - Vec3(0.5, kBodies - 0.5, 0)).norm(), 1e-9);
}

// ---------------------------------------------------------------- by hand

Mechanism double_pendulum() {
  Mechanism m("double pendulum", {.gravity = {0.5, 0, -9.81}});
  m.add_rod("upper", {0, 0, 0}, {1, 0, 0}, {.radius = 0.03, .density = 700});
  m.add_body("lower", Box{.edges = {0.8, 0.1, 0.05}, .mass = 2}, {.position = {1.4, 0, 0}});
  m.add_revolute("shoulder", "ground", "upper", {.axis = {0, 1, 0}});
  m.add_revolute("elbow", "upper", "lower", {.point = {1, 0, 0}, .axis = {0, 1, 1}});
  m.add_on_joint("friction", elements::CoordinateFriction{}, "shoulder",
                 {.values = {{"f_c", 0.2}, {"v_s", 0.1}}});
  m.add_on_joint("spring", elements::CoordinateSpring{}, "elbow", {.values = {{"k", 3}}});
  m.set_initial("shoulder", 0.4);
  m.set_initial("elbow", -0.6, 2);
  return m;
}

dae::System double_pendulum_by_hand() {
  dae::System system("by hand");
  const double m = 700 * kPi * 0.03 * 0.03, across = m * (3 * 0.03 * 0.03 + 1) / 12,
               along = m * 0.03 * 0.03 / 2;
  const auto add_body = [&](const std::string& name, double mass, const Vec3& j) {
    system.add_node(name, NodeGroup::so3xr3());
    system.add(
        name, elements::RigidBody{}, {name},
        {.values = {{"m", mass}, {"J1", j(0)}, {"J2", j(1)}, {"J3", j(2)}, {"gravity1", 0.5}}});
  };
  // Both with x along the rod.
  add_body("upper", m, {along, across, across});
  add_body("lower", 2, Vec3(0.0125, 0.6425, 0.65) * 2 / 12);
  system.add_frame("wall", "ground", elements::frame_along({0, 0, 0}, {0, 1, 0}));
  system.add_frame("upper.left", "upper", elements::frame_along({-0.5, 0, 0}, {0, 1, 0}));
  system.add_frame("upper.right", "upper", elements::frame_along({0.5, 0, 0}, {0, 1, 1}));
  system.add_frame("lower.left", "lower", elements::frame_along({-0.4, 0, 0}, {0, 1, 1}));
  system.add("shoulder", elements::RevoluteJoint{}, {"wall", "upper.left"});
  system.add("elbow", elements::RevoluteJoint{}, {"upper.right", "lower.left"});
  for (const char* const name : {"phi", "psi"}) system.add_node(name, NodeGroup::rn(1));
  system.add("phi", elements::JointAngle{}, {"wall", "upper.left", "phi"});
  system.add("psi", elements::JointAngle{}, {"upper.right", "lower.left", "psi"});
  system.add("friction", elements::CoordinateFriction{}, {"phi"},
             {.values = {{"f_c", 0.2}, {"v_s", 0.1}}});
  system.add("spring", elements::CoordinateSpring{}, {"psi"}, {.values = {{"k", 3}}});
  const Pose upper = turned(Vec3::Zero(), {0, 1, 0}, 0.4) * moved({1, 0, 0}, 0.5);
  const Pose elbow = turned(Vec3::Zero(), {0, 1, 0}, 0.4) * turned({1, 0, 0}, {0, 1, 1}, -0.6);
  const Pose lower = elbow * moved({1, 0, 0}, 1.4);
  system.set_initial_configuration("upper", coeffs_of(upper));
  system.set_initial_configuration("lower", coeffs_of(lower));
  system.set_initial_configuration("phi", {0.4});
  system.set_initial_configuration("psi", {-0.6});
  const Vec3 omega = 2 * elbow.transform_vector(Vec3(0, 1, 1).normalized());
  const Vec3 arm = lower.translation() - elbow.transform_point(Vec3(1, 0, 0));
  const Vec3 in_body = lower.rotation().inverse().transform_vector(omega);
  system.set_initial_velocity("lower",
                              velocity_of(NodeGroup::so3xr3(), lower, in_body, omega.cross(arm)));
  system.set_initial_velocity("psi", {2});
  return system;
}

TEST(Mechanism, MovesLikeTheSameSystemWrittenByHand) {
  dae::IntegrateOptions options = dae::alpha_steps(2e-3);
  options.t_end = 0.5;
  const auto end = [&](const dae::System& system) {
    const dae::Solution solution = dae::integrate(system, options);
    EXPECT_TRUE(solution.summary.is_complete()) << solution.summary.message;
    dae::Outputs outputs(system);
    std::vector<double> numbers(static_cast<std::size_t>(outputs.size()));
    outputs.evaluate(solution.final, {}, numbers);
    Eigen::VectorXd found(13);
    int next = 0;
    for (const char* const name : {"upper.x", "lower.x", "lower.u", "elbow.force", "energy"}) {
      for (int i = 0; i < outputs.spec(name).size; ++i) {
        found(next++) = numbers[static_cast<std::size_t>(outputs.offset(name) + i)];
      }
    }
    return found;
  };
  const Eigen::VectorXd built = end(double_pendulum().make_system()),
                        by_hand = end(double_pendulum_by_hand());
  EXPECT_GT(built.head(3).norm(), 0.4);
  EXPECT_LT((built - by_hand).norm(), 1e-9 * by_hand.norm()) << built.transpose() << "\n"
                                                             << by_hand.transpose();
}

// ---------------------------------------------------------------- closed loops

/// A crank and a rocker in the plane of x and y; drawn with the crank at 60° to the ground.
struct FourBar {
  static constexpr double kCrank = 0.3, kCoupler = 0.8, kRocker = 0.6, kGround = 0.9;
  static constexpr double kDrawn = kPi / 3;

  static Vec3 b(double crank) { return kCrank * Vec3(std::cos(crank), std::sin(crank), 0); }
  /// Where circles about B and D meet, above.
  static Vec3 c(double crank) {
    const Vec3 d(kGround, 0, 0), along = d - b(crank);
    const double distance = along.norm(),
                 x = (distance * distance + kCoupler * kCoupler - kRocker * kRocker) /
                     (2 * distance),
                 y = std::sqrt(kCoupler * kCoupler - x * x);
    const Vec3 unit = along / distance;
    return b(crank) + x * unit + y * Vec3(-unit(1), unit(0), 0);
  }
  static std::array<double, 3> list(const Vec3& x) { return {x(0), x(1), x(2)}; }

  static Mechanism make(const NodeGroup& group, bool all_revolute) {
    Mechanism m("four-bar", {.group = group});
    const Vec3 at_b = b(kDrawn), at_c = c(kDrawn);
    const Cylinder rod{.radius = 0.02, .density = 1000};
    m.add_rod("crank", {0, 0, 0}, list(at_b), rod);
    m.add_rod("coupler", list(at_b), list(at_c), rod);
    m.add_rod("rocker", {kGround, 0, 0}, list(at_c), rod);
    m.add_revolute("A", "ground", "crank", {});
    m.add_revolute("D", "rocker", "ground", {.point = {kGround, 0, 0}});
    if (all_revolute) {
      m.add_revolute("B", "crank", "coupler", {.point = list(at_b)});
      m.add_revolute("C", "coupler", "rocker", {.point = list(at_c)});
    } else {
      const Vec3 across = Vec3(0, 0, 1).cross(at_c - at_b);
      m.add_universal("B", "crank", "coupler",
                      {.point = list(at_b), .axis_in_a = {0, 0, 1}, .axis_in_b = list(across)});
      m.add_spherical("C", "coupler", "rocker", list(at_c));
    }
    return m;
  }
};

TEST(Mechanism, ClosesLoopsByProjection) {
  for (const NodeGroup& group : both_groups()) {
    for (const bool all_revolute : {false, true}) {
      Mechanism mechanism = FourBar::make(group, all_revolute);
      mechanism.add_on_joint("damper", elements::CoordinateSpring{}, "D",
                             {.values = {{"k", 0}, {"d", 1}}});
      constexpr double kTurn = 2.5, kRate = 3, h = 1e-5;
      mechanism.set_initial("A", kTurn, kRate);
      const dae::System system = mechanism.make_system();
      expect_consistent(system, all_revolute);
      const double angle = FourBar::kDrawn + kTurn;
      const Vec3 c = FourBar::c(angle), d(FourBar::kGround, 0, 0);
      const Vec3 crank = initial_pose(system, "crank").translation(),
                 rocker = initial_pose(system, "rocker").translation();
      EXPECT_LT((crank - FourBar::b(angle) / 2).norm(), 1e-12);
      EXPECT_LT((rocker - (c + d) / 2).norm(), 1e-12);
      // Of a point of the crank, and of one that follows.
      const auto outputs = [&](const std::string& name, int i) {
        const int first = system.configuration_space().dof_offset(system.node_index(name));
        return system.initial_velocity()[static_cast<std::size_t>(first + i)];
      };
      const Vec3 rate = (FourBar::c(angle + h * kRate) - FourBar::c(angle - h * kRate)) / (2 * h);
      const Vec3 drawn = FourBar::c(FourBar::kDrawn) - d, now = c - d;
      const double turn_of_rocker = std::atan2(drawn.cross(now)(2), drawn.dot(now)),
                   rate_of_rocker = now.cross(rate)(2) / now.squaredNorm();
      EXPECT_GT(std::abs(rate_of_rocker), 0.2);
      // D was given from the rocker to the ground.
      const int of_d = system.configuration_space().coeff_offset(system.node_index("D.angle"));
      EXPECT_NEAR(system.initial_configuration()[static_cast<std::size_t>(of_d)], -turn_of_rocker,
                  1e-12);
      EXPECT_NEAR(outputs("D.angle", 0), -rate_of_rocker, 1e-8);
    }
  }
}

TEST(Mechanism, RunsFromAClosedLoop) {
  Mechanism mechanism = FourBar::make(NodeGroup::so3xr3(), false);
  mechanism.set_initial("A", 1, 2);
  dae::IntegrateOptions options = dae::alpha_steps(2e-3);
  options.t_end = 0.1;
  const dae::Solution solution = dae::integrate(mechanism.make_system(), options);
  EXPECT_TRUE(solution.summary.is_complete()) << solution.summary.message;
}

// ---------------------------------------------------------------- what is refused

void expect_refusal(const std::string& text, const std::function<void(Mechanism&)>& mistake) {
  Mechanism mechanism = double_pendulum();
  try {
    mistake(mechanism);
    ADD_FAILURE() << "not refused: " << text;
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), text.c_str());
  }
  // It is what it was before.
  EXPECT_NO_THROW(mechanism.make_system());
}

TEST(Mechanism, RefusesMistakesInOneSentence) {
  expect_refusal("joint 'j': there is no body 'uper'; did you mean 'upper'?",
                 [](Mechanism& m) { m.add_revolute("j", "uper", "lower", {}); });
  expect_refusal("frame 'f': there is no body 'lowre'; did you mean 'lower'?",
                 [](Mechanism& m) { m.add_frame("f", "lowre", {}); });
  expect_refusal(
      "joint 'j' has the axis (0, 0, 0); give a direction of finite length other than zero",
      [](Mechanism& m) {
        m.add_prismatic("j", "ground", "lower", {.axis = {0, 0, 0}});
      });
  expect_refusal(
      "joint 'j' has axes at an angle of 0.785398 rad; those of a universal joint are at a right "
      "angle",
      [](Mechanism& m) {
        m.add_universal("j", "ground", "lower", {.axis_in_a = {1, 0, 0}, .axis_in_b = {1, 1, 0}});
      });
  expect_refusal("joint 'j' connects 'lower' with itself; give two bodies, or a body and 'ground'",
                 [](Mechanism& m) {
                   m.add_spherical("j", "lower", "lower", {0, 0, 0});
                 });
  expect_refusal("mechanism 'double pendulum' has 'elbow' already; names must differ",
                 [](Mechanism& m) {
                   m.add_spherical("elbow", "ground", "lower", {0, 0, 0});
                 });
  expect_refusal("mechanism 'double pendulum' has 'spring' already; names must differ",
                 [](Mechanism& m) { m.add_body("spring", Sphere{.radius = 1, .mass = 1}); });
  expect_refusal("mechanism 'double pendulum' has 'ground' already; names must differ",
                 [](Mechanism& m) { m.add_body("ground", Sphere{.radius = 1, .mass = 1}); });
  expect_refusal("something in mechanism 'double pendulum' has an empty name; give it one",
                 [](Mechanism& m) {
                   m.add_spherical("", "ground", "lower", {0, 0, 0});
                 });
  expect_refusal("joint 'j' is at (0, nan, 0); give finite numbers", [](Mechanism& m) {
    m.add_spherical("j", "ground", "lower", {0, NAN, 0});
  });
  expect_refusal("there is no joint coordinate 'elbwo'; did you mean 'elbow'?",
                 [](Mechanism& m) { m.set_initial("elbwo", 1); });
  expect_refusal("'elbow.angle' starts at nan with the rate 0; give finite numbers",
                 [](Mechanism& m) { m.set_initial("elbow", NAN); });
  expect_refusal("joint 'weld' is fixed; it has no coordinate", [](Mechanism& m) {
    m.add_body("lamp", Sphere{.radius = 1, .mass = 1});
    m.add_fixed("weld", "lower", "lamp");
    m.set_initial("weld", 1);
  });
  expect_refusal("joint 'screw' has 2 coordinates; name one of them, such as 'screw.angle'",
                 [](Mechanism& m) {
                   m.add_body("nut", Sphere{.radius = 1, .mass = 1});
                   m.add_cylindrical("screw", "lower", "nut", {});
                   m.set_initial("screw", 1);
                 });
  expect_refusal(
      "'ball.rotation_x' cannot carry an element; only angles and displacements of revolute, "
      "prismatic and cylindrical joints can",
      [](Mechanism& m) {
        m.add_body("lamp", Sphere{.radius = 1, .mass = 1});
        m.add_spherical("ball", "lower", "lamp", {0, 0, 0});
        m.add_on_joint("s", elements::CoordinateSpring{}, "ball.rotation_x");
      });
  const auto body = [](const Solid& solid) {
    return [solid](Mechanism& m) { m.add_body("b", solid); };
  };
  expect_refusal("body 'b' has the radius 0; it must be positive", body(Sphere{.mass = 1}));
  expect_refusal("body 'b' has the edge -1; it must be positive",
                 body(Box{.edges = {1, -1, 1}, .mass = 1}));
  expect_refusal("body 'b' has neither a density nor a mass; give one of them",
                 body(Sphere{.radius = 1}));
  expect_refusal("body 'b' has a density and a mass; give one of them",
                 body(Sphere{.radius = 1, .density = 1, .mass = 1}));
  expect_refusal("body 'b' has the density -2; it must be positive",
                 body(Cylinder{.radius = 1, .length = 1, .density = -2}));
  expect_refusal("rod 'r' goes from (1, 1, 1) to (1, 1, 1); give two different points",
                 [](Mechanism& m) {
                   m.add_rod("r", {1, 1, 1}, {1, 1, 1}, {.radius = 1, .mass = 1});
                 });
  expect_refusal("body 'b' has an orientation of length 0; give a quaternion w, x, y, z",
                 [](Mechanism& m) {
                   m.add_body("b", Sphere{.radius = 1, .mass = 1}, {.orientation = {0, 0, 0, 0}});
                 });
}

TEST(Mechanism, SaysWhereALoopCannotBeClosed) {
  Mechanism mechanism = FourBar::make(NodeGroup::so3xr3(), true);
  mechanism.set_initial("D", 2);  // far beyond what the rocker can do
  try {
    mechanism.make_system();
    ADD_FAILURE() << "not refused";
  } catch (const InvalidArgument& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find("the loops of mechanism 'four-bar' do not close on the way from the "
                        "drawing to the coordinates that were set, after "),
              0u)
        << text;
  }
}

}  // namespace
}  // namespace liegrad::testing
