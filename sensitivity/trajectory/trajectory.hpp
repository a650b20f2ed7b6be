#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "liegrad/dae/simulator.hpp"
#include "liegrad/sensitivity/start/start_derivative.hpp"
#include "liegrad/sensitivity/start/step_change_derivative.hpp"
#include "liegrad/sensitivity/step/derivative.hpp"
#include "liegrad/sensitivity/trajectory/checkpoints.hpp"
#include "liegrad/sensitivity/trajectory/variable_space.hpp"

namespace liegrad::sensitivity {

/// A run of a system whose steps can be visited again and differentiated: its states are kept, or as many of
/// them as a budget of memory allows, and the others recomputed.
class Trajectory {
 public:
  /// A step that was made, with its number, and whether it is the last; for the start of the run a step of no
  /// length, with number -1. What the step refers to is there, and does not change, until the visit ends.
  using Visit = std::function<void(long n, const StepMade& step, bool is_last)>;

  Trajectory(const dae::Model& model, const dae::IntegrateOptions& options,
             const CheckpointOptions& checkpoints, dae::Runs runs = dae::Runs::kOne,
             Order order = Order::kSecond);
  Trajectory(const Trajectory&) = delete;
  Trajectory& operator=(const Trajectory&) = delete;

  /// Runs the model and visits its start and all steps. Throws what integrate() throws, and Error when the
  /// run does not reach its end. The values must stay as long as steps are visited. A second run of as many steps
  /// allocates nothing.
  void run(const dae::RunValues& values, const Visit& visit);

  const dae::Model& model() const { return simulator_.model(); }
  const dae::IntegrateSummary& summary() const { return solution_->summary; }
  std::span<const double> parameters() const { return solution_->parameters; }
  const Grid& grid() const { return grid_; }
  /// Before a projection onto the constraints.
  const dae::InitialValues& given_values() const { return given_; }
  /// Steps that were made again to visit others.
  long recomputed_steps() const { return recomputed_; }

  void visit_forwards(const Visit& visit);
  void visit_backwards(const Visit& visit);
  /// Called after each visit of these two.
  void set_on_visited(std::function<void()> on_visited) { on_visited_ = std::move(on_visited); }

  /// Whether the step changed before step n, so that it does not start from the end of the one before.
  bool changes_before(long n) const;

  /// Derivative of the start of the run.
  Derivative& start_derivative();
  /// Derivative of steps, to be brought to one of them.
  StepDerivative& step_derivative() { return *step_derivative_; }
  /// Derivative of the step change before step n. Precondition: step n was the last one visited.
  Derivative& change_derivative(long n);

 private:
  void find_given_values(const dae::RunValues& values);
  void find_controls(double t, std::vector<double>& controls) const;
  dae::IntegrateOptions observed(const dae::IntegrateOptions& options);
  void begin_at(const dae::MethodState& state, double first_step);
  bool go_on_to(const dae::MethodState& state);
  void visit_last(bool is_last);
  double step_before(long n) const { return n == 0 ? grid_.first_step() : grid_.step(n - 1); }
  bool keeps_all() const { return !schedule_; }
  /// Visits, and says so.
  void visit_with(const Visit& visit, long n, const StepMade& step, bool is_last) const;
  StepMade start_of_run() const;
  /// Step n between two states, from what a change of the step makes of the first.
  StepMade made(long n, const dae::MethodState& start, const dae::MethodState& end);
  /// What is there before the first state is saved.
  void make_store(const dae::MethodState& state);
  void save(long n, const dae::MethodState& state);
  void prepare_to_repeat();
  /// Makes step n again from the state of the stepper.
  void repeat(long n);

  dae::IntegrateOptions options_;
  CheckpointOptions checkpoints_;
  dae::Simulator simulator_;
  const dae::Solution* solution_ = nullptr;  ///< of the last run
  const dae::ControlLaw* controls_ = nullptr;
  double t_start_ = 0, t_end_ = 1;
  std::vector<double> first_controls_;  ///< at the start of the run
  dae::Consistency consistency_;        ///< for changes of the step
  std::vector<double> default_parameters_;
  StartDerivative start_derivative_;
  std::unique_ptr<StepDerivative> step_derivative_;
  std::optional<StepChangeDerivative> change_derivative_;
  Grid grid_;
  const Visit* visit_ = nullptr;        ///< of the run under way
  dae::MethodState previous_, latest_;  ///< both ends of its last step
  dae::State consistent_;               ///< before the method's starting values
  dae::MethodState started_, final_;
  dae::InitialValues given_;
  std::vector<double> initial_parameters_;
  std::optional<StateStore> store_;
  bool has_store_ = false;                      ///< in this run
  std::optional<CheckpointSchedule> schedule_;  ///< with a budget; without, state n is in slot n
  std::unique_ptr<dae::Stepper> stepper_;       ///< that makes steps again
  long recomputed_ = 0;
  std::function<void()> on_visited_;
  dae::MethodState visited_start_, visited_end_;
  // Of the last visit of a step; only made() changes them.
  dae::MethodState before_change_, changed_;
  std::vector<double> start_controls_, end_controls_;
};

}  // namespace liegrad::sensitivity
