#pragma once

#include <string>

#include "liegrad/dae/system/name_table.hpp"
#include "liegrad/sensitivity/differentiate.hpp"

namespace liegrad::sensitivity {

/// As reports and options have them.
inline const dae::NameTable<Mode>& mode_names() {
  static const dae::NameTable<Mode> table = {
      {"adjoint", Mode::kAdjoint}, {"forward", Mode::kForward}, {"difference", Mode::kDifference}};
  return table;
}

inline std::string name_of(Mode mode) { return dae::name_in(mode_names(), mode); }

}  // namespace liegrad::sensitivity
