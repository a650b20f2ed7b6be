#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/run/run_times.hpp"
#include "liegrad/dae/start/acceleration_solver.hpp"
#include "liegrad/sensitivity/objective.hpp"
#include "liegrad/sensitivity/observe/dense_derivative.hpp"
#include "liegrad/sensitivity/step/acceleration_derivative.hpp"
#include "liegrad/sensitivity/step/derivative.hpp"

namespace liegrad::sensitivity {

/// Reads an objective from the states of a trajectory, step by step, and carries derivatives between both.
///
/// All results are added to. Perturbations of states stand as in StateLayout, those of the rest as in
/// OuterLayout of the step, columns side by side.
class ObjectiveReader {
 public:
  /// With a grid that moves, a value at a fixed time has another place between the steps, also where it
  /// coincides with the end of one. Between steps v̇, λ and s are what a simulation has there: those of a generalized-α
  /// method are interpolated, all others have those of (19).
  ObjectiveReader(const Objective& objective, const dae::IntegrateOptions& options,
                  bool grid_moves);

  /// Values of all parameters, the times of the next run and its controls, which must stay.
  void set_run(std::span<const double> parameters, const dae::RunTimes& times,
               const dae::ControlLaw& controls);

  /// Moves the times of an item, as many as it has.
  void set_times(int item, std::span<const double> times);

  // At the start of the run: step.start and step.end are the same state.
  // In a step: what is read at its end or within it; the last step has is_last.

  void read_start(const StepMade& step, std::span<double> values);
  void read_step(const StepMade& step, bool is_last, std::span<double> values);

  /// The derivatives of values at times by their times, in a step.
  void read_rates(const StepMade& step, bool is_first, bool is_last, std::span<double> rates);

  struct Columns {
    int count;
    std::span<const double> start, end, outer;
  };
  /// values: columns side by side.
  void tangent_of_start(const StepMade& step, const Columns& columns, std::span<double> values);
  void tangent_of_step(const StepMade& step, bool is_last, const Columns& columns,
                       std::span<double> values);

  struct Gradients {
    int count;
    std::span<const double> weights;  ///< of the values, columns side by side
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
  /// An item at one of its times.
  struct Sample {
    double t;
    int item, number;
  };
  /// A sample that is read, times a factor that may depend on the length of the step.
  struct Hit {
    Sample sample;
    Place place;
    double factor, factor_rate;
    int marked = -1;  ///< of the times at which dense_ found tangents together
  };

  void sort_samples();
  std::vector<Hit>& hits_of_start(const StepMade& step);
  std::vector<Hit>& hits_of_step(const StepMade& step, bool is_last);
  Observable& observable(const Hit& hit) const;
  /// Where the values of a hit begin among those of the objective.
  int first_value(const Hit& hit) const;
  /// Goes to the place of a hit. Precondition: forget_step() since the last step.
  void go(const StepMade& step, const Hit& hit);
  void go_inside(const StepMade& step, const Hit& hit);
  void go_between(const StepMade& step, double t);
  void forget_step() { dense_has_step_ = false; }
  /// Tangents of the motion at all times between the ends of a step, together.
  void mark(const StepMade& step, std::vector<Hit>& hits, const Columns& columns);
  /// Whether v̇, λ and s at the place are those of (19) and not interpolated.
  bool has_accelerations(const Hit& hit) const {
    return hit.place == Place::kInside && has_accelerations_;
  }
  /// Completes perturbations of the motion there, in motion_.
  void add_acceleration_tangents(const Hit& hit, int columns);
  /// Carries a gradient with respect to v̇, λ and s there over to the rest of the motion.
  void pull_back_accelerations(const Hit& hit);
  void forget_accelerations(std::vector<double>& gradient) const;
  void read(const StepMade& step, const std::vector<Hit>& hits, std::span<double> values);
  void tangent(const StepMade& step, std::vector<Hit>& hits, const Columns& columns,
               std::span<double> values);
  void adjoint(const StepMade& step, const std::vector<Hit>& hits, const Gradients& gradients);
  void second(const StepMade& step, const std::vector<Hit>& hits, const Columns& direction,
              const Gradients& dots);
  /// Perturbations of all arguments of dense_ in arguments_.
  void gather_arguments(const Columns& columns);
  /// Perturbations of the motion at a hit in motion_, columns side by side; inside a step also those of all arguments of
  /// dense_ in arguments_.
  void gather(const Hit& hit, const Columns& columns);
  /// Adds a gradient with respect to the motion at a hit, in motion_, to those of column c.
  void scatter(const Hit& hit, const Gradients& gradients, int c);

  const Objective& objective_;
  std::vector<std::unique_ptr<Observable>> observables_;  ///< by item
  std::vector<Sample> samples_;                           ///< of all series, in the order of time
  std::vector<int> others_;                               ///< items without times
  dae::RunTimes times_;
  bool grid_moves_;
  MotionLayout layout_;
  StateLayout state_;
  OuterLayout outer_;
  int dof_;
  std::optional<DenseDerivative> dense_;
  bool dense_has_step_ = false;
  const dae::ControlLaw* law_ = nullptr;
  // Of methods that are not generalized-α, if something reads v̇, λ or s between steps.
  std::optional<dae::AccelerationSolver> solver_;
  std::optional<AccelerationDerivative> accelerations_;
  bool has_accelerations_ = false;  ///< at the last place
  dae::State there_;
  std::vector<double> controls_there_;

  std::vector<Hit> hits_;
  std::vector<double> motion_, arguments_, item_values_, item_weights_, second_;
  std::vector<double> along_, along_arguments_, gradient_;
};

}  // namespace liegrad::sensitivity
