#pragma once

#include <string>
#include <vector>

#include "liegrad/dae/system/system.hpp"

namespace liegrad::models {

/// What is decided about a system before it is built.
struct Structure {
  /// Of rigid bodies: SO(3)×R³ or SE(3).
  lie::NodeGroup body_group = lie::NodeGroup::so3xr3();
  /// Of planar bodies: (x, y, θ) in R³, or SE(2).
  lie::NodeGroup planar_group = lie::NodeGroup::rn(3);
  /// How many bodies, or elements of each beam, for a system of any size; 0 is its default.
  int bodies = 0;
};

/// A built-in system: a benchmark with its name, ready to run with its defaults.
struct Model {
  std::string name;
  std::string description;
  /// Whether it has rigid bodies, for which a group can be chosen.
  bool has_bodies = false;
  dae::System (*make)(const Structure& structure) = nullptr;
  /// Of a system of any size; 0 where it is fixed.
  int default_bodies = 0;
  /// What that number is called where it is set.
  std::string size_name = "bodies";
  /// How long a run shows what the system is about, and a step that follows it.
  double default_t_end = 1, default_step = 1e-3;
};

const std::vector<Model>& all_models();

/// The system of that name. Throws InvalidArgument for an unknown name, suggesting the nearest, and for a
/// number of bodies that the system cannot have.
dae::System make_model(const std::string& name, const Structure& structure = {});
const Model& find_model(const std::string& name);
inline dae::System make_model(const std::string& name, const lie::NodeGroup& body_group) {
  return make_model(name, Structure{.body_group = body_group});
}

// Each in a file of its own, which says where the problem comes from.
dae::System heavy_top(const Structure& structure);
dae::System spinning_top(const Structure& structure);
dae::System free_body(const Structure& structure);
dae::System pendulum(const Structure& structure);
dae::System torsional_ball(const Structure& structure);
dae::System chain(const Structure& structure);
dae::System slider_crank(const Structure& structure);
dae::System andrews(const Structure& structure);
dae::System slider_crank_3d(const Structure& structure);
dae::System rotor(const Structure& structure);
dae::System double_pendulum(const Structure& structure);
dae::System cantilever(const Structure& structure);
dae::System right_angle_beam(const Structure& structure);
dae::System four_bar(const Structure& structure);

}  // namespace liegrad::models
