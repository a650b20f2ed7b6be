#pragma once

#include <span>

#include "liegrad/ad/recording.hpp"

namespace liegrad::sensitivity {

/// α_m, α_f, β, γ, σ.
inline constexpr int kNumMethodNumbers = 5;

/// The numbers of a generalized-α method as recorded scalars, with the names of AlphaParameters.
struct TapedParameters {
  ad::Taped alpha_m, alpha_f, beta, gamma, sigma;
  explicit TapedParameters(std::span<const ad::Taped> x)
      : alpha_m(x[0]), alpha_f(x[1]), beta(x[2]), gamma(x[3]), sigma(x[4]) {}
  ad::Taped velocity_factor() const { return gamma / beta; }
};

}  // namespace liegrad::sensitivity
