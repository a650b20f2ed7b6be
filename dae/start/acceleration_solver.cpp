#include "liegrad/dae/start/acceleration_solver.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/dae/start/acceleration_correction.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {
namespace {

constexpr int kMaxIterations = 50;
/// A correction below this part of the unknowns is rounding.
constexpr double kRounding = 1e-13;
/// A correction that a kept matrix makes of what the one before left is this part of it at most. Equations that are
/// linear in v̇, λ and s, which most are, leave rounding.
constexpr double kKeptContraction = 1e-3;
/// Where the second correction of linear equations was rounding it is left out in so many solutions whose first one is not
/// larger by more than a factor. A second correction of others depends on how far the guess was off where they bend.
constexpr int kTrustedSolutions = 32;
constexpr double kTrustedGrowth = 10;

}  // namespace

AccelerationSolver::AccelerationSolver(const Model& system, bool allow_redundant,
                                       LinearSolverKind solver)
    : assembly_(system, Formulation::kIndex3, false,
                allow_redundant ? LinearSolverKind::kMinimumNorm : solver),
      allow_redundant_(allow_redundant),
      are_linear_(std::ranges::all_of(
          system.kinds(), [](const auto& kind) { return kind->is_linear_in_accelerations(); })),
      step_(index(assembly_.size())),
      accelerations_(index(system.num_multipliers())) {}

void AccelerationSolver::load(const State& state) {
  assembly_.set_time(state.t);
  assembly_.set_configuration(state.q);
  assembly_.set_velocity(state.v);
  assembly_.set_identity_maps();
  assembly_.coefficients() = {};
}

/// One correction of v̇, λ and s, which stands in step_.
bool AccelerationSolver::correct(State& state, bool with_matrix) {
  assembly_.set_acceleration(state.v_dot);
  std::ranges::copy(state.lambda, assembly_.multipliers().begin());
  std::ranges::copy(state.s, assembly_.algebraic().begin());
  assembly_.evaluate(with_matrix);
  acceleration_residual(assembly_, accelerations_, step_);
  if (!std::isfinite(max_of(step_))) {
    return fail(NewtonFailure::kNonFinite, "element '" + assembly_.nonfinite_element() +
                                               "' returns a number that is not finite");
  }
  if (with_matrix) {
    factorizations_ += 1;
    if (!assembly_.matrix().factorize()) {
      return fail(NewtonFailure::kSingularMatrix,
                  "the mass matrix is singular on the kernel of the constraints at " +
                      assembly_.unknown_name(std::max(assembly_.matrix().singular_unknown(), 0)));
    }
    if (units_.empty()) units_.find(assembly_);
  }
  assembly_.matrix().solve(step_);
  subtract_correction(step_, state);
  return true;
}

bool AccelerationSolver::solve(State& state) {
  factorizations_ = 0;
  load(state);
  // Multipliers of least norm are found from zero: corrections of least norm do not add up to them.
  if (allow_redundant_) std::ranges::fill(state.lambda, 0.0);
  double scale = 0, previous = 0;
  bool with_matrix = true;
  for (int i = 0; i < kMaxIterations; ++i) {
    if (!correct(state, with_matrix)) return false;
    scale = std::max(scale, units_.size_of(state.v_dot, state.lambda, state.s));
    const double size = units_.size_of(step_, {}, {});
    if (size <= kRounding * scale || scale == 0) {
      if (i == 1 && are_linear_ && !allow_redundant_) {
        trusted_solutions_ = kTrustedSolutions;
        trusted_correction_ = kTrustedGrowth * previous / scale;
      }
      return true;
    }
    if (i == 0 && trusted_solutions_ > 0 && size <= trusted_correction_ * scale) {
      trusted_solutions_ -= 1;
      return true;
    }
    with_matrix = i > 0 && size > kKeptContraction * previous;
    // Rounding of an ill-conditioned matrix stays where it is.
    if (i > 0 && size > 0.1 * previous && size <= 1e3 * kRounding * scale) return true;
    previous = size;
  }
  return fail(NewtonFailure::kDiverged, "accelerations and multipliers were not found in " +
                                            std::to_string(kMaxIterations) + " iterations");
}

void AccelerationSolver::solve_for(std::span<const double> violation) {
  std::ranges::fill(step_, 0.0);
  std::ranges::copy(violation, step_.begin() + assembly_.multiplier_offset());
  assembly_.matrix().solve(step_);
}

void AccelerationSolver::remove_position_violation(std::span<const double> violation,
                                                   std::span<double> q) {
  solve_for(violation);
  const std::span<double> change = std::span(step_).first(index(assembly_.multiplier_offset()));
  for (double& entry : change) entry = -entry;
  assembly_.system().configuration_space().plus<double>(q, change, q);
  assembly_.set_configuration(q);
}

void AccelerationSolver::remove_violation(std::span<const double> violation, std::span<double> v) {
  solve_for(violation);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] -= step_[i];
  assembly_.set_velocity(v);
}

bool AccelerationSolver::fail(NewtonFailure failure, const std::string& message) {
  failure_ = failure;
  message_ = message;
  return false;
}

}  // namespace liegrad::dae
