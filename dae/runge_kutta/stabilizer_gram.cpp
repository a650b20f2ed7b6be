#include "liegrad/dae/runge_kutta/stabilizer_gram.hpp"

#include <algorithm>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {
namespace {

/// f(node, number of the first, number of the second) for all pairs of multipliers of a node.
template <class F>
void for_each_pair(const Stabilizer& n, F&& f) {
  for (const Stabilizer::Node& node : n.nodes()) {
    for (int i = 0; i < node.num_multipliers; ++i) {
      for (int j = 0; j < node.num_multipliers; ++j) f(node, i, j);
    }
  }
}

}  // namespace

StabilizerGram::StabilizerGram(const Assembly& assembly, LinearSolverKind kind)
    : solver_(pattern(assembly), kind) {
  const Stabilizer& n = *assembly.find_stabilizer();
  for_each_pair(n, [&](const Stabilizer::Node& node, int i, int j) {
    const std::span<const int> own = n.multipliers(node);
    positions_.push_back(solver_.position(own[index(i)], own[index(j)]));
  });
}

/// The multipliers of a joint are a block, as in the matrix of a step.
SparsePattern StabilizerGram::pattern(const Assembly& assembly) {
  const Stabilizer& n = *assembly.find_stabilizer();
  const int count = assembly.system().num_multipliers();
  SparsePattern pattern{.size = count};
  for_each_pair(n, [&](const Stabilizer::Node& node, int i, int j) {
    const std::span<const int> own = n.multipliers(node);
    pattern.entries.emplace_back(own[index(i)], own[index(j)]);
  });
  std::vector<int> numbers(assembly.blocks().stages.size(), -1);
  for (int k = 0; k < count; ++k) {
    pattern.entries.emplace_back(k, k);
    const int block = assembly.blocks().block_of_unknown[index(assembly.multiplier_offset() + k)];
    int& number = numbers[index(block)];
    if (number < 0) {
      number = static_cast<int>(pattern.blocks.stages.size());
      pattern.blocks.stages.push_back(0);
    }
    pattern.blocks.block_of_unknown.push_back(number);
  }
  return pattern;
}

bool StabilizerGram::factorize(const Stabilizer& n, std::span<const double> weights) {
  const std::span<double> values = solver_.values();
  std::ranges::fill(values, 0.0);
  const int* position = positions_.data();
  for_each_pair(n, [&](const Stabilizer::Node& node, int i, int j) {
    const double* const first = n.numbers().data() + node.first_number + i * node.dof;
    const double* const second = n.numbers().data() + node.first_number + j * node.dof;
    double sum = 0;
    for (int k = 0; k < node.dof; ++k) {
      sum += first[k] * second[k] / weights[index(node.first_dof + k)];
    }
    values[index(*position++)] += sum;
  });
  return solver_.factorize();
}

void StabilizerGram::add_gradient(const Stabilizer& n, std::span<const double> weights,
                                  std::span<const double> x, std::span<double> scratch,
                                  std::span<double> eta) {
  for (std::size_t k = 0; k < x.size(); ++k) scratch[k] = x[k] / weights[k];
  n.add_transposed_product(1, scratch, eta);
}

}  // namespace liegrad::dae
