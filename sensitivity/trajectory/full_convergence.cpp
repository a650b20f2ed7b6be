#include "liegrad/sensitivity/trajectory/full_convergence.hpp"

#include <algorithm>

namespace liegrad::sensitivity {

dae::IntegrateOptions with_full_convergence(const dae::IntegrateOptions& options) {
  constexpr double kNewtonTolerance = 1e-14;
  dae::IntegrateOptions result = options.resolved();
  dae::NewtonOptions& newton = result.alpha.newton;
  newton.relative_tolerance = std::min(newton.relative_tolerance, kNewtonTolerance);
  newton.residual_tolerance.reset();
  newton.leave_out_last = false;
  // With a kept matrix it converges so slowly that it ends at the tolerance, not at rounding.
  newton.kind = dae::NewtonKind::kFull;
  result.radau.newton = dae::RadauNewton::kFull;
  result.radau.leave_out_last = false;
  result.radau.keep_stages = true;
  return result;
}

}  // namespace liegrad::sensitivity
