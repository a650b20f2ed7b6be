#include "liegrad/control/problems/built_in.hpp"

#include <cmath>

#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::control {

Settings::Settings(const std::vector<dae::ParameterSpec>& own, std::map<std::string, double> given)
    : given_(std::move(given)) {
  for (const dae::ParameterSpec& parameter : own) own_[parameter.name] = parameter.value;
  for (const auto& [name, value] : given_) {
    if (!std::isfinite(value)) throw InvalidArgument("'" + name + "' needs a finite value");
    if (own_.contains(name)) own_[name] = value;
  }
}

double Settings::operator()(const std::string& name) const { return own_.at(name); }

void Settings::apply_to(dae::System& system) const {
  std::vector<std::string> names;
  for (const auto& [name, value] : own_) names.push_back(name);
  for (const dae::ParameterSpec& parameter : system.parameters()) names.push_back(parameter.name);
  for (const auto& [name, value] : given_) {
    if (own_.contains(name)) continue;
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw InvalidArgument(dae::unknown_name_message("parameter", name, names));
    }
    system.set_parameter(name, value);
  }
}

const std::vector<BuiltInProblem>& built_in_problems() {
  static const std::vector<BuiltInProblem> list = {
      reorientation(),       time_optimal_reorientation(),
      spherical_pendulum(),  cart_pole(),
      two_link_arm(),        crane(),
      slider_crank_torque(), free_flyer(),
      four_bar_torque(),     drop_payload()};
  return list;
}

const BuiltInProblem& find_problem(const std::string& name) {
  std::vector<std::string> names;
  for (const BuiltInProblem& problem : built_in_problems()) {
    if (problem.name == name) return problem;
    names.push_back(problem.name);
  }
  throw InvalidArgument(dae::unknown_name_message("problem", name, names));
}

Problem make_problem(const std::string& name, const std::map<std::string, double>& given) {
  const BuiltInProblem& problem = find_problem(name);
  if (problem.make == nullptr) {
    throw InvalidArgument("problem '" + name + "' has phases; take make_phased_problem()");
  }
  return problem.make(Settings(problem.parameters, given));
}

PhasedProblem make_phased_problem(const std::string& name, int steps,
                                  const std::map<std::string, double>& given) {
  const BuiltInProblem& problem = find_problem(name);
  if (problem.make_phases == nullptr) {
    throw InvalidArgument("problem '" + name + "' has one phase; take make_problem()");
  }
  return problem.make_phases(Settings(problem.parameters, given), steps);
}

}  // namespace liegrad::control
