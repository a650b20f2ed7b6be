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

template class ElementModelOf<elements::PlanarPointMass>;
template class ElementModelOf<elements::PlanarRod>;
template class ElementModelOf<elements::ArmOnGround>;
template class ElementModelOf<elements::ArmOnArm>;
template class ElementModelOf<elements::ArmAngle>;
template class ElementModelOf<elements::PlanarBody>;
template class ElementModelOf<elements::PlanarFixedJoint>;
template class ElementModelOf<elements::PlanarPointOnLine>;
template class ElementModelOf<elements::PlanarPrismaticJoint>;
template class ElementModelOf<elements::PlanarRevoluteJoint>;
template class ElementModelOf<elements::PlanarSpring>;
template class ElementModelOf<elements::PlanarTorque>;
template class ElementModelOf<elements::PlanarMotor>;
template class ElementModelOf<elements::PlanarTrackedPoint>;
template class ElementModelOf<elements::PlanarSlenderRod>;
template class ElementModelOf<elements::PlanarRodJoint>;
template class ElementModelOf<elements::PlanarRodOnSlider>;
template class ElementModelOf<elements::Slider>;
template class ElementModelOf<elements::SliderSpring>;

}  // namespace liegrad::dae
