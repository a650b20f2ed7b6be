#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace liegrad::dae {

/// What kind of node an element can be attached to.
enum class NodeRole {
  kRigidBody,    ///< SO(3)×R³ or SE(3)
  kRotation,     ///< SO(3)
  kCoordinates,  ///< R^n
  kPlanarBody,   ///< SE(2), or (x, y, θ) in R³
  // What joints and forces attach to:
  kFrame,        ///< a rigid body or the ground
  kPoint,        ///< a rigid body, a point in R³ or the ground
  kPlanarFrame,  ///< a planar body or the ground
  kPlanarPoint,  ///< a planar body, a point in R² or the ground
};

struct NodeSlot {
  NodeRole role = NodeRole::kRigidBody;
  int n = 0;  ///< of R^n
  /// When not empty, the parameters "frame.X1", … of the element are those of a body-fixed frame: the
  /// element may be attached to a frame of the system, whose parameters it then shares.
  std::string frame = {};
};

struct ParameterSpec {
  std::string name;
  double value = 0;
  std::string unit = "1";
  std::string meaning = {};
};

/// A quantity that is reported: its name and how many numbers it has.
struct OutputSpec {
  std::string name;
  int size = 1;
  std::string meaning = {};
};

/// The size of an element and the names of what it owns.
struct ElementShape {
  std::string type;
  std::vector<NodeSlot> nodes = {};
  std::vector<ParameterSpec> parameters = {};
  std::vector<std::string> controls = {};
  int constraints = 0;
  int algebraic = 0;         ///< algebraic states s with as many equations
  int multipliers_read = 0;  ///< λ of other elements that its forces depend on
  std::vector<OutputSpec> outputs = {};
};

/// An element is a struct with shape() and any of these templates; see elements/ for examples.
///
///     void residual(const Motion<S>&, Balance<S>&) const      M v̇ + g, without Bᵀλ
///     auto constraint(const Position<S>&) const               Φ, a range of S
///     auto algebraic(const Motion<S>&) const                  h_s, a range of S
///     S kinetic_energy(const Motion<S>&) const
///     S potential_energy(const Motion<S>&) const
///     Momentum<S> momentum(const Motion<S>&) const
///     auto outputs(const Motion<S>&) const                    a range of S
///     std::string validation_message(const Position<double>&) const    what is wrong with it, or empty
///     Drawing drawing(const Position<double>&) const          what it looks like in pictures
///
/// validation_message() is asked once, at the start of a run: a sentence about values that make no sense, such as
/// "has mass 0; it must be positive", which follows the element's name.
///
/// Forces Bᵀλ of its own constraints come from the constraint, by AD. An element without data members is the
/// same physics wherever it stands, so all of them share their kernels; with data members it must
/// have operator==, and those that are equal share.
///
/// A member with one of these names that cannot be called like this does not compile; an element whose shape
/// and functions do not fit, or that never reads what its shape declares, is refused when it is added.
template <class E>
concept Element = requires(const E& e) {
  { e.shape() } -> std::convertible_to<ElementShape>;
}
&&std::copy_constructible<E> && (std::is_empty_v<E> || std::equality_comparable<E>);

class ElementModel;

/// Makes the model of an element. There are specialisations for elements that a library has compiled; for all others
/// element.hpp defines it.
template <class E>
struct ElementModelOf;

/// What such a specialisation inherits: make() is compiled once, see compiled_element.hpp, and programs that only use
/// the element do not read CppAD.
template <class E>
struct CompiledElement {
  static std::shared_ptr<const ElementModel> make(const E& element);
};

}  // namespace liegrad::dae
