#pragma once

#include <span>

#include "liegrad/dae/alpha/generalized_alpha.hpp"
#include "liegrad/sensitivity/start/equation_program.hpp"

namespace liegrad::sensitivity {

/// The derivative of what a change of the step does to a state, see GeneralizedAlpha. Of the rest it reads parameters,
/// controls and time at the start, and in place of h the ratio of the new step to the one before.
class StepChangeDerivative {
 public:
  StepChangeDerivative(const dae::Model& model, const dae::AlphaOptions& options, dae::Runs runs,
                       Order order)
      : options_(options),
        program_(model, dae::Method::kAlpha, options.consistency, options.solver, runs, order) {}

  void set_parameters(std::span<const double> parameters) { program_.set_parameters(parameters); }
  /// Goes to a change; `state` as it was before. A second call allocates nothing.
  Derivative& at(const dae::MethodState& state, std::span<const double> controls, double ratio);

 private:
  dae::AlphaOptions options_;
  EquationProgram program_;
};

}  // namespace liegrad::sensitivity
