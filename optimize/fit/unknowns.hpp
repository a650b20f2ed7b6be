#pragma once

#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "liegrad/optimize/fit/initial_coordinates.hpp"
#include "liegrad/optimize/fit/problem.hpp"
#include "liegrad/optimize/fit/trial_inputs.hpp"

namespace liegrad::optimize {

/// All unknowns of a problem in one vector: first those that trials share, then those of each trial.
///
/// Throws InvalidArgument for names that do not exist, with the nearest one, for bounds that exclude the start,
/// and for what else makes no sense.
class Unknowns {
 public:
  struct Unknown {
    std::string name;        ///< "arm1.rate0@2"
    std::string plain_name;  ///< "arm1.rate0"
    int trial = -1;          ///< -1: shared
    double start = 0, lower, upper;
    std::optional<Prior> prior = {};
    /// Read by the initial function of the system and by nothing else, or an initial value itself.
    bool is_initial_value = false;
    bool has_given_start = false;
  };

  explicit Unknowns(const FitProblem& problem);

  int size() const { return static_cast<int>(list_.size()); }
  const std::vector<Unknown>& list() const { return list_; }
  std::vector<std::string> names() const;
  int num_trials() const { return static_cast<int>(first_own_.size()) - 1; }
  int num_shared() const { return first_own_.front(); }
  int first_own(int trial) const { return first_own_[static_cast<std::size_t>(trial)]; }
  int num_own(int trial) const { return first_own(trial + 1) - first_own(trial); }
  /// Shared ones and those of the trial, in the order of local vectors.
  int num_local(int trial) const { return num_shared() + num_own(trial); }
  Eigen::VectorXd local(int trial, const Eigen::VectorXd& x) const;
  /// Where a local unknown stands in the whole vector.
  int global(int trial, int local) const {
    return local < num_shared() ? local : first_own(trial) + local - num_shared();
  }

  Eigen::VectorXd start() const;
  Eigen::VectorXd lower() const;
  Eigen::VectorXd upper() const;

  // What a local vector means for the run of a trial.

  /// Names of the parameters of the system that depend on unknowns, first in the order of parameter_map().
  const std::vector<std::string>& parameters() const { return parameter_names_; }
  /// Values of all parameters of the system.
  std::vector<double> parameter_values(int trial, const Eigen::VectorXd& local) const;
  /// Initial values that are unknowns themselves; they follow the parameters in the order of parameter_map().
  const InitialCoordinates& initial() const { return initial_; }
  /// parameter_values() and values of initial().
  TrialInputs inputs(int trial, const Eigen::VectorXd& local) const;
  /// Derivatives of parameters() and initial() by local unknowns.
  const Eigen::MatrixXd& parameter_map(int trial) const {
    return maps_[static_cast<std::size_t>(trial)];
  }
  /// Local position of an unknown of a sensor, or -1: of an offset and a gain by the name of its series, with
  /// ".1" to ".3" for an orientation; of a delay by the output.
  int sensor(int trial, SensorEffect effect, const std::string& of) const;
  bool has_delays() const { return has_delays_; }
  double largest_delay(double Unknown::*bound) const;

 private:
  struct SensorPlace {
    SensorEffect effect;
    std::string of;
    int trial, global;
  };
  struct Source {
    int parameter;  ///< of the system
    std::string unknown;
    double factor;
  };

  void add_parameter(const FitProblem& problem, const std::string& name, int trial);
  void add_sensor(const FitProblem& problem, const SensorUnknown& sensor, int trial);
  void append(const std::string& plain_name, int trial, double start);
  void apply_settings(const FitProblem& problem);
  void check_bounds() const;
  void make_maps(const FitProblem& problem);

  InitialCoordinates initial_;
  std::vector<Unknown> list_;
  std::vector<int> first_own_;
  std::vector<SensorPlace> sensors_;
  std::vector<std::string> parameter_names_;
  std::vector<Source> sources_;
  std::vector<double> system_values_;
  std::vector<Eigen::MatrixXd> maps_;
  bool has_delays_ = false;
};

}  // namespace liegrad::optimize
