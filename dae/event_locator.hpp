#pragma once

#include <optional>
#include <span>
#include <vector>

#include "liegrad/dae/dense_output.hpp"
#include "liegrad/dae/integrate.hpp"

namespace liegrad::dae {

/// Finds zero crossings of outputs within steps.
class EventLocator {
 public:
  /// Times that differ by `time_rounding` are the same.
  EventLocator(const System& system, const std::vector<EventOptions>& events, double time_rounding);

  void start(const State& state, std::span<const double> controls);
  /// Adds the crossings of a step, in the order of time; returns the state of the first that stops the
  /// run, after which there are none.
  std::optional<State> find(const DenseOutput& dense, const State& end,
                            std::span<const double> controls, std::vector<EventFound>& found);

 private:
  double value(std::size_t event, const State& state, std::span<const double> controls);
  State locate(std::size_t event, const DenseOutput& dense, const State& end, double before,
               double after, std::span<const double> controls);

  const std::vector<EventOptions>& events_;
  double time_rounding_;
  std::optional<Outputs> outputs_;
  std::vector<int> columns_;
  std::vector<double> last_, numbers_;
  double last_time_ = 0;
};

}  // namespace liegrad::dae
