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
           std::string owner = "an element", std::vector<std::string> parameter_names = {});

  const lie::NodeGroup& group(int node) const { return node_at(node, "group").group; }
  bool is_ground(int node) const { return node_at(node, "is_ground").group == ground_group(); }
  /// Whether it is in some R^n: it adds its velocity to its position.
  bool is_linear(int node) const { return dae::is_linear(node_at(node, "is_linear").group); }

  /// The pose of a rigid-body node, SO(3)×R³ or SE(3); of a point in R³, which does not turn; of the
  /// ground, the inertial frame itself.
  lie::Frame<S> frame(int node) const;
  /// The rotation matrix of such a node or of an SO(3) node.
  lie::Mat<S, 3> rotation(int node) const;
  /// The coordinates of an R^n node.
  Coordinates<S> coordinates(int node) const;
  /// The pose of a planar body, SE(2) or (x, y, θ) in R³; of a point in R², which does not turn; of
  /// the ground.
  lie::PlanarFrame<S> planar_frame(int node) const;

  /// By its name in the shape(). The search costs nothing in a run: functions are called once, to be recorded.
  const S& parameter(std::string_view name) const;
  /// The vector of `name`1, `name`2 and `name`3.
  V3 parameter3(std::string_view name) const;
  const S& parameter(int i) const;
  /// Three parameters in a row as a vector.
  V3 parameter3(int first) const;
  const S& control(int i) const;
  const S& time() const { return time_; }

  const ElementAccess& access() const { return access_; }

 protected:
  static constexpr const char* kFrames = "rigid bodies, points in R^3 and the ground";
  static constexpr const char* kRotations = "rigid bodies, rotations, points in R^3 and the ground";
  static constexpr const char* kPlanarFrames = "planar bodies, points in R^2 and the ground";

  const Node& node_at(int node, const char* call) const;
  void require(int node, const char* call, bool (*fits)(const lie::NodeGroup&),
               const char* wanted) const;
  Coordinates<S> numbers(const std::vector<S>& list, const char* call, int node) const;

 private:
  /// The rows that an element adds to are checked like what it reads.
  template <lie::Scalar>
  friend class Balance;
  friend class ElementCheck;

  const std::vector<S>& view(int node) const;
  V3 position(int node) const;

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
         std::vector<S> algebraic);

  /// v and v̇ of a node, in the coordinates of its Lie algebra.
  Coordinates<S> velocity_coordinates(int node) const;
  Coordinates<S> acceleration_coordinates(int node) const;

  /// Angular velocity and its rate, in the body frame; of a rigid-body node or an SO(3) node, zero for
  /// points and the ground.
  V3 omega(int node) const;
  V3 omega_dot(int node) const;
  /// Velocity and acceleration of the origin of a rigid-body node, in the inertial frame.
  V3 velocity(int node) const;
  V3 acceleration(int node) const;
  /// The same in the native frame.
  V3 native_velocity(int node) const;
  V3 native_acceleration(int node) const;
  /// Velocity of a body-fixed point, in the inertial frame.
  V3 point_velocity(int node, const V3& in_body) const;
  V3 to_native(int node, const V3& inertial) const;
  V3 from_native(int node, const V3& native) const;

  /// The same of planar bodies, points in R² and the ground: turning rate, and velocities of the origin
  /// or of a body-fixed point in the inertial frame.
  S planar_omega(int node) const;
  S planar_omega_dot(int node) const;
  V2 planar_velocity(int node) const;
  V2 planar_acceleration(int node) const;
  V2 planar_point_velocity(int node, const V2& in_body) const;

  /// λ of the element's own constraints, then of those it reads.
  const S& multiplier(int i) const;
  V3 multiplier3(int first) const;
  /// The algebraic states s.
  const S& algebraic(int i) const;

 private:
  const Rates& rates(int node, const char* call) const;
  const Rates& rates_that(int node, const char* call, bool (*fits)(const lie::NodeGroup&),
                          const char* wanted) const;
  const Rates& turning_rates(int node, const char* call) const;
  const Rates& frame_rates(int node, const char* call) const;
  const Rates& planar_rates(int node, const char* call) const;

  V3 angular(int node, const std::vector<S>& v) const;
  V3 linear(int node, const std::vector<S>& v) const;
  S turning(int node, const std::vector<S>& v) const;
  V2 planar(int node, const std::vector<S>& v) const;
  static V2 right_angle(const V2& x);
  bool is_se3(int node) const;

  std::vector<Rates> rates_;
  std::vector<S> multipliers_, algebraic_;
};

/// Linear momentum, and angular momentum about the origin, in the inertial frame.
template <lie::Scalar S>
struct Momentum {
  lie::Vec<S, 3> linear, angular;
};

/// The left side of the equations of motion of the nodes of an element, M v̇ + g + Bᵀλ = 0: an
/// element adds its inertia and its internal forces, and applies its loads (which stand on the right).
template <lie::Scalar S>
class Balance {
 public:
  using V2 = lie::Vec<S, 2>;
  using V3 = lie::Vec<S, 3>;

  explicit Balance(const Motion<S>& at, int num_nodes);

  /// In the body frame; of a rigid-body node or an SO(3) node. Points and the ground take no torque.
  void add_torque(int node, const V3& torque);
  void apply_torque(int node, const V3& torque);
  /// At the origin of a rigid-body node or a point, in the inertial frame.
  void add_force(int node, const V3& force);
  void apply_force(int node, const V3& force);
  /// The same in the native frame.
  void add_native_force(int node, const V3& force);
  /// At a body-fixed point, force in the inertial frame.
  void apply_force_at(int node, const V3& point_in_body, const V3& force);

  /// The same of planar bodies, points in R² and the ground.
  void add_planar_torque(int node, const S& torque);
  void apply_planar_torque(int node, const S& torque);
  void add_planar_force(int node, const V2& force);
  void apply_planar_force(int node, const V2& force);
  void apply_planar_force_at(int node, const V2& point_in_body, const V2& force);

  /// One equation of any node, in the coordinates of its Lie algebra.
  S& row(int node, int i);
  const std::vector<std::vector<S>>& rows() const { return rows_; }

 private:
  void add(int node, int first, const V3& value);

  const Motion<S>& at_;
  std::vector<std::vector<S>> rows_;
};

}  // namespace liegrad::dae
