#include "liegrad/dae/runge_kutta/simplified_stages.hpp"

#include <algorithm>
#include <complex>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {
namespace {

Formulation of_one_stage(Formulation formulation) {
  return formulation == Formulation::kStabilized ? Formulation::kIndex2 : formulation;
}

}  // namespace

StepCoefficients stage_coefficients(double h, double c_a, double c_v, double k) {
  return {.c_a = c_a,
          .c_v = h * c_v,
          .k_q = h * h * k,
          .c_r = c_v,
          .k_r = h * k,
          .motion_scale = h,
          .position_scale = 1 / h};
}

SimplifiedStages::SimplifiedStages(const Assembly& assembly, const RadauCoefficients& coefficients,
                                   LinearSolverKind solver)
    : coefficients_(coefficients),
      stages_(coefficients.stages),
      dof_(assembly.multiplier_offset()),
      size_(assembly.size()),
      has_stabilizer_(assembly.find_stabilizer() != nullptr),
      stage_(assembly.system(), of_one_stage(assembly.formulation()), false, solver),
      modal_(index(stages_ * stage_.size())),
      right_(index(stage_.size())),
      scratch_(index(dof_)),
      eta_(index(assembly.system().num_multipliers())) {
  for (int row = 0; row < stage_.size(); ++row) {
    const bool is_constraint = row >= dof_ && row < stage_.algebraic_offset();
    rows_.push_back(has_stabilizer_ && is_constraint ? assembly.stabilizer_offset() + row - dof_
                                                     : row);
  }
  // A real mode is one row of S⁻¹ and a column of S. A complex one stands for its conjugate, too: its parts are two of
  // each, and twice the real part of the product counts.
  std::size_t m = 0;
  for (const RadauCoefficients::Mode& mode : coefficients_.modes) {
    modes_.emplace_back(stage_, mode.is_real() ? 1 : 2, solver);
    for (int i = 0; i < stages_; ++i) {
      const std::complex<double> from = mode.from_stages(i), to = mode.to_stages(i);
      const std::size_t of_row = kMostStages * m + index(i), of_column = index(kMostStages * i) + m;
      from_stages_[of_row] = from.real();
      to_stages_[of_column] = mode.is_real() ? to.real() : 2 * to.real();
      if (mode.is_real()) continue;
      from_stages_[of_row + kMostStages] = from.imag();
      to_stages_[of_column + 1] = -2 * to.imag();
    }
    m += mode.is_real() ? 1 : 2;
  }
  if (has_stabilizer_) gram_.emplace(assembly, solver);
  const ConstraintRows rows = constraint_rows(stage_.formulation());
  for (const auto& [row, column] : stage_.pattern()) {
    if (column >= dof_) continue;
    const bool is_position = rows.position && row >= dof_ && row < stage_.algebraic_offset();
    entries_.push_back({row, column, stage_.matrix().position(row, column), is_position});
  }
  mass_.resize(entries_.size());
  stiffness_.resize(entries_.size());
}

bool SimplifiedStages::factorize(LinearSolver& matrix) {
  if (matrix.factorize()) return true;
  singular_unknown_ = std::max(matrix.singular_unknown(), 0) % stage_.size();
  return false;
}

bool SimplifiedStages::factorize(double h, const Stabilizer* n, std::span<const double> weights) {
  h_ = h;
  has_parts_ = false;
  for (std::size_t m = 0; m < modes_.size(); ++m) {
    const RadauCoefficients::Mode& mode = coefficients_.modes[m];
    CoupledMatrix& matrix = modes_[m];
    const std::complex<double> gamma = mode.gamma, inverse = 1.0 / gamma;
    stage_.coefficients() = stage_coefficients(h, gamma.real(), 1, inverse.real());
    stage_.evaluate(true);
    for (int i = 0; i < matrix.copies(); ++i) {
      matrix.set_block(i, i, stage_, 1, inverse.real());
    }
    if (!mode.is_real()) {
      // Of z = x + iy the matrix (Re -Im; Im Re).
      stage_.coefficients() = stage_coefficients(h, gamma.imag(), 0, inverse.imag());
      stage_.evaluate(true);
      matrix.set_block(1, 0, stage_, 1, inverse.imag());
      matrix.set_block(0, 1, stage_, -1, inverse.imag());
    }
    if (!factorize(matrix.solver())) return false;
  }
  if (!gram_ || gram_->factorize(*n, weights)) return true;
  singular_unknown_ = dof_ + std::max(gram_->singular_multiplier(), 0);
  return false;
}

/// Into the coordinates of S⁻¹, one solution for each mode, and back.
void SimplifiedStages::solve(std::span<const double> residual, const Stabilizer* n,
                             std::span<const double> weights, std::span<double> correction) {
  const int size = stage_.size();
  if (stages_ == 3) {
    transform<3>(residual.data());
  } else {
    transform<2>(residual.data());
  }
  double* mode = modal_.data();
  for (CoupledMatrix& matrix : modes_) {
    matrix.solver().solve({mode, index(matrix.size())});
    mode += matrix.size();
  }
  if (stages_ == 3) {
    transform_back<3>(correction.data());
  } else {
    transform_back<2>(correction.data());
  }
  if (!gram_) return;
  const std::size_t count = eta_.size();
  for (int i = 0; i < stages_; ++i) {
    const std::span<double> eta = correction.subspan(index(i * size_ + size), count);
    for (std::size_t k = 0; k < count; ++k) {
      const double* const position = residual.data() + index(dof_) + k;
      double sum = 0;
      for (int j = 0; j < stages_; ++j) sum += coefficients_.inverse(i, j) * position[j * size_];
      eta[k] = sum;
    }
    StabilizerGram::add_gradient(*n, weights, correction.subspan(index(i * size_), index(dof_)),
                                 scratch_, eta);
    gram_->solve(eta);
  }
}

template <int Stages>
void SimplifiedStages::transform(const double* residual) {
  const int size = stage_.size();
  const int* const row = rows_.data();
  double* const __restrict to = modal_.data();
  for (int k = 0; k < size; ++k) {
    double r[Stages];
    for (int i = 0; i < Stages; ++i) r[i] = residual[i * size_ + row[k]];
    for (int m = 0; m < Stages; ++m) {
      double sum = 0;
      for (int i = 0; i < Stages; ++i) sum -= from_stages_[index(kMostStages * m + i)] * r[i];
      to[m * size + k] = sum;
    }
  }
}

template <int Stages>
void SimplifiedStages::transform_back(double* correction) const {
  const int size = stage_.size();
  const double* const from = modal_.data();
  for (int k = 0; k < size; ++k) {
    double x[Stages];
    for (int m = 0; m < Stages; ++m) x[m] = from[m * size + k];
    for (int i = 0; i < Stages; ++i) {
      double sum = 0;
      for (int m = 0; m < Stages; ++m) sum += to_stages_[index(kMostStages * i + m)] * x[m];
      correction[i * size_ + k] = sum;
    }
  }
}

int SimplifiedStages::real_mode() const {
  for (std::size_t m = 0; m < modes_.size(); ++m) {
    if (coefficients_.modes[m].is_real()) return static_cast<int>(m);
  }
  return -1;
}

void SimplifiedStages::make_tangent(const Stabilizer& n, std::span<const double> weights,
                                    std::span<double> x) {
  std::ranges::fill(eta_, 0.0);
  StabilizerGram::add_gradient(n, weights, x, scratch_, eta_);
  gram_->solve(eta_);
  n.add_product(-1, eta_, x);
}

void SimplifiedStages::evaluate_entries(const StepCoefficients& coefficients,
                                        std::vector<double>& to) {
  stage_.coefficients() = coefficients;
  stage_.evaluate(true);
  const std::span<const double> values = stage_.matrix().values();
  for (std::size_t k = 0; k < to.size(); ++k) to[k] = values[index(entries_[k].place)];
}

void SimplifiedStages::add_product(std::span<const double> values, std::span<const double> x,
                                   double position_factor) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Entry& entry = entries_[k];
    const double factor = entry.is_position ? position_factor : 1;
    right_[index(entry.row)] += factor * values[k] * x[index(entry.column)];
  }
}

/// With r the given differences, e those that are looked for and γ = error_gamma,
///
///     e_θ = r_θ + h/γ (e_v - Nη),   γ M (e_v - r_v) + h(D e_v + K e_θ + Bᵀλ) = 0,   B e_θ = 0,   B e_v + Z e_θ = 0.
///
/// r_θ is made tangent first, so that the rest of η is small, and K and Z do not see it.
void SimplifiedStages::filter(const Stabilizer* n, std::span<const double> weights,
                              std::span<double> theta, std::span<double> v) {
  const double gamma = coefficients_.error_gamma;
  if (!has_parts_) {
    evaluate_entries(stage_coefficients(h_, gamma, 0, 0), mass_);
    evaluate_entries(stage_coefficients(h_, 0, 0, 1 / h_), stiffness_);
    has_parts_ = true;
  }
  if (gram_) make_tangent(*n, weights, theta);
  std::ranges::fill(right_, 0.0);
  // γ M r_v without the rows of constraints, then -h K r_θ, -Z r_θ, and of B e_θ = 0 -1/h B r_θ.
  add_product(mass_, v, 0);
  for (double& entry : theta) entry = -entry;
  add_product(stiffness_, theta, 1 / h_);
  modes_[index(real_mode())].solver().solve(std::span(right_).first(index(stage_.size())));
  std::copy_n(right_.begin(), v.size(), v.begin());
  std::span<double> move = std::span(right_).first(v.size());
  if (gram_) make_tangent(*n, weights, move);
  for (std::size_t k = 0; k < theta.size(); ++k) theta[k] = -theta[k] + h_ / gamma * move[k];
}

}  // namespace liegrad::dae
