#pragma once

#include <map>
#include <utility>
#include <vector>

#include "liegrad/ad/codegen/expression.hpp"

namespace liegrad::ad {

/// The non-zero entries ∂outputs[i]/∂inputs[j], as nodes.
using SymbolicJacobian = std::map<std::pair<int, int>, Id>;

/// In which order vertices are removed: the one that costs least first, where the cost is
enum class EliminationOrder {
  kFewestProducts,      ///< the number of products (Markowitz), inputs first among equals
  kFewestProductsLast,  ///< the same, outputs first among equals
  kFewestEdges,         ///< the number of edges that are left, inputs first among equals
  kFewestEdgesLast,     ///< the same, outputs first among equals
};

inline constexpr EliminationOrder kEliminationOrders[] = {
    EliminationOrder::kFewestProducts, EliminationOrder::kFewestProductsLast,
    EliminationOrder::kFewestEdges, EliminationOrder::kFewestEdgesLast};

/// The Jacobian by elimination of vertices: the graph's edges carry the partial derivatives of each
/// operation; a vertex between the inputs and the outputs is removed by multiplying each edge that
/// enters it with each that leaves, adding up parallel edges, until edges lead from inputs to
/// outputs only.
///
/// Forward and reverse mode are two fixed orders of the same elimination. This one also finds the
/// cheap middle: a series in one scalar is differentiated once, not once for each direction. No order
/// is best always, so a caller tries several.
///
/// The derivative is taken where `at_zero` says. Nodes are added to the graph; existing ones stay.
SymbolicJacobian eliminate(ExpressionGraph& graph, const std::vector<Id>& outputs,
                           const std::vector<Id>& inputs, AtZero& at_zero, EliminationOrder order);

}  // namespace liegrad::ad
