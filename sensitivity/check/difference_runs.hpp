#pragma once

#include <functional>
#include <utility>

#include "liegrad/sensitivity/check/ridders.hpp"
#include "liegrad/sensitivity/observe/objective_reader.hpp"
#include "liegrad/sensitivity/trajectory/trajectory.hpp"

namespace liegrad::sensitivity {

/// Derivatives of an objective by differences of whole runs along the steps of a trajectory.
class DifferenceRuns {
 public:
  DifferenceRuns(const Objective& objective, const dae::IntegrateOptions& options,
                 const VariableSpace& space, const dae::InitialValues& initial,
                 std::span<const double> parameters, bool grid_moves);

  /// Called after each step of each run; what it throws ends the search.
  void set_on_step(std::function<void()> on_step) { on_step_ = std::move(on_step); }

  /// The values when all variables of the space move by x along a direction.
  std::vector<double> values(std::span<const double> direction, double x);
  /// With respect to a chosen variable; `step` is the first one, relative to the variable's typical value.
  /// Steps with which runs fail are left out; throws the Error of the last of them when too few remain.
  Difference derivative(int chosen, double step);

 private:
  const Objective& objective_;
  dae::IntegrateOptions options_;
  const VariableSpace& space_;
  dae::InitialValues initial_;
  std::vector<double> parameters_;
  ObjectiveReader reader_;
  std::function<void()> on_step_;
};

}  // namespace liegrad::sensitivity
