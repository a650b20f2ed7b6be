#pragma once

#include <compare>

namespace liegrad::dae {

/// Which rows a formulation of the constraints has.
struct ConstraintRows {
  bool position = true;
  bool velocity = false;
  auto operator<=>(const ConstraintRows&) const = default;
};

}  // namespace liegrad::dae
