#pragma once

#include <map>
#include <string>
#include <vector>

#include "liegrad/control/phased_problem.hpp"
#include "liegrad/control/solve.hpp"

namespace liegrad::control {

/// Values that a user gives by name: those of a problem itself, and those of the parameters of its system.
class Settings {
 public:
  Settings(const std::vector<dae::ParameterSpec>& own, std::map<std::string, double> given);

  /// Of the problem itself.
  double operator()(const std::string& name) const;
  bool is_given(const std::string& name) const { return given_.contains(name); }
  /// Those of the system. Throws InvalidArgument, with the nearest name, for what neither has.
  void apply_to(dae::System& system) const;

 private:
  std::map<std::string, double> own_, given_;
};

/// A problem with its name, ready to be solved.
struct BuiltInProblem {
  std::string name;
  std::string description;
  /// Besides those of its system.
  std::vector<dae::ParameterSpec> parameters;
  Problem (*make)(const Settings& settings) = nullptr;
  /// In its place, of a problem of several phases with so many steps each.
  PhasedProblem (*make_phases)(const Settings& settings, int steps) = nullptr;
  int default_steps = 100;
};

const std::vector<BuiltInProblem>& built_in_problems();
/// Throws InvalidArgument for an unknown name, suggesting the nearest.
const BuiltInProblem& find_problem(const std::string& name);
/// Throws InvalidArgument for a problem of several phases.
Problem make_problem(const std::string& name, const std::map<std::string, double>& given = {});
/// Throws InvalidArgument for a problem of one phase.
PhasedProblem make_phased_problem(const std::string& name, int steps,
                                  const std::map<std::string, double>& given = {});

// Each in a file of its own, which says where it comes from.
BuiltInProblem reorientation();
BuiltInProblem time_optimal_reorientation();
BuiltInProblem spherical_pendulum();
BuiltInProblem cart_pole();
BuiltInProblem two_link_arm();
BuiltInProblem crane();
BuiltInProblem slider_crank_torque();
BuiltInProblem free_flyer();
BuiltInProblem four_bar_torque();
BuiltInProblem drop_payload();

}  // namespace liegrad::control
