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

/// Each correction leaves about |x| of the values: more than two or three are needed far from the constraints only.
constexpr int kMaxIterations = 50;
constexpr int kStepsWithScales = 64;
/// Values of Φ that do not shrink any more are rounding, if they are below so many tolerances. dΦ/dt is linear in v: what
/// does not shrink there is rounding, also where velocities have become larger since they were measured.
constexpr double kLargestRounding = 1e4;
constexpr double kStagnation = 0.5;

}  // namespace

ConstraintProjection::ConstraintProjection(Assembly& assembly)
    : assembly_(assembly),
      scales_(assembly),
      position_(index(assembly.system().num_multipliers())),
      velocity_(position_),
      correction_(index(assembly.size())),
      change_(index(assembly.system().dof())) {
  start_.reserve(index(assembly.system().configuration_space().num_coeffs()));
}

bool ConstraintProjection::factorize() {
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

template <class Move>
bool ConstraintProjection::remove(const std::vector<double>& values, std::span<const double> terms,
                                  double largest_rounding, Move&& move) {
  std::ranges::fill(change_, 0.0);
  double previous = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kMaxIterations; ++i) {
    const double now = size(values, terms);
    if (now <= 1 || (now > kStagnation * previous && now <= largest_rounding)) return true;
    if (!std::isfinite(now)) break;
    previous = now;
    std::ranges::fill(correction_, 0.0);
    std::ranges::copy(values, correction_.begin() + assembly_.multiplier_offset());
    assembly_.matrix().solve(correction_);
    for (std::size_t k = 0; k < change_.size(); ++k) change_[k] -= correction_[k];
    move();
    assembly_.constraint_values(position_, velocity_);
  }
  message_ = "the end of the step is too far from the constraints to be moved onto them";
  return false;
}

bool ConstraintProjection::project_positions(State& state) {
  start_.assign(state.q.begin(), state.q.end());
  return remove(position_, scales_.position(), kLargestRounding, [&] {
    assembly_.system().configuration_space().plus<double>(start_, change_, state.q);
    assembly_.set_configuration(state.q);
  });
}

bool ConstraintProjection::project_velocities(State& state) {
  start_.assign(state.v.begin(), state.v.end());
  constexpr double kAny = std::numeric_limits<double>::infinity();
  return remove(velocity_, scales_.velocity(), kAny, [&] {
    for (std::size_t k = 0; k < state.v.size(); ++k) state.v[k] = start_[k] + change_[k];
    assembly_.set_velocity(state.v);
  });
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
  if (!factorize()) return false;
  assembly_.constraint_values(position_, velocity_);
  if (!project_positions(state) || !project_velocities(state)) return false;
  position_residual_ = max_of(position_);
  velocity_residual_ = max_of(velocity_);
  return true;
}

}  // namespace liegrad::dae
