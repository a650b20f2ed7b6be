#include "liegrad/dae/linear/mass_solver.hpp"

#include <algorithm>
#include <cmath>

namespace liegrad::dae {
namespace {

/// A constant matrix up to this size is inverted: a product has no chain of dependent numbers, and
/// no more of them than a solution.
constexpr int kLargestInverse = 12;

/// M = ∂(M v̇ + g)/∂v̇ is constant when no second derivative by v̇ and anything that moves can be
/// non-zero.
bool has_constant_mass(const ElementKind& kind) {
  const ElementInputs in = kind.inputs({});
  std::vector<int> moving;
  std::vector<bool> is_acceleration;
  const auto add = [&](int first, int count, bool acceleration) {
    for (const int i : ad::range(first, count)) moving.push_back(i);
    is_acceleration.resize(moving.size(), acceleration);
  };
  for (std::size_t i = 0; i < in.nodes.size(); ++i) {
    const ElementInputs::Node& node = in.nodes[i];
    const int dof = kind.groups()[i].dof();
    add(node.view, node.v - node.view, false);
    add(node.v, dof, false);
    add(node.v_dot, dof, true);
  }
  add(in.controls, static_cast<int>(kind.shape().controls.size()), false);
  add(in.time, 1, false);
  const ad::Pattern pattern = ad::hessian_pattern(kind.step_recording({}, {}), moving);
  return std::none_of(pattern.begin(), pattern.end(), [&](const std::pair<int, int>& entry) {
    return is_acceleration[static_cast<std::size_t>(entry.first)] ||
           is_acceleration[static_cast<std::size_t>(entry.second)];
  });
}

/// v̇ = -M⁻¹g, with a length that the compiler knows where that pays.
template <int N>
void apply(const double* inverse, const double* g, double* v_dot, int size = N) {
  const Eigen::Map<const Eigen::Matrix<double, N, N>> matrix(inverse, size, size);
  const Eigen::Map<const Eigen::Matrix<double, N, 1>> right(g, size);
  Eigen::Map<Eigen::Matrix<double, N, 1>> result(v_dot, size);
  result.noalias() = -(matrix.lazyProduct(right));
}

/// A sum is finite when its terms are. (One that overflows is of no use either.)
bool is_finite(const double* x, int size) {
  double sum = 0;
  for (int i = 0; i < size; ++i) sum += std::abs(x[i]);
  return std::isfinite(sum);
}

}  // namespace

MassSolver::MassSolver(Assembly& assembly) : assembly_(assembly), dof_(assembly.system().dof()) {
  const auto& kinds = assembly.system().kinds();
  is_constant_ = std::all_of(kinds.begin(), kinds.end(),
                             [](const auto& kind) { return has_constant_mass(*kind); });
  if (is_constant_ && dof_ <= kLargestInverse) {
    inverse_.resize(static_cast<std::size_t>(dof_ * dof_));
  }
}

bool MassSolver::factorize() {
  LinearSolver& mass = assembly_.matrix();
  const std::span<const double> values = mass.values();
  if (!is_finite(values.data(), static_cast<int>(values.size()))) {
    return fail(NewtonFailure::kNonFinite, "the mass matrix is not finite");
  }
  if (!mass.factorize()) {
    return fail(NewtonFailure::kSingularMatrix,
                "the mass matrix is singular at " +
                    assembly_.unknown_name(std::max(mass.singular_unknown(), 0)));
  }
  has_matrix_ = true;
  const std::size_t dof = static_cast<std::size_t>(dof_);
  for (std::size_t i = 0; i < dof && !inverse_.empty(); ++i) {
    const std::span<double> column = std::span(inverse_).subspan(i * dof, dof);
    std::fill(column.begin(), column.end(), 0.0);
    column[i] = 1;
    mass.solve(column);
  }
  return true;
}

bool MassSolver::solve(std::span<double> v_dot) {
  const lie::GroupList& space = assembly_.system().configuration_space();
  for (int i = 0; i < space.size(); ++i) {
    double* const entries = assembly_.nodes().v_dot(i);
    for (int k = 0; k < space.group(i).dof(); ++k) entries[k] = 0;
  }
  const bool with_matrix = !(is_constant_ && has_matrix_);
  if (with_matrix) assembly_.coefficients() = {};  // c_a = 1: the matrix is M
  assembly_.evaluate(with_matrix);
  const double* const g = assembly_.residual().data();
  // A matrix that is factorised must be of a point that makes sense.
  if ((checked_ || with_matrix) && !is_finite(g, dof_)) {
    return fail(NewtonFailure::kNonFinite, "element '" + assembly_.nonfinite_element() +
                                               "' returns a number that is not finite");
  }
  if (with_matrix && !factorize()) return false;
  if (inverse_.empty()) {
    for (std::size_t i = 0; i < v_dot.size(); ++i) v_dot[i] = -g[i];
    assembly_.matrix().solve(v_dot);
    return true;
  }
  switch (dof_) {
    case 3: apply<3>(inverse_.data(), g, v_dot.data()); break;
    case 6: apply<6>(inverse_.data(), g, v_dot.data()); break;
    default: apply<Eigen::Dynamic>(inverse_.data(), g, v_dot.data(), dof_);
  }
  return true;
}

bool MassSolver::fail(NewtonFailure failure, const std::string& message) {
  failure_ = failure;
  message_ = message;
  has_matrix_ = false;
  return false;
}

}  // namespace liegrad::dae
