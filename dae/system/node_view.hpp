#pragma once

#include <algorithm>
#include <span>

#include "liegrad/lie/frame.hpp"
#include "liegrad/lie/group_list.hpp"

namespace liegrad::dae {

/// The group of a node that cannot move.
inline lie::NodeGroup ground_group() { return lie::NodeGroup::rn(0); }

// What nodes are, by their groups.

inline bool is_linear(const lie::NodeGroup& group) { return group.kind == lie::GroupKind::kRn; }
/// SO(3)×R³ or SE(3).
inline bool is_rigid_body(const lie::NodeGroup& group) {
  return group.kind == lie::GroupKind::kSO3xR3 || group.kind == lie::GroupKind::kSE3;
}
/// SE(2), or (x, y, θ) in R³.
inline bool is_planar_body(const lie::NodeGroup& group) {
  return group.kind == lie::GroupKind::kSE2 || group == lie::NodeGroup::rn(3);
}
/// A rigid body, a point in R³ or the ground.
inline bool has_frame(const lie::NodeGroup& group) {
  return is_rigid_body(group) || group == lie::NodeGroup::rn(3) || group == ground_group();
}
/// A rigid body or a rotation; a point in R³ and the ground, which do not turn.
inline bool has_rotation(const lie::NodeGroup& group) {
  return has_frame(group) || group.kind == lie::GroupKind::kSO3;
}
/// A planar body, a point in R² or the ground.
inline bool has_planar_frame(const lie::NodeGroup& group) {
  return is_planar_body(group) || group == lie::NodeGroup::rn(2) || group == ground_group();
}

/// A configuration as physics reads it: of a rotation its matrix, of a pose its frame, of R^n the
/// coordinates. The numbers of a node stand one after the other: a matrix column by column, then the
/// position.
struct NodeView {
  static int size(const lie::NodeGroup& group);

  /// From the coefficients of the group element.
  template <lie::Scalar S>
  static void of(const lie::NodeGroup& group, std::span<const S> coeffs, std::span<S> view);
  /// The view of q∘exp(δ), given that of q.
  template <lie::Scalar S>
  static void displaced(const lie::NodeGroup& group, std::span<const S> view,
                        std::span<const S> delta, std::span<S> out);
};

inline int NodeView::size(const lie::NodeGroup& group) {
  switch (group.kind) {
    case lie::GroupKind::kRn: return group.n;
    case lie::GroupKind::kSO2: return 2;
    case lie::GroupKind::kSO3: return 9;
    case lie::GroupKind::kSE2: return 4;
    case lie::GroupKind::kSO3xR3:
    case lie::GroupKind::kSE3: return 12;
  }
  return 0;
}

template <lie::Scalar S>
void NodeView::of(const lie::NodeGroup& group, std::span<const S> coeffs, std::span<S> view) {
  const auto store_frame = [&]<class G>(const G& pose) {
    Eigen::Map<lie::Mat<S, 3>>(view.data()) = pose.rotation().matrix();
    Eigen::Map<lie::Vec<S, 3>>(view.data() + 9) = pose.translation();
  };
  switch (group.kind) {
    case lie::GroupKind::kRn:
    case lie::GroupKind::kSO2:
    case lie::GroupKind::kSE2: std::copy_n(coeffs.begin(), size(group), view.begin()); break;
    case lie::GroupKind::kSO3:
      Eigen::Map<lie::Mat<S, 3>>(view.data()) =
          lie::SO3<S>::from_coeffs(Eigen::Map<const lie::Vec<S, 4>>(coeffs.data())).matrix();
      break;
    case lie::GroupKind::kSO3xR3:
      store_frame(lie::SO3xR3<S>::from_coeffs(Eigen::Map<const lie::Vec<S, 7>>(coeffs.data())));
      break;
    case lie::GroupKind::kSE3:
      store_frame(lie::SE3<S>::from_coeffs(Eigen::Map<const lie::Vec<S, 7>>(coeffs.data())));
      break;
  }
}

template <lie::Scalar S>
void NodeView::displaced(const lie::NodeGroup& group, std::span<const S> view,
                         std::span<const S> delta, std::span<S> out) {
  const auto frame = [&] {
    return lie::Frame<S>{Eigen::Map<const lie::Mat<S, 3>>(view.data()),
                         Eigen::Map<const lie::Vec<S, 3>>(view.data() + 9)};
  };
  const auto store = [&](const lie::Frame<S>& result) {
    Eigen::Map<lie::Mat<S, 3>>(out.data()) = result.rotation;
    Eigen::Map<lie::Vec<S, 3>>(out.data() + 9) = result.position;
  };
  switch (group.kind) {
    case lie::GroupKind::kRn:
      for (std::size_t i = 0; i < static_cast<std::size_t>(group.n); ++i) {
        out[i] = view[i] + delta[i];
      }
      break;
    case lie::GroupKind::kSO3: {
      const lie::Vec<S, 3> omega(delta[0], delta[1], delta[2]);
      const auto c = lie::rotation::stumpff_of<3, S>(omega);
      const lie::Mat<S, 3> turned = Eigen::Map<const lie::Mat<S, 3>>(view.data()) *
                                    lie::rotation::quadratic<S>(c(1), c(2), omega);
      Eigen::Map<lie::Mat<S, 3>>(out.data()) = turned;
      break;
    }
    case lie::GroupKind::kSO2: {
      const auto g = lie::SO2<S>::from_coeffs(Eigen::Map<const lie::Vec<S, 2>>(view.data())) *
                     lie::SO2<S>::exp(Eigen::Map<const lie::Vec<S, 1>>(delta.data()));
      Eigen::Map<lie::Vec<S, 2>>(out.data()) = g.coeffs();
      break;
    }
    case lie::GroupKind::kSE2: {
      const auto g = lie::SE2<S>::from_coeffs(Eigen::Map<const lie::Vec<S, 4>>(view.data())) *
                     lie::SE2<S>::exp(Eigen::Map<const lie::Vec<S, 3>>(delta.data()));
      Eigen::Map<lie::Vec<S, 4>>(out.data()) = g.coeffs();
      break;
    }
    case lie::GroupKind::kSO3xR3:
      store(
          frame().template displaced<lie::SO3xR3>(Eigen::Map<const lie::Vec<S, 6>>(delta.data())));
      break;
    case lie::GroupKind::kSE3:
      store(frame().template displaced<lie::SE3>(Eigen::Map<const lie::Vec<S, 6>>(delta.data())));
      break;
  }
}

}  // namespace liegrad::dae
