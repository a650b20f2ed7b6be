#include "liegrad/sensitivity/step/alpha_step_function.hpp"

#include <algorithm>

#include "liegrad/dae/alpha/alpha_memory.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/sensitivity/check/taped_parameters.hpp"

namespace liegrad::sensitivity {

using dae::index;

NodeMap alpha_step_map(dae::AlphaVariant variant, double sigma) {
  switch (variant) {
    case dae::AlphaVariant::kLieGroup: break;
    case dae::AlphaVariant::kUpdatedLagrangianExp: return NodeMap::kLocalStepExp;
    case dae::AlphaVariant::kUpdatedLagrangianCrv: return NodeMap::kLocalStepCrv;
  }
  switch (dae::sigma_form(sigma)) {
    case dae::SigmaForm::kZero: break;
    case dae::SigmaForm::kOne: return NodeMap::kAlphaStepOne;
    case dae::SigmaForm::kOther: return NodeMap::kAlphaStepSigma;
  }
  return NodeMap::kAlphaStep;
}

/// Data are Δq*, h* and the method.
StepPoint::StepPoint(int dof, const dae::AlphaMethod& method)
    : at_(dof), numbers_(index(at_.size + dof + 1 + kNumMethodNumbers), 0.0) {
  const dae::AlphaParameters& p = method.parameters;
  const double list[kNumMethodNumbers] = {p.alpha_m, p.alpha_f, p.beta, p.gamma, method.sigma};
  std::ranges::copy(list, numbers_.end() - kNumMethodNumbers);
}

void StepPoint::set(const dae::MethodState& start, std::span<const double> delta_q,
                    std::span<const double> force, double h) {
  const auto put = [this](int first, std::span<const double> values) {
    std::ranges::copy(values, numbers_.begin() + first);
  };
  put(at_.v, start.v);
  put(at_.v_dot, start.v_dot);
  put(at_.a, dae::alpha_memory(start).a);
  put(at_.force, force);
  put(at_.size, delta_q);
  numbers_[index(at_.size) + delta_q.size()] = h;
}

}  // namespace liegrad::sensitivity
