#pragma once

#include <span>
#include <utility>
#include <vector>

#include "liegrad/ad/eigen_alignment.hpp"
#include "liegrad/lie/error.hpp"
#include "liegrad/lie/frame.hpp"
#include "liegrad/lie/group_list.hpp"
#include "liegrad/lie/planar_frame.hpp"

namespace liegrad::dae {

/// The group of a node that cannot move.
inline lie::NodeGroup ground_group() { return lie::NodeGroup::rn(0); }

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
  bool is_ground(int node) const { return group(node) == ground_group(); }
  /// Whether it is in some R^n: it adds its velocity to its position.
  bool is_linear(int node) const { return group(node).kind == lie::GroupKind::kRn; }

  /// The pose of a rigid-body node, SO(3)×R³ or SE(3); of a point in R³, which does not turn; of the
  /// ground, the inertial frame itself.
  lie::Frame<S> frame(int node) const { return {rotation(node), position(node)}; }
  /// The rotation matrix of such a node or of an SO(3) node.
  lie::Mat<S, 3> rotation(int node) const {
    if (is_linear(node)) return lie::Mat<S, 3>::Identity();
    return Eigen::Map<const lie::Mat<S, 3>>(at(nodes_, node).view.data());
  }
  /// The coordinates of an R^n node.
  Eigen::Map<const lie::Vec<S, Eigen::Dynamic>> coordinates(int node) const {
    const auto& view = at(nodes_, node).view;
    return {view.data(), static_cast<Eigen::Index>(view.size())};
  }
  /// The pose of a planar body, SE(2) or (x, y, θ) in R³; of a point in R², which does not turn; of
  /// the ground.
  lie::PlanarFrame<S> planar_frame(int node) const {
    const auto& view = at(nodes_, node).view;
    const auto vector = [&view](std::size_t i) { return lie::Vec<S, 2>(view[i], view[i + 1]); };
    if (is_ground(node)) return {S(1), S(0), lie::Vec<S, 2>::Zero()};
    if (!is_linear(node)) return {view[0], view[1], vector(2)};
    if (group(node).n == 2) return {S(1), S(0), vector(0)};
    using std::cos, std::sin;
    return {cos(view[2]), sin(view[2]), vector(0)};
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

 private:
  V3 position(int node) const {
    if (is_ground(node)) return V3::Zero();
    return Eigen::Map<const V3>(at(nodes_, node).view.data() + (is_linear(node) ? 0 : 9));
  }

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
  using V2 = lie::Vec<S, 2>;
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

  /// Angular velocity and its rate, in the body frame; of a rigid-body node or an SO(3) node, zero for
  /// points and the ground.
  V3 omega(int node) const { return angular(node, this->at(rates_, node).v); }
  V3 omega_dot(int node) const { return angular(node, this->at(rates_, node).v_dot); }
  /// Velocity and acceleration of the origin of a rigid-body node, in the inertial frame.
  V3 velocity(int node) const { return from_native(node, native_velocity(node)); }
  V3 acceleration(int node) const { return from_native(node, native_acceleration(node)); }
  /// The same in the native frame.
  V3 native_velocity(int node) const { return linear(node, this->at(rates_, node).v); }
  V3 native_acceleration(int node) const {
    const V3 rate = linear(node, this->at(rates_, node).v_dot);
    if (!is_se3(node)) return rate;
    return rate + lie::rotation::cross<S>(omega(node), native_velocity(node));
  }
  /// Velocity of a body-fixed point, in the inertial frame.
  V3 point_velocity(int node, const V3& in_body) const {
    return velocity(node) + this->rotation(node) * lie::rotation::cross<S>(omega(node), in_body);
  }
  V3 to_native(int node, const V3& inertial) const {
    return is_se3(node) ? V3(this->rotation(node).transpose() * inertial) : inertial;
  }
  V3 from_native(int node, const V3& native) const {
    return is_se3(node) ? V3(this->rotation(node) * native) : native;
  }

  /// The same of planar bodies, points in R² and the ground: turning rate, and velocities of the origin
  /// or of a body-fixed point in the inertial frame.
  S planar_omega(int node) const { return turning(node, this->at(rates_, node).v); }
  S planar_omega_dot(int node) const { return turning(node, this->at(rates_, node).v_dot); }
  V2 planar_velocity(int node) const { return planar(node, this->at(rates_, node).v); }
  V2 planar_acceleration(int node) const {
    const V2 rate = planar(node, this->at(rates_, node).v_dot);
    if (this->is_linear(node)) return rate;
    return rate + planar_omega(node) * right_angle(planar_velocity(node));
  }
  V2 planar_point_velocity(int node, const V2& in_body) const {
    return planar_velocity(node) +
           planar_omega(node) * right_angle(this->planar_frame(node).direction(in_body));
  }

  /// λ of the element's own constraints, then of those it reads.
  const S& multiplier(int i) const { return this->at(multipliers_, i); }
  V3 multiplier3(int first) const {
    return {multiplier(first), multiplier(first + 1), multiplier(first + 2)};
  }
  /// The algebraic states s.
  const S& algebraic(int i) const { return this->at(algebraic_, i); }

 private:
  V3 angular(int node, const std::vector<S>& v) const {
    if (this->is_linear(node)) return V3::Zero();
    return {v.at(0), v.at(1), v.at(2)};
  }
  V3 linear(int node, const std::vector<S>& v) const {
    if (this->is_ground(node)) return V3::Zero();
    const std::size_t first = this->is_linear(node) ? 0 : 3;
    return {v.at(first), v.at(first + 1), v.at(first + 2)};
  }
  S turning(int node, const std::vector<S>& v) const {
    if (!this->is_linear(node)) return v.at(0);
    return v.size() == 3 ? v.at(2) : S(0);
  }
  V2 planar(int node, const std::vector<S>& v) const {
    if (this->is_ground(node)) return V2::Zero();
    if (this->is_linear(node)) return {v.at(0), v.at(1)};
    return this->planar_frame(node).direction(V2(v.at(1), v.at(2)));
  }
  static V2 right_angle(const V2& x) { return {-x(1), x(0)}; }
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
  using V2 = lie::Vec<S, 2>;
  using V3 = lie::Vec<S, 3>;

  explicit Balance(const Motion<S>& at, int num_nodes) : at_(at) {
    for (int i = 0; i < num_nodes; ++i) {
      rows_.emplace_back(static_cast<std::size_t>(at.group(i).dof()), S(0));
    }
  }

  /// In the body frame; of a rigid-body node or an SO(3) node. Points and the ground take no torque.
  void add_torque(int node, const V3& torque) {
    if (!at_.is_linear(node)) add(node, 0, torque);
  }
  void apply_torque(int node, const V3& torque) { add_torque(node, -torque); }
  /// At the origin of a rigid-body node or a point, in the inertial frame.
  void add_force(int node, const V3& force) { add_native_force(node, at_.to_native(node, force)); }
  void apply_force(int node, const V3& force) { add_force(node, -force); }
  /// The same in the native frame.
  void add_native_force(int node, const V3& force) {
    if (!at_.is_ground(node)) add(node, at_.is_linear(node) ? 0 : 3, force);
  }
  /// At a body-fixed point, force in the inertial frame.
  void apply_force_at(int node, const V3& point_in_body, const V3& force) {
    apply_force(node, force);
    apply_torque(node,
                 lie::rotation::cross<S>(point_in_body, at_.rotation(node).transpose() * force));
  }

  /// The same of planar bodies, points in R² and the ground.
  void add_planar_torque(int node, const S& torque) {
    if (!at_.is_linear(node)) {
      row(node, 0) += torque;
    } else if (at_.group(node).n == 3) {
      row(node, 2) += torque;
    }
  }
  void apply_planar_torque(int node, const S& torque) { add_planar_torque(node, -torque); }
  void add_planar_force(int node, const V2& force) {
    if (at_.is_ground(node)) return;
    const bool linear = at_.is_linear(node);
    const V2 own = linear ? force : at_.planar_frame(node).in_body(force);
    for (int i = 0; i < 2; ++i) row(node, (linear ? 0 : 1) + i) += own(i);
  }
  void apply_planar_force(int node, const V2& force) { add_planar_force(node, -force); }
  void apply_planar_force_at(int node, const V2& point_in_body, const V2& force) {
    apply_planar_force(node, force);
    const V2 arm = at_.planar_frame(node).direction(point_in_body);
    apply_planar_torque(node, arm(0) * force(1) - arm(1) * force(0));
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
