#pragma once

#include <array>

#include <liegrad/ad/kernel_spec.hpp>

inline liegrad::ad::Recording square() {
  return liegrad::ad::record({.name = "square", .variables = 1},
                             [](auto x, auto) { return std::array{x[0] * x[0]}; });
}

inline const liegrad::ad::KernelSpec kSpec{
    .results = {liegrad::ad::value(), liegrad::ad::jacobian()}};
