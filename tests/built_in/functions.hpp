#pragma once

#include "liegrad/ad/kernel_spec.hpp"
#include "liegrad/lie/se3.hpp"

namespace liegrad::test {

/// Both the program and the library have a kernel of this.
inline ad::Recording square() {
  return ad::record({.name = "square", .variables = 1},
                    [](auto x, auto) { return std::array{x[0] * x[0]}; });
}

/// Where exp(θ) puts a point of the body.
inline ad::Recording moved_point() {
  return ad::record({.name = "moved_point", .variables = 6, .data = 3}, [](auto theta, auto X) {
    using S = ad::Taped;
    const Eigen::Map<const lie::Vec<S, 6>> v(theta.data());
    const Eigen::Map<const lie::Vec<S, 3>> point(X.data());
    const lie::Vec<S, 3> moved = lie::SE3<S>::exp(v).transform_point(point);
    return std::vector<S>(moved.begin(), moved.end());
  });
}

inline ad::Recording cube() {
  return ad::record({.name = "cube", .variables = 1},
                    [](auto x, auto) { return std::array{x[0] * x[0] * x[0]}; });
}

inline const ad::KernelSpec kValueAndJacobian{.results = {ad::value(), ad::jacobian()}};

}  // namespace liegrad::test
