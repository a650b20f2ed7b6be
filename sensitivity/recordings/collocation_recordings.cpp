// Compiled once, into the library and into programs that write kernels.

#include "liegrad/sensitivity/step/collocation_recordings.hpp"

#include "liegrad/dae/system/node_tangent.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::sensitivity {
namespace {

using ad::Taped;
using dae::index;
using Tapes = std::span<const Taped>;

template <template <class> class G>
std::vector<Taped> weighted(const typename G<Taped>::Tangent& x,
                            const typename G<Taped>::Tangent& w) {
  std::vector<Taped> result;
  for (int i = 0; i < G<Taped>::kDof; ++i) result.push_back(w(i) * x(i));
  return result;
}

template <template <class> class G>
std::vector<Taped> own_turn(TapeInputs in) {
  using Tangent = typename G<Taped>::Tangent;
  const Tangent delta_n = in.tangent<G>(), delta = in.tangent<G>(), v = in.tangent<G>(),
                base = in.tangent<G>();
  const Taped horizon = in.number(), h = horizon * in.number(), k = in.number();
  const Tangent sum = k * increment_between<G, Taped>(delta_n, base, delta) - h * v;
  return weighted<G>(sum, in.tangent<G>());
}

template <template <class> class G>
std::vector<Taped> other_turn(TapeInputs in) {
  using Tangent = typename G<Taped>::Tangent;
  const Tangent delta_n = in.tangent<G>(), delta_i = in.tangent<G>(), delta_j = in.tangent<G>(),
                base_i = in.tangent<G>(), base_j = in.tangent<G>();
  const Taped k = in.number();
  const Tangent theta_i = increment_between<G, Taped>(delta_n, base_i, delta_i);
  const Tangent theta_j = increment_between<G, Taped>(delta_n, base_j, delta_j);
  const Tangent moved = dae::node_tangent<G, Taped>(theta_i) * theta_j;
  return weighted<G>(k * moved, in.tangent<G>());
}

enum class Turn { kOwn, kOther };

std::vector<Taped> turn(Turn kind, StepPart part, Tapes x) {
  return with_group_of(part, [&]<template <class> class G>() {
    return kind == Turn::kOwn ? own_turn<G>({x}) : other_turn<G>({x});
  });
}

ad::Recording recorded(Turn kind, StepPart part, const char* name) {
  const int num_inputs =
      kind == Turn::kOwn ? 5 * step_part_dof(part) + 3 : 6 * step_part_dof(part) + 1;
  return ad::record({.name = name, .variables = num_inputs},
                    [&](Tapes x, Tapes) { return turn(kind, part, x); });
}

}  // namespace

ad::Recording rate_recording(int stages) {
  const std::size_t s = index(stages);
  return ad::record({.name = "radau_rate", .variables = 3 * stages + 5}, [&](Tapes x, Tapes) {
    TapeInputs in{x};
    const Taped y_n = in.number();
    const Tapes y = in.take(s), base = in.take(s);
    const Taped rate = in.number(), horizon = in.number(), h = horizon * in.number();
    const Tapes k = in.take(s);
    Taped sum = -h * rate;
    for (std::size_t j = 0; j < s; ++j) sum += k[j] * (base[j] + y[j] - y_n);
    return std::vector<Taped>{in.number() * sum};
  });
}

ad::Recording own_turn_recording(StepPart part) {
  return recorded(Turn::kOwn, part, "radau_own_turn");
}

ad::Recording other_turn_recording(StepPart part) {
  return recorded(Turn::kOther, part, "radau_other_turn");
}

}  // namespace liegrad::sensitivity
