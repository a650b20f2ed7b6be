#pragma once

#include "liegrad/sensitivity/objective_reader.hpp"
#include "liegrad/sensitivity/trajectory.hpp"

namespace liegrad::sensitivity {

// Derivatives of an objective along a trajectory. Directions and gradients are vectors of a VariableSpace,
// column after column; those of values one after the other likewise.

/// Derivatives of all values along some directions, from the start to the end.
std::vector<double> sweep_forward(Trajectory& trajectory, ObjectiveReader& reader,
                                  const VariableSpace& space, int num_values, int columns,
                                  std::span<const double> directions);

/// Gradients of weighted sums of the values, from the end to the start.
std::vector<double> sweep_backward(Trajectory& trajectory, ObjectiveReader& reader,
                                   const VariableSpace& space, int columns,
                                   std::span<const double> weights);

/// The gradient of a weighted sum and the product of its Hessian with a direction: tangents forward, then the gradient and its
/// derivative along the direction backward. The tangents of all states are kept.
struct SecondDerivatives {
  std::vector<double> gradient, product;
};
SecondDerivatives sweep_second(Trajectory& trajectory, ObjectiveReader& reader,
                               const VariableSpace& space, std::span<const double> weights,
                               std::span<const double> direction);

}  // namespace liegrad::sensitivity
