#pragma once

#include <string>
#include <vector>

#include "liegrad/dae/system.hpp"

namespace liegrad::models {

/// A built-in system: a benchmark with its name, ready to run with its defaults.
struct Model {
  std::string name;
  std::string description;
  /// Whether it has rigid bodies, for which a group can be chosen.
  bool has_bodies = false;
  dae::System (*make)(const lie::NodeGroup& body_group) = nullptr;
};

const std::vector<Model>& all_models();

/// The system of that name; rigid bodies get the group given, SO(3)×R³ or SE(3). Throws
/// InvalidArgument for an unknown name, suggesting the nearest.
dae::System make_model(const std::string& name,
                       const lie::NodeGroup& body_group = lie::NodeGroup::so3xr3());
const Model& find_model(const std::string& name);

// Each in a file of its own, which says where the problem comes from.
dae::System heavy_top(const lie::NodeGroup& body_group);
dae::System spinning_top(const lie::NodeGroup& body_group);
dae::System free_body(const lie::NodeGroup& body_group);
dae::System pendulum(const lie::NodeGroup& body_group);
dae::System torsional_ball(const lie::NodeGroup& body_group);

}  // namespace liegrad::models
