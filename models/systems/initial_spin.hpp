#pragma once

#include <span>

namespace liegrad::models {

/// R = I and a given angular velocity, for one SO(3) node.
struct InitialSpin {
  template <class S>
  void operator()(std::span<const S> p, std::span<S> /*q*/, std::span<S> v) const {
    for (std::size_t i = 0; i < 3; ++i) v[i] = p[i];
  }
};

}  // namespace liegrad::models
