#include "liegrad/dae/run/error_norm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {
namespace {

using lie::GroupKind;

/// Rounding of positions, as accelerations show it: some units in the last place.
constexpr double kRounding = 30 * std::numeric_limits<double>::epsilon();

double norm_of(std::span<const double> x, int first, int count) {
  double sum = 0;
  for (int i = first; i < first + count; ++i) sum += x[index(i)] * x[index(i)];
  return std::sqrt(sum);
}

}  // namespace

ErrorNorm::ErrorNorm(Assembly& assembly, const State& initial, const ErrorTolerance& tolerance,
                     double interval) {
  start(assembly, initial, tolerance, interval);
}

void ErrorNorm::start(Assembly& assembly, const State& initial, const ErrorTolerance& tolerance,
                      double interval) {
  tolerance_ = tolerance;
  interval_ = interval;
  initial_q_ = initial.q;
  parts_.clear();
  multiplier_scale_ = highest_v_dot_ = highest_jerk_ = 0;
  const Model& system = assembly.system();
  for (int i = 0; i < system.configuration_space().size(); ++i) add_parts(i, system);
  double length = std::max(extent(initial), radius_of_gyration(assembly));
  double coordinates = 0;
  for (const Part& part : parts_) {
    if (part.kind != Kind::kCoordinates) continue;
    coordinates = std::max(coordinates, norm_of(initial.q, part.coefficients, part.size));
  }
  if (length == 0) length = coordinates > 0 ? coordinates : 1;
  for (Part& part : parts_) {
    if (part.kind == Kind::kDisplacement) part.position_scale = length;
    if (part.kind == Kind::kCoordinates) {
      const double own = norm_of(initial.q, part.coefficients, part.size);
      part.position_scale = own > 0 ? own : length;
    }
    part.velocity_scale = part.position_scale / interval;
  }
  last_time_ = initial.t;
  last_v_dot_ = initial.v_dot;
  none_.assign(initial.v.size(), 0.0);
  jerk_.assign(initial.v.size(), 0.0);
  observe(initial);
}

void ErrorNorm::add_parts(int node, const Model& system) {
  const lie::GroupList& space = system.configuration_space();
  const lie::NodeGroup& group = space.group(node);
  const int dof = space.dof_offset(node), coefficients = space.coeff_offset(node);
  const auto add = [&](Kind kind, int first, int size, int position) {
    parts_.push_back({kind, dof + first, size, coefficients + position, 1, 0});
  };
  const bool first_order = system.nodes()[index(node)].first_order;
  switch (group.kind) {
    case GroupKind::kRn:
      add(first_order ? Kind::kFirstOrder : Kind::kCoordinates, 0, group.n, 0);
      break;
    case GroupKind::kSO2: add(Kind::kTurning, 0, 1, 0); break;
    case GroupKind::kSO3: add(Kind::kTurning, 0, 3, 0); break;
    case GroupKind::kSE2:
      add(Kind::kTurning, 0, 1, 0);
      add(Kind::kDisplacement, 1, 2, 2);
      break;
    case GroupKind::kSO3xR3:
    case GroupKind::kSE3:
      add(Kind::kTurning, 0, 3, 0);
      add(Kind::kDisplacement, 3, 3, 4);
      break;
  }
}

/// √(J/m) from the diagonal of the mass matrix, where the parts of a body that turn stand before those that move.
double ErrorNorm::radius_of_gyration(Assembly& assembly) {
  std::vector<double>& diagonal = none_;
  diagonal.assign(index(assembly.system().dof()), 0.0);
  for (const auto& [row, column] : assembly.pattern()) {
    if (row == column && row < std::ssize(diagonal)) {
      diagonal[index(row)] = assembly.entry(row, column);
    }
  }
  double largest = 0;
  for (std::size_t i = 1; i < parts_.size(); ++i) {
    const Part &turning = parts_[i - 1], &moving = parts_[i];
    if (moving.kind != Kind::kDisplacement) continue;
    double inertia = 0, mass = 0;
    for (int k = 0; k < turning.size; ++k) {
      inertia = std::max(inertia, diagonal[index(turning.dof + k)]);
    }
    for (int k = 0; k < moving.size; ++k) mass = std::max(mass, diagonal[index(moving.dof + k)]);
    if (inertia > 0 && mass > 0) largest = std::max(largest, std::sqrt(inertia / mass));
  }
  return largest;
}

/// Half the diagonal of the box that contains the positions of all bodies.
double ErrorNorm::extent(const State& state) const {
  double squares = 0;
  for (int axis = 0; axis < 3; ++axis) {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (const Part& part : parts_) {
      if (part.kind != Kind::kDisplacement || axis >= part.size) continue;
      const double x = state.q[index(part.coefficients + axis)];
      least = std::min(least, x);
      most = std::max(most, x);
    }
    if (most > least) squares += (most - least) * (most - least);
  }
  return 0.5 * std::sqrt(squares);
}

void ErrorNorm::observe(const State& state) {
  for (Part& part : parts_) {
    double position = 0;
    if (part.kind == Kind::kCoordinates) {
      position = norm_of(state.q, part.coefficients, part.size);
    } else if (part.kind == Kind::kDisplacement) {
      for (int i = part.coefficients; i < part.coefficients + part.size; ++i) {
        position = std::hypot(position, state.q[index(i)] - initial_q_[index(i)]);
      }
    }
    part.position_scale = std::max(part.position_scale, position);
    part.velocity_scale = std::max(part.velocity_scale, norm_of(state.v, part.dof, part.size));
  }
  multiplier_scale_ = std::max(multiplier_scale_, max_of(state.lambda));
  highest_v_dot_ = std::max(highest_v_dot_, size(none_, state.v_dot));
  const double passed = state.t - last_time_;
  if (!(passed > 0)) return;
  for (std::size_t i = 0; i < jerk_.size(); ++i) {
    jerk_[i] = (state.v_dot[i] - last_v_dot_[i]) / passed;
  }
  highest_jerk_ = std::max(highest_jerk_, size(none_, jerk_));
  last_time_ = state.t;
  std::ranges::copy(state.v_dot, last_v_dot_.begin());
}

double ErrorNorm::accumulated_over_difference() const {
  // Measured of the pair of [DormandPrince1980] on motions that turn.
  constexpr double kPart = 0.2;
  if (!(highest_v_dot_ > 0)) return 1;
  return std::max(1.0, kPart * interval_ * highest_jerk_ / highest_v_dot_);
}

double ErrorNorm::spacing_above_rounding(double h) const {
  constexpr double kPart = 0.1;  // what rounding may be of the tolerance
  // A longer distance would no longer follow the motion, unless this is slow: a node turns, or its velocity changes by
  // itself, at the rate ω, and derivatives over s are wrong by a part of ωs.
  constexpr double kMostSteps = 64, kMostOfMotion = 0.1;
  double slowest = 0;  // time in which a part moves by its position scale
  double rate = tolerance_.relative * highest_v_dot_;
  for (const Part& part : parts_) {
    if (part.kind == Kind::kFirstOrder) continue;
    slowest = std::max(slowest, part.position_scale / part.velocity_scale);
    if (part.kind == Kind::kTurning) rate = std::max(rate, part.velocity_scale);
  }
  const double wanted = std::sqrt(kRounding / kPart * slowest * interval_ / tolerance_.relative);
  return std::clamp(wanted, h, std::max(kMostSteps * h, kMostOfMotion / rate));
}

double ErrorNorm::size_of_rounding(std::span<const double> theta, std::span<const double> v) const {
  return kRounding * size(theta, v);
}

double ErrorNorm::size(std::span<const double> theta, std::span<const double> v) const {
  double largest = 0;
  for (const Part& part : parts_) {
    const double velocity = norm_of(v, part.dof, part.size) / weight(part.velocity_scale);
    // The integral of a first-order state is read by nothing.
    const double position = part.kind == Kind::kFirstOrder
                                ? 0
                                : norm_of(theta, part.dof, part.size) / weight(part.position_scale);
    for (const double size : {position, velocity}) {
      if (!(size <= largest)) largest = size;  // also NaN
    }
  }
  return largest;
}

double ErrorNorm::multiplier_size(std::span<const double> lambda) const {
  const double largest = max_of(lambda);
  return largest == 0 ? 0 : largest / weight(multiplier_scale_);
}

}  // namespace liegrad::dae
