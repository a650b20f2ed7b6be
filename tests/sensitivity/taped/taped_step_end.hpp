#pragma once

#include <functional>
#include <vector>

#include "taped_numbers.hpp"

namespace liegrad::testing {

/// Where a step of a Runge–Kutta method leads.
struct TapedStepEnd {
  Taped h;
  Tapes controls;
  /// Controls between both ends, by the part c of the step.
  std::function<Tapes(double c)> controls_between;
  /// v̇, λ and s of some state nearby.
  std::vector<double> guess;
};

}  // namespace liegrad::testing
