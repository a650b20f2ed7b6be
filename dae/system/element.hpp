#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <typeinfo>
#include <vector>

#include "liegrad/dae/system/element_members.hpp"

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

/// An element of any type, in the scalar that the library records it with.
class ElementModel {
 public:
  virtual ~ElementModel() = default;

  const ElementShape& shape() const { return shape_; }
  virtual bool same_physics(const ElementModel& other) const = 0;

  virtual bool has_constraint() const = 0;
  virtual bool has_algebraic() const = 0;
  virtual bool has_outputs() const = 0;
  virtual void residual(const Motion<Taped>& at, Balance<Taped>& balance) const = 0;
  virtual std::vector<Taped> constraint(const Position<Taped>& at) const = 0;
  virtual std::vector<Taped> algebraic(const Motion<Taped>& at) const = 0;
  virtual bool has_kinetic_energy() const = 0;
  virtual bool has_potential_energy() const = 0;
  virtual bool has_momentum() const = 0;
  virtual Taped kinetic_energy(const Motion<Taped>& at) const = 0;
  virtual Taped potential_energy(const Motion<Taped>& at) const = 0;
  virtual Momentum<Taped> momentum(const Motion<Taped>& at) const = 0;
  virtual std::vector<Taped> outputs(const Motion<Taped>& at) const = 0;
  virtual std::string validation_message(const Position<double>& at) const = 0;
  virtual Drawing drawing(const Position<double>& at) const = 0;

 protected:
  explicit ElementModel(ElementShape shape) : shape_(std::move(shape)) {}

 private:
  ElementShape shape_;
};

template <Element E>
class ElementModelOf final : public ElementModel {
  static_assert(check_element_members<E>());

 public:
  explicit ElementModelOf(const E& element) : ElementModel(element.shape()), element_(element) {}

  bool same_physics(const ElementModel& other) const override {
    if (typeid(other) != typeid(*this)) return false;
    if constexpr (std::is_empty_v<E>) {
      return true;
    } else {
      return static_cast<const ElementModelOf&>(other).element_ == element_;
    }
  }

  bool has_constraint() const override { return HasConstraint<E, Taped>; }
  bool has_algebraic() const override { return HasAlgebraic<E, Taped>; }
  bool has_outputs() const override { return HasOutputs<E, Taped>; }
  void residual(const Motion<Taped>& at, Balance<Taped>& balance) const override {
    if constexpr (HasResidual<E, Taped>) element_.residual(at, balance);
  }
  std::vector<Taped> constraint(const Position<Taped>& at) const override {
    if constexpr (HasConstraint<E, Taped>) return listed<Taped>(element_.constraint(at));
    return {};
  }
  std::vector<Taped> algebraic(const Motion<Taped>& at) const override {
    if constexpr (HasAlgebraic<E, Taped>) return listed<Taped>(element_.algebraic(at));
    return {};
  }
  bool has_kinetic_energy() const override { return HasKineticEnergy<E, Taped>; }
  bool has_potential_energy() const override { return HasPotentialEnergy<E, Taped>; }
  bool has_momentum() const override { return HasMomentum<E, Taped>; }
  Taped kinetic_energy(const Motion<Taped>& at) const override {
    if constexpr (HasKineticEnergy<E, Taped>) return element_.kinetic_energy(at);
    return Taped(0);
  }
  Taped potential_energy(const Motion<Taped>& at) const override {
    if constexpr (HasPotentialEnergy<E, Taped>) return element_.potential_energy(at);
    return Taped(0);
  }
  Momentum<Taped> momentum(const Motion<Taped>& at) const override {
    if constexpr (HasMomentum<E, Taped>) return element_.momentum(at);
    const lie::Vec<Taped, 3> zero(Taped(0), Taped(0), Taped(0));
    return {zero, zero};
  }
  std::vector<Taped> outputs(const Motion<Taped>& at) const override {
    if constexpr (HasOutputs<E, Taped>) return listed<Taped>(element_.outputs(at));
    return {};
  }
  std::string validation_message(const Position<double>& at) const override {
    if constexpr (HasValidationMessage<E>) return element_.validation_message(at);
    return {};
  }
  Drawing drawing(const Position<double>& at) const override {
    if constexpr (HasDrawing<E>) return element_.drawing(at);
    return {};
  }

 private:
  E element_;
};

}  // namespace liegrad::dae
