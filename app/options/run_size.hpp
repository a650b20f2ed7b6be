#pragma once

#include <optional>
#include <string>

#include "liegrad/dae/integrate.hpp"

namespace liegrad::app {

/// The number of fixed steps of a run, as a number that cannot overflow; 0 where steps are adaptive.
double num_steps(const dae::IntegrateOptions& options);

/// Throws InvalidArgument for a number of steps that no run comes to the end of.
void check_num_steps(double steps);
/// Says on standard error how many steps a long run has, unless it is to be quiet. To be called when everything is
/// checked.
void announce_num_steps(double steps, bool quiet);
/// Throws InvalidArgument for a file of samples that no run comes to the end of, or that takes more room than there
/// is, where that is known. Says on standard error how long it becomes when it is long, unless it is to be quiet.
void check_samples(const dae::IntegrateOptions& options, int columns, const std::string& file,
                   bool quiet);
/// Throws InvalidArgument if that much memory is more than the machine has; `remedy` ends the sentence.
void check_memory(double bytes, const std::string& what, const std::string& remedy);

/// Notices adaptive steps that become so short that the run does not come to its end.
class StepPace {
 public:
  explicit StepPace(const dae::IntegrateOptions& options);
  /// To be called after each step. Says why the run had better stop, if so.
  std::optional<std::string> failure(double t);

 private:
  bool is_adaptive_;
  double t_end_, last_t_;
  long steps_ = 0;
};

}  // namespace liegrad::app
