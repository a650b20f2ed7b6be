#include "liegrad/dae/start/constraint_projection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "liegrad/dae/equations/place_state.hpp"
#include "liegrad/dae/run/newton.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {
namespace {

constexpr int kMaxIterations = 20, kStepsWithScales = 64;
/// A kept matrix is renewed when Φ shrinks by less than this factor.
constexpr double kKeptContraction = 0.1;
/// Φ that does not shrink any more is rounding, if it is below so many tolerances.
constexpr double kLargestRounding = 1e4;

}  // namespace

ConstraintProjection::ConstraintProjection(Assembly& assembly)
    : assembly_(assembly),
      scales_(assembly),
      position_(index(assembly.system().num_multipliers())),
      velocity_(position_),
      change_(index(assembly.size())) {}

bool ConstraintProjection::factorize(const State& state) {
  assembly_.set_configuration(state.q);
  assembly_.evaluate(true);
  if (assembly_.matrix().factorize()) return true;
  message_ = "the mass matrix is singular on the kernel of the constraints at " +
             assembly_.unknown_name(std::max(assembly_.matrix().singular_unknown(), 0));
  return false;
}

double ConstraintProjection::size(std::span<const double> values, std::span<const double> terms) {
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double least = std::numeric_limits<double>::min();
    const double part = std::abs(values[i]) / std::max(kRoundingTolerance * terms[i], least);
    if (!(part <= largest)) largest = part;  // keeps NaN
  }
  return largest;
}

void ConstraintProjection::solve(std::span<const double> values) {
  std::ranges::fill(change_, 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    change_[index(assembly_.multiplier_offset()) + i] = -values[i];
  }
  assembly_.matrix().solve(change_);
}

bool ConstraintProjection::project_positions(State& state) {
  const std::span<const double> change = std::span<const double>(change_).first(state.v.size());
  double previous = std::numeric_limits<double>::infinity();
  bool is_fresh = false;
  for (int i = 0; i < kMaxIterations; ++i) {
    assembly_.set_configuration(state.q);
    assembly_.constraint_values(position_, velocity_);
    const double now = size(position_, scales_.position());
    if (now <= 1 || (is_fresh && now > 0.5 * previous && now <= kLargestRounding)) return true;
    if (!std::isfinite(now)) break;
    is_fresh = i == 0 || now > kKeptContraction * previous;
    if (is_fresh && !factorize(state)) return false;
    previous = now;
    solve(position_);
    assembly_.system().configuration_space().plus<double>(state.q, change, state.q);
  }
  message_ = "the end of the step is too far from the constraints to be moved onto them";
  return false;
}

/// Once more for what rounding of the first change leaves.
void ConstraintProjection::project_velocities(State& state) {
  for (int i = 0; i < 2; ++i) {
    assembly_.set_velocity(state.v);
    assembly_.constraint_values(position_, velocity_);
    if (size(velocity_, scales_.velocity()) <= 1) return;
    solve(velocity_);
    for (std::size_t k = 0; k < state.v.size(); ++k) state.v[k] += change_[k];
  }
  assembly_.set_velocity(state.v);
  assembly_.constraint_values(position_, velocity_);
}

bool ConstraintProjection::project(State& state) {
  if (position_.empty()) return true;
  assembly_.set_time(state.t);
  place_state(state, assembly_);
  assembly_.coefficients() = {};
  if (steps_to_scales_-- <= 0) {
    scales_.measure(state, std::nullopt);
    steps_to_scales_ = kStepsWithScales;
  }
  if (!project_positions(state) || !factorize(state)) return false;
  project_velocities(state);
  position_residual_ = max_of(position_);
  velocity_residual_ = max_of(velocity_);
  return true;
}

}  // namespace liegrad::dae
