// Compiled once, into the library and into programs that write kernels.

#include "liegrad/sensitivity/step/defect_recordings.hpp"

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::sensitivity {
namespace {

using ad::Taped;
using dae::index;
using dae::SigmaForm;
using Tapes = std::span<const Taped>;

/// The inputs of a part with d coordinates.
struct DefectInputs {
  DefectInputs(Tapes all, int dof)
      : x(all), d(index(dof)), h(all[8 * d] * all[8 * d + 1]), method(all.subspan(9 * d + 2)) {}
  /// Slice i of d numbers: (δ, v, v̇, a)_n, (δ, v, v̇, a)_{n+1}.
  Tapes operator[](std::size_t i) const { return x.subspan(i * d, d); }
  Tapes base() const { return x.subspan(8 * d + 2, d); }

  Tapes x;
  std::size_t d;
  Taped h;
  TapedParameters method;
};

/// h y for entry i, with θ given.
Taped surplus(const DefectInputs& in, std::size_t i, const Taped& theta) {
  return theta +
         in.h * dae::increment_surplus<Taped>(in.method, in.h, Taped(0), in[1][i], in[3][i]);
}

/// The relations of velocity and acceleration, which all parts share.
void append_rates(const DefectInputs& in, std::vector<Taped>& result) {
  const TapedParameters& p = in.method;
  for (std::size_t i = 0; i < in.d; ++i) {
    result.push_back(in[5][i] - in[1][i] -
                     in.h * ((1.0 - p.gamma) * in[3][i] + p.gamma * in[7][i]));
  }
  for (std::size_t i = 0; i < in.d; ++i) {
    result.push_back((1.0 - p.alpha_m) * in[7][i] + p.alpha_m * in[3][i] -
                     (1.0 - p.alpha_f) * in[6][i] - p.alpha_f * in[2][i]);
  }
}

std::vector<Taped> linear_defect(const DefectInputs& in) {
  const Taped theta = in.base()[0] + in[4][0] - in[0][0];
  std::vector<Taped> result = {in.h * in.method.beta / in.method.gamma * in[5][0] -
                               surplus(in, 0, theta)};
  append_rates(in, result);
  return result;
}

template <template <class> class G>
std::vector<Taped> turning_defect(SigmaForm form, const DefectInputs& in) {
  using Tangent = typename G<Taped>::Tangent;
  const auto vector = [](Tapes x) { return Tangent(Eigen::Map<const Tangent>(x.data())); };
  const Tangent theta =
      increment_between<G, Taped>(vector(in[0]), vector(in.base()), vector(in[4]));
  Tangent y;
  for (int i = 0; i < G<Taped>::kDof; ++i) y(i) = surplus(in, index(i), theta(i));
  Tangent v = in.h * in.method.beta / in.method.gamma * vector(in[5]);
  if (form != SigmaForm::kZero) {
    const auto tangent = dae::node_tangent<G, Taped>(theta);
    y = tangent * y;
    if (form == SigmaForm::kOther) {
      v = dae::sigma_matrix<G, Taped>(in.method.sigma, tangent) * v;
    }
  }
  const Tangent defect = v - y;
  std::vector<Taped> result(defect.begin(), defect.end());
  append_rates(in, result);
  return result;
}

std::vector<Taped> defect(StepPart part, SigmaForm form, const DefectInputs& in) {
  if (part == StepPart::kLinear) return linear_defect(in);
  return with_group_of(part,
                       [&]<template <class> class G>() { return turning_defect<G>(form, in); });
}

const char* name_of(StepPart part) {
  switch (part) {
    case StepPart::kLinear: break;
    case StepPart::kSO3: return "defect_so3";
    case StepPart::kSE3: return "defect_se3";
    case StepPart::kSE2: return "defect_se2";
  }
  return "defect_r1";
}

}  // namespace

ad::Recording defect_recording(StepPart part, SigmaForm form) {
  const int dof = step_part_dof(part);
  const int num_inputs = 9 * dof + 2 + kNumMethodNumbers;
  // Any method will do; this one avoids divisions by zero.
  std::vector<double> at(index(num_inputs), 0.0);
  for (int i = 8 * dof; i < 8 * dof + 2; ++i) at[index(i)] = 1;
  for (std::size_t i = index(9 * dof + 2); i < at.size(); ++i) at[i] = 0.25;
  return ad::record({.name = name_of(part), .variables = num_inputs, .data = 0, .at = at},
                    [&](Tapes all, Tapes) { return defect(part, form, DefectInputs(all, dof)); });
}

}  // namespace liegrad::sensitivity
