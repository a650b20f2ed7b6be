#pragma once

#include <optional>
#include <span>
#include <vector>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/run/dense_output.hpp"

namespace liegrad::dae {

/// Finds zero crossings of outputs within steps.
class EventLocator {
 public:
  EventLocator(const Model& system, const std::vector<EventOptions>& events);

  void set_parameters(std::span<const double> parameters) {
    if (outputs_) outputs_->set_parameters(parameters);
  }
  /// Times that differ by `time_rounding` are the same.
  void start(const State& state, std::span<const double> controls, double time_rounding);
  /// Adds the crossings of a step, in the order of time; returns the state of the first that stops the
  /// run, after which there are none.
  std::optional<State> find(const DenseOutput& dense, const State& end,
                            std::span<const double> controls, std::vector<EventFound>& found);

 private:
  double value(std::size_t event, const State& state, std::span<const double> controls);
  State locate(std::size_t event, const DenseOutput& dense, const State& end, double before,
               double after, std::span<const double> controls);

  std::vector<EventOptions> events_;
  double time_rounding_ = 0;
  std::optional<Outputs> outputs_;
  std::vector<int> columns_;
  std::vector<double> last_, numbers_;
  double last_time_ = 0;
};

}  // namespace liegrad::dae
