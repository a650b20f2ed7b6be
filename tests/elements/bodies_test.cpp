// Bodies: one with its node anywhere moves like one with its node at the centre of mass; a point falls.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/elements/bodies/general_rigid_body.hpp"
#include "liegrad/elements/bodies/point_mass.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "poses.hpp"

namespace liegrad::testing {
namespace {

std::map<std::string, double> with_gravity(std::map<std::string, double> values) {
  values.merge(
      std::map<std::string, double>{{"gravity1", 0.7}, {"gravity2", -2}, {"gravity3", -9}});
  return values;
}

/// All outputs of a system at a state, by name.
class Observed {
 public:
  Observed(const dae::System& system, const dae::State& state)
      : outputs_(system), values_(static_cast<std::size_t>(outputs_.size())) {
    outputs_.evaluate(state, {}, values_);
  }
  double number(const std::string& name) const { return *at(name); }
  Vec3 vector(const std::string& name) const { return {at(name)[0], at(name)[1], at(name)[2]}; }

 private:
  const double* at(const std::string& name) const { return values_.data() + outputs_.offset(name); }
  dae::Outputs outputs_;
  std::vector<double> values_;
};

/// The same body twice: node at the centre of mass with principal axes, and node elsewhere in it. A pose
/// of the second, followed by `to_centre`, is a pose of the first.
struct Twins {
  Pose to_centre{Rotation::exp(Vec3(0.5, -0.8, 1.3)), Vec3(0.4, -0.3, 0.7)};
  Vec3 principal{0.5, 0.8, 1.1};
  double m = 3;

  Mat3 inertia() const {
    const Mat3 r = to_centre.rotation().matrix();
    return r * principal.asDiagonal() * r.transpose();
  }
  dae::System at_centre(const lie::NodeGroup& group, const Pose& pose, const Vec3& omega,
                        const Vec3& u) const {
    const Mat3 to_axes = to_centre.rotation().matrix().transpose();
    const Vec3 centre_u =
        u + pose.rotation().matrix() * lie::rotation::cross<double>(omega, to_centre.translation());
    const Pose centre = pose * to_centre;
    dae::System system("centre");
    system.add_node("body", group);
    system.add("body", elements::RigidBody{}, {"body"},
               {.values = with_gravity(
                    {{"m", m}, {"J1", principal(0)}, {"J2", principal(1)}, {"J3", principal(2)}})});
    system.set_initial_configuration("body", coeffs_of(centre));
    system.set_initial_velocity("body", velocity_of(group, centre, to_axes * omega, centre_u));
    return system;
  }
  dae::System elsewhere(const lie::NodeGroup& group, const Pose& pose, const Vec3& omega,
                        const Vec3& u) const {
    const Mat3 j = inertia();
    const Vec3 x = to_centre.translation();
    dae::System system("elsewhere");
    system.add_node("body", group);
    system.add("body", elements::GeneralRigidBody{}, {"body"},
               {.values = with_gravity({{"m", m},
                                        {"X1", x(0)},
                                        {"X2", x(1)},
                                        {"X3", x(2)},
                                        {"J11", j(0, 0)},
                                        {"J22", j(1, 1)},
                                        {"J33", j(2, 2)},
                                        {"J12", j(0, 1)},
                                        {"J13", j(0, 2)},
                                        {"J23", j(1, 2)}})});
    system.set_initial_configuration("body", coeffs_of(pose));
    system.set_initial_velocity("body", velocity_of(group, pose, omega, u));
    return system;
  }
};

TEST(GeneralRigidBody, MovesLikeARigidBodyAtItsCentreOfMass) {
  const Twins twins;
  const Pose start(Rotation::exp(Vec3(-0.4, 1.2, 0.3)), Vec3(1, -2, 0.5));
  const Vec3 omega(2, -3, 1.5), u(0.3, 1, -2);
  for (const lie::NodeGroup& group : both_groups()) {
    const dae::System at_centre = twins.at_centre(group, start, omega, u);
    const dae::System elsewhere = twins.elsewhere(group, start, omega, u);
    dae::IntegrateOptions options = dae::alpha_steps();
    options.method = dae::Method::kMuntheKaas;
    options.step = 2e-3;
    const dae::Solution a = dae::integrate(at_centre, options);
    const dae::Solution b = dae::integrate(elsewhere, options);
    for (const bool at_end : {false, true}) {
      // Equal at the start up to rounding, at the end up to the error of a method of fourth order.
      const double tolerance = at_end ? 1e-8 : 1e-13;
      const dae::State &of_a = at_end ? a.final : a.samples[0],
                       &of_b = at_end ? b.final : b.samples[0];
      const Pose pose_a = Pose::from_coeffs(Eigen::Map<const lie::Vec<double, 7>>(of_a.q.data()));
      const Pose pose_b = Pose::from_coeffs(Eigen::Map<const lie::Vec<double, 7>>(of_b.q.data()));
      EXPECT_LE(((pose_b * twins.to_centre).inverse() * pose_a).log().cwiseAbs().maxCoeff(),
                tolerance);
      const Observed by_centre(at_centre, of_a), by_node(elsewhere, of_b);
      for (const char* name : {"energy.kinetic", "energy.potential"}) {
        EXPECT_NEAR(by_centre.number(name), by_node.number(name), 100 * tolerance) << name;
      }
      for (const char* name : {"momentum.linear", "momentum.angular"}) {
        const Vec3 difference = by_centre.vector(name) - by_node.vector(name);
        EXPECT_LE(difference.norm(), 100 * tolerance) << name;
      }
      EXPECT_GT(by_centre.vector("momentum.angular").norm(), 1);
    }
    // It has moved.
    EXPECT_GT(std::abs(a.final.q[0] - a.samples[0].q[0]), 0.1);
  }
}

TEST(GeneralRigidBody, IsStepForStepTheSameOnSE3AndToSecondOrderOnSO3xR3) {
  // Velocities of SE(3) at two frames of a body differ by the constant Ad of the one in the other, with
  // which the α-method commutes; on SO(3)×R³ its errors depend on where the node is.
  const Twins twins;
  const Pose start(Rotation::exp(Vec3(-0.4, 1.2, 0.3)), Vec3(1, -2, 0.5));
  const Vec3 omega(2, -3, 1.5), u(0.3, 1, -2);
  for (const lie::NodeGroup& group : both_groups()) {
    std::vector<double> differences;
    for (const double h : {0.01, 0.005, 0.0025}) {
      dae::IntegrateOptions options = dae::alpha_steps();
      options.step = h;
      options.alpha.start = dae::StartingValues::kCorrected;
      options.alpha.newton.leave_out_last = false;
      const dae::State a = dae::integrate(twins.at_centre(group, start, omega, u), options).final;
      const dae::State b = dae::integrate(twins.elsewhere(group, start, omega, u), options).final;
      const Pose pose_a = Pose::from_coeffs(Eigen::Map<const lie::Vec<double, 7>>(a.q.data()));
      const Pose pose_b = Pose::from_coeffs(Eigen::Map<const lie::Vec<double, 7>>(b.q.data()));
      differences.push_back(((pose_b * twins.to_centre).inverse() * pose_a).log().norm());
    }
    if (group.kind == lie::GroupKind::kSE3) {
      for (const double difference : differences) EXPECT_LE(difference, 1e-12);
    } else {
      EXPECT_GT(differences[2], 1e-9);
      EXPECT_NEAR(std::log2(differences[0] / differences[1]), 2, 0.1);
      EXPECT_NEAR(std::log2(differences[1] / differences[2]), 2, 0.1);
    }
  }
}

TEST(PointMass, Falls) {
  dae::System system("fall");
  system.add_node("ball", lie::NodeGroup::rn(3));
  system.add("ball", elements::PointMass{}, {"ball"}, {.values = with_gravity({{"m", 2}})});
  system.set_initial_configuration("ball", {1, 2, 3});
  system.set_initial_velocity("ball", {-1, 4, 5});
  dae::IntegrateOptions options = dae::alpha_steps();
  options.step = 0.1;
  options.t_end = 2;
  const dae::Solution run = dae::integrate(system, options);
  const Vec3 gravity(0.7, -2, -9), x0(1, 2, 3), u0(-1, 4, 5);
  for (const dae::State& state : run.samples) {
    const Observed at(system, state);
    const Vec3 u = u0 + state.t * gravity,
               x = x0 + state.t * u0 + 0.5 * state.t * state.t * gravity;
    EXPECT_LE((at.vector("ball.x") - x).norm(), 1e-12);
    EXPECT_LE((at.vector("momentum.linear") - 2 * u).norm(), 1e-12);
    EXPECT_LE((at.vector("momentum.angular") - lie::rotation::cross<double>(x, 2 * u)).norm(),
              1e-11);
    EXPECT_NEAR(at.number("energy.kinetic"), u.squaredNorm(), 1e-11);
    EXPECT_NEAR(at.number("energy.potential"), -2 * gravity.dot(x), 1e-11);
  }
}

}  // namespace
}  // namespace liegrad::testing
