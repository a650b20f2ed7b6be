#pragma once

#include <vector>

namespace liegrad::optimize {

/// What the run of a trial depends on.
struct TrialInputs {
  std::vector<double> parameters = {};  ///< all of the system
  std::vector<double> initial = {};     ///< unknown ones by InitialCoordinates::names()
};

}  // namespace liegrad::optimize
