#include "reference/element_list.hpp"

#include "liegrad/elements/beams/beam.hpp"
#include "liegrad/elements/beams/beam_load.hpp"
#include "liegrad/elements/bodies/general_rigid_body.hpp"
#include "liegrad/elements/bodies/point_mass.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/bodies/spinning_top.hpp"
#include "liegrad/elements/bodies/torsional_ball.hpp"
#include "liegrad/elements/bodies/tracked_point.hpp"
#include "liegrad/elements/coordinates/coordinate_relation.hpp"
#include "liegrad/elements/coordinates/driven_coordinate.hpp"
#include "liegrad/elements/coordinates/joint_angle.hpp"
#include "liegrad/elements/coordinates/joint_displacement.hpp"
#include "liegrad/elements/coordinates/laws.hpp"
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
#include "liegrad/elements/joints/cylindrical_joint.hpp"
#include "liegrad/elements/joints/distance_joint.hpp"
#include "liegrad/elements/joints/fixed_joint.hpp"
#include "liegrad/elements/joints/fixed_point.hpp"
#include "liegrad/elements/joints/plane_joint.hpp"
#include "liegrad/elements/joints/point_on_line.hpp"
#include "liegrad/elements/joints/prismatic_joint.hpp"
#include "liegrad/elements/joints/revolute_joint.hpp"
#include "liegrad/elements/joints/spherical_joint.hpp"
#include "liegrad/elements/joints/universal_joint.hpp"
#include "liegrad/elements/planar/pendulum.hpp"
#include "liegrad/elements/planar/pendulum_arm.hpp"
#include "liegrad/elements/planar/planar_body.hpp"
#include "liegrad/elements/planar/planar_fixed_joint.hpp"
#include "liegrad/elements/planar/planar_point_on_line.hpp"
#include "liegrad/elements/planar/planar_prismatic_joint.hpp"
#include "liegrad/elements/planar/planar_revolute_joint.hpp"
#include "liegrad/elements/planar/planar_spring.hpp"
#include "liegrad/elements/planar/planar_torque.hpp"
#include "liegrad/elements/planar/planar_tracked_point.hpp"
#include "liegrad/elements/planar/slender_rod.hpp"
#include "liegrad/elements/planar/slider.hpp"
#include "liegrad/elements/sensors/accelerometer.hpp"
#include "liegrad/elements/sensors/distance_sensor.hpp"
#include "liegrad/elements/sensors/gyroscope.hpp"
#include "liegrad/elements/sensors/joint_encoder.hpp"
#include "liegrad/elements/sensors/marker.hpp"

namespace liegrad::app {

std::vector<ListedElement> listed_elements() {
  using namespace elements;
  return {
      {"RigidBody", "bodies/rigid_body.hpp", RigidBody{}.shape()},
      {"GeneralRigidBody", "bodies/general_rigid_body.hpp", GeneralRigidBody{}.shape()},
      {"PointMass", "bodies/point_mass.hpp", PointMass{}.shape()},
      {"SpinningTop", "bodies/spinning_top.hpp", SpinningTop{}.shape()},
      {"TorsionalBall", "bodies/torsional_ball.hpp", TorsionalBall{}.shape()},
      {"TrackedPoint", "bodies/tracked_point.hpp", TrackedPoint{}.shape()},
      {"SphericalJoint", "joints/spherical_joint.hpp", SphericalJoint{}.shape()},
      {"RevoluteJoint", "joints/revolute_joint.hpp", RevoluteJoint{}.shape()},
      {"UniversalJoint", "joints/universal_joint.hpp", UniversalJoint{}.shape()},
      {"CylindricalJoint", "joints/cylindrical_joint.hpp", CylindricalJoint{}.shape()},
      {"PrismaticJoint", "joints/prismatic_joint.hpp", PrismaticJoint{}.shape()},
      {"PlaneJoint", "joints/plane_joint.hpp", PlaneJoint{}.shape()},
      {"FixedJoint", "joints/fixed_joint.hpp", FixedJoint{}.shape()},
      {"PointOnLine", "joints/point_on_line.hpp", PointOnLine{}.shape()},
      {"DistanceJoint", "joints/distance_joint.hpp", DistanceJoint{}.shape()},
      {"FixedPoint", "joints/fixed_point.hpp", FixedPoint{}.shape()},
      {"JointAngle", "coordinates/joint_angle.hpp", JointAngle{}.shape()},
      {"JointDisplacement", "coordinates/joint_displacement.hpp", JointDisplacement{}.shape()},
      {"CoordinateRelation", "coordinates/coordinate_relation.hpp", CoordinateRelation{}.shape()},
      {"DrivenCoordinate<Law>", "coordinates/driven_coordinate.hpp",
       DrivenCoordinate<ConstantLaw>{}.shape()},
      {"PointSpring", "forces/point_spring.hpp", PointSpring{}.shape()},
      {"CartesianSpring", "forces/cartesian_spring.hpp", CartesianSpring{}.shape()},
      {"Bushing", "forces/bushing.hpp", Bushing{}.shape()},
      {"CoordinateSpring", "forces/coordinate_spring.hpp", CoordinateSpring{}.shape()},
      {"CoordinateFriction", "forces/coordinate_friction.hpp", CoordinateFriction{}.shape()},
      {"ReactionFriction", "forces/coordinate_friction.hpp", ReactionFriction{}.shape()},
      {"QuadraticDrag", "forces/quadratic_drag.hpp", QuadraticDrag{}.shape()},
      {"AppliedForce<Law>", "forces/applied_force.hpp", AppliedForce<>{}.shape()},
      {"AppliedTorque<Law>", "forces/applied_torque.hpp", AppliedTorque<>{}.shape()},
      {"ActuatorForce", "forces/actuators.hpp", ActuatorForce{}.shape()},
      {"ActuatorTorque", "forces/actuators.hpp", ActuatorTorque{}.shape()},
      {"CoordinateActuator", "forces/actuators.hpp", CoordinateActuator{}.shape()},
      {"Beam<>", "beams/beam.hpp", Beam<>{.damped = true}.shape()},
      {"BeamLoad<Law>", "beams/beam_load.hpp", BeamLoad<>{}.shape()},
      {"PlanarBody", "planar/planar_body.hpp", PlanarBody{}.shape()},
      {"PlanarSlenderRod", "planar/slender_rod.hpp", PlanarSlenderRod{}.shape()},
      {"PlanarPointMass", "planar/pendulum.hpp", PlanarPointMass{}.shape()},
      {"Slider", "planar/slider.hpp", Slider{}.shape()},
      {"PlanarRevoluteJoint", "planar/planar_revolute_joint.hpp", PlanarRevoluteJoint{}.shape()},
      {"PlanarPointOnLine", "planar/planar_point_on_line.hpp", PlanarPointOnLine{}.shape()},
      {"PlanarPrismaticJoint", "planar/planar_prismatic_joint.hpp", PlanarPrismaticJoint{}.shape()},
      {"PlanarFixedJoint", "planar/planar_fixed_joint.hpp", PlanarFixedJoint{}.shape()},
      {"PlanarRodJoint", "planar/slender_rod.hpp", PlanarRodJoint{}.shape()},
      {"PlanarRodOnSlider", "planar/slender_rod.hpp", PlanarRodOnSlider{}.shape()},
      {"PlanarRod", "planar/pendulum.hpp", PlanarRod{}.shape()},
      {"PlanarSpring", "planar/planar_spring.hpp", PlanarSpring{}.shape()},
      {"SliderSpring", "planar/slider.hpp", SliderSpring{}.shape()},
      {"PlanarTorque", "planar/planar_torque.hpp", PlanarTorque{}.shape()},
      {"PlanarMotor", "planar/planar_torque.hpp", PlanarMotor{}.shape()},
      {"PlanarTrackedPoint", "planar/planar_tracked_point.hpp", PlanarTrackedPoint{}.shape()},
      {"ArmOnGround", "planar/pendulum_arm.hpp", ArmOnGround{}.shape()},
      {"ArmOnArm", "planar/pendulum_arm.hpp", ArmOnArm{}.shape()},
      {"ArmAngle", "planar/pendulum_arm.hpp", ArmAngle{}.shape()},
      {"Accelerometer", "sensors/accelerometer.hpp", Accelerometer{}.shape()},
      {"Gyroscope", "sensors/gyroscope.hpp", Gyroscope{}.shape()},
      {"Marker", "sensors/marker.hpp", Marker{}.shape()},
      {"DistanceSensor", "sensors/distance_sensor.hpp", DistanceSensor{}.shape()},
      {"JointEncoder", "sensors/joint_encoder.hpp", JointEncoder{}.shape()},
  };
}

std::vector<ListedLaw> listed_laws() {
  using namespace elements;
  return {
      {"ConstantLaw", ConstantLaw{}.parameters("u")},
      {"PolynomialLaw(3)", PolynomialLaw(3).parameters("u")},
      {"HarmonicLaw", HarmonicLaw{}.parameters("u")},
      {"SmoothStartLaw", SmoothStartLaw{}.parameters("u")},
  };
}

}  // namespace liegrad::app
