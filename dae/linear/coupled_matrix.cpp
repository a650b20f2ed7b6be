#include "liegrad/dae/linear/coupled_matrix.hpp"

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {
namespace {

bool is_on_diagonal_only(const Assembly& assembly, int column) {
  return column >= assembly.multiplier_offset() && column < assembly.stabilizer_offset();
}

}  // namespace

CoupledMatrix::CoupledMatrix(const Assembly& assembly, int copies, LinearSolverKind kind)
    : copies_(copies),
      size_(assembly.size()),
      solver_(pattern(assembly, copies), kind),
      to_(index(copies * copies)) {
  const ConstraintRows rows = constraint_rows(assembly.formulation());
  for (const auto& [row, column] : assembly.pattern()) {
    const bool is_position =
        rows.position && row >= assembly.multiplier_offset() && row < assembly.algebraic_offset();
    entries_.push_back({assembly.matrix().position(row, column), is_position,
                        is_on_diagonal_only(assembly, column)});
    for (int i = 0; i < copies; ++i) {
      for (int k = 0; k < copies; ++k) {
        const bool is_there = i == k || !entries_.back().is_on_diagonal;
        to_[index(i * copies + k)].push_back(
            is_there ? solver_.position(i * size_ + row, k * size_ + column) : -1);
      }
    }
  }
}

SparsePattern CoupledMatrix::pattern(const Assembly& assembly, int copies) {
  const int size = assembly.size();
  SparsePattern pattern{.size = copies * size};
  for (const auto& [row, column] : assembly.pattern()) {
    for (int i = 0; i < copies; ++i) {
      for (int k = 0; k < copies; ++k) {
        if (i != k && is_on_diagonal_only(assembly, column)) continue;
        pattern.entries.emplace_back(i * size + row, k * size + column);
      }
    }
  }
  pattern.blocks.stages = assembly.blocks().stages;
  for (int i = 0; i < copies; ++i) {
    const std::vector<int>& of_one = assembly.blocks().block_of_unknown;
    pattern.blocks.block_of_unknown.insert(pattern.blocks.block_of_unknown.end(), of_one.begin(),
                                           of_one.end());
  }
  return pattern;
}

void CoupledMatrix::set_block(int row, int column, Assembly& assembly, double factor,
                              double position_factor) {
  const std::span<const double> from = assembly.matrix().values();
  const std::span<double> values = solver_.values();
  const std::vector<int>& to = to_[index(row * copies_ + column)];
  const double of_position = factor * position_factor;
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    if (to[k] < 0) continue;
    const Entry& entry = entries_[k];
    values[index(to[k])] = (entry.is_position ? of_position : factor) * from[index(entry.from)];
  }
}

}  // namespace liegrad::dae
