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

// The functions of these elements, compiled once for all programs that use them.
namespace liegrad::dae {

template class ElementModelOf<elements::CylindricalJoint>;
template class ElementModelOf<elements::DistanceJoint>;
template class ElementModelOf<elements::FixedJoint>;
template class ElementModelOf<elements::FixedPoint>;
template class ElementModelOf<elements::PlaneJoint>;
template class ElementModelOf<elements::PointOnLine>;
template class ElementModelOf<elements::PrismaticJoint>;
template class ElementModelOf<elements::RevoluteJoint>;
template class ElementModelOf<elements::SphericalJoint>;
template class ElementModelOf<elements::UniversalJoint>;

}  // namespace liegrad::dae
