#pragma once

#include <span>
#include <string>

#include "liegrad/dae/run/stepper.hpp"
#include "liegrad/dae/state.hpp"
#include "liegrad/dae/system/text.hpp"
#include "liegrad/lie/error.hpp"
#include "liegrad/sensitivity/step/motion_layout.hpp"

namespace liegrad::sensitivity {

/// A step that was made.
struct StepMade {
  const dae::MethodState& start;  ///< as the method read it
  const dae::MethodState& end;
  double h;  ///< end.t - start.t but for rounding
  std::span<const double> start_controls, end_controls;
};

/// A vector and its derivative along one direction, of as many columns as the vector has.
struct Dual {
  std::span<double> value, dot;
};

/// What becomes of perturbations on the way from one state to another.
///
/// Perturbations of states stand as in StateLayout, those of everything else as in OuterLayout, each entry with its
/// numbers of all columns side by side.
class Derivative {
 public:
  virtual ~Derivative() = default;

  /// Perturbations of the end that belong to those of the start and of the rest.
  virtual void tangent(int columns, std::span<const double> start, std::span<const double> outer,
                       std::span<double> end) = 0;
  /// Adds what the gradients with respect to the end mean for the start and for the rest.
  virtual void adjoint(int columns, std::span<const double> end, std::span<double> start,
                       std::span<double> outer) = 0;
  /// adjoint() of one column and its derivative along the direction (start_dot, outer_dot).
  virtual void second(std::span<const double> start_dot, std::span<const double> outer_dot,
                      const Dual& end, const Dual& start, const Dual& outer) = 0;
};

/// That of a step, by the implicit function theorem at the point where it ended.
class StepDerivative : public Derivative {
 public:
  /// Values of all parameters, and the control law, which must stay until the next call.
  virtual void set_run(std::span<const double> parameters, const dae::ControlLaw& controls) = 0;
  /// Goes to a step and factorises its exact matrix there, however the step was solved.
  virtual void set_step(const StepMade& step) = 0;
};

/// What is thrown where the step to a time has no derivative.
inline Error no_derivative(double t_end, const std::string& reason) {
  return Error("the derivative of the step to t = " + dae::number_text(t_end) +
               " does not exist: " + reason);
}

}  // namespace liegrad::sensitivity
