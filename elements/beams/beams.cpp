#include "liegrad/dae/system/compiled_element.hpp"
#include "liegrad/elements/beams/beam.hpp"
#include "liegrad/elements/beams/beam_load.hpp"

// The functions of these elements, compiled once for all programs that use them.
namespace liegrad::dae {

template struct CompiledElement<
    elements::Beam<elements::HelicoidalInterpolation, elements::DiagonalSection>>;
template struct CompiledElement<
    elements::Beam<elements::LinearInterpolation, elements::DiagonalSection>>;
template struct CompiledElement<elements::BeamLoad<>>;

}  // namespace liegrad::dae
