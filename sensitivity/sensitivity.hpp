#pragma once

#include <memory>
#include <span>
#include <vector>

#include "liegrad/dae/runs.hpp"
#include "liegrad/dae/simulator.hpp"
#include "liegrad/sensitivity/differentiate.hpp"

namespace liegrad::sensitivity {

/// Runs and differentiates one objective with one method again and again. All that can be made once is made by the
/// constructor or in the first evaluation: a second one of as many steps records, analyses, compiles and allocates
/// nothing. One object belongs to one thread at a time; any number of them share a model and an objective.
///
///     sensitivity::Sensitivity sensitivity(objective, how);
///     dae::RunValues values{.parameters = objective.model().parameter_values()};
///     const sensitivity::Derivatives& d = sensitivity.evaluate(values);  // d.values, d.jacobian
class Sensitivity {
 public:
  /// Throws InvalidArgument for options that cannot be used.
  Sensitivity(const Objective& objective, const DifferentiateOptions& options,
              dae::Runs runs = dae::Runs::kMany);
  ~Sensitivity();
  Sensitivity(Sensitivity&&) noexcept;
  Sensitivity& operator=(Sensitivity&&) noexcept;

  const Objective& objective() const;
  /// Moves the times of an item of the objective, as many as it has, for the runs to come.
  void set_times(int item, std::span<const double> times);
  /// Lengths of the steps of the last run, for dae::RunValues::steps of others.
  std::vector<double> steps_of_last_run() const;
  /// The values alone. They stay until the next call.
  const Derivatives& run(const dae::RunValues& values = {});
  /// Derivatives of the last run() without a second run. Precondition: it came to its end, and its values are still there.
  const Derivatives& derivatives_of_last_run();
  /// As differentiate(). The result stays until the next call.
  const Derivatives& evaluate(const dae::RunValues& values = {}) &;
  Derivatives evaluate(const dae::RunValues& values = {}) &&;

 private:
  class Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace liegrad::sensitivity
