#include "liegrad/dae/system/compiled_element.hpp"
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

// The functions of these elements, compiled once for all programs that use them.
namespace liegrad::dae {

template struct CompiledElement<elements::PlanarPointMass>;
template struct CompiledElement<elements::PlanarRod>;
template struct CompiledElement<elements::ArmOnGround>;
template struct CompiledElement<elements::ArmOnArm>;
template struct CompiledElement<elements::ArmAngle>;
template struct CompiledElement<elements::PlanarBody>;
template struct CompiledElement<elements::PlanarFixedJoint>;
template struct CompiledElement<elements::PlanarPointOnLine>;
template struct CompiledElement<elements::PlanarPrismaticJoint>;
template struct CompiledElement<elements::PlanarRevoluteJoint>;
template struct CompiledElement<elements::PlanarSpring>;
template struct CompiledElement<elements::PlanarTorque>;
template struct CompiledElement<elements::PlanarMotor>;
template struct CompiledElement<elements::PlanarTrackedPoint>;
template struct CompiledElement<elements::PlanarSlenderRod>;
template struct CompiledElement<elements::PlanarRodJoint>;
template struct CompiledElement<elements::PlanarRodOnSlider>;
template struct CompiledElement<elements::Slider>;
template struct CompiledElement<elements::SliderSpring>;

}  // namespace liegrad::dae
