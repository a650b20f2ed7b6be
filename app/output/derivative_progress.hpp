#pragma once

#include <optional>
#include <string>

#include "liegrad/sensitivity/differentiate.hpp"
#include "options/run_size.hpp"
#include "output/progress.hpp"

namespace liegrad::app {

/// How far differentiate() is: with its run, then with the derivatives. Ends it by Interrupted when that is asked
/// for, and by an Error when its steps become too short.
class DerivativeProgress {
 public:
  /// Observes one call with these options, and must live as long as it.
  DerivativeProgress(std::string text, sensitivity::DifferentiateOptions& options, bool wanted);
  DerivativeProgress(const DerivativeProgress&) = delete;
  DerivativeProgress& operator=(const DerivativeProgress&) = delete;

 private:
  void after_step(double t);
  void after_part(double done);

  std::string text_;
  double t_end_;
  bool wanted_;
  StepPace pace_;
  std::optional<RunProgress> run_;
  std::optional<ProgressLine> line_;  ///< after the run
};

}  // namespace liegrad::app
