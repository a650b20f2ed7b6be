#include "liegrad/dae/velocity_watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "liegrad/dae/numbers.hpp"
#include "liegrad/dae/text.hpp"

namespace liegrad::dae {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
/// From rest, v like tᵏ makes dΦ/dt a part of about (k/n)² of itself in step n: a motion has begun after this many.
constexpr int kFirstSteps = 30;
/// |dΦ/dt| below this part of the highest speed, in any units, needs no further look.
constexpr double kSuspicious = 1e-3;
/// Of speeds; its square is a part of the energy.
constexpr double kLargestViolation = 0.03;

/// What rounding in Φ may do to velocities, with a margin.
double rounding_of_speed(const State& end) { return 1e3 * kEpsilon / end.step * max_of(end.q); }

}  // namespace

VelocityWatch::Violation VelocityWatch::violation(Stepper& stepper, double highest_speed) {
  const State& end = stepper.next();
  std::ranges::copy(stepper.assembly().controls(), consistency_.controls().begin());
  const std::vector<double> residual = consistency_.velocity_residual(end);
  const double share = energy(consistency_.normal_velocity(end, residual)) / energy(end.v);
  const auto worst =
      std::ranges::max_element(residual, {}, [](double rate) { return std::abs(rate); });
  return {std::sqrt(std::max(share, 0.0)) * max_of(end.v) / highest_speed,
          static_cast<int>(worst - residual.begin())};
}

/// vᵀMv with the matrix of (19) that was evaluated last, whose first block is M.
double VelocityWatch::energy(std::span<const double> v) const {
  Assembly& assembly = consistency_.assembly();
  const int dof = assembly.system().dof();
  double sum = 0;
  for (const auto& [row, column] : assembly.pattern()) {
    if (row >= dof || column >= dof) continue;
    sum += v[index(row)] * assembly.entry(row, column) * v[index(column)];
  }
  return sum;
}

std::optional<std::string> VelocityWatch::complaint(Stepper& stepper) {
  const State& end = stepper.next();
  const double highest_speed = std::max(highest_speed_, max_of(end.v));
  if (moving_steps_ >= kFirstSteps &&
      !(stepper.report().velocity_residual <= kSuspicious * highest_speed)) {
    const Violation found = violation(stepper, highest_speed);
    if (!(found.part <= kLargestViolation)) {
      return "velocities violate the constraints by " + number_text(std::round(100 * found.part)) +
             " %, most of all " + stepper.assembly().system().constraint_name(found.constraint) +
             ": the step is too long for this motion";
    }
  }
  highest_speed_ = highest_speed;
  if (moving_steps_ < kFirstSteps && highest_speed > rounding_of_speed(end)) moving_steps_ += 1;
  return {};
}

}  // namespace liegrad::dae
