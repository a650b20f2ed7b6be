#pragma once

#include <map>
#include <string>
#include <utility>

#include "liegrad/dae/system/system.hpp"

namespace liegrad::models {

/// Gravity as three parameters of the system, gravity1 to gravity3, …
inline void add_gravity(dae::System& system) {
  system.add_parameter({"gravity1", 0, "m/s^2", "gravity along x"});
  system.add_parameter({"gravity2", 0, "m/s^2", "gravity along y"});
  system.add_parameter({"gravity3", -9.81, "m/s^2", "gravity along z"});
}

/// … and the bindings of a body that is subject to it, beside others.
inline std::map<std::string, std::string> bound_to_gravity(
    std::map<std::string, std::string> bindings = {}) {
  for (const char* const name : {"gravity1", "gravity2", "gravity3"}) bindings[name] = name;
  return bindings;
}

}  // namespace liegrad::models
