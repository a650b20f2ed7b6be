// Compiled once, into the library and into programs that write kernels.

#include "liegrad/sensitivity/step/munthe_kaas_recordings.hpp"

#include "liegrad/dae/system/node_tangent.hpp"

namespace liegrad::sensitivity {
namespace {

using ad::Taped;
using Tapes = std::span<const Taped>;

template <template <class> class G>
typename G<Taped>::Tangent increment(TapeInputs& in) {
  using Tangent = typename G<Taped>::Tangent;
  const Tangent delta_a = in.tangent<G>(), delta_b = in.tangent<G>(), base = in.tangent<G>();
  return increment_between<G, Taped>(delta_a, base, delta_b);
}

template <template <class> class G>
typename G<Taped>::Tangent increment_rate(TapeInputs& in) {
  using Tangent = typename G<Taped>::Tangent;
  const Tangent theta = increment<G>(in), p = in.tangent<G>(), v = in.tangent<G>();
  return dae::node_tangent<G, Taped>(theta) * p - v;
}

/// `function` of a part that turns, which takes the inputs of some tangents.
template <class Function>
ad::Recording recorded(StepPart part, const char* name, int tangents, Function&& function) {
  return ad::record({.name = name, .variables = tangents * step_part_dof(part)},
                    [&](Tapes x, Tapes) {
                      return with_group_of(part, [&]<template <class> class G>() {
                        TapeInputs in{x};
                        const auto y = function.template operator()<G>(in);
                        return std::vector<Taped>(y.begin(), y.end());
                      });
                    });
}

}  // namespace

ad::Recording difference_recording() {
  return ad::record({.name = "munthe_kaas_difference", .variables = 3},
                    [](Tapes x, Tapes) { return std::vector<Taped>{x[2] + x[1] - x[0]}; });
}

ad::Recording increment_share_recording() {
  return ad::record({.name = "munthe_kaas_share", .variables = 4}, [](Tapes x, Tapes) {
    return std::vector<Taped>{-(x[1] * x[2]) * x[3] * x[0]};
  });
}

ad::Recording increment_recording(StepPart part) {
  return recorded(part, "munthe_kaas_increment", 3,
                  []<template <class> class G>(TapeInputs& in) { return increment<G>(in); });
}

ad::Recording increment_rate_recording(StepPart part) {
  return recorded(part, "munthe_kaas_rate", 5,
                  []<template <class> class G>(TapeInputs& in) { return increment_rate<G>(in); });
}

}  // namespace liegrad::sensitivity
