#pragma once

#include <array>
#include <span>

#include "liegrad/sensitivity/step/element_sum.hpp"
#include "liegrad/sensitivity/step/entries.hpp"

namespace liegrad::sensitivity {

/// Rows of E, as in EquationRows, and those of Assembly, which has them in another order and scales them.
class ScaledRows {
 public:
  ScaledRows(const EquationRows& rows, const dae::Assembly& assembly) {
    const bool is_stabilized = assembly.formulation() == dae::Formulation::kStabilized;
    const int velocity =
        is_stabilized ? assembly.stabilizer_offset() : assembly.multiplier_offset();
    blocks_ = {{{rows.motion, rows.algebraic - rows.motion, 0},
                {rows.algebraic, rows.position - rows.algebraic, assembly.algebraic_offset()},
                {rows.position, rows.velocity - rows.position, assembly.multiplier_offset()},
                {rows.velocity, rows.size - rows.velocity, velocity}}};
  }

  /// The scales of a step.
  void set_step(double h) { scales_ = {h, h, 1 / h, 1}; }

  /// Numbers of Assembly's rows from -1 times those of E; all of them are written.
  void negative_to_assembly(int columns, std::span<const double> from, std::span<double> to) const {
    const Entries entries(columns);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const auto& [first, count, scaled] = blocks_[i];
      entries.scale(from, first, -scales_[i], count, to, scaled);
    }
  }
  /// Weights of the rows of E from -1 times those of Assembly's.
  void negative_from_assembly(int columns, std::span<const double> from,
                              std::span<double> to) const {
    const Entries entries(columns);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const auto& [first, count, scaled] = blocks_[i];
      entries.scale(from, scaled, -scales_[i], count, to, first);
    }
  }

 private:
  struct Block {
    int first, count, scaled;
  };
  std::array<Block, 4> blocks_;
  std::array<double, 4> scales_ = {};
};

}  // namespace liegrad::sensitivity
