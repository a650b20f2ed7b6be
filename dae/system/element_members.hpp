#pragma once

#include <concepts>
#include <iterator>
#include <span>
#include <string>
#include <type_traits>

#include "liegrad/ad/recording.hpp"
#include "liegrad/dae/system/drawing.hpp"
#include "liegrad/dae/system/motion.hpp"

namespace liegrad::dae {

using ad::Taped;

// The functions of an element, as the library calls them.

template <class E, class S>
concept HasResidual = requires(const E& e, const Motion<S>& at, Balance<S>& balance) {
  { e.residual(at, balance) } -> std::same_as<void>;
};
template <class E, class S>
concept HasConstraint = requires(const E& e, const Position<S>& at) {
  std::begin(e.constraint(at));
};
template <class E>
concept HasValidationMessage = requires(const E& e, const Position<double>& at) {
  { e.validation_message(at) } -> std::convertible_to<std::string>;
};
template <class E>
concept HasDrawing = requires(const E& e, const Position<double>& at) {
  { e.drawing(at) } -> std::convertible_to<Drawing>;
};
template <class E, class S>
concept HasAlgebraic = requires(const E& e, const Motion<S>& at) {
  std::begin(e.algebraic(at));
};
template <class E, class S>
concept HasKineticEnergy = requires(const E& e, const Motion<S>& at) {
  { e.kinetic_energy(at) } -> std::convertible_to<S>;
};
template <class E, class S>
concept HasPotentialEnergy = requires(const E& e, const Motion<S>& at) {
  { e.potential_energy(at) } -> std::convertible_to<S>;
};
template <class E, class S>
concept HasMomentum = requires(const E& e, const Motion<S>& at) {
  { e.momentum(at) } -> std::convertible_to<Momentum<S>>;
};
template <class E, class S>
concept HasOutputs = requires(const E& e, const Motion<S>& at) {
  std::begin(e.outputs(at));
};

/// Finds members of these names, whatever they are: a name that E has as well is ambiguous in a class that
/// inherits it from both.
namespace element_members {

struct AllNames {
  int residual, constraint, algebraic, kinetic_energy, potential_energy, momentum, outputs,
      validation_message, drawing;
};
template <class E>
struct With : E, AllNames {};

template <class E>
concept NamesResidual = !requires {
  &With<E>::residual;
};
template <class E>
concept NamesConstraint = !requires {
  &With<E>::constraint;
};
template <class E>
concept NamesAlgebraic = !requires {
  &With<E>::algebraic;
};
template <class E>
concept NamesKineticEnergy = !requires {
  &With<E>::kinetic_energy;
};
template <class E>
concept NamesPotentialEnergy = !requires {
  &With<E>::potential_energy;
};
template <class E>
concept NamesMomentum = !requires {
  &With<E>::momentum;
};
template <class E>
concept NamesOutputs = !requires {
  &With<E>::outputs;
};
template <class E>
concept NamesValidationMessage = !requires {
  &With<E>::validation_message;
};
template <class E>
concept NamesDrawing = !requires {
  &With<E>::drawing;
};

}  // namespace element_members

/// Refuses an element, when it is compiled, with a member that would be ignored because it cannot be called,
/// or without any function.
template <class E>
constexpr bool check_element_members() {
  using namespace element_members;
  static_assert(!std::is_final_v<E>,
                "an element must not be a final class: its members are looked for in a class that "
                "is derived from it");
  static_assert(!NamesResidual<E> || HasResidual<E, Taped>,
                "an element has a member 'residual' that cannot be used; it must be public: "
                "template <class S> void residual(const dae::Motion<S>&, dae::Balance<S>&) const");
  static_assert(!NamesConstraint<E> || HasConstraint<E, Taped>,
                "an element has a member 'constraint' that cannot be used; it must be public and "
                "return a range: "
                "template <class S> lie::Vec<S, n> constraint(const dae::Position<S>&) const");
  static_assert(!NamesAlgebraic<E> || HasAlgebraic<E, Taped>,
                "an element has a member 'algebraic' that cannot be used; it must be public and "
                "return a range: "
                "template <class S> lie::Vec<S, n> algebraic(const dae::Motion<S>&) const");
  static_assert(!NamesKineticEnergy<E> || HasKineticEnergy<E, Taped>,
                "an element has a member 'kinetic_energy' that cannot be used; it must be public: "
                "template <class S> S kinetic_energy(const dae::Motion<S>&) const");
  static_assert(!NamesPotentialEnergy<E> || HasPotentialEnergy<E, Taped>,
                "an element has a member 'potential_energy' that cannot be used; it must be "
                "public: template <class S> S potential_energy(const dae::Motion<S>&) const");
  static_assert(!NamesMomentum<E> || HasMomentum<E, Taped>,
                "an element has a member 'momentum' that cannot be used; it must be public: "
                "template <class S> dae::Momentum<S> momentum(const dae::Motion<S>&) const");
  static_assert(!NamesOutputs<E> || HasOutputs<E, Taped>,
                "an element has a member 'outputs' that cannot be used; it must be public and "
                "return a range: "
                "template <class S> lie::Vec<S, n> outputs(const dae::Motion<S>&) const");
  static_assert(
      !NamesValidationMessage<E> || HasValidationMessage<E>,
      "an element has a member 'validation_message' that cannot be used; it must be public: "
      "std::string validation_message(const dae::Position<double>&) const");
  static_assert(!NamesDrawing<E> || HasDrawing<E>,
                "an element has a member 'drawing' that cannot be used; it must be public: "
                "dae::Drawing drawing(const dae::Position<double>&) const");

  static_assert(NamesResidual<E> || NamesConstraint<E> || NamesAlgebraic<E> || NamesOutputs<E> ||
                    NamesKineticEnergy<E> || NamesPotentialEnergy<E> || NamesMomentum<E>,
                "an element has none of the functions residual(), constraint(), algebraic() and "
                "outputs(), so that it does nothing; is a name misspelt?");
  static_assert(
      NamesResidual<E> || !(NamesKineticEnergy<E> || NamesPotentialEnergy<E> || NamesMomentum<E>),
      "an element has an energy or a momentum but no function residual(), from which its "
      "forces come; is the name misspelt? An empty residual() says that it has none");
  return true;
}

/// The numbers of a range that a function of an element returned.
template <class S, class Range>
std::vector<S> listed(const Range& range) {
  if constexpr (requires { typename Range::PlainObject; }) {
    static_assert(std::is_same_v<Range, typename Range::PlainObject> ||
                      std::is_base_of_v<Eigen::MapBase<Range>, Range> ||
                      std::is_same_v<Range, Coordinates<S>>,
                  "a function of an element returns an expression of Eigen, which refers to what "
                  "is gone; give it a return type such as lie::Vec<S, 3>");
  }
  return std::vector<S>(std::begin(range), std::end(range));
}

}  // namespace liegrad::dae
