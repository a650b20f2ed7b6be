#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/sensitivity/checkpoints.hpp"
#include "liegrad/sensitivity/derivative.hpp"
#include "liegrad/sensitivity/variable_space.hpp"

namespace liegrad::sensitivity {

/// A run of a system whose steps can be visited again and differentiated: its states are kept, or as many of
/// them as a budget of memory allows, and the others recomputed.
class Trajectory {
 public:
  /// A step that was made, with its number, and whether it is the last; for the start of the run a step of no
  /// length, with number -1. What the step refers to is there, and does not change, until the visit ends.
  using Visit = std::function<void(long n, const StepMade& step, bool is_last)>;

  /// Runs the system and visits its start and all steps. Throws what integrate() throws, and Error when the
  /// run does not reach its end.
  Trajectory(const dae::System& system, const dae::IntegrateOptions& options,
             const CheckpointOptions& checkpoints, const Visit& visit);

  const dae::IntegrateSummary& summary() const { return summary_; }
  const Grid& grid() const { return grid_; }
  /// Consistent, before the method's starting values.
  const dae::State& initial_state() const { return consistent_; }
  /// How far a projection moved the initial values.
  const dae::ConsistencyReport& consistency() const { return consistency_.report(); }
  /// Steps that were made again to visit others.
  long recomputed_steps() const { return recomputed_; }

  void visit_forwards(const Visit& visit);
  void visit_backwards(const Visit& visit);
  /// Called after each visit of these two.
  void set_on_visited(std::function<void()> on_visited) { on_visited_ = std::move(on_visited); }

  /// Whether the step changed before step n, so that it does not start from the end of the one before.
  bool changes_before(long n) const;

  std::unique_ptr<Derivative> start_derivative() const;
  std::unique_ptr<StepDerivative> step_derivative() const;
  /// Of the change before step n, which is that of the last visit.
  std::unique_ptr<Derivative> change_derivative(long n) const;

 private:
  std::vector<double> controls_at(double t) const;
  double step_before(long n) const { return n == 0 ? grid_.first_step() : grid_.step(n - 1); }
  bool keeps_all() const { return !schedule_; }
  /// Visits, and says so.
  void visit_with(const Visit& visit, long n, const StepMade& step, bool is_last) const;
  StepMade start_of_run() const;
  /// Step n between two states, from what a change of the step makes of the first.
  StepMade made(long n, const dae::State& start, const dae::State& end);
  /// What is there before the first state is saved.
  void make_store(const dae::State& state);
  void save(long n, const dae::State& state);
  void prepare_to_repeat();
  /// Makes step n again from the state of the stepper.
  void repeat(long n);

  const dae::System& system_;
  dae::IntegrateOptions options_;
  CheckpointOptions checkpoints_;
  const std::vector<double> first_controls_;  ///< at the start of the run
  dae::Consistency consistency_;
  dae::IntegrateSummary summary_;
  Grid grid_;
  dae::State consistent_, started_, final_;
  std::optional<StateStore> store_;
  std::optional<CheckpointSchedule> schedule_;  ///< with a budget; without, state n is in slot n
  std::unique_ptr<dae::Stepper> stepper_;       ///< that makes steps again
  long recomputed_ = 0;
  std::function<void()> on_visited_;
  // Of the last visit of a step; only made() changes them.
  dae::State before_change_, changed_;
  std::vector<double> start_controls_, end_controls_;
};

}  // namespace liegrad::sensitivity
