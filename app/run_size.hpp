#pragma once

#include <optional>
#include <string>

#include "liegrad/dae/integrate.hpp"

namespace liegrad::app {

/// The number of fixed steps of a run, as a number that cannot overflow; 0 where steps are adaptive.
double num_steps(const dae::IntegrateOptions& options);

/// Throws InvalidArgument for a number of steps, or of samples, that no run comes to the end of. Says on
/// standard error how many there are when a run is long, unless it is to be quiet.
void check_num_steps(double steps, bool quiet);
/// The same for a file of samples: also if there is less room than it takes, where that is known.
void check_samples(const dae::IntegrateOptions& options, int columns, const std::string& file,
                   bool quiet);
/// Throws InvalidArgument if that much memory is more than the machine has; `remedy` ends the sentence.
void check_memory(double bytes, const std::string& what, const std::string& remedy);

/// Notices adaptive steps that become so short that the run does not come to its end.
class StepPace {
 public:
  explicit StepPace(const dae::IntegrateOptions& options);
  /// To be called after each step. Says why the run had better stop, if so.
  std::optional<std::string> complaint(double t);

 private:
  bool is_adaptive_;
  double t_end_, last_t_;
  long steps_ = 0;
};

}  // namespace liegrad::app
