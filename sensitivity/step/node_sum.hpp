#pragma once

#include <memory>

#include "liegrad/sensitivity/observe/node_functions.hpp"
#include "liegrad/sensitivity/step/kernel_sum.hpp"

namespace liegrad::sensitivity {

/// A node function on all parts of a configuration space.
std::shared_ptr<KernelSum> node_sum(const lie::GroupList& space, NodeMap map);

}  // namespace liegrad::sensitivity
