// Headers that a program forgot, each told by the sentence that stands before its use; see element_mistakes.cpp.

#include <span>

#include "liegrad/dae/system/element_interface.hpp"
#include "liegrad/dae/system/system.hpp"
#include "liegrad/sensitivity/objective.hpp"

using namespace liegrad;

struct Wind {
  dae::ElementShape shape() const { return {.type = "wind", .nodes = {{dae::NodeRole::kPoint}}}; }
  template <class S>
  void residual(const dae::Motion<S>&, dae::Balance<S>&) const {}
};
struct AtRest {
  template <class S>
  void operator()(std::span<const S>, std::span<S>, std::span<S>) const {}
};
struct Time {
  template <class Snapshot>
  auto operator()(const Snapshot& at) const {
    return at.time();
  }
};

void forget(dae::System& system, sensitivity::Objective& objective) {
  // expect: no library has compiled this element: include liegrad/dae/system/element.hpp, so that it is compiled here
  system.add("wind", Wind{}, {"kite"});
  // expect: set_initial_function() needs liegrad/dae/system/initial_function.hpp; include it
  system.set_initial_function(AtRest{}, {});
  // expect: Objective::add() needs liegrad/sensitivity/user_function.hpp; include it
  objective.add(Time{}, sensitivity::When::kAtEnd);
}
