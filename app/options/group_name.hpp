#pragma once

#include <string>

#include "liegrad/lie/group_list.hpp"

namespace liegrad::app {

/// "so3xr3", "se3", "r2", …: as options and JSON name the group of a node.
std::string group_name(const lie::NodeGroup& group);

/// The group of rigid bodies of that name; throws InvalidArgument for another.
lie::NodeGroup body_group_of(const std::string& name);

}  // namespace liegrad::app
