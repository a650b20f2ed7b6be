#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "liegrad/dae/alpha/alpha_options.hpp"
#include "liegrad/dae/method.hpp"
#include "liegrad/dae/run/control_law.hpp"
#include "liegrad/dae/run/error_tolerance.hpp"
#include "liegrad/dae/runge_kutta/butcher_tableau.hpp"
#include "liegrad/dae/runge_kutta/radau_options.hpp"
#include "liegrad/dae/state.hpp"
#include "liegrad/dae/system/outputs.hpp"
#include "liegrad/dae/system/system.hpp"

namespace liegrad::dae {

/// Steps that follow the local error.
struct AdaptiveOptions {
  ErrorTolerance tolerance;
  double initial_step = 0;   ///< 0: chosen from v, v̇ and v̈
  double smallest_step = 0;  ///< 0: 1e-12 of the interval
  double largest_step = 0;   ///< 0: the interval
};

/// Where a number crosses zero: a column of the outputs, "top.x.3" or "top.x[3]", less a level.
struct EventOptions {
  std::string output;
  double level = 0;
  enum class Direction { kBoth, kRising, kFalling } direction = Direction::kBoth;
  double time_tolerance = 1e-10;  ///< in seconds; at least the rounding of the run's times is left
  bool stop = false;              ///< the run ends there
};

struct EventFound {
  int event = 0;  ///< position in IntegrateOptions::events
  State state;
};

struct IntegrateOptions {
  // Running.
  double t_start = 0, t_end = 1;
  std::optional<InitialValues> initial;     ///< in place of those of the system
  double step = 0;                          ///< of fixed steps; 0: error control
  std::optional<AdaptiveOptions> adaptive;  ///< error control, whatever the step
  /// A step that fails is halved down to this fraction of itself.
  double smallest_fraction = 1.0 / 1024;

  // The method.
  Method method = Method::kAutomatic;
  AlphaOptions alpha;
  ButcherTableau tableau = rk4();  ///< of Munthe-Kaas methods
  RadauOptions radau;              ///< redundant constraints and the solver are those of `alpha`

  // Input and output.
  ControlLaw controls;  ///< zero when empty
  /// Time between samples; 0: every step.
  double sample_interval = 0;
  bool keep_samples = true;
  /// Called with the consistent initial values, before the method's starting values change them.
  std::function<void(const State&)> on_consistent;
  /// Called with the state from which the first step starts, and with its length.
  std::function<void(const MethodState&, double h)> on_start;
  /// Called with the state after each step; the run ends when it returns false.
  std::function<bool(const MethodState&)> on_step;
  std::vector<EventOptions> events;

  /// What a run does: the same, with a method and steps where they were left open.
  IntegrateOptions resolved() const;
  /// As the command has it, "radau-3" or "lie-alpha"; of Munthe-Kaas methods that of the tableau.
  std::string method_name() const;
  /// "order 5", or the parameters of generalized-α.
  std::string method_settings() const;
  /// Of constraints: "index3", "index2", "stabilized", or "projected" by Munthe-Kaas methods.
  std::string formulation_name() const;
  /// One sentence for each mistake; empty when usable.
  std::vector<std::string> problems(const Model& system) const;
  /// Choices that are allowed but lose something.
  std::vector<std::string> warnings() const;
};

/// Fixed steps of generalized-α in index 3, the method of [BruelsCardonaArnold2012] and [ArnoldCardonaBruels2015].
IntegrateOptions alpha_steps(double step = 1e-3);

/// Why a run takes the method that Method::kAutomatic stands for.
extern const char* const kReasonForDefault;

/// How a run ended. kReachedEnd means at t_end. What follows the two stops could not go on, or was not run.
enum class Termination {
  kReachedEnd,
  kStoppedByCallback,
  kStoppedByEvent,
  kNewtonDiverged,
  kSingularMatrix,
  kNonFinite,
  kToleranceBelowRounding,
  kNotRun,
};

/// What a run was asked for, what it used, and how it went. dae/report.hpp makes texts of it.
struct IntegrateSummary {
  Termination termination = Termination::kNotRun;
  std::string method;             ///< that made the steps
  std::string reason_for_method;  ///< where the options leave it open; otherwise empty
  std::string settings;           ///< of the method: its order, or the parameters of generalized-α
  std::string formulation;        ///< of the constraints; empty where there are none
  double t_end = 0;               ///< asked for
  double step = 0;                ///< asked for; 0 with error control
  std::optional<ErrorTolerance> tolerance;  ///< of error control
  double t = 0;                             ///< where the run ended
  std::string message;  ///< of a run that could not go on: when, where, what was tried
  std::vector<std::string> warnings;
  long steps = 0, rejected_steps = 0, failed_attempts = 0;
  long newton_iterations = 0, jacobian_evaluations = 0, factorizations = 0;
  long residual_evaluations = 0;
  double wall_seconds = 0;
  double max_position_residual = 0, max_velocity_residual = 0;
  double smallest_step = 0, largest_step = 0;
  LinearSolverKind solver = LinearSolverKind::kAutomatic;
  ConsistencyReport consistency;
  /// Whether the numbers can be relied on, as far as the run itself can tell (docs/step-control.md).
  bool trusted = false;
  std::string reason_for_doubt;  ///< with the remedy; empty when trusted

  bool is_complete() const { return termination <= Termination::kStoppedByEvent; }
};

struct Solution {
  IntegrateSummary summary;
  std::vector<double> parameters;  ///< of the run, in the order of the model
  std::vector<State> samples;      ///< the first at t_start
  State final;
  std::vector<EventFound> events;
};

class Stepper;

/// A stepper of the method that the options name.
std::unique_ptr<Stepper> make_stepper(const Model& system, const IntegrateOptions& options);

/// Runs a system from consistent initial values. Throws InvalidArgument on bad input, before the first
/// step; a run that cannot go on returns what it has, with a message. For many runs see simulator.hpp.
Solution integrate(const Model& model, const IntegrateOptions& options);

}  // namespace liegrad::dae
