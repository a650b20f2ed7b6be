#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "liegrad/dae/equations/assembly.hpp"
#include "liegrad/sensitivity/step/columns.hpp"

namespace liegrad::sensitivity {

/// The mass matrix at several points of a step, factorised and kept: where v̇ follows from M v̇ + g = 0, its
/// derivatives follow with M⁻¹. For systems without constraints.
class MassFactors {
 public:
  MassFactors(dae::Assembly& assembly, int points, bool is_constant);

  /// Forgets a constant mass matrix, after a change of parameters.
  void start() { has_constant_ = false; }
  /// v̇ at the configuration, velocity, time and controls of the assembly, which are those of a point of the
  /// step to t_end. Throws Error where the matrix is singular.
  void find_acceleration(int point, double t_end, std::span<double> v_dot);

  /// In place, for all columns.
  void solve(int point, Matrix& columns) const;
  void solve_transposed(int point, Matrix& columns) const;

 private:
  std::size_t place_of(int point) const;

  dae::Assembly& assembly_;
  bool is_constant_, has_constant_ = false;
  std::vector<dae::LinearSolver> matrices_;  ///< one for all points where M is constant
  std::vector<int> positions_, assembly_positions_;
};

}  // namespace liegrad::sensitivity
