#include "liegrad/dae/run/velocity_watch.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/text.hpp"

namespace liegrad::dae {
namespace {

/// From rest, v like tᵏ makes dΦ/dt a part of about (k/n)² of itself in step n: a motion has begun after this many.
constexpr int kFirstSteps = 30;
/// The kinetic energy of the motion is looked at once in so many steps.
constexpr int kStepsBetweenLooks = 64;
/// |dΦ/dt| below this part of its terms needs no further look.
constexpr double kSuspicious = 1e-3;
/// Of speeds; its square is a part of the energy.
constexpr double kLargestViolation = 0.03;

}  // namespace

VelocityWatch::VelocityWatch(Consistency& consistency) : consistency_(consistency) {
  Assembly& assembly = consistency.assembly();
  const int dof = assembly.system().dof();
  for (const auto& [row, column] : assembly.pattern()) {
    if (row >= dof || column >= dof) continue;
    mass_.push_back({row, column, assembly.matrix().position(row, column)});
  }
}

void VelocityWatch::start() {
  highest_energy_ = 0;
  moving_steps_ = 0;
}

VelocityWatch::Violation VelocityWatch::violation(Stepper& stepper) {
  const State& end = stepper.next();
  std::ranges::copy(stepper.assembly().controls(), consistency_.controls().begin());
  const std::vector<double>& residual = consistency_.velocity_residual(end);
  const double across = energy(consistency_.normal_velocity(end, residual));
  const double kinetic = std::max(highest_energy_, energy(end.v));
  const auto worst =
      std::ranges::max_element(residual, {}, [](double rate) { return std::abs(rate); });
  const double part = across > 0 ? std::sqrt(across / kinetic) : 0.0;
  if (part <= kLargestViolation) highest_energy_ = kinetic;
  return {part, static_cast<int>(worst - residual.begin())};
}

/// vᵀMv with the matrix of (19) that was evaluated last, whose first block is M.
double VelocityWatch::energy(std::span<const double> v) const {
  const std::span<const double> matrix = consistency_.assembly().matrix().values();
  double sum = 0;
  for (const MassEntry& m : mass_) {
    sum += v[index(m.row)] * matrix[index(m.position)] * v[index(m.column)];
  }
  return sum;
}

std::optional<std::string> VelocityWatch::failure(Stepper& stepper) {
  const StepReport& report = stepper.report();
  const bool has_begun = moving_steps_ >= kFirstSteps;
  const bool looks = moving_steps_ % kStepsBetweenLooks == 0;
  if (has_begun && (looks || !(report.velocity_violation <= kSuspicious))) {
    const Violation found = violation(stepper);
    if (!(found.part <= kLargestViolation)) {
      return "velocities violate the constraints by " + number_text(std::round(100 * found.part)) +
             " %, most of all " + stepper.assembly().system().constraint_name(found.constraint);
    }
  }
  if (has_begun || report.is_moving) moving_steps_ += 1;
  return {};
}

}  // namespace liegrad::dae
