#pragma once

#include "liegrad/elements/attached_frame.hpp"

namespace liegrad::elements {

/// Where the sections at the ends of a beam are.
enum class SectionFrames {
  kAttached,  ///< frames a and b of its nodes, turned and offset: 14 parameters
  kNodes,     ///< the nodes themselves: cheaper
};

/// Slots and parameters of the two ends.
inline std::vector<dae::NodeSlot> beam_nodes(SectionFrames frames) {
  if (frames == SectionFrames::kNodes) {
    return {{dae::NodeRole::kFrame, 0, ""}, {dae::NodeRole::kFrame, 0, ""}};
  }
  return {{dae::NodeRole::kFrame, 0, "a"}, {dae::NodeRole::kFrame, 0, "b"}};
}
inline std::vector<dae::ParameterSpec> beam_frame_parameters(SectionFrames frames) {
  if (frames == SectionFrames::kNodes) return {};
  return joined(frame_parameters("a"), frame_parameters("b"));
}
inline constexpr int num_beam_frame_parameters(SectionFrames frames) {
  return frames == SectionFrames::kNodes ? 0 : 2 * kFrameParameters;
}

/// The section at one end, node 0 or 1 of the element.
template <class S>
lie::Frame<S> section_frame(const dae::Position<S>& at, SectionFrames frames, int node) {
  return frames == SectionFrames::kNodes ? at.frame(node)
                                         : attached_frame(at, node, node * kFrameParameters);
}

/// How that section moves: ω and ω̇ in its own axes, velocity and acceleration of its origin in the
/// inertial frame. Loads on it act on the node.
template <class S>
class BeamEnd {
 public:
  using V3 = lie::Vec<S, 3>;

  BeamEnd(const dae::Motion<S>& at, SectionFrames frames, int node)
      : at_(at), node_(node), frames_(frames), frame(section_frame<S>(at, frames, node)) {
    if (frames == SectionFrames::kNodes) return;
    offset_ = at.parameter3(node * kFrameParameters);
    turn_ = attached_orientation<S>(at, node * kFrameParameters);
  }

  V3 omega() const { return in_section(at_.omega(node_)); }
  V3 omega_dot() const { return in_section(at_.omega_dot(node_)); }
  V3 velocity() const {
    return is_node() ? at_.velocity(node_) : at_.point_velocity(node_, offset_);
  }
  V3 acceleration() const {
    using lie::rotation::cross;
    if (is_node()) return at_.acceleration(node_);
    const V3 omega = at_.omega(node_);
    return at_.acceleration(node_) +
           at_.rotation(node_) * (cross<S>(at_.omega_dot(node_), offset_) +
                                  cross<S>(omega, cross<S>(omega, offset_)));
  }

  /// Adds to M v̇ + g: a force in the inertial frame, a torque in the axes of the section.
  void add(dae::Balance<S>& balance, const V3& force, const V3& torque) const {
    if (is_node()) {
      balance.add_force(node_, force);
      balance.add_torque(node_, torque);
    } else {
      balance.apply_force_at(node_, offset_, -force);
      balance.add_torque(node_, turn_ * torque);
    }
  }

 private:
  bool is_node() const { return frames_ == SectionFrames::kNodes; }
  V3 in_section(const V3& in_node) const {
    return is_node() ? in_node : V3(turn_.transpose() * in_node);
  }

  const dae::Motion<S>& at_;
  int node_;
  SectionFrames frames_;
  V3 offset_;
  lie::Mat<S, 3> turn_;

 public:
  lie::Frame<S> frame;
};

}  // namespace liegrad::elements
