#include "options/group_name.hpp"

#include <array>

#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::app {

std::string group_name(const lie::NodeGroup& group) {
  switch (group.kind) {
    case lie::GroupKind::kRn: return "r" + std::to_string(group.n);
    case lie::GroupKind::kSO2: return "so2";
    case lie::GroupKind::kSO3: return "so3";
    case lie::GroupKind::kSE2: return "se2";
    case lie::GroupKind::kSO3xR3: return "so3xr3";
    case lie::GroupKind::kSE3: return "se3";
  }
  return "";
}

lie::NodeGroup body_group_of(const std::string& name) {
  if (name == "so3xr3") return lie::NodeGroup::so3xr3();
  if (name == "se3") return lie::NodeGroup::se3();
  throw InvalidArgument("--group: " +
                        dae::unknown_name_message("group of rigid bodies", name,
                                                  std::array<std::string, 2>{"so3xr3", "se3"}));
}

}  // namespace liegrad::app
