#include "liegrad/sensitivity/full_convergence.hpp"

#include <algorithm>

namespace liegrad::sensitivity {

dae::IntegrateOptions with_full_convergence(const dae::IntegrateOptions& options) {
  constexpr double kNewtonTolerance = 1e-14;
  dae::IntegrateOptions result = options;
  dae::NewtonOptions& newton = result.alpha.newton;
  newton.relative_tolerance = std::min(newton.relative_tolerance, kNewtonTolerance);
  newton.residual_tolerance.reset();
  newton.leave_out_last = false;
  // Without damping and stiffness it converges so slowly that it ends at the tolerance, not at rounding.
  if (newton.kind == dae::NewtonKind::kSimplified) newton.kind = dae::NewtonKind::kModified;
  return result;
}

}  // namespace liegrad::sensitivity
