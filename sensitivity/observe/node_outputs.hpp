#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <span>

#include "liegrad/lie/group_list.hpp"
#include "liegrad/lie/rotation_tangent.hpp"

namespace liegrad::sensitivity {

/// φ of (cos φ, sin φ). The value is that of dae::Outputs, also where the angle jumps; it is recorded by a
/// formula that is finite in all of its branches.
template <class S>
S angle_of(const S& cosine, const S& sine) {
  if constexpr (std::floating_point<S>) {
    return std::atan2(sine, cosine);
  } else {
    return lie::SO2<S>::from_coeffs({cosine, sine}).angle();
  }
}

/// How many outputs a node has, as dae::Outputs lists them.
int num_node_outputs(const lie::NodeGroup& group);

/// These outputs.
template <class S>
void node_outputs(const lie::NodeGroup& group, std::span<const S> q, std::span<const S> v,
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
      put_turned(v_dot[1] - v[0] * v[2], v_dot[2] + v[0] * v[1]);
      break;
    }
    case lie::GroupKind::kSO3:
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
}

}  // namespace liegrad::sensitivity
