#pragma once

#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "liegrad/dae/system/initial_function.hpp"
#include "liegrad/elements/mechanism/joint_motion.hpp"
#include "liegrad/lie/group_list.hpp"

namespace liegrad::elements {

/// Initial poses and velocities of bodies on a tree of joints, from the coordinates of the joints: an initial function
/// of a System. As it depends on the frames of the joints too, initial values stay consistent when these change.
///
/// With F_a and F_b the frames of a joint in its bodies and J(s) the pose of one in the other, the poses are
/// H_b = H_a F_a J F_b⁻¹, and the velocities in the bodies v_b = Ad(H_b⁻¹H_a) v_a + Ad(F_b) w with w that of J.
class TreeMotion {
 public:
  /// Where the numbers of a node are; -1 for the ground.
  struct Place {
    int coeffs = -1, dof = -1;
  };
  struct Link {
    JointType type = JointType::kFixed;
    Place a, b;
    bool finds_a = false;  ///< of the two bodies b is known, otherwise a
    /// Nodes of R¹ for coordinates of the joint, where there are such.
    std::vector<Place> coordinates;
  };
  /// Links in the order in which they can be followed.
  TreeMotion(const lie::NodeGroup& group, std::vector<Link> links)
      : is_se3_(group.kind == lie::GroupKind::kSE3), links_(std::move(links)) {}

  /// The parameters of each link: X1 … X3, e0 … e3 of both frames, the coordinates, their rates.
  template <class S>
  void operator()(std::span<const S> p, std::span<S> q, std::span<S> v) const {
    for (const Link& link : links_) {
      const lie::SE3<S> frame_a = frame<S>(p), frame_b = frame<S>(p.subspan(7));
      const std::size_t n = link.coordinates.size();
      const std::span<const S> s = p.subspan(14, n), rates = p.subspan(14 + n, n);
      p = p.subspan(14 + 2 * n);
      const JointMotion<S> joint = JointMotion<S>::of(link.type, s, rates);
      const lie::SE3<S> relative = frame_a * joint.pose * frame_b.inverse();
      const lie::Vec<S, 6> joint_velocity = frame_b.Ad() * joint.velocity;
      if (link.finds_a) {
        const Body<S> b = body<S>(link.b, q, v);
        write<S>({b.pose * relative.inverse(), relative.Ad() * (b.velocity - joint_velocity)},
                 link.a, q, v);
      } else {
        const Body<S> a = body<S>(link.a, q, v);
        write<S>({a.pose * relative, relative.inverse().Ad() * a.velocity + joint_velocity}, link.b,
                 q, v);
      }
      for (std::size_t i = 0; i < n; ++i) {
        const Place& place = link.coordinates[i];
        if (place.coeffs < 0) continue;
        q[index(place.coeffs)] = s[i];
        v[index(place.dof)] = rates[i];
      }
    }
  }

 private:
  /// Velocities (ω, u) in the body.
  template <class S>
  struct Body {
    lie::SE3<S> pose;
    lie::Vec<S, 6> velocity;
  };
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  /// Its quaternion may have any length.
  template <class S>
  static lie::SE3<S> frame(std::span<const S> p) {
    using std::sqrt;
    const lie::Vec<S, 4> e(p[3], p[4], p[5], p[6]);
    const S inverse = S(1) / sqrt(S(e(0) * e(0) + e(1) * e(1) + e(2) * e(2) + e(3) * e(3)));
    return lie::SE3<S>(lie::SO3<S>::from_coeffs(inverse * e), lie::Vec<S, 3>(p[0], p[1], p[2]));
  }
  template <class S>
  Body<S> body(const Place& place, std::span<const S> q, std::span<const S> v) const {
    if (place.coeffs < 0) return {lie::SE3<S>::identity(), lie::Vec<S, 6>::Zero()};
    lie::Vec<S, 7> coeffs;
    lie::Vec<S, 6> velocity;
    for (int i = 0; i < 7; ++i) coeffs(i) = q[index(place.coeffs + i)];
    for (int i = 0; i < 6; ++i) velocity(i) = v[index(place.dof + i)];
    const auto pose = lie::SE3<S>::from_coeffs(coeffs);
    if (!is_se3_) {
      const lie::Vec<S, 3> u = velocity.template tail<3>();
      velocity.template tail<3>() = pose.rotation().inverse().transform_vector(u);
    }
    return {pose, velocity};
  }
  template <class S>
  void write(const Body<S>& body, const Place& place, std::span<S> q, std::span<S> v) const {
    const lie::Vec<S, 7> coeffs = body.pose.coeffs();
    lie::Vec<S, 6> velocity = body.velocity;
    if (!is_se3_) {
      const lie::Vec<S, 3> u = velocity.template tail<3>();
      velocity.template tail<3>() = body.pose.transform_vector(u);
    }
    for (int i = 0; i < 7; ++i) q[index(place.coeffs + i)] = coeffs(i);
    for (int i = 0; i < 6; ++i) v[index(place.dof + i)] = velocity(i);
  }

  bool is_se3_;
  std::vector<Link> links_;
};

}  // namespace liegrad::elements
