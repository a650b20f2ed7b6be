#include "liegrad/elements/bodies/general_rigid_body.hpp"
#include "liegrad/elements/bodies/point_mass.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/bodies/spinning_top.hpp"
#include "liegrad/elements/bodies/torsional_ball.hpp"
#include "liegrad/elements/bodies/tracked_point.hpp"

// The functions of these elements, compiled once for all programs that use them.
namespace liegrad::dae {

template class ElementModelOf<elements::GeneralRigidBody>;
template class ElementModelOf<elements::PointMass>;
template class ElementModelOf<elements::RigidBody>;
template class ElementModelOf<elements::SpinningTop>;
template class ElementModelOf<elements::TorsionalBall>;
template class ElementModelOf<elements::TrackedPoint>;

}  // namespace liegrad::dae
