#include "liegrad/dae/equations/stabilizer.hpp"

#include <algorithm>
#include <utility>

#include "liegrad/dae/linear/small_blocks.hpp"
#include "liegrad/dae/linear/wide_registers.hpp"
#include "liegrad/dae/system/element_kind.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {

Stabilizer::Stabilizer(const Model& system) {
  const lie::GroupList& space = system.configuration_space();
  std::vector<std::vector<int>> multipliers(index(space.size()));
  for (const PlacedElement& element : system.elements()) {
    for (int i = 0; i < system.kind_of(element).shape().constraints; ++i) {
      for (const int node : element.nodes) {
        if (space.group(node).dof() == 0) continue;
        multipliers[index(node)].push_back(element.first_multiplier + i);
      }
    }
  }
  int next = 0;
  for (int i = 0; i < space.size(); ++i) {
    const std::vector<int>& own = multipliers[index(i)];
    const int dof = space.group(i).dof(), count = static_cast<int>(own.size());
    nodes_.push_back({space.dof_offset(i), dof, static_cast<int>(multipliers_.size()), count,
                      std::exchange(next, next + dof * count)});
    multipliers_.insert(multipliers_.end(), own.begin(), own.end());
  }
  numbers_.assign(index(next), 0.0);
}

int Stabilizer::first_number(int node, int multiplier) const {
  const Node& given = this->node(node);
  const std::span<const int> all = multipliers(given);
  const auto found = std::lower_bound(all.begin(), all.end(), multiplier);
  return given.first_number + given.dof * static_cast<int>(found - all.begin());
}

LIEGRAD_FOR_WIDE_REGISTERS void Stabilizer::add_product(std::span<const double> numbers,
                                                        double factor, std::span<const double> eta,
                                                        std::span<double> x) const {
  for (const Node& node : nodes_) {
    const double* column = numbers.data() + node.first_number;
    double* const to = x.data() + node.first_dof;
    for (const int multiplier : multipliers(node)) {
      const double scale = factor * eta[index(multiplier)];
      for (int k = 0; k < node.dof; ++k) to[k] += scale * *column++;
    }
  }
}

void Stabilizer::add_transposed_product(double factor, std::span<const double> x,
                                        std::span<double> eta) const {
  for (const Node& node : nodes_) {
    const double* column = numbers_.data() + node.first_number;
    for (const int multiplier : multipliers(node)) {
      double sum = 0;
      for (int k = 0; k < node.dof; ++k) sum += x[index(node.first_dof + k)] * *column++;
      eta[index(multiplier)] += factor * sum;
    }
  }
}

StabilizerColumns::StabilizerColumns(std::vector<Derivative> derivatives,
                                     const std::vector<std::vector<int>>& nodes_of_elements)
    : derivatives_(std::move(derivatives)) {
  std::sort(derivatives_.begin(), derivatives_.end());
  for (const Derivative& d : derivatives_) {
    if (rows_.empty() || rows_.back().node != d.node || rows_.back().outputs[0] != d.output) {
      rows_.push_back({.node = d.node, .stride = 1, .outputs = {d.output}});
    }
  }
  for (const std::vector<int>& nodes : nodes_of_elements) {
    num_nodes_ = static_cast<int>(nodes.size());
    nodes_.insert(nodes_.end(), nodes.begin(), nodes.end());
  }
}

void StabilizerColumns::find_numbers() {
  for (Rows& rows : rows_) {
    for (const Derivative& d : derivatives_) {
      const auto found = std::ranges::find(rows.outputs, d.output);
      if (d.node != rows.node || found == rows.outputs.end()) continue;
      const int row = static_cast<int>(found - rows.outputs.begin());
      rows.numbers.push_back({row, d.coordinate, d.place});
      rows.num_coordinates = std::max(rows.num_coordinates, d.coordinate + 1);
    }
  }
}

/// For R outputs, six or three, that depend on the first C coordinates.
template <int R, int C>
inline void StabilizerColumns::add_products(const Rows& rows, const Chunk& chunk,
                                            double* matrix) const {
  using small_blocks::Six;
  double d[6 * C] = {};  // what is not written stays zero for all elements
  for (int i = 0; i < chunk.count; ++i) {
    const int element = chunk.first + i;
    const double* const derivatives = chunk.derivatives + i;
    for (const Rows::Number& number : rows.numbers) {
      d[number.row + 6 * number.coordinate] = derivatives[number.place * chunk.stride];
    }
    Six columns[C];
    for (int c = 0; c < C; ++c) columns[c] = Six::load(d + 6 * c);
    const Stabilizer::Node& node = chunk.n.node(node_of(rows, element));
    const double* factors = chunk.n.numbers().data() + node.first_number;
    const int* const position = rows.positions.data() + rows.first_of_element[index(element)];
    for (int m = 0; m < node.num_multipliers; ++m, factors += node.dof) {
      double* const to = matrix + position[m];
      if (R == 6 && rows.stride == 1) {
        Six sum = Six::load(to);
        for (int c = 0; c < C; ++c) sum.subtract(columns[c], factors[c]);
        sum.store(to);
        continue;
      }
      Six sum = {};
      for (int c = 0; c < C; ++c) sum.add(columns[c], factors[c]);
      for (int r = 0; r < R; ++r) to[r * rows.stride] -= r < 4 ? sum.first[r] : sum.last[r - 4];
    }
  }
}

inline void StabilizerColumns::add_any_products(const Rows& rows, const Chunk& chunk,
                                                double* matrix) const {
  for (int i = 0; i < chunk.count; ++i) {
    const int element = chunk.first + i;
    const Stabilizer::Node& node = chunk.n.node(node_of(rows, element));
    const double* column = chunk.n.numbers().data() + node.first_number;
    const int* const position = rows.positions.data() + rows.first_of_element[index(element)];
    for (int m = 0; m < node.num_multipliers; ++m, column += node.dof) {
      for (const Rows::Number& number : rows.numbers) {
        matrix[position[m] + number.row * rows.stride] -=
            chunk.derivatives[number.place * chunk.stride + i] * column[number.coordinate];
      }
    }
  }
}

LIEGRAD_FOR_WIDE_REGISTERS void StabilizerColumns::add(const Stabilizer& n, int first, int count,
                                                       const double* derivatives, int stride,
                                                       double* matrix) const {
  const Chunk chunk{n, first, count, derivatives, stride};
  for (const Rows& rows : rows_) {
    const std::size_t outputs = rows.outputs.size();
    if (outputs == 6 && rows.num_coordinates == 6) {
      add_products<6, 6>(rows, chunk, matrix);
    } else if (outputs == 6 && rows.num_coordinates == 3) {
      add_products<6, 3>(rows, chunk, matrix);
    } else if (outputs == 3 && rows.num_coordinates == 6) {
      add_products<3, 6>(rows, chunk, matrix);
    } else if (outputs == 3 && rows.num_coordinates == 3) {
      add_products<3, 3>(rows, chunk, matrix);
    } else {
      add_any_products(rows, chunk, matrix);
    }
  }
}

}  // namespace liegrad::dae
