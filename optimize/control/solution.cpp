#include "liegrad/control/solution.hpp"

#include <algorithm>

#include "liegrad/control/status_names.hpp"

namespace liegrad::control {

const char* name_of(Status status) {
  for (const auto& [name, value] : status_names()) {
    if (value == status) return name.c_str();
  }
  return "not run";
}

Solution::Place Solution::place(double t) const {
  const auto later = std::upper_bound(states.begin() + 1, states.end() - 1, t,
                                      [](double at, const GridState& s) { return at < s.t; });
  const GridState &before = *(later - 1), &after = *later;
  const double length = after.t - before.t;
  return {static_cast<std::size_t>(later - 1 - states.begin()),
          length > 0 ? std::clamp((t - before.t) / length, 0.0, 1.0) : 0.0};
}

}  // namespace liegrad::control
