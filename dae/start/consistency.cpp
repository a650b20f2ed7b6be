#include "liegrad/dae/start/consistency.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SparseQR>

#include "liegrad/dae/equations/place_state.hpp"
#include "liegrad/dae/run/newton_options.hpp"
#include "liegrad/dae/start/acceleration_correction.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/text.hpp"

namespace liegrad::dae {
namespace {

constexpr int kMaxIterations = 50;
/// Beyond this many constraints their rank is found by a sparse factorisation, and only where it matters.
constexpr int kDenseRank = 60;
/// (19) counts as singular when a known solution, of one unit for each unknown, comes out with this error.
constexpr double kSingularError = 1e-2;
/// Initial velocities count as at least so many of their sizes a second.
constexpr double kSlowest = 1e-3;
/// What sines and cosines leave of zero, in metres, kilometres or radians: the one size of a coordinate that starts at the
/// origin and at rest.
constexpr double kNothing = 1e-15;
/// A quaternion this far from unit length is a mistake, not rounding.
constexpr double kUnitTolerance = 1e-9;

}  // namespace

Consistency::Consistency(const Model& system, const ConsistencyOptions& options,
                         LinearSolverKind solver)
    : system_(system),
      options_(options),
      own_assembly_(std::make_unique<Assembly>(
          system, Formulation::kIndex3, false,
          options.allow_redundant ? LinearSolverKind::kMinimumNorm : solver)),
      assembly_(*own_assembly_),
      scales_(assembly_),
      element_check_(system),
      parameters_(system.parameter_values()),
      position_(index(system.num_multipliers()), 0.0),
      velocity_(position_) {}

Consistency::Consistency(Assembly& shared, const ConsistencyOptions& options)
    : system_(shared.system()),
      options_(options),
      assembly_(shared),
      scales_(assembly_),
      element_check_(system_),
      parameters_(system_.parameter_values()),
      position_(index(system_.num_multipliers()), 0.0),
      velocity_(position_) {}

void Consistency::set_parameters(std::span<const double> parameters) {
  parameters_.assign(parameters.begin(), parameters.end());
  assembly_.set_parameters(parameters);
  units_.clear();
}

void Consistency::load(const State& state) {
  assembly_.set_time(state.t);
  place_state(state, assembly_);
  assembly_.coefficients() = {};
}

/// The matrix (M Bᵀ; B 0), with the derivatives by s.
void Consistency::factorize(const State& state) {
  load(state);
  assembly_.evaluate(true);
  if (const std::string element = assembly_.nonfinite_element(); !element.empty()) {
    throw Error("element '" + element + "' returns a number that is not finite at t = " +
                number_text(state.t) + "; look at its parameters and at the initial values");
  }
  if (!assembly_.matrix().factorize()) throw InvalidArgument(singular_message(state));
}

bool Consistency::is_singular() {
  if (options_.allow_redundant) return false;
  const std::span<const double> units = units_.values();
  right_.assign(index(assembly_.size()), 0.0);
  for (const auto& [row, column] : assembly_.pattern()) {
    right_[index(row)] += assembly_.entry(row, column) * units[index(column)];
  }
  assembly_.matrix().solve(right_);
  for (std::size_t i = 0; i < right_.size(); ++i) {
    if (!(std::abs(right_[i] / units[i] - 1) < kSingularError)) return true;
  }
  return false;
}

std::string Consistency::singular_message(const State& state) {
  // The null vector of the matrix shows which coordinate can move freely; it is looked for where
  // that is affordable.
  int coordinate = assembly_.matrix().singular_unknown();
  constexpr int kSmall = 400;
  if (assembly_.size() <= kSmall) {
    if (units_.empty()) units_.find(assembly_);
    const std::span<const double> units = units_.values();
    const int n = assembly_.size();
    Eigen::MatrixXd matrix(n, n);
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        matrix(i, j) = units[index(i)] * assembly_.entry(i, j) * units[index(j)];
      }
    }
    Eigen::FullPivLU<Eigen::MatrixXd> lu(matrix);
    lu.setThreshold(1e-13);
    if (lu.dimensionOfKernel() > 0) {
      lu.kernel().col(0).cwiseAbs().maxCoeff(&coordinate);
    }
  }
  return "the mass matrix is singular on the kernel of the constraints at t = " +
         number_text(state.t) + ": " + assembly_.unknown_name(coordinate) +
         " has no inertia; give it mass or a constraint";
}

void Consistency::check_values(State& state) const {
  const lie::GroupList& space = system_.configuration_space();
  for (int i = 0; i < space.size(); ++i) {
    const std::string& name = system_.nodes()[index(i)].name;
    const std::span q(state.q.data() + space.coeff_offset(i), index(space.group(i).num_coeffs()));
    const std::span v(state.v.data() + space.dof_offset(i), index(space.group(i).dof()));
    for (const auto& [what, numbers] : {std::pair("configuration", q), std::pair("velocity", v)}) {
      for (std::size_t k = 0; k < numbers.size(); ++k) {
        if (std::isfinite(numbers[k])) continue;
        throw InvalidArgument("initial " + std::string(what) + " of node '" + name +
                              "' is not finite in entry " + std::to_string(k + 1) +
                              (system_.initial_parameters().empty()
                                   ? "; give it a number"
                                   : "; change the parameters that it is computed from"));
      }
    }
    const lie::GroupKind kind = space.group(i).kind;
    if (kind == lie::GroupKind::kRn) continue;
    const bool planar = kind == lie::GroupKind::kSO2 || kind == lie::GroupKind::kSE2;
    const std::size_t length = planar ? 2 : 4;
    double square = 0;
    for (std::size_t k = 0; k < length; ++k) square += q[k] * q[k];
    const double norm = std::sqrt(square);
    if (std::abs(norm - 1) > kUnitTolerance) {
      throw InvalidArgument(std::string("initial ") + (planar ? "rotation" : "quaternion") +
                            " of node '" + name + "' has length " + number_text(norm) +
                            " instead of 1; normalise it");
    }
    for (std::size_t k = 0; k < length; ++k) q[k] /= norm;
  }
}

/// Columns of Bᵀ that depend on others, by a QR decomposition with column pivoting.
void Consistency::find_redundant_constraints() {
  const int count = system_.num_multipliers();
  if (count == 0) return;
  // A regular matrix (19) has independent constraints; their rank need not be found then.
  const bool is_known = count > kDenseRank || constraints_were_independent_;
  if (is_known && !options_.allow_redundant && assembly_.matrix().factorize() && !is_singular()) {
    return;
  }
  const std::span<const double> units = units_.values();
  std::vector<Eigen::Triplet<double>> entries;
  for (const auto& [row, column] : assembly_.pattern()) {
    const int multiplier = row - assembly_.multiplier_offset();
    if (multiplier < 0 || multiplier >= count || column >= system_.dof()) continue;
    entries.emplace_back(column, multiplier,
                         units[index(row)] * assembly_.entry(row, column) * units[index(column)]);
  }
  Eigen::SparseMatrix<double> gradient(system_.dof(), count);
  gradient.setFromTriplets(entries.begin(), entries.end(),
                           [](double, double last) { return last; });
  Eigen::VectorXi order;
  int rank = count;
  if (count <= kDenseRank) {
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr{Eigen::MatrixXd(gradient)};
    rank = static_cast<int>(qr.rank());
    order = qr.colsPermutation().indices().cast<int>();
  } else {
    gradient.makeCompressed();
    const Eigen::SparseQR<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>> qr(gradient);
    rank = static_cast<int>(qr.rank());
    order = qr.colsPermutation().indices();
  }
  for (int i = rank; i < count; ++i) {
    report_.redundant_constraints.push_back(system_.constraint_name(order(i)));
  }
  constraints_were_independent_ = rank == count;
  if (rank == count || options_.allow_redundant) return;
  constexpr std::size_t kNamed = 10;
  const std::vector<std::string>& redundant = report_.redundant_constraints;
  std::string names;
  for (std::size_t i = 0; i < std::min(kNamed, redundant.size()); ++i) {
    names += (names.empty() ? "" : ", ") + redundant[i];
  }
  if (redundant.size() > kNamed) {
    names += " and " + std::to_string(redundant.size() - kNamed) + " more";
  }
  throw InvalidArgument(
      "constraints " + names + " depend on the others (rank " + std::to_string(rank) + " of " +
      std::to_string(count) +
      "): remove them, or allow redundant constraints to get multipliers of least norm" +
      (rank == system_.dof()
           ? "; with as many independent constraints as velocities nothing can move"
           : ""));
}

void Consistency::check_constraints(bool velocity) const {
  const std::vector<double>& residual = velocity ? velocity_ : position_;
  const std::span<const double> terms = velocity ? scales_.velocity() : scales_.position();
  const auto part = [&](std::size_t i) {
    const double least = velocity ? kSlowest * scales_.position()[i] : 0.0;
    if (std::abs(residual[i]) <= kNothing) return 0.0;
    return std::abs(residual[i]) / std::max({terms[i], least, std::numeric_limits<double>::min()});
  };
  std::size_t worst = 0;
  for (std::size_t i = 1; i < residual.size(); ++i) {
    if (!(part(i) <= part(worst))) worst = i;
  }
  if (residual.empty() || part(worst) <= options_.tolerance) return;
  throw InvalidArgument("initial " + std::string(velocity ? "velocities" : "positions") +
                        " violate constraint " + system_.constraint_name(static_cast<int>(worst)) +
                        " by " + number_text(residual[worst]) +
                        "; correct them, or ask for a projection");
}

bool Consistency::position_is_at_rounding() const {
  for (std::size_t i = 0; i < position_.size(); ++i) {
    if (!(std::abs(position_[i]) <= kRoundingTolerance * scales_.position()[i])) return false;
  }
  return true;
}

void Consistency::project_positions(State& state) {
  const std::vector<double> before = state.q;
  for (int i = 0; i < kMaxIterations; ++i) {
    factorize(state);
    assembly_.constraint_values(position_, velocity_);
    if (position_is_at_rounding()) break;
    right_.assign(index(assembly_.size()), 0.0);
    for (std::size_t k = 0; k < position_.size(); ++k) {
      right_[index(assembly_.multiplier_offset()) + k] = -position_[k];
    }
    assembly_.matrix().solve(right_);
    system_.configuration_space().plus<double>(
        state.q, std::span<const double>(right_).first(state.v.size()), state.q);
  }
  std::vector<double> change(state.v.size());
  system_.configuration_space().minus<double>(state.q, before, change);
  report_.position_change = max_of(change);
}

void Consistency::project_velocities(State& state) {
  const std::vector<double>& change = normal_velocity(state, velocity_residual(state));
  for (std::size_t i = 0; i < state.v.size(); ++i) state.v[i] -= change[i];
  report_.velocity_change = max_of(change);
}

State Consistency::initial_state(double t, std::span<const double> controls) {
  State state;
  set_initial_state(t, controls, state);
  return state;
}

State Consistency::initial_state(double t, std::span<const double> controls,
                                 const InitialValues& initial) {
  State state;
  set_initial_state(t, controls, initial, state);
  return state;
}

void Consistency::set_initial_state(double t, std::span<const double> controls, State& state) {
  initial_parameters_.clear();
  for (const int i : system_.initial_parameters()) {
    initial_parameters_.push_back(parameters_[index(i)]);
  }
  system_.initial_values(initial_parameters_, initial_);
  set_initial_state(t, controls, initial_, state);
}

void Consistency::set_initial_state(double t, std::span<const double> controls,
                                    const InitialValues& initial, State& state) {
  report_.position_change = report_.velocity_change = 0;
  report_.redundant_constraints.clear();
  state.t = t;
  state.q = initial.q;
  state.v = initial.v;
  state.v_dot.assign(state.v.size(), 0.0);
  state.lambda.assign(index(system_.num_multipliers()), 0.0);
  state.s.assign(index(system_.num_algebraic()), 0.0);
  std::copy(controls.begin(), controls.end(), assembly_.controls().begin());
  check_values(state);
  if (options_.check_elements) {
    element_check_.check(state.q, parameters_, assembly_.controls(), state.t);
  }
  load(state);
  scales_.measure(state, std::nullopt);
  assembly_.evaluate(true);
  units_.find(assembly_);
  find_redundant_constraints();
  factorize(state);
  if (is_singular()) throw InvalidArgument(singular_message(state));
  if (options_.project) project_positions(state);
  load(state);
  assembly_.constraint_values(position_, velocity_);
  check_constraints(false);
  if (options_.project) {
    project_velocities(state);
    velocity_ = velocity_residual(state);
  }
  check_constraints(true);
  set_accelerations(state);
}

void Consistency::set_accelerations(State& state) {
  accelerations_.resize(state.lambda.size());
  double scale = 0;
  for (int i = 0; i < kMaxIterations; ++i) {
    factorize(state);
    if (units_.empty()) units_.find(assembly_);
    std::vector<double>& step = right_;
    step.resize(index(assembly_.size()));
    acceleration_residual(assembly_, accelerations_, step);
    assembly_.matrix().solve(step);
    subtract_correction(step, state);
    scale = std::max(scale, units_.size_of(state.v_dot, state.lambda, state.s));
    if (units_.size_of(step, {}, {}) <= 1e-13 * scale || scale == 0) return;
  }
  // Linear systems are at rounding level after two steps; what is left here is a nonlinear h_s or
  // friction law whose solution was not found.
  throw Error("accelerations and multipliers at t = " + number_text(state.t) +
              " were not found in " + std::to_string(kMaxIterations) + " iterations");
}

const std::vector<double>& Consistency::jerk(const State& state) {
  factorize(state);
  const std::size_t dof = state.v.size();
  motion_rate_.resize(dof);
  algebraic_rate_.resize(state.s.size());
  right_.assign(index(assembly_.size()), 0.0);
  // d/dt of M v̇ + g + Bᵀλ at fixed v̇, λ, s: along q∘exp(τv) and in time, then along v + τv̇.
  for (const bool position : {true, false}) {
    assembly_.coefficients() = {.c_a = 0, .c_v = position ? 0.0 : 1.0, .k_q = position ? 1.0 : 0.0};
    assembly_.residual_rate(position ? state.v : state.v_dot, position ? 1.0 : 0.0, motion_rate_,
                            algebraic_rate_);
    for (std::size_t i = 0; i < dof; ++i) right_[i] -= motion_rate_[i];
    for (std::size_t i = 0; i < algebraic_rate_.size(); ++i) {
      right_[index(assembly_.algebraic_offset()) + i] -= algebraic_rate_[i];
    }
  }
  assembly_.coefficients() = {};
  accelerations_.resize(state.lambda.size());
  assembly_.constraint_jerks(accelerations_);
  for (std::size_t i = 0; i < accelerations_.size(); ++i) {
    right_[index(assembly_.multiplier_offset()) + i] = -accelerations_[i];
  }
  assembly_.matrix().solve(right_);
  return right_;
}

const std::vector<double>& Consistency::normal_velocity(const State& state,
                                                        std::span<const double> x) {
  factorize(state);
  right_.assign(index(assembly_.size()), 0.0);
  std::ranges::copy(x, right_.begin() + assembly_.multiplier_offset());
  assembly_.matrix().solve(right_);
  return right_;
}

const std::vector<double>& Consistency::normal_part(const State& state, std::span<const double> u) {
  load(state);
  assembly_.evaluate(true);
  std::vector<double>& product = accelerations_;
  product.assign(state.lambda.size(), 0.0);
  for (const auto& [row, column] : assembly_.pattern()) {
    const int multiplier = row - assembly_.multiplier_offset();
    if (multiplier < 0 || row >= assembly_.algebraic_offset() || column >= system_.dof()) continue;
    product[index(multiplier)] += assembly_.entry(row, column) * u[index(column)];
  }
  return normal_velocity(state, product);
}

const std::vector<double>& Consistency::velocity_residual(const State& state) {
  load(state);
  position_there_.resize(state.lambda.size());
  velocity_there_.resize(state.lambda.size());
  assembly_.constraint_values(position_there_, velocity_there_);
  return velocity_there_;
}

}  // namespace liegrad::dae
