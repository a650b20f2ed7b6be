#include "liegrad/elements/forces/actuators.hpp"
#include "liegrad/elements/forces/applied_force.hpp"
#include "liegrad/elements/forces/applied_torque.hpp"
#include "liegrad/elements/forces/bushing.hpp"
#include "liegrad/elements/forces/cartesian_spring.hpp"
#include "liegrad/elements/forces/coordinate_friction.hpp"
#include "liegrad/elements/forces/coordinate_spring.hpp"
#include "liegrad/elements/forces/point_spring.hpp"
#include "liegrad/elements/forces/quadratic_drag.hpp"

// The functions of these elements, compiled once for all programs that use them.
namespace liegrad::dae {

template class ElementModelOf<elements::ActuatorForce>;
template class ElementModelOf<elements::ActuatorTorque>;
template class ElementModelOf<elements::CoordinateActuator>;
template class ElementModelOf<elements::AppliedForce<>>;
template class ElementModelOf<elements::AppliedTorque<>>;
template class ElementModelOf<elements::Bushing>;
template class ElementModelOf<elements::CartesianSpring>;
template class ElementModelOf<elements::CoordinateFriction>;
template class ElementModelOf<elements::ReactionFriction>;
template class ElementModelOf<elements::CoordinateSpring>;
template class ElementModelOf<elements::PointSpring>;
template class ElementModelOf<elements::QuadraticDrag>;

}  // namespace liegrad::dae
