#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "liegrad/ad/kernel_list.hpp"
#include "liegrad/ad/recording.hpp"
#include "liegrad/lie/group_list.hpp"

namespace liegrad::sensitivity {

/// A function of tangent vectors that acts on each part of the configuration space by itself, such as v̂ v̇ or a change
/// of charts.
///
/// Arguments are tangent vectors of the whole space, one after the other, then scalars that all parts share;
/// data are likewise. The array of numbers holds the values of all arguments, then the data; values are
/// tangent vectors.
struct NodeFunction {
  int vectors = 0, scalars = 0;            ///< arguments
  int data_vectors = 0, data_scalars = 0;  ///< read but not differentiated
  int values = 1;                          ///< vectors
  /// Arguments that are zero wherever it is differentiated.
  std::vector<int> zero_vectors = {}, zero_scalars = {};

  /// On one part: x holds its arguments and d its data, in the same order.
  std::function<std::vector<ad::Taped>(const lie::GroupList& node, std::span<const ad::Taped> x,
                                       std::span<const ad::Taped> d)>
      evaluate = {};
};

/// Vector i of the arguments or of the data of a part.
inline std::span<const ad::Taped> vector_of(const lie::GroupList& node,
                                            std::span<const ad::Taped> x, int i) {
  return x.subspan(static_cast<std::size_t>(i * node.dof()), static_cast<std::size_t>(node.dof()));
}

/// The functions that derivatives of a run need; recordings/node_functions.cpp has their equations.
enum class NodeMap {
  kMovedStart,
  kCommutator,
  kChartRate,
  kBeside,
  kQuotient,
  kStepMultiple,
  kLocalJerk,
  kLocalError,
  kDenseOutput,
  kRadauStep2,
  kRadauStep3,
  kAlphaStep,       ///< σ = 0
  kAlphaStepOne,    ///< σ = 1
  kAlphaStepSigma,  ///< any other
  kLocalStepExp,    ///< updated Lagrangian
  kLocalStepCrv,
};
inline constexpr int kNumNodeMaps = 16;

NodeFunction node_function(NodeMap map);
/// Inputs of its recording on a part that are zero.
std::vector<int> zero_inputs(NodeMap map, const lie::NodeGroup& part);
/// On a part that moves by itself: R^n, SO(3), SE(3) or SE(2).
ad::Recording node_recording(NodeMap map, const lie::NodeGroup& part);
/// Outputs of a node at q∘exp(δ), as dae::Outputs lists them, by (δ, v, v̇); the coefficients of q are data.
ad::Recording node_output_recording(const lie::NodeGroup& group);
/// log((R exp(δ))ᵀ R_m) by δ; the quaternions of R and R_m are data.
ad::Recording orientation_recording();
/// Adds the kernels of first derivatives of all these to those compiled when a program is built, but for updated
/// Lagrangian methods, and those of second derivatives of steps with σ = 0.
void list_node_kernels(ad::KernelList& list);

}  // namespace liegrad::sensitivity
