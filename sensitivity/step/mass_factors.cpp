#include "liegrad/sensitivity/step/mass_factors.hpp"

#include <algorithm>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/sensitivity/step/derivative.hpp"

namespace liegrad::sensitivity {

using dae::index;

MassFactors::MassFactors(dae::Assembly& assembly, int points, bool is_constant)
    : assembly_(assembly), is_constant_(is_constant) {
  const dae::SparsePattern pattern{.size = assembly.system().dof(), .entries = assembly.pattern()};
  for (int i = 0; i < (is_constant ? std::min(points, 1) : points); ++i) {
    matrices_.emplace_back(pattern);
  }
  if (matrices_.empty()) return;
  for (const auto& [row, column] : pattern.entries) {
    positions_.push_back(matrices_[0].position(row, column));
    assembly_positions_.push_back(assembly_.matrix().position(row, column));
  }
}

std::size_t MassFactors::place_of(int point) const { return is_constant_ ? 0 : index(point); }

void MassFactors::find_acceleration(int point, double t_end, std::span<double> v_dot) {
  std::fill(v_dot.begin(), v_dot.end(), 0.0);
  assembly_.set_acceleration(v_dot);
  assembly_.coefficients() = {};  // c_a = 1: the matrix is M
  assembly_.evaluate(!has_constant_);
  dae::LinearSolver& matrix = matrices_[place_of(point)];
  if (!has_constant_) {
    const std::span<const double> from = assembly_.matrix().values();
    const std::span<double> to = matrix.values();
    for (std::size_t k = 0; k < positions_.size(); ++k) {
      to[index(positions_[k])] = from[index(assembly_positions_[k])];
    }
    if (!matrix.factorize()) {
      throw no_derivative(t_end,
                          "the mass matrix is singular at " +
                              assembly_.unknown_name(std::max(matrix.singular_unknown(), 0)));
    }
    has_constant_ = is_constant_;
  }
  for (std::size_t i = 0; i < v_dot.size(); ++i) v_dot[i] = -assembly_.residual()[i];
  matrix.solve(v_dot);
}

void MassFactors::solve(int point, Matrix& columns) const {
  matrices_[place_of(point)].solve(static_cast<int>(columns.cols()), all(columns));
}

void MassFactors::solve_transposed(int point, Matrix& columns) const {
  matrices_[place_of(point)].solve_transposed(static_cast<int>(columns.cols()), all(columns));
}

}  // namespace liegrad::sensitivity
