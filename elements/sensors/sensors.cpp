#include "liegrad/dae/system/compiled_element.hpp"
#include "liegrad/elements/sensors/accelerometer.hpp"
#include "liegrad/elements/sensors/distance_sensor.hpp"
#include "liegrad/elements/sensors/gyroscope.hpp"
#include "liegrad/elements/sensors/joint_encoder.hpp"
#include "liegrad/elements/sensors/marker.hpp"

// The functions of these elements, compiled once for all programs that use them.
namespace liegrad::dae {

template struct CompiledElement<elements::Accelerometer>;
template struct CompiledElement<elements::DistanceSensor>;
template struct CompiledElement<elements::Gyroscope>;
template struct CompiledElement<elements::JointEncoder>;
template struct CompiledElement<elements::Marker>;

}  // namespace liegrad::dae
