#pragma once

#include <span>
#include <string>
#include <vector>

#include "liegrad/lie/se3.hpp"

namespace liegrad::elements {

enum class JointType { kFixed, kRevolute, kPrismatic, kCylindrical, kUniversal, kSpherical };

/// Names of the coordinates of a joint, in which it puts frame b relative to frame a; all are zero where the frames
/// coincide.
inline std::vector<std::string> joint_coordinates(JointType type) {
  switch (type) {
    case JointType::kFixed: return {};
    case JointType::kRevolute: return {"angle"};
    case JointType::kPrismatic: return {"displacement"};
    case JointType::kCylindrical: return {"angle", "displacement"};
    case JointType::kUniversal: return {"angle_a", "angle_b"};
    case JointType::kSpherical: return {"rotation_x", "rotation_y", "rotation_z"};
  }
  return {};
}

/// The pose of frame b in frame a, and its velocity relative to a as (ω, u) in the axes of b.
template <lie::Scalar S>
struct JointMotion {
  lie::SE3<S> pose = lie::SE3<S>::identity();
  lie::Vec<S, 6> velocity = lie::Vec<S, 6>::Zero();

  /// From the coordinates s and their rates: the turn about the z axis and the displacement along it; of universal
  /// joints the turn about x of frame a and then about y of frame b; of spherical joints the rotation vector.
  static JointMotion of(JointType type, std::span<const S> s, std::span<const S> rates) {
    using V3 = lie::Vec<S, 3>;
    using Rotation = lie::SO3<S>;
    const S zero(0);
    JointMotion motion;
    const auto turn = [&](const V3& by, const V3& rate) {
      motion.pose = lie::SE3<S>(Rotation::exp(by), V3(zero, zero, zero));
      motion.velocity.template head<3>() = Rotation::tangent_operator(by) * rate;
    };
    switch (type) {
      case JointType::kFixed: break;
      case JointType::kRevolute:
      case JointType::kCylindrical: turn(V3(zero, zero, s[0]), V3(zero, zero, rates[0])); break;
      case JointType::kSpherical:
        turn(V3(s[0], s[1], s[2]), V3(rates[0], rates[1], rates[2]));
        break;
      case JointType::kUniversal: {
        const Rotation second = Rotation::exp(V3(zero, s[1], zero));
        turn(V3(s[0], zero, zero), V3(rates[0], zero, zero));
        const V3 first_rate = motion.velocity.template head<3>();
        motion.pose = motion.pose * lie::SE3<S>(second, V3(zero, zero, zero));
        motion.velocity.template head<3>() =
            second.inverse().transform_vector(first_rate) + V3(zero, rates[1], zero);
        break;
      }
      case JointType::kPrismatic: break;
    }
    if (type == JointType::kPrismatic || type == JointType::kCylindrical) {
      // The axis stays the same in both frames.
      motion.pose = lie::SE3<S>(motion.pose.rotation(), V3(zero, zero, s[s.size() - 1]));
      motion.velocity(5) = rates[rates.size() - 1];
    }
    return motion;
  }
};

}  // namespace liegrad::elements
