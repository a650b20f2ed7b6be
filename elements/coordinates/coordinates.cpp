#include "liegrad/dae/system/compiled_element.hpp"
#include "liegrad/elements/coordinates/coordinate_relation.hpp"
#include "liegrad/elements/coordinates/driven_coordinate.hpp"
#include "liegrad/elements/coordinates/joint_angle.hpp"
#include "liegrad/elements/coordinates/joint_displacement.hpp"

// The functions of these elements, compiled once for all programs that use them.
namespace liegrad::dae {

template struct CompiledElement<elements::CoordinateRelation>;
template struct CompiledElement<elements::DrivenCoordinate<elements::ConstantLaw>>;
template struct CompiledElement<elements::DrivenCoordinate<elements::HarmonicLaw>>;
template struct CompiledElement<elements::DrivenCoordinate<elements::PolynomialLaw>>;
template struct CompiledElement<elements::DrivenCoordinate<elements::SmoothStartLaw>>;
template struct CompiledElement<elements::JointAngle>;
template struct CompiledElement<elements::JointDisplacement>;

}  // namespace liegrad::dae
