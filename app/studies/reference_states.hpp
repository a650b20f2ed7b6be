#pragma once

#include <span>
#include <vector>

#include "liegrad/dae/run/dense_output.hpp"
#include "liegrad/dae/state.hpp"
#include "liegrad/dae/system/system.hpp"

namespace liegrad::app {

/// q, v and λ of a reference at increasing times.
class ReferenceStates {
 public:
  explicit ReferenceStates(const dae::System& system);

  void append(const dae::State& state);
  std::size_t size() const { return times_.size(); }
  double time(std::size_t i) const { return times_[i]; }
  /// Allocates nothing when the vectors of the state have their length.
  void load(std::size_t i, dae::State& state) const;

  static double bytes_per_state(const dae::System& system);

 private:
  std::size_t q_, v_, lambda_;  ///< lengths
  std::vector<double> times_, numbers_;
};

/// The times at which steps of a length end, from the start of a run to its end: all of them, and a last one
/// that is shorter where they do not fit. Without the start, and without those outside of a window.
struct StepTimes {
  double t_start = 0, t_end = 1, step = 1;
  double window_start = 0, window_end = 1;

  /// Fewer by the last, shorter one at most.
  double count() const;
  /// Empty where not even one step fits into the run or into the window.
  std::vector<double> list() const;
};

/// In increasing order, each time once; equal up to rounding of the smallest step.
std::vector<double> merged(std::vector<double> times, double smallest_step);

/// Keeps the states of a run at given times, in increasing order: its own where steps end there, interpolated
/// ones elsewhere.
class ReferenceRecorder {
 public:
  ReferenceRecorder(const dae::System& system, std::span<const double> times, double tolerance);

  void start(const dae::State& state) { last_ = state; }
  void after_step(const dae::MethodState& state);
  const ReferenceStates& states() const { return states_; }

 private:
  std::span<const double> times_;
  double tolerance_;
  dae::DenseOutput dense_;
  dae::State last_, sample_;
  ReferenceStates states_;
};

}  // namespace liegrad::app
