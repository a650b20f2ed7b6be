#pragma once

#include <span>
#include <utility>
#include <vector>

#include "liegrad/lie/error.hpp"
#include "liegrad/lie/frame.hpp"
#include "liegrad/lie/group_list.hpp"

namespace liegrad::dae {

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

/// Where the nodes of an element are, and everything else that a constraint may depend on.
template <lie::Scalar S>
class Position {
 public:
  using V3 = lie::Vec<S, 3>;
  struct Node {
    lie::NodeGroup group;
    std::vector<S> view;
  };

  Position(std::vector<Node> nodes, std::vector<S> parameters, std::vector<S> controls, S time)
      : nodes_(std::move(nodes)),
        parameters_(std::move(parameters)),
        controls_(std::move(controls)),
        time_(std::move(time)) {}

  const lie::NodeGroup& group(int node) const { return at(nodes_, node).group; }

  /// The pose of a rigid-body node, SO(3)×R³ or SE(3).
  lie::Frame<S> frame(int node) const { return {rotation(node), vector(node, 9)}; }
  /// The rotation matrix of a rigid-body node or of an SO(3) node.
  lie::Mat<S, 3> rotation(int node) const {
    return Eigen::Map<const lie::Mat<S, 3>>(at(nodes_, node).view.data());
  }
  /// The coordinates of an R^n node.
  Eigen::Map<const lie::Vec<S, Eigen::Dynamic>> coordinates(int node) const {
    const auto& view = at(nodes_, node).view;
    return {view.data(), static_cast<Eigen::Index>(view.size())};
  }
  /// Of a planar node (SO(2), SE(2)): its rotation matrix; of SE(2): its position.
  lie::Mat<S, 2> planar_rotation(int node) const {
    const auto& view = at(nodes_, node).view;
    lie::Mat<S, 2> matrix;
    matrix << view[0], -view[1], view[1], view[0];
    return matrix;
  }
  lie::Vec<S, 2> planar_position(int node) const {
    return Eigen::Map<const lie::Vec<S, 2>>(at(nodes_, node).view.data() + 2);
  }

  const S& parameter(int i) const { return at(parameters_, i); }
  /// Three parameters in a row as a vector.
  V3 parameter3(int first) const {
    return {parameter(first), parameter(first + 1), parameter(first + 2)};
  }
  const S& control(int i) const { return at(controls_, i); }
  const S& time() const { return time_; }

 protected:
  template <class T>
  static const T& at(const std::vector<T>& list, int i) {
    return list.at(static_cast<std::size_t>(i));
  }
  V3 vector(int node, int first) const {
    return Eigen::Map<const V3>(at(nodes_, node).view.data() + first);
  }

 private:
  std::vector<Node> nodes_;
  std::vector<S> parameters_, controls_;
  S time_;
};

/// How the nodes of an element move: what a force may depend on.
///
/// Velocities of a rigid-body node can be read in the same terms for both of its groups; "native" is
/// the frame that its translational velocities belong to, inertial for SO(3)×R³, body for SE(3).
template <lie::Scalar S>
class Motion : public Position<S> {
 public:
  using V3 = lie::Vec<S, 3>;
  using Coordinates = Eigen::Map<const lie::Vec<S, Eigen::Dynamic>>;
  struct Rates {
    std::vector<S> v, v_dot;
  };

  Motion(Position<S> position, std::vector<Rates> rates, std::vector<S> multipliers,
         std::vector<S> algebraic)
      : Position<S>(std::move(position)),
        rates_(std::move(rates)),
        multipliers_(std::move(multipliers)),
        algebraic_(std::move(algebraic)) {}

  /// v and v̇ of a node, in the coordinates of its Lie algebra.
  Coordinates velocity_coordinates(int node) const { return map(this->at(rates_, node).v); }
  Coordinates acceleration_coordinates(int node) const { return map(this->at(rates_, node).v_dot); }

  /// Angular velocity and its rate, in the body frame; of a rigid-body node or an SO(3) node.
  V3 omega(int node) const { return head(this->at(rates_, node).v); }
  V3 omega_dot(int node) const { return head(this->at(rates_, node).v_dot); }
  /// Velocity and acceleration of the origin of a rigid-body node, in the inertial frame.
  V3 velocity(int node) const { return from_native(node, tail(this->at(rates_, node).v)); }
  V3 acceleration(int node) const { return from_native(node, native_acceleration(node)); }
  /// The same in the native frame.
  V3 native_velocity(int node) const { return tail(this->at(rates_, node).v); }
  V3 native_acceleration(int node) const {
    const V3 rate = tail(this->at(rates_, node).v_dot);
    if (!is_se3(node)) return rate;
    return rate + lie::rotation::cross<S>(omega(node), tail(this->at(rates_, node).v));
  }
  V3 to_native(int node, const V3& inertial) const {
    return is_se3(node) ? V3(this->rotation(node).transpose() * inertial) : inertial;
  }
  V3 from_native(int node, const V3& native) const {
    return is_se3(node) ? V3(this->rotation(node) * native) : native;
  }

  /// λ of the element's own constraints, then of those it reads.
  const S& multiplier(int i) const { return this->at(multipliers_, i); }
  V3 multiplier3(int first) const {
    return {multiplier(first), multiplier(first + 1), multiplier(first + 2)};
  }
  /// The algebraic states s.
  const S& algebraic(int i) const { return this->at(algebraic_, i); }

 private:
  static V3 head(const std::vector<S>& v) { return {v.at(0), v.at(1), v.at(2)}; }
  static V3 tail(const std::vector<S>& v) { return {v.at(3), v.at(4), v.at(5)}; }
  static Coordinates map(const std::vector<S>& v) {
    return {v.data(), static_cast<Eigen::Index>(v.size())};
  }
  bool is_se3(int node) const { return this->group(node).kind == lie::GroupKind::kSE3; }

  std::vector<Rates> rates_;
  std::vector<S> multipliers_, algebraic_;
};

/// The left side of the equations of motion of the nodes of an element, M v̇ + g + Bᵀλ = 0: an
/// element adds its inertia and its internal forces, and applies its loads (which stand on the right).
template <lie::Scalar S>
class Balance {
 public:
  using V3 = lie::Vec<S, 3>;

  explicit Balance(const Motion<S>& at, int num_nodes) : at_(at) {
    for (int i = 0; i < num_nodes; ++i) {
      rows_.emplace_back(static_cast<std::size_t>(at.group(i).dof()), S(0));
    }
  }

  /// In the body frame; of a rigid-body node or an SO(3) node.
  void add_torque(int node, const V3& torque) { add(node, 0, torque); }
  void apply_torque(int node, const V3& torque) { add(node, 0, -torque); }
  /// At the origin of a rigid-body node, in the inertial frame.
  void add_force(int node, const V3& force) { add(node, 3, at_.to_native(node, force)); }
  void apply_force(int node, const V3& force) { add(node, 3, -at_.to_native(node, force)); }
  /// The same in the native frame.
  void add_native_force(int node, const V3& force) { add(node, 3, force); }
  /// At a body-fixed point, force in the inertial frame.
  void apply_force_at(int node, const V3& point_in_body, const V3& force) {
    apply_force(node, force);
    apply_torque(node,
                 lie::rotation::cross<S>(point_in_body, at_.rotation(node).transpose() * force));
  }
  /// One equation of any node, in the coordinates of its Lie algebra.
  S& row(int node, int i) {
    return rows_.at(static_cast<std::size_t>(node)).at(static_cast<std::size_t>(i));
  }
  const std::vector<std::vector<S>>& rows() const { return rows_; }

 private:
  void add(int node, int first, const V3& value) {
    for (int i = 0; i < 3; ++i) row(node, first + i) += value(i);
  }

  const Motion<S>& at_;
  std::vector<std::vector<S>> rows_;
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
