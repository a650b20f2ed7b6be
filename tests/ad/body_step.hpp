#pragma once

// A function of the size and kind that kernels are made for: one step of a body on SE(3).

#include <string>
#include <vector>

#include "liegrad/ad/recording.hpp"
#include "liegrad/lie/se3.hpp"

namespace liegrad::test {

/// (v, q): an increment and the coefficients of a pose ↦ log of q∘exp(v), and T(v) v̂ for a fixed v̂.
/// `scale` makes different functions.
inline ad::Recording body_step(const std::string& name, double scale = 1) {
  using ad::Taped;
  return ad::record(
      {.name = name, .variables = 6, .data = 7, .at = {0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}},
      [scale](auto x, auto d) {
        using G = lie::SE3<Taped>;
        const G::Tangent v(x.data());
        const G q = G::from_coeffs(G::Coeffs(d.data()));
        const G::Tangent log = (q * G::exp(v)).log();
        const G::Tangent rate = G::tangent_operator(v) * G::Tangent::Constant(Taped(scale));
        std::vector<Taped> out(log.begin(), log.end());
        out.insert(out.end(), rate.begin(), rate.end());
        return out;
      });
}

}  // namespace liegrad::test
