#include "liegrad/dae/system/compiled_element.hpp"
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

template struct CompiledElement<elements::CylindricalJoint>;
template struct CompiledElement<elements::DistanceJoint>;
template struct CompiledElement<elements::FixedJoint>;
template struct CompiledElement<elements::FixedPoint>;
template struct CompiledElement<elements::PlaneJoint>;
template struct CompiledElement<elements::PointOnLine>;
template struct CompiledElement<elements::PrismaticJoint>;
template struct CompiledElement<elements::RevoluteJoint>;
template struct CompiledElement<elements::SphericalJoint>;
template struct CompiledElement<elements::UniversalJoint>;

}  // namespace liegrad::dae
