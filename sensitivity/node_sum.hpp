#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "liegrad/lie/group_list.hpp"
#include "liegrad/sensitivity/kernel_sum.hpp"

namespace liegrad::sensitivity {

/// A function of tangent vectors that acts on each node by itself, such as v̂ v̇ or a change of charts.
///
/// Arguments are tangent vectors of the whole space, one after the other, then scalars that all nodes share;
/// data are likewise. The array of numbers holds the values of all arguments, then the data; values are
/// tangent vectors.
struct NodeFunction {
  int vectors = 0, scalars = 0;            ///< arguments
  int data_vectors = 0, data_scalars = 0;  ///< read but not differentiated
  int values = 1;                          ///< vectors

  /// On one node: x holds the arguments and d the data of that node, in the same order.
  std::function<std::vector<ad::Taped>(const lie::GroupList& node, std::span<const ad::Taped> x,
                                       std::span<const ad::Taped> d)>
      evaluate;
};

/// Vector i of the arguments or of the data of a node.
inline std::span<const ad::Taped> vector_of(const lie::GroupList& node,
                                            std::span<const ad::Taped> x, int i) {
  return x.subspan(static_cast<std::size_t>(i * node.dof()), static_cast<std::size_t>(node.dof()));
}

std::shared_ptr<KernelSum> node_sum(const lie::GroupList& space, const std::string& name,
                                    const NodeFunction& function);

}  // namespace liegrad::sensitivity
