#include "liegrad/elements/coordinates/coordinate_relation.hpp"
#include "liegrad/elements/coordinates/joint_angle.hpp"
#include "liegrad/elements/coordinates/joint_displacement.hpp"

// The functions of these elements, compiled once for all programs that use them.
namespace liegrad::dae {

template class ElementModelOf<elements::CoordinateRelation>;
template class ElementModelOf<elements::JointAngle>;
template class ElementModelOf<elements::JointDisplacement>;

}  // namespace liegrad::dae
