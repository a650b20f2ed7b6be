#pragma once

#include <memory>

#include "liegrad/sensitivity/kernel_sum.hpp"
#include "liegrad/sensitivity/node_functions.hpp"

namespace liegrad::sensitivity {

/// A node function on all parts of a configuration space.
std::shared_ptr<KernelSum> node_sum(const lie::GroupList& space, NodeMap map);

}  // namespace liegrad::sensitivity
