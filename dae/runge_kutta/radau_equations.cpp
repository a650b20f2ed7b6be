#include "liegrad/dae/runge_kutta/radau_equations.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {

RadauEquations::RadauEquations(Assembly& assembly, const RadauCoefficients& coefficients,
                               LinearSolverKind solver, GoToTime go_to_time)
    : assembly_(assembly),
      coefficients_(coefficients),
      solver_(solver),
      go_to_time_(std::move(go_to_time)),
      stages_(coefficients.stages),
      dof_(assembly.multiplier_offset()),
      size_(assembly.size()),
      kinematics_(assembly.system().configuration_space(), coefficients),
      modes_(coefficients.modes.size()) {
  const Model& system = assembly.system();
  weights_.assign(index(dof_), 1.0);
  lambda_.assign(index(stages_ * system.num_multipliers()), 0.0);
  s_.assign(index(stages_ * system.num_algebraic()), 0.0);
  eta_.assign(index(stages_ * (size_ - assembly.stabilizer_offset())), 0.0);
  force_.assign(index(stages_ * dof_), 0.0);
  change_ = force_;
  residual_.assign(index(stages_ * size_), 0.0);
  correction_ = residual_;
  mode_right_.assign(index(2 * size_), 0.0);
  right_.assign(index(size_), 0.0);
  const ConstraintRows rows = constraint_rows(assembly.formulation());
  for (const auto& [row, column] : assembly.pattern()) {
    if (column >= dof_) continue;
    const bool is_position = rows.position && row >= dof_ && row < assembly.algebraic_offset();
    entries_.push_back({row, column, assembly.matrix().position(row, column), is_position});
  }
}

void RadauEquations::begin(const State& start, double h) {
  start_ = &start;
  h_ = h;
  kinematics_.begin(start, h);
  if (eta_.empty()) return;
  place_start();
  assembly_.set_stabilizer();
  Stabilizer& n = assembly_.stabilizer();
  double* number = n.numbers().data();
  n.for_each([&](int dof, int /*multiplier*/) { *number++ *= weights_[index(dof)]; });
}

void RadauEquations::guess(std::span<const double> v) {
  kinematics_.set_velocities(v);
  for (int i = 0; i < stages_; ++i) {
    std::ranges::copy(start_->lambda, part(lambda_, i).begin());
    std::ranges::copy(start_->s, part(s_, i).begin());
  }
  std::ranges::fill(eta_, 0.0);
  std::ranges::fill(force_, 0.0);
}

int RadauEquations::num_unknowns() const {
  return static_cast<int>(force_.size() + lambda_.size() + s_.size() + eta_.size());
}

void RadauEquations::write_unknowns(std::span<double> to) const {
  auto next = to.begin();
  for (int i = 0; i < stages_; ++i) next = std::ranges::copy(kinematics_.rates(i), next).out;
  for (const std::vector<double>* list : {&lambda_, &s_, &eta_}) {
    next = std::ranges::copy(*list, next).out;
  }
}

void RadauEquations::set_unknowns(std::span<const double> unknowns) {
  auto next = unknowns.begin();
  const auto take = [&next](std::span<double> to) {
    std::copy_n(next, to.size(), to.begin());
    next += std::ssize(to);
  };
  take(kinematics_.rates());
  for (std::vector<double>* list : {&lambda_, &s_, &eta_}) take(*list);
  std::ranges::fill(force_, 0.0);
  if (!eta_.empty()) {
    for (int i = 0; i < stages_; ++i) add_stabilizer_force(part(eta_, i), 1, part(force_, i));
  }
  kinematics_.update(force_);
}

void RadauEquations::place_stage(int stage) {
  kinematics_.place(stage, assembly_);
  std::ranges::copy(part(lambda_, stage), assembly_.multipliers().begin());
  std::ranges::copy(part(s_, stage), assembly_.algebraic().begin());
  go_to_time_(start_->t + coefficients_.c(stage) * h_);
}

void RadauEquations::place_start() {
  kinematics_.place_start(assembly_);
  assembly_.set_velocity(start_->v);
  assembly_.set_acceleration(start_->v_dot);
  std::ranges::copy(start_->lambda, assembly_.multipliers().begin());
  std::ranges::copy(start_->s, assembly_.algebraic().begin());
  assembly_.set_identity_maps();
  go_to_time_(start_->t);
}

/// With c_a, c_v and k the factors of a change of v in h v̇, in v and in θ/h.
StepCoefficients RadauEquations::coefficients(double c_a, double c_v, double k) const {
  return {.c_a = c_a,
          .c_v = h_ * c_v,
          .k_q = h_ * h_ * k,
          .c_r = c_v,
          .k_r = h_ * k,
          .motion_scale = h_,
          .position_scale = 1 / h_};
}

void RadauEquations::evaluate() {
  kinematics_.update(force_);
  assembly_.coefficients() = coefficients(1, 1, 1);
  for (int i = 0; i < stages_; ++i) {
    place_stage(i);
    assembly_.evaluate(false);
    std::ranges::copy(assembly_.residual(), part(residual_, i).begin());
  }
}

bool RadauEquations::factorize(CoupledMatrix& matrix) {
  if (matrix.solver().factorize()) return true;
  singular_unknown_ = std::max(matrix.solver().singular_unknown(), 0) % size_;
  return false;
}

bool RadauEquations::factorize_full() {
  if (!full_) full_ = std::make_unique<CoupledMatrix>(assembly_, stages_, solver_);
  uses_full_ = true;
  kinematics_.linearize();
  for (int i = 0; i < stages_; ++i) {
    place_stage(i);
    for (int k = 0; k < stages_; ++k) {
      const double a = coefficients_.a(i, k);
      kinematics_.set_maps(i, k, assembly_);
      assembly_.coefficients() = coefficients(coefficients_.inverse(i, k), i == k ? 1 : 0, a);
      assembly_.evaluate(true);
      full_->set_block(i, k, assembly_, 1, a);
    }
  }
  return factorize(*full_);
}

bool RadauEquations::factorize_simplified() {
  uses_full_ = false;
  kinematics_.linearize();
  place_stage(std::max(0, stages_ - 2));  // the one nearest to the middle
  assembly_.set_identity_maps();
  for (std::size_t m = 0; m < modes_.size(); ++m) {
    const RadauCoefficients::Mode& mode = coefficients_.modes[m];
    if (!modes_[m]) {
      modes_[m] = std::make_unique<CoupledMatrix>(assembly_, mode.is_real() ? 1 : 2, solver_);
    }
    CoupledMatrix& matrix = *modes_[m];
    const std::complex<double> gamma = mode.gamma, inverse = 1.0 / gamma;
    assembly_.coefficients() = coefficients(gamma.real(), 1, inverse.real());
    assembly_.evaluate(true);
    for (int i = 0; i < matrix.copies(); ++i) {
      matrix.set_block(i, i, assembly_, 1, inverse.real());
    }
    if (!mode.is_real()) {
      // Of z = x + iy the matrix (Re -Im; Im Re).
      assembly_.coefficients() = coefficients(gamma.imag(), 0, inverse.imag());
      assembly_.evaluate(true);
      matrix.set_block(1, 0, assembly_, 1, inverse.imag());
      matrix.set_block(0, 1, assembly_, -1, inverse.imag());
    }
    if (!factorize(matrix)) return false;
  }
  return true;
}

void RadauEquations::correct() {
  if (uses_full_) {
    for (std::size_t k = 0; k < correction_.size(); ++k) correction_[k] = -residual_[k];
    full_->solver().solve(correction_);
  } else {
    solve_simplified();
  }
  apply();
}

/// Into the coordinates of S⁻¹, one solution for each mode, and back.
void RadauEquations::solve_simplified() {
  std::ranges::fill(correction_, 0.0);
  for (std::size_t m = 0; m < modes_.size(); ++m) {
    const RadauCoefficients::Mode& mode = coefficients_.modes[m];
    const int size = size_;
    for (int k = 0; k < size; ++k) {
      std::complex<double> sum = 0;
      for (int i = 0; i < stages_; ++i) sum -= mode.from_stages(i) * residual_[index(i * size + k)];
      mode_right_[index(k)] = sum.real();
      mode_right_[index(size + k)] = sum.imag();
    }
    modes_[m]->solver().solve(std::span(mode_right_).first(index(modes_[m]->size())));
    for (int i = 0; i < stages_; ++i) {
      const std::complex<double> to = mode.to_stages(i);
      double* const own = correction_.data() + i * size;
      if (mode.is_real()) {
        for (int k = 0; k < size; ++k) own[k] += to.real() * mode_right_[index(k)];
      } else {  // with its conjugate
        for (int k = 0; k < size; ++k) {
          own[k] +=
              2 * (to.real() * mode_right_[index(k)] - to.imag() * mode_right_[index(size + k)]);
        }
      }
    }
  }
}

void RadauEquations::apply() {
  const std::size_t lambda = index(assembly_.multiplier_offset());
  const std::size_t s = index(assembly_.algebraic_offset());
  const std::size_t eta = index(assembly_.stabilizer_offset());
  const auto add = [](std::span<double> to, std::span<const double> change, double factor) {
    for (std::size_t k = 0; k < to.size(); ++k) to[k] += factor * change[k];
  };
  for (int i = 0; i < stages_; ++i) {
    const std::span<const double> own = correction(i);
    add(part(lambda_, i), own.subspan(lambda), 1 / h_);
    add(part(s_, i), own.subspan(s), 1 / h_);
    std::ranges::copy(own.first(index(dof_)), part(change_, i).begin());
    if (eta_.empty()) continue;
    const std::span<const double> change = own.subspan(eta, eta_.size() / index(stages_));
    add(part(eta_, i), change, 1);
    add_stabilizer_force(change, -1, part(change_, i));
    add_stabilizer_force(change, 1, part(force_, i));
  }
  kinematics_.correct(change_);
}

void RadauEquations::add_stabilizer_force(std::span<const double> eta, double factor,
                                          std::span<double> to) {
  assembly_.stabilizer().add_product(factor, eta, to);
}

void RadauEquations::add_product(std::span<const double> x, double position_factor,
                                 std::span<double> to) {
  const std::span<const double> values = assembly_.matrix().values();
  for (const auto& [row, column, place, is_position] : entries_) {
    const double factor = is_position ? position_factor : 1;
    to[index(row)] += factor * values[index(place)] * x[index(column)];
  }
}

/// With r the unfiltered differences of θ and v, e those that are looked for and γ = error_gamma,
///
///     e_θ = r_θ + h/γ (e_v - Nη),   γ M (e_v - r_v) + h(D e_v + K e_θ + Bᵀλ) = 0,   B e_θ = 0,   B e_v + Z e_θ = 0.
bool RadauEquations::estimate_error(std::span<double> theta, std::span<double> v) {
  const double gamma = coefficients_.error_gamma;
  const std::size_t dof = index(dof_);
  for (std::size_t k = 0; k < dof; ++k) {
    theta[k] = h_ / gamma * start_->v[k];
    v[k] = h_ / gamma * start_->v_dot[k];
    for (int i = 0; i < stages_; ++i) {
      const double weight = coefficients_.error_weights(i);
      theta[k] += weight * kinematics_.theta(i)[k];
      v[k] += weight * (kinematics_.v(i)[k] - start_->v[k]);
    }
  }
  place_start();
  std::ranges::fill(right_, 0.0);
  // γ M r_v without the rows of constraints, then -h K r_θ, -Z r_θ, and of B e_θ = 0, times γ/h, -γ/h B r_θ.
  assembly_.coefficients() = coefficients(gamma, 0, 0);
  assembly_.evaluate(true);
  add_product(v, 0, right_);
  for (double& entry : theta) entry = -entry;
  assembly_.coefficients() = coefficients(0, 0, 1 / h_);
  assembly_.evaluate(true);
  add_product(theta, gamma / h_, right_);
  assembly_.coefficients() = coefficients(gamma, 1, 1 / gamma);
  assembly_.evaluate(true);
  if (!assembly_.matrix().factorize()) return false;
  assembly_.matrix().solve(right_);
  std::copy_n(right_.begin(), dof, v.begin());
  for (std::size_t k = 0; k < dof; ++k) theta[k] = -theta[k] + h_ / gamma * v[k];
  if (!eta_.empty()) {
    add_stabilizer_force(
        std::span<const double>(right_).subspan(index(assembly_.stabilizer_offset())), -h_ / gamma,
        theta);
  }
  return true;
}

}  // namespace liegrad::dae
