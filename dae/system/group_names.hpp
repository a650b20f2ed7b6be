#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "liegrad/dae/system/name_table.hpp"
#include "liegrad/lie/group_list.hpp"

namespace liegrad::dae {

/// The groups of rigid bodies, the default first.
inline const NameTable<lie::NodeGroup>& body_group_names() {
  static const NameTable<lie::NodeGroup> table = {{"so3xr3", lie::NodeGroup::so3xr3()},
                                                  {"se3", lie::NodeGroup::se3()}};
  return table;
}
/// All other groups of nodes but R^n, which are r1, r2, …
inline const NameTable<lie::NodeGroup>& other_group_names() {
  static const NameTable<lie::NodeGroup> table = {{"so3", lie::NodeGroup::so3()},
                                                  {"so2", lie::NodeGroup::so2()},
                                                  {"se2", lie::NodeGroup::se2()}};
  return table;
}

/// As options, files and reports have it.
inline std::string name_of(const lie::NodeGroup& group) {
  if (group.kind == lie::GroupKind::kRn) return "r" + std::to_string(group.n);
  const std::string name = name_in(body_group_names(), group);
  return name.empty() ? name_in(other_group_names(), group) : name;
}

/// R^n by its name, with n up to 9999.
inline std::optional<lie::NodeGroup> rn_named(const std::string& name) {
  const bool is_rn =
      name.size() > 1 && name.size() < 6 && name[0] == 'r' &&
      std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!is_rn) return std::nullopt;
  return lie::NodeGroup::rn(std::stoi(name.substr(1)));
}

}  // namespace liegrad::dae
