// Sensors against what they should show, found by other means: differences of the motion in time, and statics.

#include <gtest/gtest.h>

#include <cmath>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/start/consistency.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/bodies/tracked_point.hpp"
#include "liegrad/elements/frame_along.hpp"
#include "liegrad/elements/joints/fixed_point.hpp"
#include "liegrad/elements/joints/revolute_joint.hpp"
#include "liegrad/elements/sensors/accelerometer.hpp"
#include "liegrad/elements/sensors/distance_sensor.hpp"
#include "liegrad/elements/sensors/gyroscope.hpp"
#include "liegrad/elements/sensors/joint_encoder.hpp"
#include "liegrad/elements/sensors/marker.hpp"

namespace liegrad::testing {
namespace {

using Vec3 = Eigen::Vector3d;

class Reader {
 public:
  explicit Reader(const dae::System& system) : outputs_(system) {}
  Vec3 operator()(const dae::State& state, const std::string& name) {
    std::vector<double> all(static_cast<std::size_t>(outputs_.size()));
    outputs_.evaluate(state, {}, all);
    Vec3 value = Vec3::Zero();
    for (int i = 0; i < std::min(outputs_.spec(name).size, 3); ++i) {
      value(i) = all[static_cast<std::size_t>(outputs_.offset(name) + i)];
    }
    return value;
  }

 private:
  dae::Outputs outputs_;
};

/// A tumbling body under gravity, on either group.
dae::System tumbling(const lie::NodeGroup& group) {
  dae::System system("tumbling");
  for (int i = 1; i <= 3; ++i) {
    system.add_parameter({"gravity" + std::to_string(i), i == 3 ? -9.81 : 0.0, "m/s^2", ""});
  }
  const std::map<std::string, std::string> gravity = {
      {"gravity1", "gravity1"}, {"gravity2", "gravity2"}, {"gravity3", "gravity3"}};
  system.add_node("body", group);
  system.add("body", elements::RigidBody{}, {"body"},
             {.values = {{"m", 1}, {"J1", 0.01}, {"J2", 0.02}, {"J3", 0.025}}, .bind = gravity});
  const std::map<std::string, double> arm = {{"X1", 0.1}, {"X2", -0.2}, {"X3", 0.05}};
  system.add("point", elements::TrackedPoint{}, {"body"}, {.values = arm});
  std::map<std::string, double> mounted = arm;
  mounted.insert({{"r1", 0.3},
                  {"r2", -0.4},
                  {"r3", 1.1},
                  {"gain", 1.02},
                  {"bias1", 0.1},
                  {"bias2", -0.2},
                  {"bias3", 0.3}});
  system.add("imu", elements::Accelerometer{}, {"body"}, {.values = mounted, .bind = gravity});
  system.add("gyro", elements::Gyroscope{}, {"body"},
             {.values = {{"r1", 0.3}, {"r2", -0.4}, {"r3", 1.1}, {"bias2", 0.5}}});
  system.add("marker", elements::Marker{}, {"body"},
             {.values = {{"a.X1", 0.1}, {"a.X2", -0.2}, {"a.X3", 0.05}, {"bias1", 7}}});
  system.add("laser", elements::DistanceSensor{}, {"ground", "body"},
             {.values = {{"a.X1", 2}, {"b.X2", 0.3}, {"gain", 2}, {"bias", 1}}});
  system.set_initial_velocity("body", {3, -4, 5, 1, 0, 2});
  return system;
}

TEST(Sensors, OfABodyShowItsMotion) {
  for (const lie::NodeGroup& group : {lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()}) {
    const dae::System system = tumbling(group);
    dae::IntegrateOptions options = dae::alpha_steps();
    options.t_end = 0.05;
    options.step = 1e-4;
    const dae::Solution run = dae::integrate(system, options);
    Reader read(system);
    const std::size_t n = 300;
    const dae::State& now = run.samples[n];
    const lie::SO3<double> mounting = lie::SO3<double>::exp(Vec3(0.3, -0.4, 1.1));
    std::vector<double> all;
    Eigen::Vector4d q;
    {
      dae::Outputs outputs(system);
      all.resize(static_cast<std::size_t>(outputs.size()));
      outputs.evaluate(now, {}, all);
      q = Eigen::Map<Eigen::Vector4d>(&all[static_cast<std::size_t>(outputs.offset("body.q"))]);
    }
    const Eigen::Matrix3d rotation = lie::SO3<double>::from_coeffs(q).matrix();
    const Vec3 acceleration =
        (read(run.samples[n + 1], "point.u") - read(run.samples[n - 1], "point.u")) / 2e-4;
    const Vec3 felt =
        mounting.matrix().transpose() * rotation.transpose() * (acceleration - Vec3(0, 0, -9.81));
    EXPECT_LT((read(now, "imu.force") - (1.02 * felt + Vec3(0.1, -0.2, 0.3))).norm(), 1e-4);
    EXPECT_LT((read(now, "gyro.rate") -
               (mounting.matrix().transpose() * read(now, "body.omega") + Vec3(0, 0.5, 0)))
                  .norm(),
              1e-14);
    EXPECT_LT((read(now, "marker.p") - read(now, "point.p") - Vec3(7, 0, 0)).norm(), 1e-14);
    const Vec3 end = read(now, "body.x") + rotation * Vec3(0, 0.3, 0);
    EXPECT_NEAR(read(now, "laser.distance")(0), 2 * (end - Vec3(2, 0, 0)).norm() + 1, 1e-13);
  }
}

/// A body at rest on a hinge: the accelerometer feels the support, the encoder the angle.
TEST(Sensors, OfAJointShowItsAngleAndItsSupport) {
  dae::System system("hinged");
  system.add_node("arm", lie::NodeGroup::so3xr3());
  system.add_parameter({"weight", -9.81, "m/s^2", "gravity along z"});
  system.add(
      "arm", elements::RigidBody{}, {"arm"},
      {.values =
           {{"m", 2}, {"J1", 0.1}, {"J2", 0.1}, {"J3", 0.1}, {"gravity1", 0}, {"gravity2", 0}},
       .bind = {{"gravity3", "weight"}}});
  system.add_frame("pin", "ground");
  system.add_frame("hole", "arm");
  system.add("hinge", elements::RevoluteJoint{}, {"pin", "hole"});
  system.add("encoder", elements::JointEncoder{}, {"ground", "arm"},
             {.values = {{"gain", 3}, {"bias", 0.5}}});
  system.add("felt", elements::Accelerometer{}, {"arm"}, {.bind = {{"gravity3", "weight"}}});
  const double angle = 2.5;
  system.set_initial_configuration("arm",
                                   {std::cos(angle / 2), 0, 0, std::sin(angle / 2), 0, 0, 0});
  dae::Consistency consistency(system, {}, dae::LinearSolverKind::kAutomatic);
  const dae::State state = consistency.initial_state(0, {});
  Reader read(system);
  EXPECT_NEAR(read(state, "encoder.angle")(0), 3 * angle + 0.5, 1e-13);
  EXPECT_LT((read(state, "felt.force") - Vec3(0, 0, 9.81)).norm(), 1e-12);
  EXPECT_NEAR(read(state, "hinge.lambda").norm(), 2 * 9.81, 1e-10);
}

}  // namespace
}  // namespace liegrad::testing
