#include "liegrad/elements/beams/beam.hpp"

// The functions of these elements, compiled once for all programs that use them.
namespace liegrad::dae {

template class ElementModelOf<
    elements::Beam<elements::HelicoidalInterpolation, elements::DiagonalSection>>;
template class ElementModelOf<
    elements::Beam<elements::LinearInterpolation, elements::DiagonalSection>>;

}  // namespace liegrad::dae
