#include "liegrad/dae/system/node_outputs.hpp"

namespace liegrad::dae {

std::vector<OutputSpec> node_output_specs(const lie::NodeGroup& group) {
  switch (group.kind) {
    case lie::GroupKind::kRn:
      return {{"x", group.n, "coordinates"},
              {"u", group.n, "velocities"},
              {"u_dot", group.n, "accelerations"}};
    case lie::GroupKind::kSO2:
      return {{"theta", 1, "angle"},
              {"omega", 1, "angular velocity"},
              {"omega_dot", 1, "angular acceleration"}};
    case lie::GroupKind::kSE2:
      return {{"x", 2, "position"},
              {"theta", 1, "angle"},
              {"omega", 1, "angular velocity"},
              {"u", 2, "velocity in the inertial frame"},
              {"omega_dot", 1, "angular acceleration"},
              {"u_dot", 2, "acceleration in the inertial frame"}};
    case lie::GroupKind::kSO3:
      return {{"q", 4, "unit quaternion w, x, y, z"},
              {"omega", 3, "angular velocity in the body frame"},
              {"omega_dot", 3, "angular acceleration in the body frame"}};
    case lie::GroupKind::kSO3xR3:
    case lie::GroupKind::kSE3: break;
  }
  return {{"x", 3, "position in the inertial frame"},
          {"q", 4, "unit quaternion w, x, y, z"},
          {"omega", 3, "angular velocity in the body frame"},
          {"u", 3, "velocity in the inertial frame"},
          {"omega_dot", 3, "angular acceleration in the body frame"},
          {"u_dot", 3, "acceleration in the inertial frame"}};
}

int num_node_outputs(const lie::NodeGroup& group) {
  int count = 0;
  for (const OutputSpec& output : node_output_specs(group)) count += output.size;
  return count;
}

}  // namespace liegrad::dae
