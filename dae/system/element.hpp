#pragma once

#include <memory>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "liegrad/dae/system/element_members.hpp"
#include "liegrad/dae/system/element_shape.hpp"

namespace liegrad::dae {

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

/// The model of an element of type E.
template <Element E>
class RecordedElement final : public ElementModel {
  static_assert(check_element_members<E>());

 public:
  explicit RecordedElement(const E& element) : ElementModel(element.shape()), element_(element) {}

  bool same_physics(const ElementModel& other) const override {
    if (typeid(other) != typeid(*this)) return false;
    if constexpr (std::is_empty_v<E>) {
      return true;
    } else {
      return static_cast<const RecordedElement&>(other).element_ == element_;
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

template <class E>
struct ElementModelOf {
  static std::shared_ptr<const ElementModel> make(const E& element) {
    return std::make_shared<RecordedElement<E>>(element);
  }
};

}  // namespace liegrad::dae
