#include "liegrad/models/file/element_catalogue.hpp"

#include "liegrad/dae/system/element.hpp"
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
#include "liegrad/models/file/any_law.hpp"

namespace liegrad::models {
namespace {

using Model = std::shared_ptr<const dae::ElementModel>;

template <class E>
Model model_of(const E& element) {
  return dae::ElementModelOf<E>::make(element);
}

template <class E>
ListedElement plain(const char* name, const char* header) {
  return {name, header, E{}.shape(), {}, [](const JsonFields&, int) { return model_of(E{}); }};
}

// ---------------------------------------------------------------- what some have beside values

elements::LoadAxes axes_of(const JsonFields& fields) {
  const std::string axes = fields.choice_or_first("axes", {"inertial", "body"});
  return axes == "body" ? elements::LoadAxes::kBody : elements::LoadAxes::kInertial;
}

elements::SectionFrames section_frames_of(const JsonFields& fields) {
  const std::string frames = fields.choice_or_first("frames", {"nodes", "attached"});
  return frames == "nodes" ? elements::SectionFrames::kNodes : elements::SectionFrames::kAttached;
}

/// Coefficients c0, c1, … of a polynomial: up to the last one that has a value.
int coefficients_in(const JsonFields& fields) {
  int count = 1;
  for (const auto& [name, value] : fields.names_in("values").items()) {
    for (int i = count; i < 20; ++i) {
      if (name == "c" + std::to_string(i)) count = i + 1;
    }
  }
  return count;
}

/// "law": a name, or {"type": "TableLaw", "times": […], "values": […]}.
AnyLaw law_of(const JsonFields& fields) {
  if (!fields.has("law")) return {};
  static const std::vector<std::string> names = {"ConstantLaw", "PolynomialLaw",
                                                 "HarmonicLaw", "SmoothStartLaw",
                                                 "TableLaw",    "LinearTableLaw"};
  if (fields.at("law").is_object()) {
    const JsonFields table(fields.at("law"), fields.place("law"), {"type", "times", "values"});
    const std::string type = table.choice_or_first("type", {"TableLaw", "LinearTableLaw"});
    if (type == "TableLaw") {
      return {elements::TableLaw(table.numbers("times"), table.numbers("values"))};
    }
    return {elements::LinearTableLaw(table.numbers("times"), table.numbers("values"))};
  }
  const std::string name = fields.choice_or_first("law", names);
  if (name.find("Table") != std::string::npos) {
    fields.refuse("law", "a table has times and values: {\"type\": \"" + name +
                             "\", \"times\": [0, 1], \"values\": [0, 1]}");
  }
  if (name == "PolynomialLaw") return {elements::PolynomialLaw(coefficients_in(fields))};
  if (name == "HarmonicLaw") return {elements::HarmonicLaw{}};
  if (name == "SmoothStartLaw") return {elements::SmoothStartLaw{}};
  return {};
}

Model make_driven_coordinate(const JsonFields& fields, int) {
  return std::visit(
      [&](const auto& law) -> Model {
        using Law = std::decay_t<decltype(law)>;
        if constexpr (std::is_same_v<Law, elements::LinearTableLaw>) {
          fields.refuse("law", "a drive needs a law whose speed does not jump; take TableLaw");
        } else {
          return model_of(elements::DrivenCoordinate<Law>{law});
        }
      },
      law_of(fields).law);
}

bool is_constant(const AnyLaw& law) { return law == AnyLaw{}; }

template <template <class> class Load>
Model make_load(const JsonFields& fields, int) {
  const AnyLaw law = law_of(fields);
  if (is_constant(law)) return model_of(Load<elements::ConstantLaw>{axes_of(fields)});
  return model_of(Load<AnyLaw>{axes_of(fields), law});
}

Model make_beam_load(const JsonFields& fields, int) {
  const AnyLaw law = law_of(fields);
  const auto frames = section_frames_of(fields);
  if (is_constant(law)) return model_of(elements::BeamLoad<>{frames, axes_of(fields)});
  return model_of(elements::BeamLoad<AnyLaw>{frames, axes_of(fields), law});
}

template <class Actuator>
Model make_actuator(const JsonFields& fields, int) {
  return model_of(Actuator{axes_of(fields)});
}

template <class Joint>
Model make_rod_end(const JsonFields& fields, int) {
  const bool is_tip = Joint{}.end == elements::RodEnd::kTip;
  const std::string first = is_tip ? "tip" : "start", other = is_tip ? "start" : "tip";
  const bool takes_tip = fields.choice_or_first("end", {first, other}) == "tip";
  return model_of(Joint{takes_tip ? elements::RodEnd::kTip : elements::RodEnd::kStart});
}

Model make_beam(const JsonFields& fields, int) {
  const auto frames = section_frames_of(fields);
  const bool damped = fields.flag_or("damped", false);
  if (fields.choice_or_first("interpolation", {"helicoidal", "linear"}) == "linear") {
    return model_of(elements::Beam<elements::LinearInterpolation>{frames, damped});
  }
  return model_of(elements::Beam<>{frames, damped});
}

Model make_reaction_friction(const JsonFields& fields, int multipliers) {
  constexpr int kMost = 6;
  elements::ReactionFriction friction{.multipliers = multipliers};
  friction.first = fields.integer_or("first", friction.first, 0, kMost - 1);
  friction.count = fields.integer_or("count", friction.count, 1, kMost);
  return model_of(friction);
}

}  // namespace

const std::vector<ListedElement>& listed_elements() {
  using namespace elements;
  static const std::vector<ListedElement> list = {
      plain<RigidBody>("RigidBody", "bodies/rigid_body.hpp"),
      plain<GeneralRigidBody>("GeneralRigidBody", "bodies/general_rigid_body.hpp"),
      plain<PointMass>("PointMass", "bodies/point_mass.hpp"),
      plain<SpinningTop>("SpinningTop", "bodies/spinning_top.hpp"),
      plain<TorsionalBall>("TorsionalBall", "bodies/torsional_ball.hpp"),
      plain<TrackedPoint>("TrackedPoint", "bodies/tracked_point.hpp"),
      plain<SphericalJoint>("SphericalJoint", "joints/spherical_joint.hpp"),
      plain<RevoluteJoint>("RevoluteJoint", "joints/revolute_joint.hpp"),
      plain<UniversalJoint>("UniversalJoint", "joints/universal_joint.hpp"),
      plain<CylindricalJoint>("CylindricalJoint", "joints/cylindrical_joint.hpp"),
      plain<PrismaticJoint>("PrismaticJoint", "joints/prismatic_joint.hpp"),
      plain<PlaneJoint>("PlaneJoint", "joints/plane_joint.hpp"),
      plain<FixedJoint>("FixedJoint", "joints/fixed_joint.hpp"),
      plain<PointOnLine>("PointOnLine", "joints/point_on_line.hpp"),
      plain<DistanceJoint>("DistanceJoint", "joints/distance_joint.hpp"),
      plain<FixedPoint>("FixedPoint", "joints/fixed_point.hpp"),
      plain<JointAngle>("JointAngle", "coordinates/joint_angle.hpp"),
      plain<JointDisplacement>("JointDisplacement", "coordinates/joint_displacement.hpp"),
      plain<CoordinateRelation>("CoordinateRelation", "coordinates/coordinate_relation.hpp"),
      {"DrivenCoordinate<Law>",
       "coordinates/driven_coordinate.hpp",
       DrivenCoordinate<ConstantLaw>{}.shape(),
       {"law"},
       make_driven_coordinate},
      plain<PointSpring>("PointSpring", "forces/point_spring.hpp"),
      plain<CartesianSpring>("CartesianSpring", "forces/cartesian_spring.hpp"),
      plain<Bushing>("Bushing", "forces/bushing.hpp"),
      plain<CoordinateSpring>("CoordinateSpring", "forces/coordinate_spring.hpp"),
      plain<CoordinateFriction>("CoordinateFriction", "forces/coordinate_friction.hpp"),
      {"ReactionFriction",
       "forces/coordinate_friction.hpp",
       ReactionFriction{}.shape(),
       {"first", "count"},
       make_reaction_friction},
      plain<QuadraticDrag>("QuadraticDrag", "forces/quadratic_drag.hpp"),
      {"AppliedForce<Law>",
       "forces/applied_force.hpp",
       AppliedForce<>{}.shape(),
       {"law", "axes"},
       make_load<elements::AppliedForce>},
      {"AppliedTorque<Law>",
       "forces/applied_torque.hpp",
       AppliedTorque<>{}.shape(),
       {"law", "axes"},
       make_load<elements::AppliedTorque>},
      {"ActuatorForce",
       "forces/actuators.hpp",
       ActuatorForce{}.shape(),
       {"axes"},
       make_actuator<elements::ActuatorForce>},
      {"ActuatorTorque",
       "forces/actuators.hpp",
       ActuatorTorque{}.shape(),
       {"axes"},
       make_actuator<elements::ActuatorTorque>},
      plain<CoordinateActuator>("CoordinateActuator", "forces/actuators.hpp"),
      {"Beam<>",
       "beams/beam.hpp",
       Beam<>{.damped = true}.shape(),
       {"interpolation", "damped", "frames"},
       make_beam},
      {"BeamLoad<Law>",
       "beams/beam_load.hpp",
       BeamLoad<>{}.shape(),
       {"law", "axes", "frames"},
       make_beam_load},
      plain<PlanarBody>("PlanarBody", "planar/planar_body.hpp"),
      plain<PlanarSlenderRod>("PlanarSlenderRod", "planar/slender_rod.hpp"),
      plain<PlanarPointMass>("PlanarPointMass", "planar/pendulum.hpp"),
      plain<Slider>("Slider", "planar/slider.hpp"),
      plain<PlanarRevoluteJoint>("PlanarRevoluteJoint", "planar/planar_revolute_joint.hpp"),
      plain<PlanarPointOnLine>("PlanarPointOnLine", "planar/planar_point_on_line.hpp"),
      plain<PlanarPrismaticJoint>("PlanarPrismaticJoint", "planar/planar_prismatic_joint.hpp"),
      plain<PlanarFixedJoint>("PlanarFixedJoint", "planar/planar_fixed_joint.hpp"),
      {"PlanarRodJoint",
       "planar/slender_rod.hpp",
       PlanarRodJoint{}.shape(),
       {"end"},
       make_rod_end<elements::PlanarRodJoint>},
      {"PlanarRodOnSlider",
       "planar/slender_rod.hpp",
       PlanarRodOnSlider{}.shape(),
       {"end"},
       make_rod_end<elements::PlanarRodOnSlider>},
      plain<PlanarRod>("PlanarRod", "planar/pendulum.hpp"),
      plain<PlanarSpring>("PlanarSpring", "planar/planar_spring.hpp"),
      plain<SliderSpring>("SliderSpring", "planar/slider.hpp"),
      plain<PlanarTorque>("PlanarTorque", "planar/planar_torque.hpp"),
      plain<PlanarMotor>("PlanarMotor", "planar/planar_torque.hpp"),
      plain<PlanarTrackedPoint>("PlanarTrackedPoint", "planar/planar_tracked_point.hpp"),
      plain<ArmOnGround>("ArmOnGround", "planar/pendulum_arm.hpp"),
      plain<ArmOnArm>("ArmOnArm", "planar/pendulum_arm.hpp"),
      plain<ArmAngle>("ArmAngle", "planar/pendulum_arm.hpp"),
      plain<Accelerometer>("Accelerometer", "sensors/accelerometer.hpp"),
      plain<Gyroscope>("Gyroscope", "sensors/gyroscope.hpp"),
      plain<Marker>("Marker", "sensors/marker.hpp"),
      plain<DistanceSensor>("DistanceSensor", "sensors/distance_sensor.hpp"),
      plain<JointEncoder>("JointEncoder", "sensors/joint_encoder.hpp"),
  };
  return list;
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

}  // namespace liegrad::models
