#pragma once

#include <memory>
#include <string>
#include <vector>

#include "liegrad/dae/system/model.hpp"
#include "liegrad/sensitivity/observe/observable.hpp"

namespace liegrad::sensitivity {

/// Outputs of a system by their names, one number each: "top.x[3]", "top.x.3" or "energy", see dae::Outputs,
/// whose values these are. A quaternion keeps the sign that makes its scalar part non-negative at the state.
///
/// Throws InvalidArgument for an unknown name, with the nearest one, and for residual.position and
/// residual.velocity, which are largest magnitudes and have no derivative.
std::unique_ptr<Observable> named_outputs(const dae::Model& system,
                                          const std::vector<std::string>& columns);

}  // namespace liegrad::sensitivity
