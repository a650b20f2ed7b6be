#pragma once

#include <span>
#include <vector>

#include "liegrad/dae/model.hpp"

namespace liegrad::dae {

/// N of the stabilised formulation, in which positions move by Q (w - N η).
class Stabilizer {
 public:
  /// An entry of N.
  struct Entry {
    int dof, multiplier;
    double value;
  };
  /// The rows of N that belong to a node: its coordinates × those multipliers whose constraints hold it.
  struct NodePart {
    int dof = 0;
    std::vector<int> multipliers = {};
    std::vector<int> first_entries = {};  ///< of each multiplier
    int first = 0, stride = 0;  ///< where its numbers stand, row after row, see node_rows()
  };

  explicit Stabilizer(const Model& system);

  /// Column after column, in each the coordinates node after node: all of a node, as a method may mix them.
  std::span<Entry> entries() { return entries_; }
  std::span<const Entry> entries() const { return entries_; }
  /// The index of an entry.
  int entry(int multiplier, int dof) const;

  const NodePart& node(int node) const { return nodes_[static_cast<std::size_t>(node)]; }
  /// Copies the entries to where node_rows() has them.
  void sort_by_nodes();
  /// The numbers of a node. Rows are filled up with zeros, so that kWidth of them may be read at a time.
  const double* node_rows(const NodePart& node) const { return by_nodes_.data() + node.first; }
  /// The columns of two spherical joints.
  static constexpr int kWidth = 6;

 private:
  std::vector<Entry> entries_;
  std::vector<int> first_of_multiplier_;  ///< entry
  std::vector<NodePart> nodes_;
  std::vector<double> by_nodes_;
};

/// The columns of η that elements of one kind contribute to: minus their derivatives by position, times N.
class StabilizerColumns {
 public:
  /// The derivative of an output by a coordinate of a node of the element; `place` is where a kernel writes it.
  struct Derivative {
    int node, output, coordinate, place;
    auto operator<=>(const Derivative&) const = default;
  };

  /// For elements with these nodes.
  StabilizerColumns(std::vector<Derivative> derivatives,
                    const std::vector<std::vector<int>>& nodes_of_elements);

  /// f(output, multiplier) for all entries of an element.
  template <class F>
  void for_each_entry(const Stabilizer& n, int element, F&& f) const {
    for (const Row& row : rows_) {
      for (const int multiplier : n.node(node_of(row, element)).multipliers) {
        f(row.output, multiplier);
      }
    }
  }
  /// Where they stand in the matrix, element after element.
  void add_target(int position) { targets_.push_back(position); }
  void end_element() { first_targets_.push_back(static_cast<int>(targets_.size())); }

  /// Adds those of an element to the matrix; the derivatives have a stride.
  void add(const Stabilizer& n, int element, const double* derivatives, int stride,
           std::span<double> matrix) const;

 private:
  /// The derivatives of one output by the coordinates of one node.
  struct Row {
    int node, output, first, end;
  };
  int node_of(const Row& row, int element) const {
    return nodes_[static_cast<std::size_t>(element * num_nodes_ + row.node)];
  }

  std::vector<Derivative> derivatives_;
  std::vector<Row> rows_;
  int num_nodes_ = 0;
  std::vector<int> nodes_;  ///< element × node
  std::vector<int> targets_, first_targets_ = {0};
};

}  // namespace liegrad::dae
