#include "liegrad/elements/sensors/accelerometer.hpp"
#include "liegrad/elements/sensors/distance_sensor.hpp"
#include "liegrad/elements/sensors/gyroscope.hpp"
#include "liegrad/elements/sensors/joint_encoder.hpp"
#include "liegrad/elements/sensors/marker.hpp"

// The functions of these elements, compiled once for all programs that use them.
namespace liegrad::dae {

template class ElementModelOf<elements::Accelerometer>;
template class ElementModelOf<elements::DistanceSensor>;
template class ElementModelOf<elements::Gyroscope>;
template class ElementModelOf<elements::JointEncoder>;
template class ElementModelOf<elements::Marker>;

}  // namespace liegrad::dae
