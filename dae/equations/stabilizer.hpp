#pragma once

#include <span>
#include <vector>

#include "liegrad/dae/system/model.hpp"

namespace liegrad::dae {

/// N of the stabilised formulation, in which positions move by Q (w - N η): for each node a dense matrix of its
/// coordinates × those multipliers whose constraints hold it.
class Stabilizer {
 public:
  struct Node {
    int first_dof, dof;
    int first_multiplier, num_multipliers;  ///< in multipliers()
    int first_number;                       ///< of its matrix, column after column
  };

  explicit Stabilizer(const Model& system);

  std::span<const Node> nodes() const { return nodes_; }
  const Node& node(int node) const { return nodes_[static_cast<std::size_t>(node)]; }
  std::span<const int> multipliers(const Node& node) const {
    return std::span(multipliers_)
        .subspan(static_cast<std::size_t>(node.first_multiplier),
                 static_cast<std::size_t>(node.num_multipliers));
  }
  /// All numbers; a method may change them.
  std::span<double> numbers() { return numbers_; }
  std::span<const double> numbers() const { return numbers_; }
  /// Where the number of the first coordinate of a node and the first multiplier of a constraint on it stands.
  int first_number(int node, int multiplier) const;

  /// f(coordinate, multiplier) for all numbers, in their order.
  template <class F>
  void for_each(F&& f) const {
    for (const Node& node : nodes_) {
      for (const int multiplier : multipliers(node)) {
        for (int k = 0; k < node.dof; ++k) f(node.first_dof + k, multiplier);
      }
    }
  }

  /// x += factor · N η, with the numbers given or those of N.
  void add_product(double factor, std::span<const double> eta, std::span<double> x) const {
    add_product(numbers_, factor, eta, x);
  }
  void add_product(std::span<const double> numbers, double factor, std::span<const double> eta,
                   std::span<double> x) const;
  /// η += factor · Nᵀx.
  void add_transposed_product(double factor, std::span<const double> x,
                              std::span<double> eta) const;

 private:
  std::vector<Node> nodes_;
  std::vector<int> multipliers_;
  std::vector<double> numbers_;
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
    for (const Rows& rows : rows_) {
      const auto multipliers = n.multipliers(n.node(node_of(rows, element)));
      for (const int output : rows.outputs) {
        for (const int multiplier : multipliers) f(output, multiplier);
      }
    }
  }
  /// Asks position(element, output, multiplier) where entries stand in the matrix. Outputs that stand in equal distances
  /// are added together from then on.
  template <class F>
  void find_positions(const Stabilizer& n, F&& position) {
    std::vector<Rows> divided;
    for (const Rows& rows : rows_) {
      for (const int output : rows.outputs) {
        const int distance =
            divided.empty() ? 0 : distance_to(n, divided.back(), output, rows, position);
        if (distance == 0) {
          divided.push_back({.node = rows.node, .stride = 1, .outputs = {output}});
        } else {
          divided.back().stride = distance;
          divided.back().outputs.push_back(output);
        }
      }
    }
    rows_ = std::move(divided);
    find_numbers();
    for (Rows& rows : rows_) {
      for (int e = 0; e < num_elements(); ++e) {
        rows.first_of_element.push_back(static_cast<int>(rows.positions.size()));
        for (const int multiplier : n.multipliers(n.node(node_of(rows, e)))) {
          rows.positions.push_back(position(e, rows.outputs[0], multiplier));
        }
      }
    }
  }

  /// Adds those of some elements to the matrix, whose derivatives stand beside each other, with a stride from one to the
  /// next.
  void add(const Stabilizer& n, int first, int count, const double* derivatives, int stride,
           double* matrix) const;

 private:
  static constexpr int kMostRows = 6;

  /// Some outputs that depend on the position of one node, and their derivatives.
  struct Rows {
    int node;
    int stride;  ///< from one output to the next in the matrix
    std::vector<int> outputs = {};
    struct Number {
      int row, coordinate, place;
    };
    std::vector<Number> numbers = {};
    int num_coordinates = 0;  ///< that they depend on, from the first one on
    /// Where the first of the outputs stands in the column of each multiplier of the node, element after element.
    std::vector<int> positions = {}, first_of_element = {};
  };
  /// Some elements that are added, and where their derivatives are.
  struct Chunk {
    const Stabilizer& n;
    int first, count;
    const double* derivatives;
    int stride;
  };
  template <int R, int C>
  void add_products(const Rows& rows, const Chunk& chunk, double* matrix) const;
  void add_any_products(const Rows& rows, const Chunk& chunk, double* matrix) const;
  int num_elements() const {
    return num_nodes_ == 0 ? 0 : static_cast<int>(nodes_.size()) / num_nodes_;
  }
  int node_of(const Rows& rows, int element) const {
    return nodes_[static_cast<std::size_t>(element * num_nodes_ + rows.node)];
  }
  /// From the last output of some rows to the next one, if that is the same for all entries of all elements; else 0.
  template <class F>
  int distance_to(const Stabilizer& n, const Rows& before, int output, const Rows& rows,
                  F&& position) const {
    const int count = static_cast<int>(before.outputs.size());
    if (before.node != rows.node || count == kMostRows) return 0;
    int distance = count > 1 ? before.stride : 0;
    for (int e = 0; e < num_elements(); ++e) {
      for (const int multiplier : n.multipliers(n.node(node_of(rows, e)))) {
        const int found =
            position(e, output, multiplier) - position(e, before.outputs.back(), multiplier);
        if (distance == 0) distance = found;
        if (found != distance) return 0;
      }
    }
    return distance;
  }
  void find_numbers();

  std::vector<Derivative> derivatives_;
  std::vector<Rows> rows_;
  int num_nodes_ = 0;
  std::vector<int> nodes_;  ///< element × node
};

}  // namespace liegrad::dae
