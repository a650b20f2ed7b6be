#pragma once

#include "liegrad/dae/system/model.hpp"

namespace liegrad::sensitivity {

/// How large a variable typically is: its own value, or a guess where that is zero or not known.
struct TypicalValue {
  double value = 1;
  bool is_guess = true;
};

/// Of a parameter. One that is zero is thought to be like the largest of its unit, first of those of the same
/// element, and 1 when there is none.
TypicalValue typical_value(const dae::Model& system, int parameter);

}  // namespace liegrad::sensitivity
