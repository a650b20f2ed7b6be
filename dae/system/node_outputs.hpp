#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <span>
#include <vector>

#include "liegrad/dae/system/element_shape.hpp"
#include "liegrad/lie/group_list.hpp"
#include "liegrad/lie/rotation_tangent.hpp"

namespace liegrad::dae {

/// φ of (cos φ, sin φ). It is recorded by a formula that is finite in all of its branches, with the same value also where
/// the angle jumps.
template <class S>
S angle_of(const S& cosine, const S& sine) {
  if constexpr (std::floating_point<S>) {
    return std::atan2(sine, cosine);
  } else {
    return lie::SO2<S>::from_coeffs({cosine, sine}).angle();
  }
}

/// The outputs of a node, in the order of their values; names without that of the node.
std::vector<OutputSpec> node_output_specs(const lie::NodeGroup& group);
/// Of values.
int num_node_outputs(const lie::NodeGroup& group);

/// Writes these values to the front of `out`; returns how many.
template <class S>
std::size_t node_outputs(const lie::NodeGroup& group, std::span<const S> q, std::span<const S> v,
                         std::span<const S> v_dot, std::span<S> out) {
  auto next = out.begin();
  const auto put = [&next](const auto& numbers) {
    for (const S& number : numbers) *next++ = number;
  };
  const auto rotation = [&q] {
    return lie::SO3<S>::from_coeffs(lie::Vec<S, 4>(q[0], q[1], q[2], q[3]));
  };
  switch (group.kind) {
    case lie::GroupKind::kRn:
      put(q);
      put(v);
      put(v_dot);
      break;
    case lie::GroupKind::kSO2:
      put(std::array<S, 3>{angle_of<S>(q[0], q[1]), v[0], v_dot[0]});
      break;
    case lie::GroupKind::kSE2: {
      const auto put_turned = [&](const S& x, const S& y) {
        put(std::array<S, 2>{q[0] * x - q[1] * y, q[1] * x + q[0] * y});
      };
      put(q.subspan(2, 2));
      put(std::array<S, 2>{angle_of<S>(q[0], q[1]), v[0]});
      put_turned(v[1], v[2]);
      put(v_dot.first(1));
      // The frame of the velocities turns.
      put_turned(v_dot[1] - v[0] * v[2], v_dot[2] + v[0] * v[1]);
      break;
    }
    case lie::GroupKind::kSO3:
      // As written everywhere: with a scalar part that is not negative.
      put(rotation().quaternion());
      put(v);
      put(v_dot);
      break;
    case lie::GroupKind::kSO3xR3:
    case lie::GroupKind::kSE3: {
      put(q.subspan(4, 3));
      put(rotation().quaternion());
      put(v.first(3));
      lie::Vec<S, 3> u(v[3], v[4], v[5]), u_dot(v_dot[3], v_dot[4], v_dot[5]);
      if (group.kind == lie::GroupKind::kSE3) {
        const lie::Vec<S, 3> omega(v[0], v[1], v[2]);
        // The frame of the velocities turns.
        const lie::Mat<S, 3> turn = rotation().matrix();
        u_dot = (turn * (u_dot + lie::rotation::cross<S>(omega, u)).eval()).eval();
        u = (turn * u).eval();
      }
      put(u);
      put(v_dot.first(3));
      put(u_dot);
      break;
    }
  }
  return static_cast<std::size_t>(next - out.begin());
}

}  // namespace liegrad::dae
