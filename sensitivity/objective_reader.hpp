#pragma once

#include <optional>
#include <vector>

#include "liegrad/dae/run_times.hpp"
#include "liegrad/sensitivity/dense_derivative.hpp"
#include "liegrad/sensitivity/derivative.hpp"
#include "liegrad/sensitivity/objective.hpp"

namespace liegrad::sensitivity {

/// Reads an objective from the states of a trajectory, step by step, and carries derivatives between both.
///
/// All results are added to. Perturbations of states stand as in StateLayout, those of the rest as in
/// OuterLayout of the step, column after column.
class ObjectiveReader {
 public:
  /// With a grid that moves, a value at a fixed time has another place between the steps, also where it
  /// coincides with the end of one.
  ObjectiveReader(const Objective& objective, const dae::RunTimes& times, bool grid_moves);

  /// Of the system, where they differ from those it has.
  void set_parameters(std::span<const double> parameters);

  // At the start of the run: step.start and step.end are the same state.
  // In a step: what is read at its end or within it; the last step has is_last.

  void read_start(const StepMade& step, std::span<double> values);
  void read_step(const StepMade& step, bool is_last, std::span<double> values);

  struct Columns {
    int count;
    std::span<const double> start, end, outer;
  };
  /// values: column after column.
  void tangent_of_start(const StepMade& step, const Columns& columns, std::span<double> values);
  void tangent_of_step(const StepMade& step, bool is_last, const Columns& columns,
                       std::span<double> values);

  struct Gradients {
    int count;
    std::span<const double> weights;  ///< of the values, column after column
    std::span<double> start, end, outer;
  };
  void adjoint_of_start(const StepMade& step, const Gradients& gradients);
  void adjoint_of_step(const StepMade& step, bool is_last, const Gradients& gradients);

  /// Derivatives of the gradients along a direction, of one column each.
  void second_of_start(const StepMade& step, const Columns& direction, const Gradients& dots);
  void second_of_step(const StepMade& step, bool is_last, const Columns& direction,
                      const Gradients& dots);

 private:
  enum class Place { kStart, kEnd, kInside };
  /// An item that is read, times a factor that may depend on the length of the step.
  struct Hit {
    const Objective::Item* item;
    Place place;
    double factor, factor_rate;
  };

  const std::vector<Hit>& hits_of_start(const StepMade& step);
  const std::vector<Hit>& hits_of_step(const StepMade& step, bool is_last);
  /// Goes to the place of a hit.
  void go(const StepMade& step, const Hit& hit);
  void read(const StepMade& step, const std::vector<Hit>& hits, std::span<double> values);
  void tangent(const StepMade& step, const std::vector<Hit>& hits, const Columns& columns,
               std::span<double> values);
  void adjoint(const StepMade& step, const std::vector<Hit>& hits, const Gradients& gradients);
  void second(const StepMade& step, const std::vector<Hit>& hits, const Columns& direction,
              const Gradients& dots);
  /// The perturbation of the motion at a hit, in motion_, from column c.
  void gather(const Hit& hit, const Columns& columns, int c);
  /// Adds gradients with respect to the motion in motion_ to those of states and rest.
  void scatter(const Hit& hit, const Gradients& gradients, int c);

  const Objective& objective_;
  dae::RunTimes times_;
  bool grid_moves_;
  MotionLayout layout_;
  StateLayout state_;
  OuterLayout outer_;
  int dof_;
  std::optional<DenseDerivative> dense_;
  std::vector<Hit> hits_;
  std::vector<double> motion_, arguments_, item_values_, item_weights_, second_;
};

}  // namespace liegrad::sensitivity
