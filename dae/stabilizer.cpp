#include "liegrad/dae/stabilizer.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "liegrad/dae/numbers.hpp"
#include "liegrad/dae/wide_registers.hpp"

namespace liegrad::dae {

Stabilizer::Stabilizer(const Model& system) {
  const lie::GroupList& space = system.configuration_space();
  nodes_.resize(index(space.size()));
  first_of_multiplier_.assign(index(system.num_multipliers()), 0);
  for (const PlacedElement& element : system.elements()) {
    for (int i = 0; i < system.kind_of(element).shape().constraints; ++i) {
      const int multiplier = element.first_multiplier + i;
      first_of_multiplier_[index(multiplier)] = static_cast<int>(entries_.size());
      for (const int node : element.nodes) {
        const int dof = space.group(node).dof();
        if (dof == 0) continue;
        NodePart& part = nodes_[index(node)];
        part.dof = dof;
        part.multipliers.push_back(multiplier);
        part.first_entries.push_back(static_cast<int>(entries_.size()));
        for (int k = 0; k < dof; ++k) {
          entries_.push_back({space.dof_offset(node) + k, multiplier, 0.0});
        }
      }
    }
  }
  int next = 0;
  for (NodePart& part : nodes_) {
    const int count = static_cast<int>(part.multipliers.size());
    part.stride = (count + kWidth - 1) / kWidth * kWidth;
    part.first = std::exchange(next, next + part.dof * part.stride);
  }
  by_nodes_.assign(index(next), 0.0);
}

int Stabilizer::entry(int multiplier, int dof) const {
  int i = first_of_multiplier_[index(multiplier)];
  while (entries_[index(i)].dof != dof) ++i;
  return i;
}

void Stabilizer::sort_by_nodes() {
  for (const NodePart& part : nodes_) {
    double* to = by_nodes_.data() + part.first;
    for (const int first : part.first_entries) {
      const Entry* const column = entries_.data() + first;
      for (int k = 0; k < part.dof; ++k) to[part.stride * k] = column[k].value;
      ++to;
    }
  }
}

StabilizerColumns::StabilizerColumns(std::vector<Derivative> derivatives,
                                     const std::vector<std::vector<int>>& nodes_of_elements)
    : derivatives_(std::move(derivatives)) {
  std::sort(derivatives_.begin(), derivatives_.end());
  for (std::size_t i = 0; i < derivatives_.size(); ++i) {
    const Derivative& d = derivatives_[i];
    const int place = static_cast<int>(i);
    if (rows_.empty() || rows_.back().node != d.node || rows_.back().output != d.output) {
      rows_.push_back({d.node, d.output, place, place});
    }
    rows_.back().end = place + 1;
  }
  for (const std::vector<int>& nodes : nodes_of_elements) {
    num_nodes_ = static_cast<int>(nodes.size());
    nodes_.insert(nodes_.end(), nodes.begin(), nodes.end());
  }
}

LIEGRAD_FOR_WIDE_REGISTERS void StabilizerColumns::add(const Stabilizer& n, int element,
                                                       const double* derivatives, int stride,
                                                       std::span<double> matrix) const {
  const int* target = targets_.data() + first_targets_[index(element)];
  for (const Row& row : rows_) {
    const Stabilizer::NodePart& node = n.node(node_of(row, element));
    const double* const numbers = n.node_rows(node);
    int left = static_cast<int>(node.multipliers.size());
    for (int first = 0; left > 0; first += Stabilizer::kWidth, left -= Stabilizer::kWidth) {
      std::array<double, Stabilizer::kWidth> sum = {};
      for (int i = row.first; i < row.end; ++i) {
        const Derivative& d = derivatives_[index(i)];
        const double factor = derivatives[d.place * stride];
        const double* const of_row = numbers + node.stride * d.coordinate + first;
        for (std::size_t c = 0; c < Stabilizer::kWidth; ++c) sum[c] += factor * of_row[c];
      }
      const int count = std::min(Stabilizer::kWidth, left);
      for (int c = 0; c < count; ++c) matrix[index(*target++)] -= sum[index(c)];
    }
  }
}

}  // namespace liegrad::dae
