#pragma once

#include <span>
#include <utility>
#include <vector>

#include "liegrad/dae/linear_solver.hpp"
#include "liegrad/dae/system.hpp"

namespace liegrad::dae {

/// N of the stabilised formulation, in which positions move by Q (w - N η), and the columns of η that follow:
/// minus what a matrix has of the derivatives by position, times N.
class Stabilizer {
 public:
  /// An entry of N.
  struct Entry {
    int dof, multiplier;
    double value;
  };

  /// For a matrix whose derivatives by position are at the places (row, dof), named in any order and as often as one
  /// likes.
  Stabilizer(const System& system, const std::vector<std::pair<int, int>>& position_places);

  /// Column after column, in each the coordinates node after node: all of a node, as a method may mix them.
  std::span<Entry> entries() { return entries_; }
  /// The index of an entry of N.
  int entry(int multiplier, int dof) const;

  /// The derivatives by position, which the caller sums, and the index of one of them.
  std::span<double> position_part() { return position_part_; }
  int position_entry(int row, int dof) const;

  /// Adds (row, first_column + multiplier) for all entries of the columns of η.
  void collect_pattern(int first_column, std::vector<std::pair<int, int>>& places) const;
  /// Looks up where they stand.
  void find_targets(int first_column, const LinearSolver& matrix);
  /// Adds the columns of η to the numbers of that matrix.
  void add_columns(std::span<double> matrix);

 private:
  /// The coordinates of a node in a column of N.
  struct NodeColumn {
    int multiplier, first_entry;
  };
  /// What a row has of the derivatives by the coordinates of a node: they stand together.
  struct RowPart {
    int row, first, end;
  };
  /// A node, the parts of N and of the derivatives that belong to it.
  struct NodePart {
    int node, dof;
    int first_column, num_columns;
    int first_row, end_row;
  };

  void collect_entries(const System& system);
  void collect_rows(const std::vector<std::pair<int, int>>& places);
  template <class F>
  void for_each_target(F&& f) const;

  std::vector<Entry> entries_;
  std::vector<int> first_of_multiplier_;  ///< entry
  std::vector<NodePart> nodes_;
  std::vector<int> node_of_dof_, first_dof_;  ///< first_dof_: of a node
  std::vector<NodeColumn> columns_;
  std::vector<RowPart> rows_;
  std::vector<double> position_part_;
  std::vector<int> coordinate_;  ///< of each such number, in its node
  std::vector<int> targets_;     ///< row part after row part, in each for all columns of the node
  std::vector<double> node_matrix_;  ///< N of a node, row after row
};

}  // namespace liegrad::dae
