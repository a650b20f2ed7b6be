#pragma once

#include <string>

#include "liegrad/sensitivity/differentiate.hpp"

namespace liegrad::sensitivity {

/// As reports and options name it.
inline std::string name_of(Mode mode) {
  switch (mode) {
    case Mode::kAdjoint: return "adjoint";
    case Mode::kForward: return "forward";
    case Mode::kDifference: return "difference";
  }
  return "";
}

}  // namespace liegrad::sensitivity
