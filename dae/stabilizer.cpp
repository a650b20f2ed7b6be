#include "liegrad/dae/stabilizer.hpp"

#include <algorithm>
#include <array>

#include "liegrad/dae/numbers.hpp"
#include "liegrad/dae/wide_registers.hpp"

namespace liegrad::dae {
namespace {

/// Columns are multiplied so many at once: those of two spherical joints.
constexpr int kWidth = 6;

int padded(int count) { return (count + kWidth - 1) / kWidth * kWidth; }

}  // namespace

Stabilizer::Stabilizer(const System& system,
                       const std::vector<std::pair<int, int>>& position_places) {
  const lie::GroupList& space = system.configuration_space();
  for (int node = 0; node < space.size(); ++node) {
    const int dof = space.group(node).dof();
    nodes_.push_back({.node = node,
                      .dof = dof,
                      .first_column = 0,
                      .num_columns = 0,
                      .first_row = 0,
                      .end_row = 0});
    first_dof_.push_back(space.dof_offset(node));
    node_of_dof_.insert(node_of_dof_.end(), index(dof), node);
  }
  collect_entries(system);
  collect_rows(position_places);
  std::size_t largest = 0, num_targets = 0;
  for (const NodePart& node : nodes_) {
    largest = std::max(largest, index(node.dof * padded(node.num_columns)));
    num_targets += index(node.num_columns) * index(node.end_row - node.first_row);
  }
  node_matrix_.assign(largest, 0.0);
  targets_.assign(num_targets, 0);
}

void Stabilizer::collect_entries(const System& system) {
  std::vector<std::vector<NodeColumn>> columns_of_node(nodes_.size());
  first_of_multiplier_.assign(index(system.num_multipliers()), 0);
  for (const PlacedElement& element : system.elements()) {
    for (int i = 0; i < system.kind_of(element).shape().constraints; ++i) {
      const int multiplier = element.first_multiplier + i;
      first_of_multiplier_[index(multiplier)] = static_cast<int>(entries_.size());
      for (const int node : element.nodes) {
        const NodePart& part = nodes_[index(node)];
        columns_of_node[index(node)].push_back({multiplier, static_cast<int>(entries_.size())});
        for (int k = 0; k < part.dof; ++k) {
          entries_.push_back({first_dof_[index(node)] + k, multiplier, 0.0});
        }
      }
    }
  }
  for (NodePart& node : nodes_) {
    const std::vector<NodeColumn>& own = columns_of_node[index(node.node)];
    node.first_column = static_cast<int>(columns_.size());
    node.num_columns = static_cast<int>(own.size());
    columns_.insert(columns_.end(), own.begin(), own.end());
  }
}

void Stabilizer::collect_rows(const std::vector<std::pair<int, int>>& places) {
  struct Place {
    int node, row, coordinate;
    auto operator<=>(const Place&) const = default;
  };
  std::vector<Place> sorted;
  sorted.reserve(places.size());
  for (const auto& [row, dof] : places) {
    const int node = node_of_dof_[index(dof)];
    sorted.push_back({node, row, dof - first_dof_[index(node)]});
  }
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  position_part_.assign(sorted.size(), 0.0);
  std::size_t next = 0;
  for (NodePart& node : nodes_) {
    node.first_row = static_cast<int>(rows_.size());
    while (next < sorted.size() && sorted[next].node == node.node) {
      const int row = sorted[next].row, first = static_cast<int>(next);
      while (next < sorted.size() && sorted[next].node == node.node && sorted[next].row == row) {
        coordinate_.push_back(sorted[next++].coordinate);
      }
      rows_.push_back({row, first, static_cast<int>(next)});
    }
    node.end_row = static_cast<int>(rows_.size());
  }
}

int Stabilizer::entry(int multiplier, int dof) const {
  int i = first_of_multiplier_[index(multiplier)];
  while (entries_[index(i)].dof != dof) ++i;
  return i;
}

int Stabilizer::position_entry(int row, int dof) const {
  const NodePart& node = nodes_[index(node_of_dof_[index(dof)])];
  const auto part =
      std::lower_bound(rows_.begin() + node.first_row, rows_.begin() + node.end_row, row,
                       [](const RowPart& p, int wanted) { return p.row < wanted; });
  int i = part->first;
  while (coordinate_[index(i)] != dof - first_dof_[index(node.node)]) ++i;
  return i;
}

/// f(row, multiplier), in the order of targets_.
template <class F>
void Stabilizer::for_each_target(F&& f) const {
  for (const NodePart& node : nodes_) {
    for (int r = node.first_row; r < node.end_row; ++r) {
      for (int c = 0; c < node.num_columns; ++c) {
        f(rows_[index(r)].row, columns_[index(node.first_column + c)].multiplier);
      }
    }
  }
}

void Stabilizer::collect_pattern(int first_column, std::vector<std::pair<int, int>>& places) const {
  for_each_target(
      [&](int row, int multiplier) { places.emplace_back(row, first_column + multiplier); });
}

void Stabilizer::find_targets(int first_column, const LinearSolver& matrix) {
  auto target = targets_.begin();
  for_each_target([&](int row, int multiplier) {
    *target++ = matrix.position(row, first_column + multiplier);
  });
}

LIEGRAD_FOR_WIDE_REGISTERS void Stabilizer::add_columns(std::span<double> matrix) {
  const int* target = targets_.data();
  double* const n = node_matrix_.data();
  for (const NodePart& node : nodes_) {
    const int count = node.num_columns, stride = padded(count);
    const NodeColumn* const columns = columns_.data() + node.first_column;
    for (int c = 0; c < count; ++c) {
      const Entry* const column = entries_.data() + columns[c].first_entry;
      for (int k = 0; k < node.dof; ++k) n[stride * k + c] = column[k].value;
    }
    for (int r = node.first_row; r < node.end_row; ++r) {
      const RowPart& row = rows_[index(r)];
      for (int first = 0; first < count; first += kWidth) {
        std::array<double, kWidth> sum = {};
        for (int i = row.first; i < row.end; ++i) {
          const double factor = position_part_[index(i)];
          const double* const of_row = n + stride * coordinate_[index(i)] + first;
          for (std::size_t c = 0; c < kWidth; ++c) sum[c] += factor * of_row[c];
        }
        const int last = std::min(kWidth, count - first);
        for (int c = 0; c < last; ++c) matrix[index(*target++)] -= sum[index(c)];
      }
    }
  }
}

}  // namespace liegrad::dae
