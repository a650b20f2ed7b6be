#pragma once

#include "liegrad/control/solution.hpp"
#include "liegrad/dae/system/name_table.hpp"

namespace liegrad::control {

/// The ends of a search, as files have them.
inline const dae::NameTable<Status>& status_names() {
  static const dae::NameTable<Status> table = {
      {"solved", Status::kSolved},         {"acceptable", Status::kAcceptable},
      {"infeasible", Status::kInfeasible}, {"iteration limit", Status::kIterations},
      {"time limit", Status::kTime},       {"interrupted", Status::kInterrupted},
      {"failed", Status::kFailed}};
  return table;
}

}  // namespace liegrad::control
