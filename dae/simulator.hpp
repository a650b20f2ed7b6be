#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "liegrad/dae/integrate.hpp"

namespace liegrad::dae {

/// What belongs to one run and not to the model. What is empty is that of the model, or of the options.
struct RunValues {
  std::vector<double> parameters = {};  ///< all, in the order of Model::parameters()
  std::optional<InitialValues> initial = {};
  ControlLaw controls = {};
  std::optional<double> t_start = {}, t_end = {};
  /// Of error control; without it there is none to change.
  std::optional<ErrorTolerance> tolerance = {};
  /// Lengths of all steps, one after the other, whatever the options say of them: results are then smooth functions of
  /// everything else, which they are not where steps follow the error. A step that fails is halved.
  std::vector<double> steps = {};
};

/// Runs one model with one method again and again. All that can be made once is made by the constructor: a second run
/// of as many steps and samples allocates nothing. One simulator belongs to one thread at a time; any number of them
/// share a model.
///
///     dae::Simulator simulator(system, options);
///     dae::RunValues values{.parameters = system.parameter_values()};
///     for (double& mass = values.parameters[…]; …) {
///       const dae::Solution& solution = simulator.run(values);
///     }
class Simulator {
 public:
  /// Throws InvalidArgument for options that cannot be used.
  Simulator(const Model& model, const IntegrateOptions& options);
  ~Simulator();
  Simulator(Simulator&&) noexcept;
  Simulator& operator=(Simulator&&) noexcept;

  const Model& model() const;
  /// As integrate(). The solution stays until the next run.
  const Solution& run(const RunValues& values = {}) &;
  Solution run(const RunValues& values = {}) &&;

 private:
  class Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace liegrad::dae
