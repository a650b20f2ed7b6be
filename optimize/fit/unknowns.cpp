#include "liegrad/optimize/fit/unknowns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/text.hpp"

namespace liegrad::optimize {
namespace {

using dae::index;
using dae::number_text;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

const char* name_of(SensorEffect effect) {
  return effect == SensorEffect::kOffset ? ".offset"
         : effect == SensorEffect::kGain ? ".gain"
                                         : ".delay";
}

/// All series of an output that some trial has.
std::vector<Series> series_of_output(const FitProblem& problem, const std::string& output) {
  std::vector<Series> found;
  std::set<std::string> outputs;
  for (const Recording& trial : problem.trials) {
    for (const Series& series : trial.series) {
      outputs.insert(series.output);
      if (series.output != output) continue;
      const bool is_known = std::any_of(found.begin(), found.end(), [&](const Series& other) {
        return other.component == series.component;
      });
      if (!is_known) found.push_back({series.output, series.component, series.comparison, {}, {}});
    }
  }
  if (!found.empty()) return found;
  const std::vector<std::string> known(outputs.begin(), outputs.end());
  throw InvalidArgument(dae::unknown_name_message("measured output", output, known));
}

void check_setting(const char* what, const std::string& name, double value) {
  if (std::isfinite(value)) return;
  throw InvalidArgument(std::string(what) + " of '" + name + "' is " + number_text(value) +
                        "; it must be finite");
}

/// Throws for names given twice.
void check_names(const FitProblem& problem) {
  std::set<std::string> names;
  for (const auto* list : {&problem.free, &problem.per_trial}) {
    for (const std::string& name : *list) {
      if (!InitialCoordinates::has_form(problem.system, name)) problem.system.parameter_index(name);
      if (names.insert(name).second) continue;
      throw InvalidArgument("'" + name + "' is named twice as an unknown; name it once");
    }
  }
  for (const Tie& tie : problem.ties) {
    problem.system.parameter_index(tie.parameter);
    problem.system.parameter_index(tie.to);
    check_setting("the factor in the expression", tie.parameter, tie.factor);
    if (tie.parameter == tie.to) {
      throw InvalidArgument("'" + tie.parameter + "' is tied to itself");
    }
    if (names.contains(tie.parameter)) {
      throw InvalidArgument("'" + tie.parameter +
                            "' is both an unknown and tied to another parameter; choose one");
    }
    if (std::count_if(problem.ties.begin(), problem.ties.end(), [&](const Tie& other) {
          return other.parameter == tie.parameter || other.parameter == tie.to;
        }) > 1) {
      throw InvalidArgument("'" + tie.parameter +
                            "' is tied twice, or to a parameter that is tied itself; tie it to an "
                            "unknown");
    }
  }
}

InitialCoordinates initial_of(const FitProblem& problem) {
  std::vector<std::string> names = problem.free;
  names.insert(names.end(), problem.per_trial.begin(), problem.per_trial.end());
  const double t = problem.trials.empty() ? 0 : problem.trials.front().first_time();
  return InitialCoordinates(problem.system, t, names, problem.initial);
}

}  // namespace

Unknowns::Unknowns(const FitProblem& problem) {
  check_names(problem);
  initial_ = initial_of(problem);
  for (const std::string& name : problem.free) add_parameter(problem, name, -1);
  for (const SensorUnknown& sensor : problem.sensors) {
    if (!sensor.per_trial) add_sensor(problem, sensor, -1);
  }
  first_own_.push_back(size());
  for (int trial = 0; trial < std::ssize(problem.trials); ++trial) {
    for (const std::string& name : problem.per_trial) add_parameter(problem, name, trial);
    for (const SensorUnknown& sensor : problem.sensors) {
      if (sensor.per_trial) add_sensor(problem, sensor, trial);
    }
    first_own_.push_back(size());
  }
  if (list_.empty()) {
    throw InvalidArgument("a fit needs unknowns; name parameters that are free");
  }
  apply_settings(problem);
  check_bounds();
  make_maps(problem);
}

void Unknowns::add_parameter(const FitProblem& problem, const std::string& name, int trial) {
  if (InitialCoordinates::has_form(problem.system, name)) {
    for (const std::string& single : initial_.singles(name)) {
      append(single, trial, initial_.start(single));
      list_.back().is_initial_value = true;
    }
    return;
  }
  append(name, trial, problem.system.parameter(name));
  const int parameter = problem.system.parameter_index(name);
  const std::vector<int>& initial = problem.system.initial_parameters();
  const auto contains = [parameter](const std::vector<int>& list) {
    return std::find(list.begin(), list.end(), parameter) != list.end();
  };
  const auto& elements = problem.system.elements();
  list_.back().is_initial_value =
      contains(initial) && std::none_of(elements.begin(), elements.end(), [&](const auto& element) {
        return contains(element.parameters);
      });
  if (!list_.back().is_initial_value || initial_.is_empty()) return;
  throw InvalidArgument("'" + name + "' and '" + initial_.names().front() +
                        "' are both unknown initial values, and the second replaces what the first "
                        "does; choose one of these ways");
}

void Unknowns::add_sensor(const FitProblem& problem, const SensorUnknown& sensor, int trial) {
  const std::string effect = name_of(sensor.effect);
  const double start = sensor.start.value_or(sensor.effect == SensorEffect::kGain ? 1 : 0);
  check_setting("the first value", sensor.output + effect, start);
  const std::vector<Series> all = series_of_output(problem, sensor.output);
  if (sensor.effect == SensorEffect::kDelay) {
    has_delays_ = true;
    sensors_.push_back({sensor.effect, sensor.output, trial, size()});
    append(sensor.output + effect, trial, start);
    // Where runs need a margin before and after the samples.
    double shortest = kInfinity;
    for (const Recording& one : problem.trials) {
      shortest = std::min(shortest, one.last_time() - one.first_time());
    }
    list_.back().lower = -0.1 * shortest;
    list_.back().upper = 0.1 * shortest;
    return;
  }
  for (const Series& series : all) {
    if (series.comparison != Comparison::kRotation) {
      sensors_.push_back({sensor.effect, series.name(), trial, size()});
      append(series.name() + effect, trial, start);
      continue;
    }
    if (sensor.effect == SensorEffect::kGain) {
      throw InvalidArgument("'" + sensor.output + "' is an orientation, which has no gain");
    }
    for (int i = 1; i <= 3; ++i) {
      const std::string component = "." + std::to_string(i);
      sensors_.push_back({sensor.effect, series.name() + component, trial, size()});
      append(series.name() + effect + component, trial, sensor.start.value_or(0));
    }
  }
}

void Unknowns::append(const std::string& plain_name, int trial, double start) {
  const std::string suffix = trial < 0 ? "" : "@" + std::to_string(trial + 1);
  for (const Unknown& other : list_) {
    const bool is_both = other.plain_name == plain_name && (other.trial < 0) != (trial < 0);
    if (other.name != plain_name + suffix && !is_both) continue;
    throw InvalidArgument("'" + other.name + "' is named twice as an unknown; name it once");
  }
  list_.push_back({plain_name + suffix, plain_name, trial, start, -kInfinity, kInfinity});
}

void Unknowns::apply_settings(const FitProblem& problem) {
  std::vector<std::string> known;
  for (const Unknown& unknown : list_) {
    known.push_back(unknown.name);
    if (unknown.trial == 0) known.push_back(unknown.plain_name);
  }
  // First those for all trials, then those for one.
  const auto apply = [&](const auto& settings, const char* what, const auto& set) {
    for (const bool for_one : {false, true}) {
      for (const auto& [name, value] : settings) {
        bool is_used = false;
        for (Unknown& unknown : list_) {
          const bool is_for_one = name == unknown.name;
          if (!is_for_one && name != unknown.plain_name) continue;
          is_used = true;
          if (is_for_one == for_one || unknown.trial < 0) set(unknown, value);
        }
        if (is_used) continue;
        throw InvalidArgument(std::string(what) + " is given for what is no unknown: " +
                              dae::unknown_name_message("unknown", name, known));
      }
    }
  };
  apply(problem.start, "a first value", [](Unknown& unknown, double value) {
    check_setting("the first value", unknown.name, value);
    unknown.start = value;
    unknown.has_given_start = true;
  });
  apply(problem.lower, "a lower bound", [](Unknown& unknown, double value) {
    check_setting("the lower bound", unknown.name, value);
    unknown.lower = value;
  });
  apply(problem.upper, "an upper bound", [](Unknown& unknown, double value) {
    check_setting("the upper bound", unknown.name, value);
    unknown.upper = value;
  });
  apply(problem.prior, "a prior", [](Unknown& unknown, const Prior& prior) {
    check_setting("the prior", unknown.name, prior.value);
    if (!(prior.std > 0) || !std::isfinite(prior.std)) {
      throw InvalidArgument("the prior of '" + unknown.name + "' has the standard deviation " +
                            number_text(prior.std) + "; it must be positive");
    }
    unknown.prior = prior;
  });
}

void Unknowns::check_bounds() const {
  for (const Unknown& unknown : list_) {
    if (!(unknown.lower < unknown.upper)) {
      throw InvalidArgument("the bounds of '" + unknown.name + "' are " +
                            number_text(unknown.lower) + " and " + number_text(unknown.upper) +
                            "; the lower one must be below the upper one");
    }
    if (unknown.start >= unknown.lower && unknown.start <= unknown.upper) continue;
    throw InvalidArgument("'" + unknown.name + "' starts at " + number_text(unknown.start) +
                          ", outside of its bounds " + number_text(unknown.lower) + " and " +
                          number_text(unknown.upper) + "; choose a start between them");
  }
}

void Unknowns::make_maps(const FitProblem& problem) {
  system_values_ = problem.system.parameter_values();
  for (const auto* list : {&problem.free, &problem.per_trial}) {
    for (const std::string& name : *list) {
      if (InitialCoordinates::has_form(problem.system, name)) continue;
      sources_.push_back({problem.system.parameter_index(name), name, 1});
    }
  }
  // Tied to an unknown a parameter moves with it, tied to another one it has its value.
  const std::size_t unknown_parameters = sources_.size();
  for (const Tie& tie : problem.ties) {
    const int parameter = problem.system.parameter_index(tie.parameter);
    const auto end = sources_.begin() + static_cast<std::ptrdiff_t>(unknown_parameters);
    const bool moves = std::any_of(sources_.begin(), end,
                                   [&](const Source& one) { return one.unknown == tie.to; });
    if (moves) {
      sources_.push_back({parameter, tie.to, tie.factor});
    } else {
      system_values_[index(parameter)] = tie.factor * problem.system.parameter(tie.to);
    }
  }
  for (const Source& source : sources_) {
    parameter_names_.push_back(problem.system.parameters()[index(source.parameter)].name);
  }
  const std::vector<std::string> initial = initial_.names();
  for (int trial = 0; trial < num_trials(); ++trial) {
    const Eigen::Index parameters = std::ssize(sources_);
    Eigen::MatrixXd map = Eigen::MatrixXd::Zero(parameters + std::ssize(initial), num_local(trial));
    for (int j = 0; j < num_local(trial); ++j) {
      const auto found =
          std::find(initial.begin(), initial.end(), list_[index(global(trial, j))].plain_name);
      if (found != initial.end()) map(parameters + (found - initial.begin()), j) = 1;
    }
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      for (int j = 0; j < num_local(trial); ++j) {
        if (list_[index(global(trial, j))].plain_name != sources_[i].unknown) continue;
        map(static_cast<Eigen::Index>(i), j) = sources_[i].factor;
      }
    }
    maps_.push_back(map);
  }
}

std::vector<std::string> Unknowns::names() const {
  std::vector<std::string> names;
  for (const Unknown& unknown : list_) names.push_back(unknown.name);
  return names;
}

Eigen::VectorXd Unknowns::local(int trial, const Eigen::VectorXd& x) const {
  Eigen::VectorXd part(num_local(trial));
  part.head(num_shared()) = x.head(num_shared());
  part.tail(num_own(trial)) = x.segment(first_own(trial), num_own(trial));
  return part;
}

Eigen::VectorXd Unknowns::start() const {
  Eigen::VectorXd x(size());
  for (int i = 0; i < size(); ++i) x(i) = list_[index(i)].start;
  return x;
}
Eigen::VectorXd Unknowns::lower() const {
  Eigen::VectorXd x(size());
  for (int i = 0; i < size(); ++i) x(i) = list_[index(i)].lower;
  return x;
}
Eigen::VectorXd Unknowns::upper() const {
  Eigen::VectorXd x(size());
  for (int i = 0; i < size(); ++i) x(i) = list_[index(i)].upper;
  return x;
}

std::vector<double> Unknowns::parameter_values(int trial, const Eigen::VectorXd& local) const {
  std::vector<double> values = system_values_;
  const Eigen::VectorXd active = parameter_map(trial).topRows(std::ssize(sources_)) * local;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    values[index(sources_[i].parameter)] = active(static_cast<Eigen::Index>(i));
  }
  return values;
}

TrialInputs Unknowns::inputs(int trial, const Eigen::VectorXd& local) const {
  const Eigen::MatrixXd& map = parameter_map(trial);
  const Eigen::VectorXd initial = map.bottomRows(map.rows() - std::ssize(sources_)) * local;
  return {parameter_values(trial, local), {initial.begin(), initial.end()}};
}

int Unknowns::sensor(int trial, SensorEffect effect, const std::string& of) const {
  for (const SensorPlace& place : sensors_) {
    if (place.effect != effect || place.of != of) continue;
    if (place.trial < 0) return place.global;
    if (place.trial == trial) return num_shared() + place.global - first_own(trial);
  }
  return -1;
}

double Unknowns::largest_delay(double Unknown::*bound) const {
  double largest = 0;
  for (const SensorPlace& place : sensors_) {
    if (place.effect != SensorEffect::kDelay) continue;
    largest = std::max(largest, std::abs(list_[index(place.global)].*bound));
  }
  return largest;
}

}  // namespace liegrad::optimize
