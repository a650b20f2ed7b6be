#include "liegrad/dae/system/compiled_element.hpp"
#include "liegrad/elements/bodies/general_rigid_body.hpp"
#include "liegrad/elements/bodies/point_mass.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/bodies/spinning_top.hpp"
#include "liegrad/elements/bodies/torsional_ball.hpp"
#include "liegrad/elements/bodies/tracked_point.hpp"

// The functions of these elements, compiled once for all programs that use them.
namespace liegrad::dae {

template struct CompiledElement<elements::GeneralRigidBody>;
template struct CompiledElement<elements::PointMass>;
template struct CompiledElement<elements::RigidBody>;
template struct CompiledElement<elements::SpinningTop>;
template struct CompiledElement<elements::TorsionalBall>;
template struct CompiledElement<elements::TrackedPoint>;

}  // namespace liegrad::dae
