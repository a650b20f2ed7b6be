#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "liegrad/ad/eigen_alignment.hpp"
#include "liegrad/dae/system/element_access.hpp"
#include "liegrad/dae/system/node_view.hpp"
#include "liegrad/lie/planar_frame.hpp"

namespace liegrad::dae {

/// Where the nodes of an element are, and everything else that a constraint may depend on. Nodes, parameters
/// and all else are counted from 0 in the order of the shape(). What is not there, or not of the kind that a
/// function reads, throws InvalidArgument.
template <lie::Scalar S>
class Position {
 public:
  using V3 = lie::Vec<S, 3>;
  struct Node {
    lie::NodeGroup group;
    std::vector<S> view;
  };

  /// `owner` begins the sentences about mistakes. Without `parameter_names`, parameters are read by number only.
  Position(std::vector<Node> nodes, std::vector<S> parameters, std::vector<S> controls, S time,
           std::string owner = "an element", std::vector<std::string> parameter_names = {})
      : access_(std::move(owner)),
        nodes_(std::move(nodes)),
        parameters_(std::move(parameters)),
        parameter_names_(std::move(parameter_names)),
        controls_(std::move(controls)),
        time_(std::move(time)) {}

  const lie::NodeGroup& group(int node) const { return node_at(node, "group").group; }
  bool is_ground(int node) const { return node_at(node, "is_ground").group == ground_group(); }
  /// Whether it is in some R^n: it adds its velocity to its position.
  bool is_linear(int node) const { return dae::is_linear(node_at(node, "is_linear").group); }

  /// The pose of a rigid-body node, SO(3)×R³ or SE(3); of a point in R³, which does not turn; of the
  /// ground, the inertial frame itself.
  lie::Frame<S> frame(int node) const {
    require(node, "frame", has_frame, kFrames);
    return {rotation(node), position(node)};
  }
  /// The rotation matrix of such a node or of an SO(3) node.
  lie::Mat<S, 3> rotation(int node) const {
    require(node, "rotation", has_rotation, kRotations);
    if (is_linear(node)) return lie::Mat<S, 3>::Identity();
    return Eigen::Map<const lie::Mat<S, 3>>(view(node).data());
  }
  /// The coordinates of an R^n node.
  Coordinates<S> coordinates(int node) const {
    require(node, "coordinates", dae::is_linear, "nodes in R^n");
    return numbers(view(node), "coordinates", node);
  }
  /// The pose of a planar body, SE(2) or (x, y, θ) in R³; of a point in R², which does not turn; of
  /// the ground.
  lie::PlanarFrame<S> planar_frame(int node) const {
    require(node, "planar_frame", has_planar_frame, kPlanarFrames);
    const std::vector<S>& x = view(node);
    const auto vector = [&x](std::size_t i) { return lie::Vec<S, 2>(x[i], x[i + 1]); };
    if (is_ground(node)) return {S(1), S(0), lie::Vec<S, 2>::Zero()};
    if (!is_linear(node)) return {x[0], x[1], vector(2)};
    if (group(node).n == 2) return {S(1), S(0), vector(0)};
    using std::cos, std::sin;
    return {cos(x[2]), sin(x[2]), vector(0)};
  }

  /// By its name in the shape(). The search costs nothing in a run: functions are called once, to be recorded.
  const S& parameter(std::string_view name) const {
    return parameters_[access_.parameter_index(parameter_names_, name)];
  }
  /// The vector of `name`1, `name`2 and `name`3.
  V3 parameter3(std::string_view name) const {
    const auto component = [&](const char* i) { return parameter(std::string(name) + i); };
    return {component("1"), component("2"), component("3")};
  }
  const S& parameter(int i) const {
    return access_.entry(parameters_, i, "parameter", "its parameters");
  }
  /// Three parameters in a row as a vector.
  V3 parameter3(int first) const {
    return {parameter(first), parameter(first + 1), parameter(first + 2)};
  }
  const S& control(int i) const { return access_.entry(controls_, i, "control", "its controls"); }
  const S& time() const { return time_; }

  const ElementAccess& access() const { return access_; }

 protected:
  static constexpr const char* kFrames = "rigid bodies, points in R^3 and the ground";
  static constexpr const char* kRotations = "rigid bodies, rotations, points in R^3 and the ground";
  static constexpr const char* kPlanarFrames = "planar bodies, points in R^2 and the ground";

  const Node& node_at(int node, const char* call) const {
    return access_.entry(nodes_, node, call, "its nodes");
  }
  void require(int node, const char* call, bool (*fits)(const lie::NodeGroup&),
               const char* wanted) const {
    const lie::NodeGroup& group = node_at(node, call).group;
    access_.require(fits(group), call, node, group, wanted);
  }
  Coordinates<S> numbers(const std::vector<S>& list, const char* call, int node) const {
    return {list, access_, call + ("(" + std::to_string(node) + ")")};
  }

 private:
  /// The rows that an element adds to are checked like what it reads.
  template <lie::Scalar>
  friend class Balance;
  friend class ElementCheck;

  const std::vector<S>& view(int node) const { return nodes_[static_cast<std::size_t>(node)].view; }
  V3 position(int node) const {
    if (is_ground(node)) return V3::Zero();
    return Eigen::Map<const V3>(view(node).data() + (is_linear(node) ? 0 : 9));
  }

  ElementAccess access_;
  std::vector<Node> nodes_;
  std::vector<S> parameters_;
  std::vector<std::string> parameter_names_;
  std::vector<S> controls_;
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
  Coordinates<S> velocity_coordinates(int node) const {
    return this->numbers(rates(node, "velocity_coordinates").v, "velocity_coordinates", node);
  }
  Coordinates<S> acceleration_coordinates(int node) const {
    const char* const call = "acceleration_coordinates";
    return this->numbers(rates(node, call).v_dot, call, node);
  }

  /// Angular velocity and its rate, in the body frame; of a rigid-body node or an SO(3) node, zero for
  /// points and the ground.
  V3 omega(int node) const { return angular(node, turning_rates(node, "omega").v); }
  V3 omega_dot(int node) const { return angular(node, turning_rates(node, "omega_dot").v_dot); }
  /// Velocity and acceleration of the origin of a rigid-body node, in the inertial frame.
  V3 velocity(int node) const {
    return from_native(node, linear(node, frame_rates(node, "velocity").v));
  }
  V3 acceleration(int node) const {
    (void)frame_rates(node, "acceleration");
    return from_native(node, native_acceleration(node));
  }
  /// The same in the native frame.
  V3 native_velocity(int node) const {
    return linear(node, frame_rates(node, "native_velocity").v);
  }
  V3 native_acceleration(int node) const {
    const V3 rate = linear(node, frame_rates(node, "native_acceleration").v_dot);
    if (!is_se3(node)) return rate;
    return rate + lie::rotation::cross<S>(omega(node), native_velocity(node));
  }
  /// Velocity of a body-fixed point, in the inertial frame.
  V3 point_velocity(int node, const V3& in_body) const {
    (void)frame_rates(node, "point_velocity");
    return velocity(node) + this->rotation(node) * lie::rotation::cross<S>(omega(node), in_body);
  }
  V3 to_native(int node, const V3& inertial) const {
    (void)frame_rates(node, "to_native");
    return is_se3(node) ? V3(this->rotation(node).transpose() * inertial) : inertial;
  }
  V3 from_native(int node, const V3& native) const {
    (void)frame_rates(node, "from_native");
    return is_se3(node) ? V3(this->rotation(node) * native) : native;
  }

  /// The same of planar bodies, points in R² and the ground: turning rate, and velocities of the origin
  /// or of a body-fixed point in the inertial frame.
  S planar_omega(int node) const { return turning(node, planar_rates(node, "planar_omega").v); }
  S planar_omega_dot(int node) const {
    return turning(node, planar_rates(node, "planar_omega_dot").v_dot);
  }
  V2 planar_velocity(int node) const {
    return planar(node, planar_rates(node, "planar_velocity").v);
  }
  V2 planar_acceleration(int node) const {
    const V2 rate = planar(node, planar_rates(node, "planar_acceleration").v_dot);
    if (this->is_linear(node)) return rate;
    return rate + planar_omega(node) * right_angle(planar_velocity(node));
  }
  V2 planar_point_velocity(int node, const V2& in_body) const {
    (void)planar_rates(node, "planar_point_velocity");
    return planar_velocity(node) +
           planar_omega(node) * right_angle(this->planar_frame(node).direction(in_body));
  }

  /// λ of the element's own constraints, then of those it reads.
  const S& multiplier(int i) const {
    return this->access().entry(multipliers_, i, "multiplier", "its multipliers");
  }
  V3 multiplier3(int first) const {
    return {multiplier(first), multiplier(first + 1), multiplier(first + 2)};
  }
  /// The algebraic states s.
  const S& algebraic(int i) const {
    return this->access().entry(algebraic_, i, "algebraic", "its algebraic states");
  }

 private:
  const Rates& rates(int node, const char* call) const {
    return this->access().entry(rates_, node, call, "its nodes");
  }
  const Rates& rates_that(int node, const char* call, bool (*fits)(const lie::NodeGroup&),
                          const char* wanted) const {
    this->require(node, call, fits, wanted);
    return rates(node, call);
  }
  const Rates& turning_rates(int node, const char* call) const {
    return rates_that(node, call, has_rotation, this->kRotations);
  }
  const Rates& frame_rates(int node, const char* call) const {
    return rates_that(node, call, has_frame, this->kFrames);
  }
  const Rates& planar_rates(int node, const char* call) const {
    return rates_that(node, call, has_planar_frame, this->kPlanarFrames);
  }

  V3 angular(int node, const std::vector<S>& v) const {
    if (this->is_linear(node)) return V3::Zero();
    return {v[0], v[1], v[2]};
  }
  V3 linear(int node, const std::vector<S>& v) const {
    if (this->is_ground(node)) return V3::Zero();
    const std::size_t first = this->is_linear(node) ? 0 : 3;
    return {v[first], v[first + 1], v[first + 2]};
  }
  S turning(int node, const std::vector<S>& v) const {
    if (!this->is_linear(node)) return v[0];
    return v.size() == 3 ? v[2] : S(0);
  }
  V2 planar(int node, const std::vector<S>& v) const {
    if (this->is_ground(node)) return V2::Zero();
    if (this->is_linear(node)) return {v[0], v[1]};
    return this->planar_frame(node).direction(V2(v[1], v[2]));
  }
  static V2 right_angle(const V2& x) { return {-x(1), x(0)}; }
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
    at_.require(node, "add_torque", has_rotation, at_.kRotations);
    if (!at_.is_linear(node)) add(node, 0, torque);
  }
  void apply_torque(int node, const V3& torque) {
    at_.require(node, "apply_torque", has_rotation, at_.kRotations);
    add_torque(node, -torque);
  }
  /// At the origin of a rigid-body node or a point, in the inertial frame.
  void add_force(int node, const V3& force) {
    at_.require(node, "add_force", has_frame, at_.kFrames);
    add_native_force(node, at_.to_native(node, force));
  }
  void apply_force(int node, const V3& force) {
    at_.require(node, "apply_force", has_frame, at_.kFrames);
    add_force(node, -force);
  }
  /// The same in the native frame.
  void add_native_force(int node, const V3& force) {
    at_.require(node, "add_native_force", has_frame, at_.kFrames);
    if (!at_.is_ground(node)) add(node, at_.is_linear(node) ? 0 : 3, force);
  }
  /// At a body-fixed point, force in the inertial frame.
  void apply_force_at(int node, const V3& point_in_body, const V3& force) {
    at_.require(node, "apply_force_at", has_frame, at_.kFrames);
    apply_force(node, force);
    apply_torque(node,
                 lie::rotation::cross<S>(point_in_body, at_.rotation(node).transpose() * force));
  }

  /// The same of planar bodies, points in R² and the ground.
  void add_planar_torque(int node, const S& torque) {
    at_.require(node, "add_planar_torque", has_planar_frame, at_.kPlanarFrames);
    if (!at_.is_linear(node)) {
      row(node, 0) += torque;
    } else if (at_.group(node).n == 3) {
      row(node, 2) += torque;
    }
  }
  void apply_planar_torque(int node, const S& torque) {
    at_.require(node, "apply_planar_torque", has_planar_frame, at_.kPlanarFrames);
    add_planar_torque(node, -torque);
  }
  void add_planar_force(int node, const V2& force) {
    at_.require(node, "add_planar_force", has_planar_frame, at_.kPlanarFrames);
    if (at_.is_ground(node)) return;
    const bool linear = at_.is_linear(node);
    const V2 own = linear ? force : at_.planar_frame(node).in_body(force);
    for (int i = 0; i < 2; ++i) row(node, (linear ? 0 : 1) + i) += own(i);
  }
  void apply_planar_force(int node, const V2& force) {
    at_.require(node, "apply_planar_force", has_planar_frame, at_.kPlanarFrames);
    add_planar_force(node, -force);
  }
  void apply_planar_force_at(int node, const V2& point_in_body, const V2& force) {
    at_.require(node, "apply_planar_force_at", has_planar_frame, at_.kPlanarFrames);
    apply_planar_force(node, force);
    const V2 arm = at_.planar_frame(node).direction(point_in_body);
    apply_planar_torque(node, arm(0) * force(1) - arm(1) * force(0));
  }

  /// One equation of any node, in the coordinates of its Lie algebra.
  S& row(int node, int i) {
    const std::vector<S>& rows = at_.access().entry(rows_, node, "row", "its nodes");
    if (i < 0 || i >= std::ssize(rows)) {
      at_.access().refuse_index("row(" + std::to_string(node) + ", " + std::to_string(i) + ")",
                                "the equations of that node", rows.size());
    }
    return rows_[static_cast<std::size_t>(node)][static_cast<std::size_t>(i)];
  }
  const std::vector<std::vector<S>>& rows() const { return rows_; }

 private:
  void add(int node, int first, const V3& value) {
    for (int i = 0; i < 3; ++i) row(node, first + i) += value(i);
  }

  const Motion<S>& at_;
  std::vector<std::vector<S>> rows_;
};

}  // namespace liegrad::dae
