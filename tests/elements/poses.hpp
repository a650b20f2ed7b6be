#pragma once

// Poses and velocities of rigid bodies for tests, and how they are written for a node of either group.

#include <string>
#include <vector>

#include "liegrad/dae/system/system.hpp"

namespace liegrad::testing {

using Vec3 = lie::Vec<double, 3>;
using Mat3 = lie::Mat<double, 3>;
using Pose = lie::SE3<double>;
using Rotation = lie::SO3<double>;

/// A frame in its body; its quaternion may have any length.
inline Pose pose_of(const dae::BodyFrame& frame) {
  const auto& x = frame.position;
  const auto& e = frame.orientation;
  return Pose(Rotation::from_coeffs(lie::Vec<double, 4>(e[0], e[1], e[2], e[3]).normalized()),
              Vec3(x[0], x[1], x[2]));
}

/// The initial configuration of a node; the same for both groups.
inline std::vector<double> coeffs_of(const Pose& pose) {
  const auto c = pose.coeffs();
  return {c.begin(), c.end()};
}

/// The velocity of a node: ω in the body, u of the origin in the inertial frame.
inline std::vector<double> velocity_of(const lie::NodeGroup& group, const Pose& pose,
                                       const Vec3& omega, Vec3 u) {
  if (group.kind == lie::GroupKind::kSE3) u = pose.rotation().matrix().transpose() * u;
  return {omega(0), omega(1), omega(2), u(0), u(1), u(2)};
}

inline std::vector<lie::NodeGroup> both_groups() {
  return {lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()};
}
/// Which of them, for messages.
inline std::string name_of(const lie::NodeGroup& group) {
  return group.kind == lie::GroupKind::kSE3 ? "SE(3)" : "SO(3)xR^3";
}

}  // namespace liegrad::testing
