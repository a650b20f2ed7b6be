#pragma once

#include <memory>
#include <string>

#include "liegrad/sensitivity/observe/observable.hpp"

namespace liegrad::sensitivity {

/// The rotation vector log(R̂ᵀR) from the orientation R̂ of a node to a measured one R, whose unit quaternion
/// (w, x, y, z) is the data; its sign does not matter. Throws InvalidArgument for a node that does not turn in space.
std::unique_ptr<Observable> measured_orientation(const dae::Model& model, const std::string& node);

}  // namespace liegrad::sensitivity
