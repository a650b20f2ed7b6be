#include "liegrad/dae/modal_analysis.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <Eigen/Dense>

#include "liegrad/dae/equations/assembly.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/text.hpp"

namespace liegrad::dae {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// Constraints whose gradient is this small beside the others depend on them.
constexpr double kRank = 1e-10;
/// What rounding leaves of symmetry, and of no damping.
constexpr double kRounding = 1e-9;
/// σ of the first attempt, over the square of the highest frequency; much less than that of the lowest.
constexpr double kSmallestShift = 1e-14;

/// M, D, K and B at an equilibrium.
struct LinearSystem {
  Matrix mass, damping, stiffness, gradient;
};

LinearSystem linearised(const Model& system, const State& state, const ModalOptions& options) {
  Assembly assembly(system, Formulation::kIndex3, false, LinearSolverKind::kDense);
  if (!options.controls.empty()) std::ranges::copy(options.controls, assembly.controls().begin());
  assembly.set_time(state.t);
  assembly.set_configuration(state.q);
  assembly.set_velocity(std::vector<double>(index(system.dof()), 0.0));
  assembly.set_acceleration(std::vector<double>(index(system.dof()), 0.0));
  std::ranges::copy(state.lambda, assembly.multipliers().begin());
  assembly.set_identity_maps();
  const int n = system.dof(), m = system.num_multipliers();
  const auto evaluate = [&](const StepCoefficients& coefficients, int first, int rows) {
    assembly.coefficients() = coefficients;
    assembly.evaluate(true);
    Matrix part = Matrix::Zero(rows, n);
    for (const auto& [row, column] : assembly.pattern()) {
      if (row < first || row >= first + rows || column >= n) continue;
      part(row - first, column) = assembly.entry(row, column);
    }
    return part;
  };
  return {evaluate({.c_a = 1}, 0, n), evaluate({.c_a = 0, .c_v = 1}, 0, n),
          evaluate({.c_a = 0, .k_q = 1}, 0, n),
          evaluate({.c_a = 0, .k_q = 1}, assembly.multiplier_offset(), m)};
}

Matrix null_space(const Matrix& gradient) {
  const Eigen::Index n = gradient.cols();
  if (gradient.rows() == 0) return Matrix::Identity(n, n);
  Eigen::ColPivHouseholderQR<Matrix> qr(gradient.transpose());
  qr.setThreshold(kRank);
  const Matrix q = qr.householderQ();
  return q.rightCols(n - qr.rank());
}

Matrix symmetric_part(const Matrix& a) { return 0.5 * (a + a.transpose()); }

/// Modes without damping, of the symmetric parts: columns x with xᵀM x = 1, and their ω², ascending.
struct RealModes {
  Vector squares;
  Matrix shapes;
};

RealModes real_modes(const Matrix& mass, const Matrix& stiffness) {
  const Matrix m = symmetric_part(mass), k = symmetric_part(stiffness);
  const double highest = k.norm() / std::max(m.norm(), 1e-300);
  // The smallest shift with which the matrix is positive definite; an unstable equilibrium needs a large one.
  for (double shift = kSmallestShift * highest; std::isfinite(shift) && shift < 1e12 * highest;
       shift *= 100) {
    const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> solver(m, k + shift * m);
    const Vector& mu = solver.eigenvalues();  // 1/(ω² + σ), ascending
    const bool positive = Eigen::LLT<Matrix>(k + shift * m).info() == Eigen::Success;
    if (!positive || solver.info() != Eigen::Success || !mu.allFinite()) continue;
    RealModes modes;
    std::vector<Eigen::Index> finite;
    for (Eigen::Index i = mu.size() - 1; i >= 0; --i) {
      if (mu(i) > 1e-14 * mu(mu.size() - 1)) finite.push_back(i);
    }
    modes.squares.resize(std::ssize(finite));
    modes.shapes.resize(m.rows(), std::ssize(finite));
    for (Eigen::Index j = 0; j < std::ssize(finite); ++j) {
      const double value = mu(finite[index(static_cast<int>(j))]);
      modes.squares(j) = 1 / value - shift;
      // xᵀ(K + σM)x = 1 becomes xᵀMx = 1.
      modes.shapes.col(j) =
          solver.eigenvectors().col(finite[index(static_cast<int>(j))]) / std::sqrt(value);
    }
    return modes;
  }
  throw InvalidArgument(
      "the mass is singular where the stiffness is, too, so that modes are not defined; give every "
      "node a mass");
}

Mode mode_of(std::complex<double> eigenvalue, const Eigen::VectorXcd& shape) {
  Mode mode;
  mode.eigenvalue = eigenvalue;
  mode.frequency = std::abs(eigenvalue) / (2 * std::numbers::pi);
  mode.damping_ratio =
      std::abs(eigenvalue) > 0 ? (0 - eigenvalue.real()) / std::abs(eigenvalue) : 0;
  Eigen::Index largest = 0;
  shape.cwiseAbs().maxCoeff(&largest);
  const Eigen::VectorXcd scaled = shape / shape(largest);
  mode.shape.assign(scaled.begin(), scaled.end());
  return mode;
}

/// With damping, or a stiffness that is not symmetric: in the coordinates z of the modes without, for the
/// states (Ωz, ż), of which all have the size of a velocity.
std::vector<Mode> complex_modes(const LinearSystem& reduced, const RealModes& real,
                                const Matrix& basis) {
  const Eigen::Index n = real.squares.size();
  const Matrix &x = real.shapes, k = x.transpose() * reduced.stiffness * x,
               d = x.transpose() * reduced.damping * x;
  const double least = 1e-9 * std::sqrt(real.squares.cwiseAbs().maxCoeff());
  const Vector scale = real.squares.cwiseAbs().cwiseSqrt().cwiseMax(least);
  Matrix a = Matrix::Zero(2 * n, 2 * n);
  a.topRightCorner(n, n) = scale.asDiagonal();
  a.bottomLeftCorner(n, n) = -k * scale.cwiseInverse().asDiagonal();
  a.bottomRightCorner(n, n) = -d;
  const Eigen::EigenSolver<Matrix> solver(a);
  std::vector<Mode> modes;
  for (Eigen::Index i = 0; i < 2 * n; ++i) {
    const std::complex<double> value = solver.eigenvalues()(i);
    if (value.imag() < 0) continue;
    modes.push_back(mode_of(value, basis * (x * solver.eigenvectors().col(i).tail(n))));
  }
  std::ranges::sort(modes, {}, &Mode::frequency);
  return modes;
}

void check(const Model& system, const State& state, const ModalOptions& options) {
  if (options.count < 1) {
    throw InvalidArgument("the number of modes is " + std::to_string(options.count) +
                          "; it must be at least 1");
  }
  if (system.dof() > kLargestModalSystem) {
    throw InvalidArgument("the system has " + std::to_string(system.dof()) +
                          " velocities; modes are found with dense matrices, of at most " +
                          std::to_string(kLargestModalSystem));
  }
  if (system.num_algebraic() > 0) {
    throw InvalidArgument("the system has algebraic states, with which modes are not defined");
  }
  for (const Node& node : system.nodes()) {
    if (!node.first_order) continue;
    throw InvalidArgument("node '" + node.name +
                          "' is a first-order state, with which modes are not defined");
  }
  if (state.q.size() != index(system.configuration_space().num_coeffs()) ||
      state.lambda.size() != index(system.num_multipliers())) {
    throw InvalidArgument("the state about which modes are asked for is not one of this system");
  }
}

}  // namespace

ModalSolution modal_analysis(const Model& system, const State& equilibrium,
                             const ModalOptions& options) {
  check(system, equilibrium, options);
  const LinearSystem whole = linearised(system, equilibrium, options);
  const Matrix basis = null_space(whole.gradient);
  ModalSolution solution;
  solution.degrees_of_freedom = static_cast<int>(basis.cols());
  if (basis.cols() == 0) return solution;
  const auto reduce = [&basis](const Matrix& a) { return Matrix(basis.transpose() * a * basis); };
  const LinearSystem reduced = {reduce(whole.mass), reduce(whole.damping), reduce(whole.stiffness),
                                Matrix()};
  const RealModes real = real_modes(reduced.mass, reduced.stiffness);
  const Matrix &k = reduced.stiffness, &d = reduced.damping, &m = reduced.mass;
  solution.undamped = (k - k.transpose()).norm() <= kRounding * k.norm() &&
                      d.norm() <= kRounding * std::sqrt(k.norm() * m.norm());
  if (solution.undamped) {
    for (Eigen::Index i = 0; i < real.squares.size(); ++i) {
      const double square = real.squares(i);
      const std::complex<double> value =
          square < 0 ? std::complex(std::sqrt(-square), 0.0) : std::complex(0.0, std::sqrt(square));
      solution.modes.push_back(
          mode_of(value, (basis * real.shapes.col(i)).cast<std::complex<double>>()));
    }
  } else {
    solution.modes = complex_modes(reduced, real, basis);
  }
  if (std::ssize(solution.modes) > options.count) {
    solution.modes.resize(static_cast<std::size_t>(options.count));
  }
  return solution;
}

}  // namespace liegrad::dae
