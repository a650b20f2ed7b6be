#include "liegrad/dae/system/element_access.hpp"

#include <algorithm>

#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::dae {
namespace {

std::string description(const lie::NodeGroup& group) {
  switch (group.kind) {
    case lie::GroupKind::kRn:
      return group == ground_group() ? "the ground" : "in R^" + std::to_string(group.n);
    case lie::GroupKind::kSO2: return "a rotation in the plane (SO(2))";
    case lie::GroupKind::kSO3: return "a rotation (SO(3))";
    case lie::GroupKind::kSE2: return "a planar body (SE(2))";
    case lie::GroupKind::kSO3xR3: return "a rigid body (SO(3)xR^3)";
    case lie::GroupKind::kSE3: return "a rigid body (SE(3))";
  }
  return "";
}

}  // namespace

std::size_t ElementAccess::parameter_index(std::span<const std::string> names,
                                           std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw InvalidArgument(
        owner_ + " reads a parameter by name: " + unknown_name_message("parameter", name, names));
  }
  return static_cast<std::size_t>(found - names.begin());
}

void ElementAccess::refuse_index(const std::string& call, const std::string& things,
                                 std::size_t count) const {
  throw InvalidArgument(owner_ + " calls " + call + ", but " +
                        (count == 0
                             ? "it has none"
                             : things + " are counted from 0 to " + std::to_string(count - 1)));
}

void ElementAccess::refuse_node(const char* call, int node, const lie::NodeGroup& group,
                                const char* wanted) const {
  throw InvalidArgument(owner_ + " calls " + call + "(" + std::to_string(node) + "), but node " +
                        std::to_string(node) + ", counted from 0, is " + description(group) + "; " +
                        call + "() is for " + wanted);
}

}  // namespace liegrad::dae
