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
      kinematics_(assembly.system().configuration_space(), coefficients) {
  const Model& system = assembly.system();
  parameters_ = system.parameter_values();
  weights_.assign(index(dof_), 1.0);
  lambda_.assign(index(stages_ * system.num_multipliers()), 0.0);
  s_.assign(index(stages_ * system.num_algebraic()), 0.0);
  eta_.assign(index(stages_ * (size_ - assembly.stabilizer_offset())), 0.0);
  force_.assign(index(stages_ * dof_), 0.0);
  change_ = force_;
  force_change_.assign(index(dof_), 0.0);
  residual_.assign(index(stages_ * size_), 0.0);
  correction_ = residual_;
  right_.assign(index(size_), 0.0);
  const ConstraintRows rows = constraint_rows(assembly.formulation());
  for (const auto& [row, column] : assembly.pattern()) {
    if (column >= dof_) continue;
    const bool is_position = rows.position && row >= dof_ && row < assembly.algebraic_offset();
    entries_.push_back({row, column, assembly.matrix().position(row, column), is_position});
  }
  mass_.resize(entries_.size());
  stiffness_.resize(entries_.size());
}

void RadauEquations::set_parameters(std::span<const double> parameters) {
  assembly_.set_parameters(parameters);
  parameters_.assign(parameters.begin(), parameters.end());
  if (simplified_) simplified_->stage().set_parameters(parameters);
}

void RadauEquations::begin(const State& start, double h) {
  start_ = &start;
  h_ = h;
  kinematics_.begin(start, h);
  if (eta_.empty()) return;
  place_start(assembly_);
  assembly_.set_stabilizer();
  Stabilizer& n = assembly_.stabilizer();
  double* number = n.numbers().data();
  n.for_each([&](int dof, int /*multiplier*/) { *number++ *= weights_[index(dof)]; });
}

void RadauEquations::guess(std::span<const double> v) {
  kinematics_.set_velocities(v);
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

void RadauEquations::go_to_time(double t, Assembly& to) {
  go_to_time_(t);
  if (&to == &assembly_) return;
  to.set_time(t);
  std::ranges::copy(assembly_.controls(), to.controls().begin());
}

void RadauEquations::place_stage(int stage, Assembly& to) {
  kinematics_.place(stage, to);
  std::ranges::copy(part(lambda_, stage), to.multipliers().begin());
  std::ranges::copy(part(s_, stage), to.algebraic().begin());
  go_to_time(start_->t + coefficients_.c(stage) * h_, to);
}

void RadauEquations::place_start(Assembly& to) {
  kinematics_.place_start(to);
  to.set_velocity(start_->v);
  to.set_acceleration(start_->v_dot);
  std::ranges::copy(start_->lambda, to.multipliers().begin());
  std::ranges::copy(start_->s, to.algebraic().begin());
  to.set_identity_maps();
  go_to_time(start_->t, to);
}

void RadauEquations::evaluate() {
  update();
  assembly_.coefficients() = stage_coefficients(h_, 1, 1, 1);
  for (int i = 0; i < stages_; ++i) {
    place_stage(i, assembly_);
    assembly_.evaluate(false);
    std::ranges::copy(assembly_.residual(), part(residual_, i).begin());
  }
}

bool RadauEquations::factorize_full() {
  if (!full_) full_ = std::make_unique<CoupledMatrix>(assembly_, stages_, solver_);
  uses_full_ = true;
  kinematics_.linearize();
  for (int i = 0; i < stages_; ++i) {
    place_stage(i, assembly_);
    for (int k = 0; k < stages_; ++k) {
      const double a = coefficients_.a(i, k);
      kinematics_.set_maps(i, k, assembly_);
      assembly_.coefficients() =
          stage_coefficients(h_, coefficients_.inverse(i, k), i == k ? 1 : 0, a);
      assembly_.evaluate(true);
      full_->set_block(i, k, assembly_, 1, a);
    }
  }
  if (full_->solver().factorize()) return true;
  singular_unknown_ = std::max(full_->solver().singular_unknown(), 0) % size_;
  return false;
}

void RadauEquations::prepare_simplified() {
  if (simplified_) return;
  simplified_ = std::make_unique<SimplifiedStages>(assembly_, coefficients_, solver_);
  simplified_->stage().set_parameters(parameters_);
}

bool RadauEquations::factorize_simplified() {
  prepare_simplified();
  uses_full_ = false;
  kinematics_.linearize();
  place_stage(std::max(0, stages_ - 2), simplified_->stage());  // the one nearest to the middle
  if (simplified_->factorize(h_, assembly_.find_stabilizer(), weights_)) return true;
  singular_unknown_ = simplified_->singular_unknown();
  return false;
}

bool RadauEquations::keep_simplified() {
  uses_full_ = false;
  return simplified_->keep(assembly_.find_stabilizer(), weights_);
}

void RadauEquations::correct() {
  if (uses_full_) {
    for (std::size_t k = 0; k < correction_.size(); ++k) correction_[k] = -residual_[k];
    full_->solver().solve(correction_);
  } else {
    simplified_->solve(residual_, assembly_.find_stabilizer(), weights_, correction_);
  }
  apply();
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
    std::ranges::fill(force_change_, 0.0);
    add_stabilizer_force(change, 1, force_change_);
    add(part(change_, i), force_change_, -1);
    add(part(force_, i), force_change_, 1);
  }
  kinematics_.correct(change_);
}

void RadauEquations::add_stabilizer_force(std::span<const double> eta, double factor,
                                          std::span<double> to) {
  assembly_.stabilizer().add_product(factor, eta, to);
}

void RadauEquations::evaluate_entries(const StepCoefficients& coefficients,
                                      std::vector<double>& to) {
  assembly_.coefficients() = coefficients;
  assembly_.evaluate(true);
  const std::span<const double> values = assembly_.matrix().values();
  for (std::size_t k = 0; k < to.size(); ++k) to[k] = values[index(entries_[k].place)];
}

void RadauEquations::add_product(std::span<const double> values, std::span<const double> x,
                                 double position_factor) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Entry& entry = entries_[k];
    const double factor = entry.is_position ? position_factor : 1;
    right_[index(entry.row)] += factor * values[k] * x[index(entry.column)];
  }
}

bool RadauEquations::factorize_filter(double h) {
  const double gamma = coefficients_.error_gamma;
  filter_step_ = h;
  place_start(assembly_);
  evaluate_entries(stage_coefficients(h, gamma, 0, 0), mass_);
  evaluate_entries(stage_coefficients(h, 0, 0, 1 / h), stiffness_);
  assembly_.coefficients() = stage_coefficients(h, gamma, 1, 1 / gamma);
  assembly_.evaluate(true);
  return assembly_.matrix().factorize();
}

/// With r the given differences of θ and v, e those that are looked for and γ = error_gamma,
///
///     e_θ = r_θ + h/γ (e_v - Nη),   γ M (e_v - r_v) + h(D e_v + K e_θ + Bᵀλ) = 0,   B e_θ = 0,   B e_v + Z e_θ = 0.
void RadauEquations::filter(std::span<double> theta, std::span<double> v) {
  const double h = filter_step_, gamma = coefficients_.error_gamma;
  std::ranges::fill(right_, 0.0);
  // γ M r_v without the rows of constraints, then -h K r_θ, -Z r_θ, and of B e_θ = 0, times γ/h, -γ/h B r_θ.
  add_product(mass_, v, 0);
  for (double& entry : theta) entry = -entry;
  add_product(stiffness_, theta, gamma / h);
  assembly_.matrix().solve(right_);
  std::copy_n(right_.begin(), v.size(), v.begin());
  for (std::size_t k = 0; k < theta.size(); ++k) theta[k] = -theta[k] + h / gamma * v[k];
  if (eta_.empty()) return;
  const std::span<const double> eta =
      std::span<const double>(right_).subspan(index(assembly_.stabilizer_offset()));
  add_stabilizer_force(eta, -h / gamma, theta);
}

bool RadauEquations::keep_slow_part(double time, std::span<double> theta, std::span<double> v) {
  if (!factorize_filter(time * coefficients_.error_gamma)) return false;
  for (int i = 0; i < 2; ++i) filter(theta, v);
  return true;
}

bool RadauEquations::estimate_error(std::span<double> theta, std::span<double> v) {
  const double gamma = coefficients_.error_gamma;
  for (std::size_t k = 0; k < theta.size(); ++k) {
    theta[k] = h_ / gamma * start_->v[k];
    v[k] = h_ / gamma * start_->v_dot[k];
    for (int i = 0; i < stages_; ++i) {
      const double weight = coefficients_.error_weights(i);
      theta[k] += weight * kinematics_.theta(i)[k];
      v[k] += weight * (kinematics_.v(i)[k] - start_->v[k]);
    }
  }
  if (!uses_full_ && simplified_->can_filter()) {
    simplified_->filter(assembly_.find_stabilizer(), weights_, theta, v);
    return true;
  }
  if (!factorize_filter(h_)) return false;
  filter(theta, v);
  return true;
}

}  // namespace liegrad::dae
