#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/sensitivity/objective.hpp"

namespace liegrad::sensitivity {

/// How derivatives are found. All modes give those of the same discrete trajectory.
enum class Mode {
  kAdjoint,  ///< one sweep backwards: the cost does not depend on the number of variables
  kForward,  ///< tangents carried along with the steps: the cost does not depend on that of values
  kDifference,  ///< Ridders' differences of whole runs, for comparison
};

/// What derivatives are taken with respect to.
struct Variables {
  std::vector<std::string> parameters = {};
  /// Tangent coordinates of the initial values of all nodes. A perturbation is carried back to the
  /// constraints along M⁻¹Bᵀ, so that only its part along them has an effect.
  bool initial_configuration = false, initial_velocity = false;
  /// Single ones of these by their names, "top.q0[1]" or "top.v0[6]", and single controls, "motor.torque@3" at the end
  /// of step 3.
  std::vector<std::string> single = {};
  /// All controls at the start and at the end of every step.
  bool controls = false;
  /// The end of the run, by stretching all steps alike. A value at a fixed time then moves against the grid;
  /// where that time is the end of a step, derivatives of velocities by t_end and step are one-sided.
  bool t_end = false;
  /// The length of fixed steps, their number being kept; a last shorter one gives way.
  bool step = false;
};

/// Second derivatives of the sum of the values times weights.
struct SecondOrder {
  std::vector<double> weights;  ///< by value; ones when empty
  /// Products of the Hessian with these directions, one number for each variable; when there are none, the
  /// whole Hessian.
  std::vector<std::vector<double>> directions;
};

/// How much memory the states of a run may take. What does not fit is recomputed, by binomial checkpointing:
/// as long as more than √(2N) of the states of N steps fit, no step is made more than twice.
struct CheckpointOptions {
  double megabytes = 0;  ///< of 10⁶ bytes; 0: as much as it takes
  std::string directory =
      {};  ///< when given, states are written to a file there instead of to memory
};

struct DifferentiateOptions {
  dae::IntegrateOptions integrate;
  Variables variables;
  Mode mode = Mode::kAdjoint;
  std::optional<SecondOrder> second_order;
  CheckpointOptions checkpoints;
  /// Also how fast values at times change with their time, in Derivatives::rates.
  bool rates = false;
  /// First step of differences, relative to a parameter's value or, where that is zero, to others of its unit,
  /// see typical_value(). Where runs with it fail, shorter ones are tried.
  double difference_step = 1e-2;
  /// When differences by some variable are not found: to go on with the others. Derivatives by it are not
  /// numbers then, and Derivatives::not_found says why.
  bool skip_failed_differences = false;
  /// Called after each step that is differentiated, or made for differences, with the part of the work after the
  /// run that is done, between 0 and 1. What it throws ends the computation, unless it is an Error, which counts
  /// as a failed run of differences.
  std::function<void(double)> on_progress;

  /// One sentence for each mistake; empty when usable.
  std::vector<std::string> problems(const Objective& objective) const;
};

struct Derivatives {
  std::vector<std::string> value_names, variable_names;
  Eigen::VectorXd values;
  Eigen::VectorXd rates;             ///< of values at times by these, if asked for; zero of others
  Eigen::MatrixXd jacobian;          ///< values × variables
  Eigen::MatrixXd jacobian_error;    ///< estimate of its error, of differences
  Eigen::MatrixXd hessian_products;  ///< variables × directions, or the Hessian
  /// Variables that no value depends on: their derivatives are zero, exactly.
  std::vector<std::string> ineffective;
  /// Why there are no differences by some variables, by their columns, where these were to be skipped.
  std::map<Eigen::Index, std::string> not_found;
  dae::IntegrateSummary simulation;
  double simulation_seconds = 0, derivative_seconds = 0;
  long recomputed_steps = 0;  ///< where memory was limited
};

/// Runs a system and differentiates an objective of the discrete trajectory: the steps are those that were
/// made, adaptive ones included, and each is differentiated by the implicit function theorem at the point
/// where its equations are satisfied. Throws InvalidArgument for bad input, and Error when the run did not
/// reach its end, runs for differences fail, or a value or derivative is not a finite number.
Derivatives differentiate(const Objective& objective, const DifferentiateOptions& options);

}  // namespace liegrad::sensitivity
