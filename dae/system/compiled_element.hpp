#pragma once

// For the source of a library that compiles an element, so that programs need not:
//
//     template struct liegrad::dae::CompiledElement<Wheel>;
//
// The header of the element says
//
//     template <>
//     struct liegrad::dae::ElementModelOf<Wheel> : liegrad::dae::CompiledElement<Wheel> {};

#include "liegrad/dae/system/element.hpp"

namespace liegrad::dae {

template <class E>
std::shared_ptr<const ElementModel> CompiledElement<E>::make(const E& element) {
  return std::make_shared<RecordedElement<E>>(element);
}

}  // namespace liegrad::dae
