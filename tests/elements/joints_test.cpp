// Every joint between two bodies and between a body and the ground, on both groups: derivatives, forces
// without work, rank (constraint_checks.hpp), and finite motions that it allows and forbids.

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <Eigen/LU>

#include "constraint_checks.hpp"
#include "interpreted_kernels.hpp"
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
#include "poses.hpp"

namespace liegrad::testing {
namespace {

/// Of sums of a few numbers of size up to ten.
constexpr double kRounding = 3e-14;

/// A motion of frame b in the axes of frame a, from coinciding frames: a turn, then a shift.
struct Relative {
  std::string what;
  Vec3 turn, shift;
};

struct Joint {
  std::string name;
  int constraints;
  std::function<void(dae::System&, const std::vector<std::string>&)> add;
  /// Where Φ = 0, beyond small neighbourhoods, and where it is not.
  std::vector<Relative> allowed, forbidden;
};

template <class E>
Joint joint(const std::string& name, int constraints, const std::vector<Relative>& allowed,
            const std::vector<Relative>& forbidden) {
  const auto add = [](dae::System& system, const std::vector<std::string>& frames) {
    system.add("joint", E{}, frames);
  };
  return {name, constraints, add, allowed, forbidden};
}

const Vec3 kX(1, 0, 0), kY(0, 1, 0), kZ(0, 0, 1), kNone(0, 0, 0);

std::vector<Joint> make_joints() {
  const Relative none{"none", kNone, kNone};
  const Relative turn_x{"turn about x", 1.1 * kX, kNone}, turn_y{"turn about y", -0.7 * kY, kNone};
  const Relative turn_z{"turn about z", 2.5 * kZ, kNone},
      any_turn{"any turn", Vec3(1, 2, -0.5), kNone};
  const Relative shift_x{"shift along x", kNone, 3 * kX}, shift_y{"shift along y", kNone, -2 * kY};
  const Relative shift_z{"shift along z", kNone, -4 * kZ};
  const Relative screw{"screw", -2.2 * kZ, 5 * kZ},
      in_plane{"in the plane", 1.9 * kZ, Vec3(2, -7, 0)};
  const Relative on_line{"on the line", Vec3(1, 2, -0.5), 6 * kZ};
  const Relative on_sphere{"on the sphere", Vec3(0.3, 1, 2), Vec3(0.6, 0, 0.8)};
  const Relative off_sphere{"off the sphere", kNone, Vec3(0.6, 0.1, 0.8)};
  return {
      joint<elements::SphericalJoint>("spherical", 3, {none, any_turn},
                                      {shift_x, shift_y, shift_z}),
      joint<elements::RevoluteJoint>("revolute", 5, {none, turn_z},
                                     {turn_x, turn_y, any_turn, shift_x, shift_y, shift_z}),
      joint<elements::UniversalJoint>("universal", 4, {none, turn_x, turn_y},
                                      {turn_z, any_turn, shift_x, shift_y, shift_z}),
      joint<elements::PrismaticJoint>("prismatic", 5, {none, shift_z},
                                      {turn_x, turn_y, turn_z, any_turn, shift_x, shift_y, screw}),
      joint<elements::CylindricalJoint>("cylindrical", 4, {none, turn_z, shift_z, screw},
                                        {turn_x, turn_y, any_turn, shift_x, shift_y}),
      joint<elements::PlaneJoint>("plane", 3, {none, turn_z, shift_x, shift_y, in_plane},
                                  {turn_x, turn_y, any_turn, shift_z}),
      joint<elements::FixedJoint>("fixed", 6, {none},
                                  {turn_x, turn_y, turn_z, any_turn, shift_x, shift_y, shift_z}),
      joint<elements::DistanceJoint>("distance", 1, {on_sphere}, {none, off_sphere, shift_x}),
      joint<elements::PointOnLine>("point_on_line", 2, {none, any_turn, shift_z, on_line},
                                   {shift_x, shift_y}),
  };
}

const std::vector<Joint>& joints() {
  static const std::vector<Joint> list = make_joints();
  return list;
}

/// Which nodes the joint is between.
enum class Between { kBodies, kGroundAndBody, kBodyAndGround };

struct Case {
  std::size_t joint;
  Between between;
  lie::NodeGroup group;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (std::size_t i = 0; i < joints().size(); ++i) {
    for (const Between between :
         {Between::kBodies, Between::kGroundAndBody, Between::kBodyAndGround}) {
      for (const lie::NodeGroup& group : both_groups()) {
        cases.push_back({i, between, group});
      }
    }
  }
  return cases;
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  const Case& c = info.param;
  return joints()[c.joint].name +
         (c.between == Between::kBodies          ? "_bodies"
          : c.between == Between::kGroundAndBody ? "_ground_body"
                                                 : "_body_ground") +
         (c.group.kind == lie::GroupKind::kSE3 ? "_SE3" : "_SO3xR3");
}

const dae::BodyFrame kFrameA = elements::frame_with_axes({0.3, -0.5, 0.2}, {1, 2, 3}, {2, -1, 0.5});
const dae::BodyFrame kFrameB = elements::frame_along({-0.4, 0.1, 0.6}, {-1, 0.5, -2});

/// The nodes with the joint alone: masses do not matter here.
dae::System system_of(const Case& c) {
  dae::System system("joint");
  std::vector<std::string> bodies = {"a", "b"};
  if (c.between == Between::kGroundAndBody) bodies[0] = "ground";
  if (c.between == Between::kBodyAndGround) bodies[1] = "ground";
  for (const std::string& body : bodies) {
    if (body != "ground") system.add_node(body, c.group);
  }
  system.add_frame("frame_a", bodies[0], kFrameA);
  system.add_frame("frame_b", bodies[1], kFrameB);
  joints()[c.joint].add(system, {"frame_a", "frame_b"});
  return system;
}

/// A configuration where frame b stands in frame a as said.
std::vector<double> configuration(const Case& c, const Relative& relative) {
  const Pose in_a(Rotation::exp(relative.turn), relative.shift);
  const Pose a = pose_of(kFrameA), b = pose_of(kFrameB);
  if (c.between == Between::kGroundAndBody) return coeffs_of(a * in_a * b.inverse());
  if (c.between == Between::kBodyAndGround) return coeffs_of(b * in_a.inverse() * a.inverse());
  const Pose body_a(Rotation::exp(Vec3(0.7, -1.2, 0.4)), Vec3(0.9, 1.3, -0.8));
  std::vector<double> q = coeffs_of(body_a);
  for (const double x : coeffs_of(body_a * a * in_a * b.inverse())) q.push_back(x);
  return q;
}

class Joints : public ::testing::TestWithParam<Case> {};

TEST_P(Joints, HaveRightDerivativesForcesWithoutWorkAndIndependentConstraints) {
  const Case& c = GetParam();
  const dae::System system = system_of(c);
  const int constraints = joints()[c.joint].constraints;
  ASSERT_EQ(system.num_multipliers(), constraints);
  ConstraintChecks(system, 7).expect_all(system.dof() - constraints, 2);
}

TEST_P(Joints, AllowLargeFreeMotionsAndNoOthers) {
  const Case& c = GetParam();
  const dae::System system = system_of(c);
  ConstraintChecks checks(system);
  for (const Relative& relative : joints()[c.joint].allowed) {
    EXPECT_LE(checks.phi(configuration(c, relative)).cwiseAbs().maxCoeff(), kRounding)
        << relative.what;
  }
  for (const Relative& relative : joints()[c.joint].forbidden) {
    EXPECT_GE(checks.phi(configuration(c, relative)).cwiseAbs().maxCoeff(), 1e-3) << relative.what;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Joints, ::testing::ValuesIn(all_cases()), name_of);

/// The checks themselves can fail: a constraint with a second force, which turns the sign of one entry of Bᵀλ.
struct WrongForce {
  dae::ElementShape shape() const {
    return {.type = "wrong_force", .nodes = {{dae::NodeRole::kCoordinates, 2}}, .constraints = 1};
  }
  template <class S>
  lie::Vec<S, 1> constraint(const dae::Position<S>& at) const {
    const auto x = at.coordinates(0);
    return lie::Vec<S, 1>(S(x(0) * x(0) + x(1) * x(1) - S(1)));
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    balance.row(0, 1) -= S(4) * at.coordinates(0)(1) * at.multiplier(0);
  }
};

TEST(ConstraintChecksThemselves, NoticeAForceThatDoesWork) {
  dae::System system("wrong");
  system.add_node("x", lie::NodeGroup::rn(2));
  system.add("wrong", WrongForce{}, {"x"});
  system.set_initial_configuration("x", {0.6, 0.8});
  ConstraintChecks checks(system);
  ::testing::TestPartResultArray failures;
  {
    const ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    checks.expect_all_at({0.6, 0.8}, 1);
  }
  // Its power is not λ·(Bv), and it has one along the circle.
  ASSERT_EQ(failures.size(), 2);
  EXPECT_NE(std::string(failures.GetTestPartResult(0).message()).find("power of the constraint"),
            std::string::npos);
  EXPECT_NE(std::string(failures.GetTestPartResult(1).message()).find("work along a free motion"),
            std::string::npos);
}

/// A fixed joint is regular at its roots, and the nearest wrong one is half a turn away: from any turn by
/// up to 60° Newton's method goes home.
TEST(FixedJoint, HasNoOtherRootNearby) {
  const Case c{6, Between::kGroundAndBody, lie::NodeGroup::so3xr3()};
  const dae::System system = system_of(c);
  ConstraintChecks checks(system, 3);
  const std::vector<double> home = configuration(c, {"none", kNone, kNone});
  for (int i = 0; i < 200; ++i) {
    Eigen::VectorXd w = Eigen::VectorXd::Zero(6);
    const Eigen::VectorXd axis = checks.random(3);
    w.head<3>() = 60 * std::numbers::pi / 180 * axis.normalized();
    std::vector<double> q = checks.moved(home, w);
    for (int k = 0; k < 30; ++k) {
      q = checks.moved(q, -checks.gradient(q).fullPivLu().solve(checks.phi(q)));
    }
    ASSERT_LE(checks.phi(q).cwiseAbs().maxCoeff(), 1e-14);
    Eigen::VectorXd left(6);
    system.configuration_space().minus<double>(
        q, home, std::span<double>(left.data(), static_cast<std::size_t>(left.size())));
    EXPECT_LE(left.norm(), 1e-13) << "from a turn about " << axis.normalized().transpose();
  }
  // The three half turns about axes of the frame are roots as well, by the way.
  for (const Vec3& axis : {kX, kY, kZ}) {
    const auto half_turn = configuration(c, {"half turn", std::numbers::pi * axis, kNone});
    EXPECT_LE(checks.phi(half_turn).cwiseAbs().maxCoeff(), kRounding);
    checks.expect_rank(half_turn, 0);
  }
}

// frame_along.hpp

std::vector<std::array<double, 3>> directions() {
  return {{0, 0, 1},
          {0, 0, -1},
          {1, 0, 0},
          {0, -3, 0},
          {1, 2, 3},
          {-1, 1e-9, -5},
          {1e-20, 0, -1},
          {0.3, -0.2, -1e-17},
          {1e300, 1e300, -1e300},
          {1e-300, -2e-300, 5e-301},
          {1, -1, 0}};
}
Vec3 vector_of(const std::array<double, 3>& v) {
  const double largest = std::max({std::abs(v[0]), std::abs(v[1]), std::abs(v[2])});
  return Vec3(v[0] / largest, v[1] / largest, v[2] / largest);
}

TEST(FrameAlong, HasItsZAxisAlongTheVector) {
  for (const auto& d : directions()) {
    const dae::BodyFrame frame = elements::frame_along({1, 2, 3}, d);
    EXPECT_EQ(frame.position, (std::array<double, 3>{1, 2, 3}));
    const auto& e = frame.orientation;
    EXPECT_NEAR(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3], 1, 1e-15);
    const Vec3 z = pose_of(frame).rotation().matrix().col(2);
    EXPECT_LE((z - vector_of(d).normalized()).norm(), 1e-15) << vector_of(d).transpose();
  }
}

TEST(FrameAlong, TakesAnXAxisToo) {
  for (const auto& d : directions()) {
    for (const auto& x : directions()) {
      const Vec3 across = vector_of(d).normalized().cross(vector_of(x).normalized());
      if (across.norm() < 1e-7) {
        EXPECT_THROW((void)elements::frame_with_axes({0, 0, 0}, x, d), InvalidArgument);
        continue;
      }
      const lie::Mat<double, 3> r =
          pose_of(elements::frame_with_axes({0, 0, 0}, x, d)).rotation().matrix();
      EXPECT_LE((r.col(2) - vector_of(d).normalized()).norm(), 1e-15);
      // x is in their plane, on the side of the vector.
      EXPECT_LE((r.col(1) - across.normalized()).norm(), 1e-14 / across.norm());
      EXPECT_GT(r.col(0).dot(vector_of(x)), 0);
    }
  }
}

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no error";
}

TEST(FrameAlong, RefusesVectorsWithoutDirection) {
  EXPECT_EQ(message_of([] {
              (void)elements::frame_along({1, 0, 0}, {0, 0, 0});
            }),
            "the z axis of a frame is (0, 0, 0); it must be a vector of finite length other than "
            "zero");
  EXPECT_EQ(message_of([] {
              (void)elements::frame_along({1, 0, 0}, {0, NAN, 1});
            }),
            "the z axis of a frame is (0, nan, 1); it must be a vector of finite length other than "
            "zero");
  EXPECT_EQ(message_of([] {
              (void)elements::frame_with_axes({1, 0, 0}, {0, 0, 0}, {0, 0, 1});
            }),
            "the x axis of a frame is (0, 0, 0); it must be a vector of finite length other than "
            "zero");
  EXPECT_EQ(message_of([] {
              (void)elements::frame_with_axes({1, 0, 0}, {0, 0, -2}, {0, 0, 1});
            }),
            "the x axis (0, 0, -2) and the z axis (0, 0, 1) of a frame are parallel; give two "
            "different directions");
}

}  // namespace
}  // namespace liegrad::testing
