// The spatial slider–crank mechanism of [HolzingerArnoldGerstmayr2025, section 7.3], from the IFToMM library
// of benchmarks: under gravity, with an initial turn of the crank. The paper leaves masses and initial values
// to its references; the values here are those of the library.
//
// Bodies are at their centres of mass. The crank turns about the x axis, its arm AB is along its own z axis;
// the rod BC is along its own x axis; the slider keeps the orientation of the ground.
//
//     A    revolute   ground and crank     5 constraints
//     B    spherical  crank and rod        3
//     C    universal  slider and rod       4    cross along x of the slider and along y of the rod
//     D    prismatic  ground and slider    5
//
// which leaves one of 18 degrees of freedom, and none of the 17 constraints depends on the others.
//
// Outputs are slider.s, the displacement along the rail, and crank.theta. The angle goes on counting over
// many turns, and no function of the pose can do that: it is a coordinate of its own, without mass, and one
// more constraint makes it the angle of the joint at A. That constraint transmits no torque, so that the
// motion is the one of the three bodies. The displacement is a function of the pose.

#include <array>
#include <cmath>
#include <map>
#include <span>
#include <string>

#include "liegrad/dae/system/element.hpp"
#include "liegrad/dae/system/initial_function.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/coordinates/joint_angle.hpp"
#include "liegrad/elements/frame_along.hpp"
#include "liegrad/elements/joints/prismatic_joint.hpp"
#include "liegrad/elements/joints/revolute_joint.hpp"
#include "liegrad/elements/joints/spherical_joint.hpp"
#include "liegrad/elements/joints/universal_joint.hpp"
#include "liegrad/lie/rotation_conversions.hpp"
#include "liegrad/models/models.hpp"
#include "shared_gravity.hpp"

namespace liegrad::models {
namespace {

/// The output theta of a coordinate that counts an angle.
struct AngleOutput {
  dae::ElementShape shape() const {
    return {.type = "angle_output",
            .nodes = {{dae::NodeRole::kCoordinates, 1}},
            .outputs = {{"theta", 1, "angle of the crank, counted over all turns"}}};
  }
  template <class S>
  lie::Vec<S, 1> outputs(const dae::Motion<S>& at) const {
    return lie::Vec<S, 1>(S(at.coordinates(0)(0)));
  }
};

/// The output s, the displacement of the origin of frame b along the z axis of frame a.
struct DisplacementOutput {
  dae::ElementShape shape() const {
    using elements::frame_parameters, elements::joined;
    return {.type = "displacement_output",
            .nodes = {{dae::NodeRole::kFrame, 0, "a"}, {dae::NodeRole::kFrame, 0, "b"}},
            .parameters = joined(frame_parameters("a"), frame_parameters("b")),
            .outputs = {{"s", 1, "displacement of the slider along its rail"}}};
  }
  template <class S>
  lie::Vec<S, 1> outputs(const dae::Motion<S>& at) const {
    const lie::Frame<S> rail = elements::attached_frame<S>(at, 0, 0);
    const lie::Vec<S, 3> slider =
        elements::attached_point<S>(at, 1, elements::kFrameParameters) - rail.position;
    return lie::Vec<S, 1>(lie::rotation::dot<S>(rail.rotation.col(2), slider));
  }
};

/// The mechanism at a crank angle θ with a given rate, the slider on the side of +x of B:
///
///     B = A + l (0, -sin θ, cos θ),   C = (s, 0, 0),   d = (C - B)/|BC|.
///
/// The rod has the axes d, n = e×d/|e×d| and d×n, where e is the x axis of the slider. Its angular velocity
/// is d×d' + w d, and e·n = 0 remains true for w (1 - d_x²) = d_x (d×d')_x.
struct AtCrankAngle {
  /// Whether velocities of nodes are in the body, as in SE(3).
  bool in_body;

  template <class S>
  void operator()(std::span<const S> p, std::span<S> q, std::span<S> v) const {
    using lie::rotation::cross, std::cos, std::sin, std::sqrt;
    using V3 = lie::Vec<S, 3>;
    const S &angle = p[0], &rate = p[1];
    const V3 pin(p[2], p[3], p[4]);
    // Of the crank's ends along its arm and of the rod's along its axis, from their centres.
    const S &crank_a = p[5], &crank_b = p[6], &rod_b = p[7], &rod_c = p[8];
    const S zero(0), cosine = cos(angle), sine = sin(angle);
    const V3 arm(zero, -sine, cosine), arm_rate = rate * V3(zero, -cosine, -sine);
    const V3 tip = pin + (crank_b - crank_a) * arm, tip_rate = (crank_b - crank_a) * arm_rate;

    const S length = rod_c - rod_b;
    const S reach = sqrt(length * length - tip(1) * tip(1) - tip(2) * tip(2));
    const S slide = tip(0) + reach;
    const S slide_rate = -(tip(1) * tip_rate(1) + tip(2) * tip_rate(2)) / reach;
    const V3 d = V3(reach, -tip(1), -tip(2)) / length;
    const V3 d_rate = V3(slide_rate, -tip_rate(1), -tip_rate(2)) / length;
    const S across = sqrt(d(1) * d(1) + d(2) * d(2));
    const V3 n(zero, -d(2) / across, d(1) / across);
    lie::Mat<S, 3> rod;
    rod << d, n, cross<S>(d, n);
    const V3 turn = cross<S>(d, d_rate);
    const V3 omega = turn + (d(0) * turn(0) / (across * across)) * d;

    const S half = angle / S(2);
    set_pose<S>(q, 0, {cos(half), sin(half), zero, zero}, pin - crank_a * arm);
    set_pose<S>(q, 1, lie::rotation::quaternion_from_matrix<S>(rod), tip - rod_b * d);
    set_pose<S>(q, 2, {S(1), zero, zero, zero}, {slide, zero, zero});
    q[21] = angle;

    const V3 crank_velocity = -crank_a * arm_rate, rod_velocity = tip_rate - rod_b * d_rate;
    // arm' is along -y of the crank.
    const V3 crank_in_body(zero, crank_a * rate, zero),
        rod_in_body = rod.transpose() * rod_velocity;
    set_velocity<S>(v, 0, {rate, zero, zero}, in_body ? crank_in_body : crank_velocity);
    set_velocity<S>(v, 1, rod.transpose() * omega, in_body ? rod_in_body : rod_velocity);
    set_velocity<S>(v, 2, {zero, zero, zero}, {slide_rate, zero, zero});
    v[18] = rate;
  }

 private:
  template <class S>
  static void set_pose(std::span<S> q, int body, const lie::Vec<S, 4>& quaternion,
                       const lie::Vec<S, 3>& position) {
    Eigen::Map<lie::Vec<S, 4>>(q.data() + 7 * body) = quaternion;
    Eigen::Map<lie::Vec<S, 3>>(q.data() + 7 * body + 4) = position;
  }
  template <class S>
  static void set_velocity(std::span<S> v, int body, const lie::Vec<S, 3>& omega,
                           const lie::Vec<S, 3>& u) {
    Eigen::Map<lie::Vec<S, 3>>(v.data() + 6 * body) = omega;
    Eigen::Map<lie::Vec<S, 3>>(v.data() + 6 * body + 3) = u;
  }
};

/// Mass and inertia as parameters body.m, body.J1, …: the element that has the body's name is the one with
/// its output.
void add_inertia(dae::System& system, const std::string& body, double m,
                 const std::array<double, 3>& inertia) {
  system.add_parameter({body + ".m", m, "kg", "mass"});
  std::map<std::string, std::string> bindings = bound_to_gravity({{"m", body + ".m"}});
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string name = "J" + std::to_string(i + 1);
    system.add_parameter({body + "." + name, inertia[i], "kg m^2", "inertia about an own axis"});
    bindings[name] = body + "." + name;
  }
  system.add(body + ".inertia", elements::RigidBody{}, {body}, {.bind = bindings});
}

}  // namespace

dae::System slider_crank_3d(const Structure& structure) {
  using elements::frame_along;
  dae::System system("slider_crank_3d");
  system.add_parameter({"crank.theta0", 0, "rad", "initial angle of the crank"});
  system.add_parameter({"crank.omega0", 6, "rad/s", "its initial rate"});
  add_gravity(system);
  for (const char* const body : {"crank", "rod", "slider"}) {
    system.add_node(body, structure.body_group);
  }
  system.add_node("crank.angle", lie::NodeGroup::rn(1));
  add_inertia(system, "crank", 0.12, {1e-4, 1e-4, 1e-5});
  add_inertia(system, "rod", 0.5, {4e-4, 4e-3, 4e-3});
  // The slider does not turn.
  add_inertia(system, "slider", 2, {1e-4, 1e-4, 1e-4});

  // The axes of the joints at A and D are along x.
  system.add_frame("A", "ground", frame_along({0, 0.1, 0.12}, {1, 0, 0}));
  system.add_frame("crank.A", "crank", frame_along({0, 0, -0.04}, {1, 0, 0}));
  system.add_frame("crank.B", "crank", {.position = {0, 0, 0.04}});
  system.add_frame("rod.B", "rod", {.position = {-0.15, 0, 0}});
  system.add_frame("rod.C", "rod", {.position = {0.15, 0, 0}});
  system.add_frame("slider.C", "slider");
  system.add_frame("D", "ground", frame_along({0, 0, 0}, {1, 0, 0}));
  system.add_frame("slider.D", "slider", frame_along({0, 0, 0}, {1, 0, 0}));

  system.add("revolute", elements::RevoluteJoint{}, {"A", "crank.A"});
  system.add("spherical", elements::SphericalJoint{}, {"crank.B", "rod.B"});
  system.add("universal", elements::UniversalJoint{}, {"slider.C", "rod.C"});
  system.add("prismatic", elements::PrismaticJoint{}, {"D", "slider.D"});
  system.add("angle", elements::JointAngle{}, {"A", "crank.A", "crank.angle"});
  system.add("crank", AngleOutput{}, {"crank.angle"});
  system.add("slider", DisplacementOutput{}, {"D", "slider.D"});

  system.set_initial_function(
      AtCrankAngle{.in_body = structure.body_group.kind == lie::GroupKind::kSE3},
      {"crank.theta0", "crank.omega0", "A.X1", "A.X2", "A.X3", "crank.A.X3", "crank.B.X3",
       "rod.B.X1", "rod.C.X1"});
  return system;
}

}  // namespace liegrad::models
