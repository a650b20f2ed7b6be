#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "liegrad/dae/system/system.hpp"
#include "liegrad/optimize/fit/measurements.hpp"

namespace liegrad::optimize {

/// What is known of an unknown beforehand: value ± standard deviation.
struct Prior {
  double value = 0, std = 1;
};

/// Unknowns of the sensor of an output: y = gain ŷ(t - delay) + offset for each of its components, and
/// y = ŷ(t - delay)∘exp(offset) for an orientation, which has no gain.
enum class SensorEffect { kOffset, kGain, kDelay };

struct SensorUnknown {
  SensorEffect effect = SensorEffect::kOffset;
  std::string output;
  bool per_trial = false;
  std::optional<double> start = {};  ///< 0 unless given, 1 for a gain
};

/// parameter = factor · to.
struct Tie {
  std::string parameter, to;
  double factor = 1;
};

/// A system, what was measured of it, and what is to be found.
///
/// Unknowns are parameters of the system, those of initial values among them, initial values themselves, see
/// InitialCoordinates, and those of sensors. Their names are "top.m"; "arm1.rate0@2" where each trial has its own, counted
/// from 1; "top.q0[1]", "top.v0[6]", with "top.q0" for all of a node; "arm1.theta.offset", "body.x.1.gain",
/// "body.q.offset.3", "body.x.delay". Starts, bounds and priors are given by these names, and by the name without
/// the trial for all of them.
struct FitProblem {
  dae::System system;
  std::vector<Recording> trials;
  std::vector<std::string> free = {};       ///< shared by all trials
  std::vector<std::string> per_trial = {};  ///< each trial has its own
  std::vector<SensorUnknown> sensors = {};
  std::map<std::string, double> start = {};  ///< that of the system unless given
  std::map<std::string, double> lower = {}, upper = {};
  std::map<std::string, Prior> prior = {};
  std::vector<Tie> ties = {};
  /// Standard deviation of the noise, by output; estimated for those that are not here.
  std::map<std::string, double> noise = {};
  /// Bodies with free m, J1, J2, J3 whose values are kept physically possible: m > 0 and J_i < J_j + J_k.
  std::vector<std::string> admissible = {};
  /// What "top.q0[1]" counts from; the initial values of the system unless given.
  std::optional<dae::InitialValues> initial = {};
};

}  // namespace liegrad::optimize
