#pragma once

#include <string>
#include <utility>
#include <vector>

#include "liegrad/dae/system/model.hpp"
#include "liegrad/dae/system/motion.hpp"
#include "liegrad/dae/system/nearest_name.hpp"

namespace liegrad::sensitivity {

/// The motion of a system at one time, read by names: what the function of an objective is written in.
///
/// All throw InvalidArgument: for a name that the system does not have, with the nearest one, and for a node
/// or an element that has no such thing.
template <lie::Scalar S>
class Snapshot {
 public:
  using Vector = lie::Vec<S, Eigen::Dynamic>;

  /// `motion` has the nodes, λ, s, parameters and controls of the system, in its order.
  Snapshot(const dae::Model& system, dae::Motion<S> motion)
      : system_(system), motion_(std::move(motion)) {}

  // Positions, see dae::Position.

  /// The pose of a rigid body; of a point in R³, which does not turn; of the ground.
  lie::Frame<S> frame(const std::string& node) const {
    const int i =
        node_that(node, dae::has_frame, "frame", "a rigid body, a point in R^3 or the ground");
    return motion_.frame(i);
  }
  /// The rotation matrix of a rigid body or of an SO(3) node.
  lie::Mat<S, 3> rotation(const std::string& node) const {
    return motion_.rotation(node_that(node, turns, "rotation", "a rigid body or a rotation"));
  }
  /// The coordinates of an R^n node.
  Vector coordinates(const std::string& node) const {
    const int i = system_.node_index(node);
    if (system_.nodes()[static_cast<std::size_t>(i)].first_order) {
      throw InvalidArgument(place() + "node '" + node +
                            "' is a first-order state, whose value is velocity(\"" + node + "\")");
    }
    return motion_.coordinates(node_that(node, dae::is_linear, "coordinates", "a node in R^n"));
  }
  /// The pose of a planar body, SE(2) or (x, y, θ) in R³; of a point in R²; of the ground.
  lie::PlanarFrame<S> planar_frame(const std::string& node) const {
    return motion_.planar_frame(node_that(node, dae::has_planar_frame, "planar_frame",
                                          "a planar body, a point in R^2 or the ground"));
  }

  // How nodes move, in the coordinates of their Lie algebras.

  /// v; of a first-order state, its value.
  Vector velocity(const std::string& node) const {
    return motion_.velocity_coordinates(system_.node_index(node));
  }
  /// v̇.
  Vector acceleration(const std::string& node) const {
    return motion_.acceleration_coordinates(system_.node_index(node));
  }

  /// λ of the constraints of an element.
  Vector multipliers(const std::string& element) const {
    const dae::PlacedElement& placed = element_of(element);
    const int count = system_.shape_of(placed).constraints;
    require_some(count, element, "multipliers");
    Vector lambda(count);
    for (int i = 0; i < count; ++i) lambda(i) = motion_.multiplier(placed.first_multiplier + i);
    return lambda;
  }
  /// The algebraic states s of an element.
  Vector algebraic(const std::string& element) const {
    const dae::PlacedElement& placed = element_of(element);
    const int count = system_.shape_of(placed).algebraic;
    require_some(count, element, "algebraic states");
    Vector s(count);
    for (int i = 0; i < count; ++i) s(i) = motion_.algebraic(placed.first_algebraic + i);
    return s;
  }

  const S& parameter(const std::string& name) const {
    return motion_.parameter(system_.parameter_index(name));
  }
  /// By the name that the system has for it, "element.control".
  const S& control(const std::string& name) const {
    const std::vector<std::string>& names = system_.controls();
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == name) return motion_.control(static_cast<int>(i));
    }
    throw InvalidArgument(place() + dae::unknown_name_message("control", name, names));
  }
  const S& time() const { return motion_.time(); }

 private:
  static bool turns(const lie::NodeGroup& group) {
    return dae::is_rigid_body(group) || group.kind == lie::GroupKind::kSO3;
  }

  std::string place() const { return "system '" + system_.name() + "': "; }
  /// The index of a node whose group fits; otherwise says what the function reads.
  int node_that(const std::string& name, bool (*fits)(const lie::NodeGroup&), const char* function,
                const char* what) const {
    const int i = system_.node_index(name);
    if (fits(motion_.group(i))) return i;
    throw InvalidArgument(place() + "node '" + name + "' is not what " + function +
                          "() reads; name " + what);
  }
  const dae::PlacedElement& element_of(const std::string& name) const {
    const int i = system_.find_element(name);
    if (i >= 0) return system_.elements()[static_cast<std::size_t>(i)];
    throw InvalidArgument(
        place() + dae::unknown_name_message("element", name, dae::names_of(system_.elements())));
  }
  void require_some(int count, const std::string& element, const char* what) const {
    if (count > 0) return;
    throw InvalidArgument(place() + "element '" + element + "' has no " + what +
                          "; name one that has");
  }

  const dae::Model& system_;
  dae::Motion<S> motion_;
};

}  // namespace liegrad::sensitivity
