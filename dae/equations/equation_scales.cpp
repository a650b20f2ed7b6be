#include "liegrad/dae/equations/equation_scales.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/turn.hpp"

namespace liegrad::dae {
namespace {

/// Of the gradient of a constraint; smaller entries may be rounding.
constexpr double kSmallGradient = 1e-3;
/// Tolerances are no smaller than the inverse of this, so that squares of what is measured by them are numbers.
constexpr double kLargestSize = 1e100;

/// The magnitudes of the entries that a matrix holds.
auto magnitudes(LinearSolver& matrix) {
  return [values = matrix.values(), positions = matrix.positions()](std::size_t entry) {
    return std::abs(values[index(positions[entry])]);
  };
}

}  // namespace

EquationScales::EquationScales(Assembly& assembly) : assembly_(assembly) {
  const int dof = assembly.multiplier_offset();
  diagonal_.assign(index(dof), -1);
  const MatrixEntries& entries = assembly.pattern();
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const auto& [row, column] = entries[e];
    if (column < assembly.stabilizer_offset()) num_entries_ = e + 1;
    if (row == column && row < dof) diagonal_[index(row)] = static_cast<int>(e);
  }
  sizes_.assign(index(dof), 0.0);
  speeds_ = sizes_;
  momentum_.assign(index(dof + assembly.system().num_algebraic()), 0.0);
  force_ = momentum_;
  position_.assign(index(assembly.system().num_multipliers()), 0.0);
  velocity_ = position_;
  largest_gradient_ = position_;
  across_ = position_;
}

double EquationScales::inertia(std::size_t entry) const {
  return magnitudes(assembly_.matrix())(entry);
}

int EquationScales::motion_index(int row) const {
  if (row < assembly_.multiplier_offset()) return row;
  const bool is_algebraic =
      row >= assembly_.algebraic_offset() && row < assembly_.stabilizer_offset();
  return is_algebraic ? row - static_cast<int>(position_.size()) : -1;
}

template <class F>
void EquationScales::for_each_part(F&& f) const {
  const lie::GroupList& space = assembly_.system().configuration_space();
  for (int i = 0; i < space.size(); ++i) {
    const lie::NodeGroup& group = space.group(i);
    const int first = space.dof_offset(i), dof = group.dof(), angles = num_angles(group.kind);
    const int coeff = space.coeff_offset(i) + group.num_coeffs() - (dof - angles);
    if (group.kind == lie::GroupKind::kRn) {
      for (int k = 0; k < dof; ++k) f(first + k, 1, coeff + k);
      continue;
    }
    if (angles > 0) f(first, angles, -1);
    if (dof > angles) f(first + angles, dof - angles, coeff);
  }
}

void EquationScales::measure(const State& state, std::optional<double> step) {
  const StepCoefficients given = assembly_.coefficients();
  const auto evaluate = [this](const StepCoefficients& coefficients) {
    assembly_.coefficients() = coefficients;
    assembly_.evaluate(true);
  };
  evaluate({.c_a = 0, .k_q = 1, .c_r = 1});
  stiffness_.resize(num_entries_);
  const auto magnitude = magnitudes(assembly_.matrix());
  for (std::size_t e = 0; e < stiffness_.size(); ++e) stiffness_[e] = magnitude(e);
  evaluate({.c_a = given.c_a, .c_v = given.c_v, .k_r = 1});
  assembly_.term_sizes(force_);
  // What a drive contributes to dΦ/dt is no term of B v.
  const ConstraintRows rows = constraint_rows(assembly_.formulation());
  const int first = rows.position ? assembly_.stabilizer_offset() : assembly_.multiplier_offset();
  for (std::size_t i = 0; i < velocity_.size(); ++i) {
    velocity_[i] = rows.velocity ? std::abs(assembly_.residual()[index(first) + i]) : 0.0;
  }
  assembly_.coefficients() = given;
  measure_motion(state, step);
  add_up();
}

/// V_j is |v|, what v̇ makes of it in a step, or what forces would if nothing balanced them. A node at the origin, or
/// one at rest, is measured by what it has: its radius of gyration, and the way it goes in a step.
void EquationScales::measure_motion(const State& state, std::optional<double> step) {
  const std::span<const double> lambda = assembly_.multipliers();
  const std::span<const double> s = assembly_.algebraic();
  const int dof = assembly_.multiplier_offset();
  for (std::size_t e = 0; e < stiffness_.size(); ++e) {
    const auto& [row, column] = assembly_.pattern()[e];
    const int motion = motion_index(row);
    if (motion < 0 || column < dof) continue;
    const bool is_multiplier = column < assembly_.algebraic_offset();
    const double value = is_multiplier ? lambda[index(column - dof)]
                                       : s[index(column - assembly_.algebraic_offset())];
    force_[index(motion)] += stiffness_[e] * std::abs(value);
  }
  add_forces_without_inertia();
  const auto largest_inertia = [this](int first, int count) {
    double largest = 0;
    for (int k = first; k < first + count; ++k) {
      if (const int entry = diagonal_[index(k)]; entry >= 0) {
        largest = std::max(largest, inertia(index(entry)));
      }
    }
    return largest;
  };
  double angular_inertia = 0;  // of the angles of the same node, which come first
  for_each_part([&](int first, int count, int coeff) {
    const double inertia = largest_inertia(first, count);
    double speed = 0, acceleration = 0, force = 0, size = 1;
    for (int k = first; k < first + count; ++k) {
      speed = std::max(speed, std::abs(state.v[index(k)]));
      acceleration = std::max(acceleration, std::abs(state.v_dot[index(k)]));
      force = std::max(force, force_[index(k)]);
    }
    if (coeff >= 0) {
      size = step.value_or(0) * speed;
      for (int k = coeff; k < coeff + count; ++k)
        size = std::max(size, std::abs(state.q[index(k)]));
      if (count > 1 && inertia > 0) size = std::max(size, std::sqrt(angular_inertia / inertia));
    }
    if (step) speed = std::max(speed, *step * acceleration);
    if (inertia > 0) {
      speed = std::max(speed, step ? *step * force / inertia : std::sqrt(size * force / inertia));
    }
    if (size == 0) size = step.value_or(0) * speed;
    angular_inertia = coeff < 0 ? inertia : 0;
    std::fill_n(sizes_.begin() + first, count, size);
    std::fill_n(speeds_.begin() + first, count, speed);
  });
}

/// A coordinate without inertia has only the forces of its constraints. Where these are zero they are so to rounding
/// of the forces on the other side of the constraint.
void EquationScales::add_forces_without_inertia() {
  const int dof = assembly_.multiplier_offset();
  const bool all_have_inertia = std::ranges::all_of(
      diagonal_, [this](int entry) { return entry >= 0 && inertia(index(entry)) > 0; });
  if (all_have_inertia) return;
  std::ranges::fill(largest_gradient_, 0.0);
  std::ranges::fill(across_, 0.0);
  const auto for_each_gradient = [&](bool with_inertia, auto&& f) {
    for (std::size_t e = 0; e < stiffness_.size(); ++e) {
      const auto& [row, column] = assembly_.pattern()[e];
      if (row >= dof || column < dof || column >= assembly_.algebraic_offset()) continue;
      const int diagonal = diagonal_[index(row)];
      const bool has_inertia = diagonal >= 0 && inertia(index(diagonal)) > 0;
      if (has_inertia == with_inertia) f(index(row), index(column - dof), stiffness_[e]);
    }
  };
  for_each_gradient(true, [this](std::size_t, std::size_t k, double gradient) {
    largest_gradient_[k] = std::max(largest_gradient_[k], gradient);
  });
  for_each_gradient(true, [this](std::size_t i, std::size_t k, double gradient) {
    if (gradient < kSmallGradient * largest_gradient_[k] || gradient == 0) return;
    across_[k] = std::max(across_[k], force_[i] / gradient);
  });
  for_each_gradient(false, [this](std::size_t i, std::size_t k, double gradient) {
    force_[i] += gradient * across_[k];
  });
}

void EquationScales::add_up() {
  const int dof = assembly_.multiplier_offset(), algebraic = assembly_.algebraic_offset();
  const ConstraintRows rows = constraint_rows(assembly_.formulation());
  const auto magnitude = magnitudes(assembly_.matrix());
  std::ranges::fill(momentum_, 0.0);
  std::ranges::fill(position_, 0.0);
  for (std::size_t e = 0; e < stiffness_.size(); ++e) {
    const auto& [row, column] = assembly_.pattern()[e];
    if (column >= dof) continue;
    const double size = sizes_[index(column)], speed = speeds_[index(column)];
    if (const int motion = motion_index(row); motion >= 0) {
      momentum_[index(motion)] += magnitude(e) * speed;
      force_[index(motion)] += stiffness_[e] * size;
    } else if (row < algebraic) {
      position_[index(row - dof)] += stiffness_[e] * size;
      velocity_[index(row - dof)] += stiffness_[e] * speed;
      if (!rows.position) velocity_[index(row - dof)] += magnitude(e) * size;
    } else {
      velocity_[index(row - assembly_.stabilizer_offset())] += magnitude(e) * size;
    }
  }
}

void EquationScales::set_inverse_tolerances(double tolerance, double h,
                                            std::span<double> out) const {
  const int dof = assembly_.multiplier_offset(), algebraic = assembly_.algebraic_offset();
  const auto set = [&](int row, double terms) {
    out[index(row)] = 1 / std::max(tolerance * terms, 1 / kLargestSize);
  };
  for (int i = 0; i < std::ssize(momentum_); ++i) {
    set(i < dof ? i : algebraic + i - dof, momentum_[index(i)] + h * force_[index(i)]);
  }
  const ConstraintRows rows = constraint_rows(assembly_.formulation());
  const int velocities = rows.position ? assembly_.stabilizer_offset() : dof;
  for (int i = 0; i < std::ssize(position_); ++i) {
    if (rows.position) set(dof + i, position_[index(i)] / h);
    if (rows.velocity) set(velocities + i, velocity_[index(i)]);
  }
}

}  // namespace liegrad::dae
