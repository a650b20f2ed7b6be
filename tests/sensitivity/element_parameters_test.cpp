// Derivatives of motions by every parameter of the elements that the models of agreement_test.cpp do not have.

#include "element_parameters.hpp"

#include <Eigen/Geometry>

#include "liegrad/elements/bodies/general_rigid_body.hpp"
#include "liegrad/elements/bodies/point_mass.hpp"
#include "liegrad/elements/coordinates/coordinate_relation.hpp"
#include "liegrad/elements/coordinates/driven_coordinate.hpp"
#include "liegrad/elements/coordinates/joint_angle.hpp"
#include "liegrad/elements/coordinates/joint_displacement.hpp"
#include "liegrad/elements/coordinates/table_law.hpp"
#include "liegrad/elements/forces/applied_force.hpp"
#include "liegrad/elements/forces/applied_torque.hpp"
#include "liegrad/elements/forces/bushing.hpp"
#include "liegrad/elements/forces/coordinate_friction.hpp"
#include "liegrad/elements/forces/coordinate_spring.hpp"
#include "liegrad/elements/forces/point_spring.hpp"
#include "liegrad/elements/forces/quadratic_drag.hpp"
#include "liegrad/elements/joints/cylindrical_joint.hpp"
#include "liegrad/elements/joints/distance_joint.hpp"
#include "liegrad/elements/joints/fixed_joint.hpp"
#include "liegrad/elements/joints/plane_joint.hpp"
#include "liegrad/elements/joints/point_on_line.hpp"
#include "liegrad/elements/joints/revolute_joint.hpp"
#include "liegrad/elements/planar/planar_body.hpp"
#include "liegrad/elements/planar/planar_fixed_joint.hpp"
#include "liegrad/elements/planar/planar_point_on_line.hpp"
#include "liegrad/elements/planar/planar_prismatic_joint.hpp"
#include "liegrad/elements/planar/planar_spring.hpp"
#include "liegrad/elements/planar/slider.hpp"

namespace liegrad::testing {
namespace {

using namespace elements;

constexpr double kStep = 0.02;
constexpr int kSteps = 8;

Pose at(const Vec3& rotation, const Vec3& position) {
  return Pose(Rotation::exp(rotation), position);
}
/// A displacement along and a turn about the axes of a frame.
Pose moved(const Pose& frame, const Vec3& by, double about_z = 0) {
  return frame * at(Vec3(0, 0, about_z), by);
}

/// A body without symmetry.
void add_general_body(Workbench& bench, const std::string& name, const lie::NodeGroup& group,
                      const Pose& pose, double m) {
  bench.add_node(name, group, pose);
  bench.system.add(name, GeneralRigidBody{}, {name},
                   {.values = {{"m", m},
                               {"X1", 0.1},
                               {"X2", -0.15},
                               {"X3", 0.2},
                               {"J11", 0.3 * m},
                               {"J22", 0.35 * m},
                               {"J33", 0.4 * m},
                               {"J12", 0.03 * m},
                               {"J13", -0.05 * m},
                               {"J23", 0.04 * m},
                               {"gravity1", 1.5},
                               {"gravity2", -2.5},
                               {"gravity3", -8}}});
}
const Values kPointMass = {{"m", 0.7}, {"gravity1", 1.5}, {"gravity2", -2.5}, {"gravity3", -8}};

class ElementParameters : public ::testing::TestWithParam<lie::NodeGroup> {};

TEST_P(ElementParameters, OfBodiesAndJoints) {
  Workbench bench("bodies and joints");
  add_general_body(bench, "one", GetParam(), at({0.3, -0.5, 0.8}, {0.4, 0.2, -0.3}), 2);
  add_general_body(bench, "two", GetParam(), at({-0.6, 0.2, 0.4}, {1.1, -0.5, 0.2}), 1.5);
  add_general_body(bench, "three", GetParam(), at({0.1, 0.9, -0.3}, {1.6, 0.3, 0.5}), 1);
  bench.add_node("bob", lie::NodeGroup::rn(3), at({0, 0, 0}, {2.2, 0.7, -0.4}));
  bench.system.add("bob", PointMass{}, {"bob"}, {.values = kPointMass});
  const Pose bead = at({0.7, 0.4, -0.2}, {-0.2, 0.8, 0.6});
  bench.add_node("bead", lie::NodeGroup::rn(3), bead);
  bench.system.add("bead", PointMass{}, {"bead"}, {.values = kPointMass});

  const Pose axis = at({0.5, 0.7, -0.4}, {0.1, 0.3, 0.2});
  bench.attach("cylinder", CylindricalJoint{}, {"ground", "one"},
               {axis, moved(axis, {0, 0, 0.3}, 0.6)});
  const Pose plane = at({-0.3, 0.6, 0.5}, {0.8, -0.2, 0.1});
  bench.attach("plane", PlaneJoint{}, {"one", "two"}, {plane, moved(plane, {0.2, -0.3, 0}, -0.4)});
  const Pose weld = at({0.4, -0.3, 0.9}, {1.3, -0.1, 0.4});
  bench.attach("weld", FixedJoint{}, {"two", "three"}, {weld, weld});
  const Pose eye = at({0, 0, 0}, {1.8, 0.4, 0.3}), bob = at({0, 0, 0}, {2.2, 0.7, -0.4});
  bench.attach("rod", DistanceJoint{}, {"three", "bob"}, {eye, bob},
               {{"l", (eye.translation() - bob.translation()).norm()}});
  bench.attach("wire", PointOnLine{}, {"one", "bead"}, {moved(bead, {0, 0, -0.5}), bead});
  bench.start_moving();
  ParameterDerivatives(std::move(bench.system), kStep, kSteps).expect_agreement();
}

TEST_P(ElementParameters, OfCoordinatesAndForces) {
  Workbench bench("coordinates and forces");
  add_general_body(bench, "one", GetParam(), at({0.3, -0.5, 0.8}, {0.4, 0.2, -0.3}), 2);
  add_general_body(bench, "two", GetParam(), at({-0.6, 0.2, 0.4}, {1.1, -0.5, 0.2}), 1.5);
  const double phi = 0.6, s = 0.3, psi = -0.4, ratio = 1.7;
  bench.add_coordinate("phi", phi);
  bench.add_coordinate("s", s);
  bench.add_coordinate("psi", psi);

  // A cylindrical joint with both of its coordinates, on frames that they share.
  const Pose axis = at({0.5, 0.7, -0.4}, {0.1, 0.3, 0.2});
  bench.add_frame("sleeve", "ground", axis);
  bench.add_frame("shaft", "one", moved(axis, {0, 0, s}, phi));
  bench.system.add("cylinder", CylindricalJoint{}, {"sleeve", "shaft"});
  bench.system.add("turn", JointAngle{}, {"sleeve", "shaft", "phi"});
  bench.system.add("slide", JointDisplacement{}, {"sleeve", "shaft", "s"});
  // A revolute joint with its angle, on frames of their own.
  const Pose hinge = at({-0.3, 0.6, 0.5}, {0.8, -0.2, 0.1});
  bench.attach("hinge", RevoluteJoint{}, {"ground", "two"}, {hinge, moved(hinge, {0, 0, 0}, 0.2)});
  bench.attach("angle", JointAngle{}, {"ground", "two", "psi"},
               {hinge, moved(hinge, {0.1, 0.2, 0.3}, psi)});

  bench.system.add("gear", CoordinateRelation{}, {"phi", "psi"},
                   {.values = {{"ratio", ratio}, {"offset", phi + ratio * psi}}});
  const double amplitude = 0.2, phase = 0.5;
  bench.system.add("drive", DrivenCoordinate<HarmonicLaw>{}, {"s"},
                   {.values = {{"offset", s - amplitude * std::sin(phase)},
                               {"amplitude", amplitude},
                               {"frequency", 0.8},
                               {"phase", phase}}});
  bench.system.add("spring", CoordinateSpring{}, {"phi"},
                   {.values = {{"k", 8}, {"d", 0.5}, {"s0", 0.2}}});
  bench.system.add("friction", CoordinateFriction{}, {"psi"},
                   {.values = {{"f_c", 0.8}, {"d", 0.3}, {"v_s", 0.6}}});
  bench.system.add("bearing", ReactionFriction{.multipliers = 4, .first = 0, .count = 2}, {"phi"},
                   {.values = {{"mu", 0.3}, {"r", 0.2}, {"d", 0.1}, {"v_s", 0.5}, {"eps", 4}},
                    .reads_multipliers_of = {"cylinder"}});
  const Pose seat = at({0.4, -0.3, 0.9}, {0.7, -0.1, 0.4});
  bench.attach("bushing", Bushing{}, {"one", "two"},
               {seat, seat * at({0.3, -0.5, 0.2}, {0.1, 0.15, -0.2})},
               {{"k1", 20},
                {"k2", 15},
                {"k3", 30},
                {"kr1", 3},
                {"kr2", 2},
                {"kr3", 4},
                {"d1", 0.8},
                {"d2", 0.5},
                {"d3", 0.6},
                {"dr1", 0.2},
                {"dr2", 0.3},
                {"dr3", 0.15}});
  bench.attach("strut", PointSpring{}, {"one", "two"},
               {at({0, 0, 0}, {0.3, 0.5, 0.1}), at({0, 0, 0}, {1.2, -0.4, 0.6})},
               {{"k", 25}, {"d", 0.8}, {"l0", 0.9}});
  bench.attach("drag", QuadraticDrag{}, {"two"}, {at({0, 0, 0}, {1.5, -0.9, 0.4})},
               {{"rho", 1.2},
                {"c_d", 0.9},
                {"A", 0.5},
                {"wind1", 2},
                {"wind2", -1},
                {"wind3", 0.5},
                {"u_s", 0.7}});
  bench.attach("pull", AppliedForce<HarmonicLaw>{LoadAxes::kBody, {}}, {"one"},
               {at({0, 0, 0}, {0.9, 0.4, 0.1})},
               {{"f1", 4},
                {"f2", -3},
                {"f3", 5},
                {"offset", 0.4},
                {"amplitude", 1.2},
                {"frequency", 1.5},
                {"phase", 0.3}});
  bench.attach("push", AppliedForce<>{}, {"two"}, {at({0, 0, 0}, {0.6, -0.7, 0.5})},
               {{"f1", -2}, {"f2", 3}, {"f3", 1}, {"value", 1.3}});
  bench.attach("twist", AppliedTorque<PolynomialLaw>{LoadAxes::kInertial, PolynomialLaw(2)},
               {"two"}, {}, {{"m1", 0.7}, {"m2", -0.4}, {"m3", 0.9}, {"c0", 1.1}, {"c1", -0.8}});
  bench.start_moving();
  // An angle does not depend on where its frames are.
  ParameterDerivatives(std::move(bench.system), kStep, kSteps)
      .expect_agreement(
          {"angle.a.X1", "angle.a.X2", "angle.a.X3", "angle.b.X1", "angle.b.X2", "angle.b.X3"});
}

INSTANTIATE_TEST_SUITE_P(Groups, ElementParameters, ::testing::ValuesIn(both_groups()),
                         [](const auto& group) {
                           return std::string(group.param.kind == lie::GroupKind::kSE3 ? "SE3"
                                                                                       : "SO3xR3");
                         });

/// A mass on a coordinate that a law drives, with a spring, so that the force of the drive depends on all.
template <class Law>
void add_drive(Workbench& bench, const std::string& name, const Law& law, const Values& values) {
  bench.add_coordinate(name, 0);
  bench.system.add("mass_" + name, Slider{}, {name}, {.values = {{"m", 0.8}}});
  bench.system.add("spring_" + name, CoordinateSpring{}, {name},
                   {.values = {{"k", 5}, {"d", 0.7}, {"s0", -0.3}}});
  bench.system.add(name, DrivenCoordinate<Law>{law}, {name}, {.values = values});
}

TEST(LawParameters, OfDrivesAndLoads) {
  Workbench bench("laws");
  // The run ends at t = 0.16.
  add_drive(bench, "constant", ConstantLaw{}, {{"value", 0.4}});
  add_drive(bench, "polynomial", PolynomialLaw(4), {{"c0", 0.1}, {"c1", 2}, {"c2", -3}, {"c3", 9}});
  add_drive(bench, "harmonic", HarmonicLaw{},
            {{"offset", 0.2}, {"amplitude", 0.5}, {"frequency", 2}, {"phase", 0.4}});
  add_drive(bench, "starting", SmoothStartLaw{}, {{"omega", 3}, {"t_s", 0.5}});
  add_drive(bench, "started", SmoothStartLaw{}, {{"omega", 3}, {"t_s", 0.105}});
  add_drive(bench, "table", TableLaw({-0.1, 0.05, 0.13, 0.3}, {0.1, 0.5, 0.2, 0.4}), {});

  bench.add_node("loaded", lie::NodeGroup::rn(3), Pose::identity());
  bench.system.add("loaded", PointMass{}, {"loaded"}, {.values = kPointMass});
  const LinearTableLaw table({0, 0.05, 0.12, 0.4}, {1, 3, -2, 4});
  bench.system.add("load", AppliedForce<LinearTableLaw>{LoadAxes::kInertial, table}, {"loaded"},
                   {.values = {{"f1", 3}, {"f2", -4}, {"f3", 2}}});
  bench.start_moving();
  // What does not move has neither inertia nor damping, and a point in R³ is the only one of its body.
  ParameterDerivatives(std::move(bench.system), kStep, kSteps)
      .expect_agreement(
          {"mass_constant.m", "spring_constant.d", "load.a.X1", "load.a.X2", "load.a.X3"});
}

class PlanarElementParameters : public ::testing::TestWithParam<lie::NodeGroup> {};

/// A pose in the plane.
struct PlanarPose {
  double x = 0, y = 0, angle = 0;

  /// A frame at another pose, seen from this one, with a direction that is not of length one.
  dae::PlanarBodyFrame frame_at(const PlanarPose& other) const {
    const Eigen::Vector2d gap(other.x - x, other.y - y),
        d(std::cos(other.angle), std::sin(other.angle));
    const Eigen::Rotation2Dd back(-angle);
    const Eigen::Vector2d position = back * gap, direction = 1.3 * (back * d);
    return {{position(0), position(1)}, {direction(0), direction(1)}};
  }
};

void add_planar_body(Workbench& bench, const std::string& name, const lie::NodeGroup& group,
                     const PlanarPose& pose) {
  bench.system.add_node(name, group);
  if (group.kind == lie::GroupKind::kSE2) {
    bench.system.set_initial_configuration(
        name, {std::cos(pose.angle), std::sin(pose.angle), pose.x, pose.y});
  } else {
    bench.system.set_initial_configuration(name, {pose.x, pose.y, pose.angle});
  }
  bench.system.add(name, PlanarBody{}, {name},
                   {.values = {{"m", 1.4}, {"J", 0.3}, {"gravity1", 2}, {"gravity2", -9}}});
}

TEST_P(PlanarElementParameters, OfJoints) {
  Workbench bench("planar joints");
  const PlanarPose ground, one{0.4, 0.3, 0.7}, two{0.9, -0.2, -0.5}, three{1.4, 0.6, 1.1};
  add_planar_body(bench, "one", GetParam(), one);
  add_planar_body(bench, "two", GetParam(), two);
  add_planar_body(bench, "three", GetParam(), three);
  const auto join = [&bench](const std::string& name, const auto& joint, const std::string& a,
                             const PlanarPose& of_a, const PlanarPose& frame_a,
                             const std::string& b, const PlanarPose& of_b,
                             const PlanarPose& frame_b) {
    bench.system.add_planar_frame(name + "_a", a, of_a.frame_at(frame_a));
    bench.system.add_planar_frame(name + "_b", b, of_b.frame_at(frame_b));
    bench.system.add(name, joint, {name + "_a", name + "_b"});
  };
  // A pin in a slot of the ground, a slide from there, and a body welded to it: nothing is at rest.
  const PlanarPose slot{0.2, -0.1, 0.8};
  join("slot", PlanarPointOnLine{}, "ground", ground, slot, "one", one,
       {0.2 + 0.5 * std::cos(0.8), -0.1 + 0.5 * std::sin(0.8), 0});
  const PlanarPose rail{0.1, 0.2, 0.6};
  join("rail", PlanarPrismaticJoint{}, "one", one, rail, "two", two,
       {0.1 + 0.4 * std::cos(0.6), 0.2 + 0.4 * std::sin(0.6), 0.6});
  const PlanarPose weld{0.7, 0.1, -0.9};
  join("weld", PlanarFixedJoint{}, "two", two, weld, "three", three, weld);
  bench.system.add("spring", PlanarSpring{}, {"ground", "three"},
                   {.values = {{"a.X1", -0.3},
                               {"a.X2", 0.5},
                               {"b.X1", 0.2},
                               {"b.X2", -0.4},
                               {"k", 30},
                               {"d", 0.9},
                               {"l0", 1.1}}});
  bench.start_moving();
  // A pin has no direction.
  ParameterDerivatives(std::move(bench.system), kStep, kSteps)
      .expect_agreement({"slot_b.d1", "slot_b.d2"});
}

INSTANTIATE_TEST_SUITE_P(Groups, PlanarElementParameters,
                         ::testing::Values(lie::NodeGroup::se2(), lie::NodeGroup::rn(3)),
                         [](const auto& group) {
                           return std::string(group.param.kind == lie::GroupKind::kSE2 ? "SE2"
                                                                                       : "R3");
                         });

}  // namespace
}  // namespace liegrad::testing
