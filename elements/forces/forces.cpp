#include "liegrad/dae/system/compiled_element.hpp"
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

template struct CompiledElement<elements::ActuatorForce>;
template struct CompiledElement<elements::ActuatorTorque>;
template struct CompiledElement<elements::CoordinateActuator>;
template struct CompiledElement<elements::AppliedForce<>>;
template struct CompiledElement<elements::AppliedTorque<>>;
template struct CompiledElement<elements::Bushing>;
template struct CompiledElement<elements::CartesianSpring>;
template struct CompiledElement<elements::CoordinateFriction>;
template struct CompiledElement<elements::ReactionFriction>;
template struct CompiledElement<elements::CoordinateSpring>;
template struct CompiledElement<elements::PointSpring>;
template struct CompiledElement<elements::QuadraticDrag>;

}  // namespace liegrad::dae
