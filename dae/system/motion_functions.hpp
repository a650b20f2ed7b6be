#pragma once

// The functions of Position, Motion and Balance. They are compiled once, in motion.cpp, for the two scalars that elements
// are called with; programs do not read them.

#include <cmath>
#include <string>
#include <utility>

#include "liegrad/dae/system/motion.hpp"

namespace liegrad::dae {

template <lie::Scalar S>
Position<S>::Position(std::vector<Node> nodes, std::vector<S> parameters, std::vector<S> controls,
                      S time, std::string owner, std::vector<std::string> parameter_names)
    : access_(std::move(owner)),
      nodes_(std::move(nodes)),
      parameters_(std::move(parameters)),
      parameter_names_(std::move(parameter_names)),
      controls_(std::move(controls)),
      time_(std::move(time)) {}

template <lie::Scalar S>
auto Position<S>::frame(int node) const -> lie::Frame<S> {
  require(node, "frame", has_frame, kFrames);
  return {rotation(node), position(node)};
}

template <lie::Scalar S>
auto Position<S>::rotation(int node) const -> lie::Mat<S, 3> {
  require(node, "rotation", has_rotation, kRotations);
  if (is_linear(node)) return lie::Mat<S, 3>::Identity();
  return Eigen::Map<const lie::Mat<S, 3>>(view(node).data());
}

template <lie::Scalar S>
auto Position<S>::coordinates(int node) const -> Coordinates<S> {
  require(node, "coordinates", dae::is_linear, "nodes in R^n");
  return numbers(view(node), "coordinates", node);
}

template <lie::Scalar S>
auto Position<S>::planar_frame(int node) const -> lie::PlanarFrame<S> {
  require(node, "planar_frame", has_planar_frame, kPlanarFrames);
  const std::vector<S>& x = view(node);
  const auto vector = [&x](std::size_t i) { return lie::Vec<S, 2>(x[i], x[i + 1]); };
  if (is_ground(node)) return {S(1), S(0), lie::Vec<S, 2>::Zero()};
  if (!is_linear(node)) return {x[0], x[1], vector(2)};
  if (group(node).n == 2) return {S(1), S(0), vector(0)};
  using std::cos, std::sin;
  return {cos(x[2]), sin(x[2]), vector(0)};
}

template <lie::Scalar S>
auto Position<S>::parameter(std::string_view name) const -> const S& {
  return parameters_[access_.parameter_index(parameter_names_, name)];
}

template <lie::Scalar S>
auto Position<S>::parameter3(std::string_view name) const -> V3 {
  const auto component = [&](const char* i) { return parameter(std::string(name) + i); };
  return {component("1"), component("2"), component("3")};
}

template <lie::Scalar S>
auto Position<S>::parameter(int i) const -> const S& {
  return access_.entry(parameters_, i, "parameter", "its parameters");
}

template <lie::Scalar S>
auto Position<S>::parameter3(int first) const -> V3 {
  return {parameter(first), parameter(first + 1), parameter(first + 2)};
}

template <lie::Scalar S>
auto Position<S>::control(int i) const -> const S& {
  return access_.entry(controls_, i, "control", "its controls");
}

template <lie::Scalar S>
auto Position<S>::node_at(int node, const char* call) const -> const Node& {
  return access_.entry(nodes_, node, call, "its nodes");
}

template <lie::Scalar S>
void Position<S>::require(int node, const char* call, bool (*fits)(const lie::NodeGroup&),
                          const char* wanted) const {
  const lie::NodeGroup& group = node_at(node, call).group;
  access_.require(fits(group), call, node, group, wanted);
}

template <lie::Scalar S>
auto Position<S>::numbers(const std::vector<S>& list, const char* call, int node) const
    -> Coordinates<S> {
  return {list, access_, call + ("(" + std::to_string(node) + ")")};
}

template <lie::Scalar S>
auto Position<S>::view(int node) const -> const std::vector<S>& {
  return nodes_[static_cast<std::size_t>(node)].view;
}

template <lie::Scalar S>
auto Position<S>::position(int node) const -> V3 {
  if (is_ground(node)) return V3::Zero();
  return Eigen::Map<const V3>(view(node).data() + (is_linear(node) ? 0 : 9));
}

template <lie::Scalar S>
Motion<S>::Motion(Position<S> position, std::vector<Rates> rates, std::vector<S> multipliers,
                  std::vector<S> algebraic)
    : Position<S>(std::move(position)),
      rates_(std::move(rates)),
      multipliers_(std::move(multipliers)),
      algebraic_(std::move(algebraic)) {}

template <lie::Scalar S>
auto Motion<S>::velocity_coordinates(int node) const -> Coordinates<S> {
  return this->numbers(rates(node, "velocity_coordinates").v, "velocity_coordinates", node);
}

template <lie::Scalar S>
auto Motion<S>::acceleration_coordinates(int node) const -> Coordinates<S> {
  const char* const call = "acceleration_coordinates";
  return this->numbers(rates(node, call).v_dot, call, node);
}

template <lie::Scalar S>
auto Motion<S>::omega(int node) const -> V3 {
  return angular(node, turning_rates(node, "omega").v);
}

template <lie::Scalar S>
auto Motion<S>::omega_dot(int node) const -> V3 {
  return angular(node, turning_rates(node, "omega_dot").v_dot);
}

template <lie::Scalar S>
auto Motion<S>::velocity(int node) const -> V3 {
  return from_native(node, linear(node, frame_rates(node, "velocity").v));
}

template <lie::Scalar S>
auto Motion<S>::acceleration(int node) const -> V3 {
  (void)frame_rates(node, "acceleration");
  return from_native(node, native_acceleration(node));
}

template <lie::Scalar S>
auto Motion<S>::native_velocity(int node) const -> V3 {
  return linear(node, frame_rates(node, "native_velocity").v);
}

template <lie::Scalar S>
auto Motion<S>::native_acceleration(int node) const -> V3 {
  const V3 rate = linear(node, frame_rates(node, "native_acceleration").v_dot);
  if (!is_se3(node)) return rate;
  return rate + lie::rotation::cross<S>(omega(node), native_velocity(node));
}

template <lie::Scalar S>
auto Motion<S>::point_velocity(int node, const V3& in_body) const -> V3 {
  (void)frame_rates(node, "point_velocity");
  return velocity(node) + this->rotation(node) * lie::rotation::cross<S>(omega(node), in_body);
}

template <lie::Scalar S>
auto Motion<S>::to_native(int node, const V3& inertial) const -> V3 {
  (void)frame_rates(node, "to_native");
  return is_se3(node) ? V3(this->rotation(node).transpose() * inertial) : inertial;
}

template <lie::Scalar S>
auto Motion<S>::from_native(int node, const V3& native) const -> V3 {
  (void)frame_rates(node, "from_native");
  return is_se3(node) ? V3(this->rotation(node) * native) : native;
}

template <lie::Scalar S>
auto Motion<S>::planar_omega(int node) const -> S {
  return turning(node, planar_rates(node, "planar_omega").v);
}

template <lie::Scalar S>
auto Motion<S>::planar_omega_dot(int node) const -> S {
  return turning(node, planar_rates(node, "planar_omega_dot").v_dot);
}

template <lie::Scalar S>
auto Motion<S>::planar_velocity(int node) const -> V2 {
  return planar(node, planar_rates(node, "planar_velocity").v);
}

template <lie::Scalar S>
auto Motion<S>::planar_acceleration(int node) const -> V2 {
  const V2 rate = planar(node, planar_rates(node, "planar_acceleration").v_dot);
  if (this->is_linear(node)) return rate;
  return rate + planar_omega(node) * right_angle(planar_velocity(node));
}

template <lie::Scalar S>
auto Motion<S>::planar_point_velocity(int node, const V2& in_body) const -> V2 {
  (void)planar_rates(node, "planar_point_velocity");
  return planar_velocity(node) +
         planar_omega(node) * right_angle(this->planar_frame(node).direction(in_body));
}

template <lie::Scalar S>
auto Motion<S>::multiplier(int i) const -> const S& {
  return this->access().entry(multipliers_, i, "multiplier", "its multipliers");
}

template <lie::Scalar S>
auto Motion<S>::multiplier3(int first) const -> V3 {
  return {multiplier(first), multiplier(first + 1), multiplier(first + 2)};
}

template <lie::Scalar S>
auto Motion<S>::algebraic(int i) const -> const S& {
  return this->access().entry(algebraic_, i, "algebraic", "its algebraic states");
}

template <lie::Scalar S>
auto Motion<S>::rates(int node, const char* call) const -> const Rates& {
  return this->access().entry(rates_, node, call, "its nodes");
}

template <lie::Scalar S>
auto Motion<S>::rates_that(int node, const char* call, bool (*fits)(const lie::NodeGroup&),
                           const char* wanted) const -> const Rates& {
  this->require(node, call, fits, wanted);
  return rates(node, call);
}

template <lie::Scalar S>
auto Motion<S>::turning_rates(int node, const char* call) const -> const Rates& {
  return rates_that(node, call, has_rotation, this->kRotations);
}

template <lie::Scalar S>
auto Motion<S>::frame_rates(int node, const char* call) const -> const Rates& {
  return rates_that(node, call, has_frame, this->kFrames);
}

template <lie::Scalar S>
auto Motion<S>::planar_rates(int node, const char* call) const -> const Rates& {
  return rates_that(node, call, has_planar_frame, this->kPlanarFrames);
}

template <lie::Scalar S>
auto Motion<S>::angular(int node, const std::vector<S>& v) const -> V3 {
  if (this->is_linear(node)) return V3::Zero();
  return {v[0], v[1], v[2]};
}

template <lie::Scalar S>
auto Motion<S>::linear(int node, const std::vector<S>& v) const -> V3 {
  if (this->is_ground(node)) return V3::Zero();
  const std::size_t first = this->is_linear(node) ? 0 : 3;
  return {v[first], v[first + 1], v[first + 2]};
}

template <lie::Scalar S>
auto Motion<S>::turning(int node, const std::vector<S>& v) const -> S {
  if (!this->is_linear(node)) return v[0];
  return v.size() == 3 ? v[2] : S(0);
}

template <lie::Scalar S>
auto Motion<S>::planar(int node, const std::vector<S>& v) const -> V2 {
  if (this->is_ground(node)) return V2::Zero();
  if (this->is_linear(node)) return {v[0], v[1]};
  return this->planar_frame(node).direction(V2(v[1], v[2]));
}

template <lie::Scalar S>
auto Motion<S>::right_angle(const V2& x) -> V2 {
  return {-x(1), x(0)};
}

template <lie::Scalar S>
auto Motion<S>::is_se3(int node) const -> bool {
  return this->group(node).kind == lie::GroupKind::kSE3;
}

template <lie::Scalar S>
Balance<S>::Balance(const Motion<S>& at, int num_nodes) : at_(at) {
  for (int i = 0; i < num_nodes; ++i) {
    rows_.emplace_back(static_cast<std::size_t>(at.group(i).dof()), S(0));
  }
}

template <lie::Scalar S>
void Balance<S>::add_torque(int node, const V3& torque) {
  at_.require(node, "add_torque", has_rotation, at_.kRotations);
  if (!at_.is_linear(node)) add(node, 0, torque);
}

template <lie::Scalar S>
void Balance<S>::apply_torque(int node, const V3& torque) {
  at_.require(node, "apply_torque", has_rotation, at_.kRotations);
  add_torque(node, -torque);
}

template <lie::Scalar S>
void Balance<S>::add_force(int node, const V3& force) {
  at_.require(node, "add_force", has_frame, at_.kFrames);
  add_native_force(node, at_.to_native(node, force));
}

template <lie::Scalar S>
void Balance<S>::apply_force(int node, const V3& force) {
  at_.require(node, "apply_force", has_frame, at_.kFrames);
  add_force(node, -force);
}

template <lie::Scalar S>
void Balance<S>::add_native_force(int node, const V3& force) {
  at_.require(node, "add_native_force", has_frame, at_.kFrames);
  if (!at_.is_ground(node)) add(node, at_.is_linear(node) ? 0 : 3, force);
}

template <lie::Scalar S>
void Balance<S>::apply_force_at(int node, const V3& point_in_body, const V3& force) {
  at_.require(node, "apply_force_at", has_frame, at_.kFrames);
  apply_force(node, force);
  apply_torque(node,
               lie::rotation::cross<S>(point_in_body, at_.rotation(node).transpose() * force));
}

template <lie::Scalar S>
void Balance<S>::add_planar_torque(int node, const S& torque) {
  at_.require(node, "add_planar_torque", has_planar_frame, at_.kPlanarFrames);
  if (!at_.is_linear(node)) {
    row(node, 0) += torque;
  } else if (at_.group(node).n == 3) {
    row(node, 2) += torque;
  }
}

template <lie::Scalar S>
void Balance<S>::apply_planar_torque(int node, const S& torque) {
  at_.require(node, "apply_planar_torque", has_planar_frame, at_.kPlanarFrames);
  add_planar_torque(node, -torque);
}

template <lie::Scalar S>
void Balance<S>::add_planar_force(int node, const V2& force) {
  at_.require(node, "add_planar_force", has_planar_frame, at_.kPlanarFrames);
  if (at_.is_ground(node)) return;
  const bool linear = at_.is_linear(node);
  const V2 own = linear ? force : at_.planar_frame(node).in_body(force);
  for (int i = 0; i < 2; ++i) row(node, (linear ? 0 : 1) + i) += own(i);
}

template <lie::Scalar S>
void Balance<S>::apply_planar_force(int node, const V2& force) {
  at_.require(node, "apply_planar_force", has_planar_frame, at_.kPlanarFrames);
  add_planar_force(node, -force);
}

template <lie::Scalar S>
void Balance<S>::apply_planar_force_at(int node, const V2& point_in_body, const V2& force) {
  at_.require(node, "apply_planar_force_at", has_planar_frame, at_.kPlanarFrames);
  apply_planar_force(node, force);
  const V2 arm = at_.planar_frame(node).direction(point_in_body);
  apply_planar_torque(node, arm(0) * force(1) - arm(1) * force(0));
}

template <lie::Scalar S>
auto Balance<S>::row(int node, int i) -> S& {
  const std::vector<S>& rows = at_.access().entry(rows_, node, "row", "its nodes");
  if (i < 0 || i >= std::ssize(rows)) {
    at_.access().refuse_index("row(" + std::to_string(node) + ", " + std::to_string(i) + ")",
                              "the equations of that node", rows.size());
  }
  return rows_[static_cast<std::size_t>(node)][static_cast<std::size_t>(i)];
}

template <lie::Scalar S>
void Balance<S>::add(int node, int first, const V3& value) {
  for (int i = 0; i < 3; ++i) row(node, first + i) += value(i);
}

}  // namespace liegrad::dae
