#include "liegrad/control/front_tree.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "liegrad/control/border_stage.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::control {
namespace {

using dae::index;

/// Where the fronts of stages 0 … last stand: inner 0, inner 1, shared 0, inner 2, shared 1, …, inner last, shared last - 1,
/// shared last, and the border behind them.
struct InnerFirst {
  int last;
  int inner(int stage) const { return std::max(2 * stage - 1, 0); }
  int shared(int stage) const { return stage < last ? 2 * stage + 2 : 2 * last + 1; }
  int border() const { return 2 * last + 2; }
};

}  // namespace

/// Makes the nodes with their parents.
std::vector<int> FrontTree::nodes_of_unknowns(std::span<const int> stages,
                                              std::span<const int> rows,
                                              std::span<const int> columns, FrontOrder order) {
  int num_stages = 0;
  for (const int stage : stages) num_stages = std::max(num_stages, stage + 1);
  std::vector<bool> is_shared(stages.size(), false);  // with the stage behind
  for (std::size_t k = 0; k < rows.size(); ++k) {
    int early = rows[k], late = columns[k];
    if (stages[index(early)] == kBorderStage || stages[index(late)] == kBorderStage) continue;
    if (stages[index(early)] > stages[index(late)]) std::swap(early, late);
    const int distance = stages[index(late)] - stages[index(early)];
    if (distance > 1) {
      throw InvalidArgument(
          "a condition couples points of the grid that are no neighbours, which elimination in "
          "time does not know; take the linear solver mumps");
    }
    if (distance == 1) is_shared[index(early)] = true;
  }

  std::vector<int> node(stages.size());
  if (order == FrontOrder::kStages || num_stages == 0) {
    nodes.resize(index(num_stages + 1));
    for (int n = 0; n < num_stages; ++n) nodes[index(n)].parent = n + 1;
    for (std::size_t i = 0; i < stages.size(); ++i) {
      node[i] = stages[i] == kBorderStage ? num_stages : stages[i];
    }
    return node;
  }
  const InnerFirst place{num_stages - 1};
  nodes.resize(index(place.border() + 1));
  for (int n = 0; n < num_stages; ++n) {
    nodes[index(place.inner(n))].parent = place.shared(std::max(n - 1, 0));
    nodes[index(place.shared(n))].parent = n < place.last ? place.shared(n + 1) : place.border();
  }
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const int n = stages[i];
    node[i] = n == kBorderStage ? place.border() : is_shared[i] ? place.shared(n) : place.inner(n);
  }
  return node;
}

FrontTree::FrontTree(std::span<const int> stages, std::span<const int> rows,
                     std::span<const int> columns, FrontOrder order) {
  const std::vector<int> node = nodes_of_unknowns(stages, rows, columns, order);
  // Unknowns with few entries come first: their elimination leaves few behind.
  std::vector<int> degree(stages.size(), 0), sorted(stages.size()), position(stages.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    ++degree[index(rows[k])];
    ++degree[index(columns[k])];
  }
  std::iota(sorted.begin(), sorted.end(), 0);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](int a, int b) { return degree[index(a)] < degree[index(b)]; });
  for (const int unknown : sorted) {
    std::vector<int>& list = nodes[index(node[index(unknown)])].unknowns;
    position[index(unknown)] = static_cast<int>(list.size());
    list.push_back(unknown);
  }

  // The boundary of a node is what its unknowns touch, and what the boundaries above it have of the nodes below it.
  const auto early_and_late = [&](std::size_t k) {
    std::pair pair(rows[k], columns[k]);
    if (node[index(pair.first)] > node[index(pair.second)]) std::swap(pair.first, pair.second);
    return pair;
  };
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto [early, late] = early_and_late(k);
    const int early_node = node[index(early)];
    if (early_node != node[index(late)]) nodes[index(early_node)].boundary.push_back(late);
  }
  const auto comes_first = [&](int a, int b) {
    return std::pair(node[index(a)], position[index(a)]) <
           std::pair(node[index(b)], position[index(b)]);
  };
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    std::vector<int>& list = nodes[n].boundary;
    std::sort(list.begin(), list.end(), comes_first);
    list.erase(std::unique(list.begin(), list.end()), list.end());
    if (nodes[n].parent < 0) continue;
    Node& parent = nodes[index(nodes[n].parent)];
    ++parent.num_children;
    for (const int unknown : list) {
      if (node[index(unknown)] != nodes[n].parent) parent.boundary.push_back(unknown);
    }
  }

  // Positions in fronts, node by node.
  std::vector<int> place(stages.size(), 0);
  std::vector<std::vector<std::size_t>> of_node(nodes.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    of_node[index(node[index(early_and_late(k).first)])].push_back(k);
  }
  std::vector<std::vector<int>> children(nodes.size());
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (nodes[n].parent >= 0) children[index(nodes[n].parent)].push_back(static_cast<int>(n));
  }
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    Node& at_node = nodes[n];
    int next = 0;
    for (const auto* const list : {&at_node.unknowns, &at_node.boundary}) {
      for (const int unknown : *list) place[index(unknown)] = next++;
    }
    for (const int child : children[n]) {
      Node& from = nodes[index(child)];
      for (const int unknown : from.boundary) from.next.push_back(place[index(unknown)]);
    }
    for (const std::size_t k : of_node[n]) {
      const auto [low, high] = std::minmax(place[index(rows[k])], place[index(columns[k])]);
      at_node.entries.push_back({static_cast<int>(k), high, low});
    }
  }
}

}  // namespace liegrad::control
