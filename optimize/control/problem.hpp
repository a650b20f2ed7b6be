#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "liegrad/dae/system/system.hpp"
#include "liegrad/sensitivity/user_function.hpp"

namespace liegrad::control {

struct Interval {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool is_point() const { return lower == upper; }
};

/// An optimal control problem: a system whose controls are to be found over a horizon [0, T].
///
/// The motion starts from the initial values of the system. Costs and constraints are functions of a snapshot, written
/// for any scalar as in sensitivity/user_function.hpp:
///
///     Problem problem(system);
///     problem.set_horizon(1.0);
///     problem.fix_end_configuration("body", target);
///     problem.fix_end_velocity("body");
///     problem.add_running_cost([](const auto& at) { return at.control("torque.u1") * at.control("torque.u1"); });
///
/// All throw InvalidArgument: for a name that the system does not have, with the nearest one, for an empty interval,
/// for numbers that are not finite.
class Problem {
 public:
  using Function = sensitivity::RecordedFunction;
  struct Constraint {
    std::string name;
    Function function;
    Interval interval;
  };
  struct CoordinateBound {
    int dof;
    Interval interval;
  };

  explicit Problem(dae::System system, std::string name = {});

  const dae::Model& system() const { return *system_; }
  const std::string& name() const { return name_; }

  void set_horizon(double t_end);
  /// T is to be found, from a first guess; it stays positive.
  void set_free_horizon(double guess, Interval bounds = {});

  /// Controls are zero at first, and free.
  void set_control_bounds(const std::string& control, const Interval& bounds);
  void set_control_guess(const std::string& control, double value);
  /// Units for figures: of a control, and of a coordinate of a node, counted from 0. Those of Lie groups, of points and of
  /// actuators of the library are known; elements of one's own need them.
  void set_control_unit(const std::string& control, const std::string& unit);
  void set_coordinate_unit(const std::string& node, int coordinate, const std::string& unit);
  /// A parameter of the system to be found along with the controls.
  void free_parameter(const std::string& parameter, const Interval& bounds);

  /// Bounds of a velocity, counted from 0 in the Lie algebra of a node, at all times.
  void bound_velocity(const std::string& node, int coordinate, const Interval& bounds);
  /// Bounds of a coordinate of a node in R^n, at all times.
  void bound_coordinate(const std::string& node, int coordinate, const Interval& bounds);

  /// log(q̂⁻¹∘q(T)) = 0 of a node, with the coefficients of q̂; some of its coordinates only if they are named. Where
  /// joints already fix others, name those that are free.
  void fix_end_configuration(const std::string& node, const std::vector<double>& coeffs,
                             const std::vector<int>& coordinates = {});
  /// v(T) of a node, zero unless given.
  void fix_end_velocity(const std::string& node, const std::vector<int>& coordinates = {},
                        const std::vector<double>& values = {});

  /// q(T) = q(0) and v(T) = v(0) of a node, which are then to be found; nothing else of its end may be fixed.
  void make_periodic(const std::string& node);

  /// ∫ L dt.
  template <class F>
  void add_running_cost(const F& f) {
    running_costs_.push_back(sensitivity::as_recorded_function(f));
  }
  /// A function of the end, such as its time.
  template <class F>
  void add_end_cost(const F& f) {
    end_costs_.push_back(sensitivity::as_recorded_function(f));
  }
  /// Values within an interval, at all grid points or at the end.
  template <class F>
  void add_path_constraint(const std::string& constraint, const F& f, const Interval& interval) {
    add_constraint(path_constraints_, constraint, sensitivity::as_recorded_function(f), interval);
  }
  template <class F>
  void add_end_constraint(const std::string& constraint, const F& f, const Interval& interval) {
    add_constraint(end_constraints_, constraint, sensitivity::as_recorded_function(f), interval);
  }

  /// Coefficients of the configuration as a function of t/T, where the search begins; without it, the geodesic from
  /// the start to the end of each node.
  void set_guess(std::function<std::vector<double>(double)> configuration);

  // What there is.

  double horizon() const { return horizon_; }
  bool has_free_horizon() const { return !horizon_bounds_.is_point(); }
  const Interval& horizon_bounds() const { return horizon_bounds_; }
  const std::vector<Interval>& control_bounds() const { return control_bounds_; }
  const std::vector<double>& control_guess() const { return control_guess_; }
  /// Empty where none is declared.
  const std::vector<std::string>& control_units() const { return control_units_; }
  const std::vector<std::string>& coordinate_units() const { return coordinate_units_; }
  const std::map<int, Interval>& free_parameters() const { return free_parameters_; }
  const std::vector<CoordinateBound>& velocity_bounds() const { return velocity_bounds_; }
  const std::vector<CoordinateBound>& coordinate_bounds() const { return coordinate_bounds_; }
  /// Coefficients at the end, those of the start where nothing is fixed; and which velocities of δ are fixed.
  const std::vector<double>& end_configuration() const { return end_configuration_; }
  const std::vector<bool>& end_position_fixed() const { return end_position_fixed_; }
  /// v(T), NaN where it is free.
  const std::vector<double>& end_velocity() const { return end_velocity_; }
  /// Velocities of nodes that are periodic, in ascending order.
  const std::vector<int>& periodic() const { return periodic_; }
  const std::vector<Function>& running_costs() const { return running_costs_; }
  const std::vector<Function>& end_costs() const { return end_costs_; }
  const std::vector<Constraint>& path_constraints() const { return path_constraints_; }
  const std::vector<Constraint>& end_constraints() const { return end_constraints_; }
  const std::function<std::vector<double>(double)>& guess() const { return guess_; }

 private:
  void add_constraint(std::vector<Constraint>& list, const std::string& name, Function f,
                      const Interval& interval);
  int control_index(const std::string& control) const;
  /// The velocity of the system that a coordinate of a node is.
  int dof_of(const std::string& node, int coordinate) const;
  std::vector<int> dofs_of(const std::string& node, const std::vector<int>& coordinates) const;
  /// Throws unless it is an interval with something in it.
  void check(const std::string& what, const Interval& interval) const;
  [[noreturn]] void refuse(const std::string& sentence) const;

  std::shared_ptr<const dae::Model> system_;
  std::string name_;
  double horizon_ = 1;
  Interval horizon_bounds_{1, 1};
  std::vector<Interval> control_bounds_;
  std::vector<double> control_guess_;
  std::vector<std::string> control_units_, coordinate_units_;
  std::map<int, Interval> free_parameters_;
  std::vector<CoordinateBound> velocity_bounds_, coordinate_bounds_;
  std::vector<double> end_configuration_, end_velocity_;
  std::vector<bool> end_position_fixed_;
  std::vector<int> periodic_;
  std::vector<Function> running_costs_, end_costs_;
  std::vector<Constraint> path_constraints_, end_constraints_;
  std::function<std::vector<double>(double)> guess_;
};

}  // namespace liegrad::control
