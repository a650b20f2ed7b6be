#include "liegrad/dae/equations/equation_scales.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/turn.hpp"

namespace liegrad::dae {
namespace {

/// Of positions: what solved constraints leave. In a step that is a velocity, which the stabilised formulation takes away
/// again by B(q_n)ᵀη: beside it the velocities of what is nearly at rest are rounding.
constexpr double kPositionRounding = 8 * std::numeric_limits<double>::epsilon();
/// Of the gradient of a constraint; smaller entries may be rounding.
constexpr double kSmallGradient = 1e-3;
/// Tolerances are no smaller than the inverse of this, so that squares of what is measured by them are numbers.
constexpr double kLargestSize = 1e100;

}  // namespace

EquationScales::EquationScales(Assembly& assembly) : assembly_(assembly) {
  const int dof = assembly.multiplier_offset();
  sizes_.assign(index(dof), 0.0);
  speeds_ = inertia_ = sizes_;
  momentum_.assign(index(dof + assembly.system().num_algebraic()), 0.0);
  force_ = momentum_;
  position_.assign(index(assembly.system().num_multipliers()), 0.0);
  velocity_ = position_;
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
  assembly_.coefficients() = {.c_a = given.c_a, .c_v = given.c_v};
  // What a drive contributes to dΦ/dt is no term of B v.
  assembly_.measure_forces(force_, inertia_, velocity_);
  add_forces_without_inertia();
  measure_motion(state, step);
  add_up(given);
  assembly_.coefficients() = given;
}

/// V_j is |v|, what v̇ makes of it in a step, what forces would if nothing balanced them, or what rounding of positions is over
/// a step. A node at the origin, or
/// one at rest, is measured by what it has: its radius of gyration, and the way it goes in a step.
void EquationScales::measure_motion(const State& state, std::optional<double> step) {
  const auto largest_inertia = [this](int first, int count) {
    return *std::max_element(inertia_.begin() + first, inertia_.begin() + first + count);
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
    if (step) speed = std::max(speed, kPositionRounding * size / *step);
    angular_inertia = coeff < 0 ? inertia : 0;
    std::fill_n(sizes_.begin() + first, count, size);
    std::fill_n(speeds_.begin() + first, count, speed);
  });
}

/// A coordinate without inertia has only the forces of its constraints. Where these are zero they are so to rounding
/// of the forces on the other side of the constraint.
void EquationScales::add_forces_without_inertia() {
  if (std::ranges::all_of(inertia_, [](double inertia) { return inertia > 0; })) return;
  const int dof = assembly_.multiplier_offset();
  largest_gradient_.assign(position_.size(), 0.0);
  across_.assign(position_.size(), 0.0);
  assembly_.evaluate(true);
  const auto for_each_gradient = [&](bool with_inertia, auto&& f) {
    for (const auto& [row, column] : assembly_.pattern()) {
      if (row >= dof || column < dof || column >= assembly_.algebraic_offset()) continue;
      if ((inertia_[index(row)] > 0) != with_inertia) continue;
      f(index(row), index(column - dof), std::abs(assembly_.entry(row, column)));
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

void EquationScales::add_up(const StepCoefficients& given) {
  const int dof = assembly_.multiplier_offset(), algebraic = assembly_.algebraic_offset(),
            stabilizers = assembly_.stabilizer_offset();
  // K and B.
  assembly_.coefficients() = {.c_a = 0, .k_q = 1, .c_r = 1};
  const Assembly::Products elastic = assembly_.measure_products(sizes_, speeds_);
  for (int row = 0; row < stabilizers; ++row) {
    if (const int motion = assembly_.motion_index(row); motion >= 0) {
      force_[index(motion)] += elastic.of_x[index(row)];
    } else if (row < algebraic) {
      position_[index(row - dof)] = elastic.of_x[index(row)];
      velocity_[index(row - dof)] += elastic.of_y[index(row)];
    }
  }
  // M, D and Z.
  assembly_.coefficients() = {.c_a = given.c_a, .c_v = given.c_v, .k_r = 1};
  const Assembly::Products inertial = assembly_.measure_products(sizes_, speeds_);
  const ConstraintRows rows = constraint_rows(assembly_.formulation());
  const int first = rows.position ? stabilizers : dof;
  for (int row = 0; row < assembly_.size(); ++row) {
    if (const int motion = assembly_.motion_index(row); motion >= 0) {
      momentum_[index(motion)] = inertial.of_y[index(row)];
    } else if (rows.velocity && row >= first) {
      velocity_[index(row - first)] += inertial.of_x[index(row)];
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
