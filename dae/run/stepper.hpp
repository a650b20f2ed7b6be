#pragma once

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "liegrad/dae/run/control_law.hpp"
#include "liegrad/dae/run/error_norm.hpp"
#include "liegrad/dae/run/newton.hpp"
#include "liegrad/dae/start/consistency.hpp"
#include "liegrad/dae/state.hpp"

namespace liegrad::dae {

/// What one attempted step did.
struct StepReport {
  bool success = true;
  NewtonFailure failure = NewtonFailure::kNone;
  std::string message;  ///< of a failure
  int newton_iterations = 0, matrices = 0, factorizations = 0, residuals = 0;
  double position_residual = 0, velocity_residual = 0;  ///< |Φ| and |dΦ/dt| at the end
  double velocity_violation = 0;  ///< the largest |dΦ/dt| over the magnitudes of its terms
  bool is_moving = false;  ///< a velocity is more than what rounding of positions makes of it
};

/// A one-step method on a system.
class Stepper {
 public:
  virtual ~Stepper() = default;

  /// Values of all parameters of the model, from the next start() on.
  virtual void set_parameters(std::span<const double> parameters) = 0;
  /// What the errors of the next run are measured by, from the next start() on: an iteration need not be more exact than
  /// that. Without error control nullptr. Precondition: it stays where it is.
  virtual void set_error_norm(const ErrorNorm* /*norm*/) {}
  /// Takes consistent initial values; h is the first step, which starting values may depend on.
  virtual void start(const State& initial, double h) = 0;
  /// Goes on from a state as it is, with what the method remembers beside it, as if a step h had led there.
  virtual void restart(const MethodState& state, double h) {
    start(state, h);
    current.step = state.step;
  }
  const MethodState& state() const { return current; }
  const StepReport& report() const { return last_report; }
  /// The end of the last attempted step, when it succeeded.
  const MethodState& next() const { return upcoming; }
  /// Attempts a step of length h from state() to next(), at time t_end (which is t + h but for rounding).
  virtual const StepReport& step(double h, double t_end) = 0;
  /// Makes next() the state.
  virtual void accept() = 0;
  /// What the attempted step adds to the error at the end of the run, in units of the tolerance, as if all steps did
  /// the same; at most 1 is acceptable. It is proportional to the error at the end (docs/step-control.md).
  virtual double error(const ErrorNorm& norm) = 0;
  /// What a run with error control left out, in a sentence; empty where there is nothing to say.
  virtual std::string remark() const { return {}; }
  /// error() behaves like h to this power.
  virtual int error_exponent() const = 0;
  /// The error of a step shows what earlier steps left, such as changes of their length.
  virtual bool error_has_memory() const { return false; }
  /// Longer steps from state() would be refused.
  virtual double longest_step() const { return std::numeric_limits<double>::infinity(); }
  /// In shorter steps error() is rounding, which grows as they shrink: no tolerance can be reached there. After a step.
  virtual double shortest_step(const ErrorNorm& /*norm*/) { return 0; }
  /// Says whether matrices were dense, sparse, or of least norm.
  virtual LinearSolverKind solver() const = 0;
  virtual Assembly& assembly() = 0;
  /// What solves (19) of the same model, if the method has it; not to be used within a step.
  virtual Consistency* own_consistency() { return nullptr; }
  /// Of a method that does not impose dΦ/dt = 0: what finds the velocities across the constraints.
  virtual Consistency* consistency_of_velocities() { return nullptr; }
  /// Without a law the controls stay as they stand in the assembly.
  void set_control_law(ControlLaw law) { control_law = std::move(law); }
  /// Moves the assembly, and with it the controls, to a time.
  void set_time(double t) {
    assembly().set_time(t);
    if (control_law) control_law(t, assembly().controls());
  }

 protected:
  ControlLaw control_law;
  MethodState current, upcoming;
  StepReport last_report;
};

}  // namespace liegrad::dae
