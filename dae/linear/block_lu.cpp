#include "liegrad/dae/linear/block_lu.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <new>

#include <camd.h>

#include "liegrad/dae/linear/small_blocks.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {
namespace {

/// A known solution must come out with this relative error at most when scales are found.
constexpr double kLargestError = 1e-4;
/// How often they are found anew.
constexpr int kFactorizationsWithScales = 1000;

}  // namespace

BlockLu::BlockLu(int size, std::shared_ptr<const MatrixEntries> entries,
                 const BlockStructure& structure)
    : size_(size), entries_(std::move(entries)) {
  const int num_blocks = static_cast<int>(structure.stages.size());
  std::vector<int> sizes(index(num_blocks), 0);
  for (const int block : structure.block_of_unknown) ++sizes[index(block)];
  assert(std::all_of(sizes.begin(), sizes.end(),
                     [](int n) { return n <= small_blocks::kLargestBlock; }));
  Lists graph(index(num_blocks));
  for (const auto& [row, column] : *entries_) {
    const int i = structure.block_of_unknown[index(row)];
    const int j = structure.block_of_unknown[index(column)];
    if (i == j) continue;
    // Columns follow each other, and in each a block has several rows: most repetitions are seen here.
    if (graph[index(i)].empty() || graph[index(i)].back() != j) graph[index(i)].push_back(j);
    if (graph[index(j)].empty() || graph[index(j)].back() != i) graph[index(j)].push_back(i);
  }
  for (std::vector<int>& list : graph) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  const std::vector<int> any_order = find_order(graph, structure.stages);
  const std::vector<int> order =
      with_branches_together(any_order, touched_pivots(graph, any_order));
  find_neighbours(touched_pivots(graph, order), order, sizes);

  std::vector<int> pivot_of_block(index(num_blocks)), next(index(num_blocks));
  for (int k = 0; k < num_blocks; ++k) {
    pivot_of_block[index(order[index(k)])] = k;
    next[index(order[index(k)])] = pivots_[index(k)].first;
  }
  is_first_stage_.assign(index(size_), 0);
  for (const int block : structure.block_of_unknown) {
    place_.push_back(next[index(block)]++);
    pivot_of_.push_back(pivot_of_block[index(block)]);
    is_first_stage_[index(place_.back())] = structure.stages[index(block)] == 0;
  }
  unknown_.resize(place_.size());
  for (std::size_t i = 0; i < place_.size(); ++i) unknown_[index(place_[i])] = static_cast<int>(i);
  find_columns();
  allocate();
  find_copies();
  work_.assign(index(size_), 0.0);
  row_scale_ = column_scale_ = trial_ = work_;
}

/// Minimum degree inside of each stage.
std::vector<int> BlockLu::find_order(const Lists& graph, const std::vector<int>& stages) {
  std::vector<int> starts = {0}, neighbours, order(graph.size()), given = stages;
  for (const std::vector<int>& list : graph) {
    neighbours.insert(neighbours.end(), list.begin(), list.end());
    starts.push_back(static_cast<int>(neighbours.size()));
  }
  neighbours.reserve(1);  // camd wants an array, even an empty one
  const int status = camd_order(static_cast<int>(graph.size()), starts.data(), neighbours.data(),
                                order.data(), nullptr, nullptr, given.data());
  if (status != CAMD_OK && status != CAMD_OK_BUT_JUMBLED) throw std::bad_alloc();
  return order;
}

/// What each pivot touches: its own neighbours that come later, and those of pivots that it is the first
/// neighbour of. Pivots are numbered in the order given.
BlockLu::Lists BlockLu::touched_pivots(const Lists& graph, const std::vector<int>& order) {
  std::vector<int> rank(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) rank[index(order[k])] = static_cast<int>(k);
  Lists touched(order.size()), children(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    std::vector<int>& list = touched[k];
    for (const int block : graph[index(order[k])]) {
      if (rank[index(block)] > static_cast<int>(k)) list.push_back(rank[index(block)]);
    }
    for (const int child : children[k]) {
      const std::vector<int>& more = touched[index(child)];
      list.insert(list.end(), std::next(more.begin()), more.end());
    }
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    if (!list.empty()) children[index(list.front())].push_back(static_cast<int>(k));
  }
  return touched;
}

/// The same elimination in an order in which what a pivot touches follows soon, so that it is still in the cache.
std::vector<int> BlockLu::with_branches_together(const std::vector<int>& order,
                                                 const Lists& touched) {
  // A pivot may come as soon as those have come that touch it first: a tree.
  Lists children(order.size());
  std::vector<int> stack, result;
  for (std::size_t k = order.size(); k-- > 0;) {
    const int pivot = static_cast<int>(k);
    (touched[k].empty() ? stack : children[index(touched[k].front())]).push_back(pivot);
  }
  // From the roots, each before its children, of these the first one first; then backwards, so that bodies
  // come just before the joint that they touch.
  while (!stack.empty()) {
    const int pivot = stack.back();
    stack.pop_back();
    result.push_back(order[index(pivot)]);
    stack.insert(stack.end(), children[index(pivot)].begin(), children[index(pivot)].end());
  }
  std::reverse(result.begin(), result.end());
  return result;
}

void BlockLu::find_neighbours(const Lists& touched, const std::vector<int>& order,
                              const std::vector<int>& sizes) {
  int first = 0;
  pivots_.reserve(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    Pivot pivot{};
    pivot.size = sizes[index(order[k])];
    pivot.first = first;
    pivot.neighbours = static_cast<int>(neighbours_.size());
    pivot.num_neighbours = static_cast<int>(touched[k].size());
    for (const int other : touched[k]) neighbours_.push_back({other, -1, -1, 0});
    first += pivot.size;
    pivots_.push_back(pivot);
  }
}

const BlockLu::Neighbour* BlockLu::neighbour(int pivot, int block) const {
  const Pivot& given = pivots_[index(pivot)];
  const Neighbour* const begin = neighbours_.data() + given.neighbours;
  const Neighbour* const end = begin + given.num_neighbours;
  const Neighbour* const found =
      std::lower_bound(begin, end, block, [](const Neighbour& n, int b) { return n.block < b; });
  return found != end && found->block == block ? found : nullptr;
}

/// Positions of bodies do not feel the multipliers that stabilise: these come last in their blocks, and their columns
/// need no place. What a pivot has to its right is subtracted from all rows below it.
void BlockLu::find_columns() {
  const auto widen = [this](int pivot, int block, int columns) {
    Neighbour& found =
        neighbours_[index(static_cast<int>(neighbour(pivot, block) - neighbours_.data()))];
    found.columns = std::max(found.columns, columns);
  };
  for (const auto& [row, column] : *entries_) {
    const int i = pivot_of_[index(row)], j = pivot_of_[index(column)];
    if (i < j) widen(i, j, place_[index(column)] - pivots_[index(j)].first + 1);
  }
  for (const Pivot& pivot : pivots_) {
    const Neighbour* const neighbours = neighbours_.data() + pivot.neighbours;
    for (int j = 0; j < pivot.num_neighbours; ++j) {
      for (int i = 0; i < j; ++i) {
        widen(neighbours[i].block, neighbours[j].block, neighbours[j].columns);
      }
    }
  }
}

/// Where all blocks stand, those that elimination fills included: pivot after pivot, each with what is below
/// it and to its right.
void BlockLu::allocate() {
  int next = 0;
  const auto take = [&next](int count) { return std::exchange(next, next + count); };
  std::size_t num_targets = 0;
  for (Pivot& pivot : pivots_) {
    pivot.diagonal = take(pivot.size * pivot.size);
    for (int i = 0; i < pivot.num_neighbours; ++i) {
      Neighbour& other = neighbours_[index(pivot.neighbours + i)];
      other.lower = take(pivots_[index(other.block)].size * pivot.size);
      other.upper = take(pivot.size * other.columns);
    }
    num_targets += index(pivot.num_neighbours) * index(pivot.num_neighbours);
  }
  targets_.reserve(num_targets);
  for (Pivot& pivot : pivots_) {
    pivot.targets = static_cast<int>(targets_.size());
    for (int j = 0; j < pivot.num_neighbours; ++j) {
      for (int i = 0; i < pivot.num_neighbours; ++i) {
        targets_.push_back(block_offset(neighbours_[index(pivot.neighbours + i)].block,
                                        neighbours_[index(pivot.neighbours + j)].block));
      }
    }
  }
  values_.assign(index(next), 0.0);
}

/// The numbers of a pivot are copied when it or one that touches it is eliminated, whichever comes first: up to the
/// end of the last pivot that it touches, as pivots stand in the order of elimination.
void BlockLu::find_copies() {
  const auto end_of = [this](int pivot) {
    const bool is_last = index(pivot) + 1 == pivots_.size();
    return is_last ? static_cast<int>(values_.size()) : pivots_[index(pivot) + 1].diagonal;
  };
  int copied = 0;
  for (std::size_t k = 0; k < pivots_.size(); ++k) {
    Pivot& pivot = pivots_[k];
    int last = static_cast<int>(k);
    if (pivot.num_neighbours > 0) {
      last = neighbours_[index(pivot.neighbours + pivot.num_neighbours - 1)].block;
    }
    pivot.begin = copied;
    pivot.end = copied = std::max(copied, end_of(last));
  }
}

int BlockLu::block_offset(int row_pivot, int column_pivot) const {
  if (row_pivot == column_pivot) return pivots_[index(row_pivot)].diagonal;
  const Neighbour* const found =
      neighbour(std::min(row_pivot, column_pivot), std::max(row_pivot, column_pivot));
  if (found == nullptr) return -1;
  return row_pivot > column_pivot ? found->lower : found->upper;
}

int BlockLu::position(int row, int column) const {
  const int i = pivot_of_[index(row)], j = pivot_of_[index(column)];
  const int offset = block_offset(i, j);
  if (offset < 0) return -1;
  if (i < j && place_[index(column)] - pivots_[index(j)].first >= neighbour(i, j)->columns)
    return -1;
  const int local_row = place_[index(row)] - pivots_[index(i)].first;
  const int local_column = place_[index(column)] - pivots_[index(j)].first;
  return offset + local_row + pivots_[index(i)].size * local_column;
}

/// Unknowns of the first stage by their diagonal, M; the equations after them such that the diagonal of
/// B M⁻¹Bᵀ becomes one; the unknowns after them by all equations, because those that stabilise hardly enter
/// the equations of motion. A pivot block that is small in this scale has lost digits by cancellation.
void BlockLu::find_scales() {
  std::fill(row_scale_.begin(), row_scale_.end(), 0.0);
  std::fill(column_scale_.begin(), column_scale_.end(), 0.0);
  for (const auto& [row, column] : *entries_) {
    if (row != column || is_first_stage_[index(place_[index(row)])] == 0) continue;
    const double scale = 1 / std::sqrt(std::abs(values_[index(position(row, column))]));
    row_scale_[index(place_[index(row)])] = column_scale_[index(place_[index(row)])] = scale;
  }
  scale_by_norms(Side::kRows);
  scale_by_norms(Side::kColumns);
}

/// Scales those equations or unknowns that have no scale yet such that their entries, in the scale of the other
/// side as far as that is known, have the norm one.
void BlockLu::scale_by_norms(Side side) {
  std::vector<double>& scale = side == Side::kRows ? row_scale_ : column_scale_;
  const std::vector<double>& other = side == Side::kRows ? column_scale_ : row_scale_;
  std::vector<double>& squares = trial_;
  std::fill(squares.begin(), squares.end(), 0.0);
  for (const auto& [row, column] : *entries_) {
    int own = place_[index(row)], across = place_[index(column)];
    if (side == Side::kColumns) std::swap(own, across);
    if (is_first_stage_[index(own)] != 0 || !std::isfinite(other[index(across)])) continue;
    const double scaled = values_[index(position(row, column))] * other[index(across)];
    squares[index(own)] += scaled * scaled;
  }
  for (std::size_t i = 0; i < scale.size(); ++i) {
    if (is_first_stage_[i] == 0) scale[i] = 1 / std::sqrt(squares[i]);
  }
}

bool BlockLu::factorize() {
  factors_.resize(values_.size());
  return factorize_into(factors_.data());
}

bool BlockLu::factorize_in_place() { return factorize_into(values_.data()); }

bool BlockLu::factorize_into(double* factors) {
  is_in_place_ = factors == values_.data();
  right_ = {};
  is_reduced_ = false;
  if (factorizations_with_scales_++ % kFactorizationsWithScales == 0) {
    return factorize_with_new_scales(factors);
  }
  if (eliminate(factors, 0, num_pivots())) return true;
  // Masses, lengths of steps and geometry may have changed much since the scales were found; where the values are lost,
  // they are found next time.
  factorizations_with_scales_ = 0;
  return !is_in_place_ && factorize_with_new_scales(factors);
}

bool BlockLu::factorize_with_new_scales(double* factors) {
  find_scales();
  multiply_scales(trial_);
  const bool is_good = eliminate(factors, 0, num_pivots()) && solves_for_scales(trial_);
  factorizations_with_scales_ = is_good ? 1 : 0;
  return is_good;
}

double BlockLu::scale_of(int unknown) const {
  const double given = column_scale_[index(place_[index(unknown)])];
  return std::isfinite(given) ? given : 1.0;
}

/// A x for the scales x of the unknowns.
void BlockLu::multiply_scales(std::span<double> product) const {
  std::ranges::fill(product, 0.0);
  for (const auto& [row, column] : *entries_) {
    product[index(row)] += values_[index(position(row, column))] * scale_of(column);
  }
}

/// Whether A y = A x gives x. It does not if the inertia of a node is but rounding beside its stiffness, which no
/// pivot shows.
bool BlockLu::solves_for_scales(std::span<double> product) const {
  solve(product);
  for (int i = 0; i < size_; ++i) {
    const double scale = scale_of(i);
    if (!(std::abs(product[index(i)] - scale) <= kLargestError * scale)) return false;
  }
  return true;
}

/// Scales are found in a matrix that is complete.
bool BlockLu::begin_filling(std::span<const double> right) {
  if (factorizations_with_scales_ % kFactorizationsWithScales == 0) return false;
  factorizations_with_scales_ += 1;
  is_in_place_ = true;
  cleared_ = eliminated_ = 0;
  right_ = right;
  is_reduced_ = false;
  std::ranges::fill(work_, 0.0);
  return true;
}

/// Piece by piece: long ranges are cleared by instructions that leave them outside of the nearest cache, where they
/// are needed next.
void BlockLu::clear(int end) {
  constexpr int kPiece = 128;
  for (; cleared_ < end; cleared_ = std::min(cleared_ + kPiece, end)) {
    std::fill_n(values_.begin() + cleared_, std::min(kPiece, end - cleared_), 0.0);
  }
}

void BlockLu::clear_until(int pivot) {
  clear(pivot == num_pivots() ? static_cast<int>(values_.size()) : pivots_[index(pivot)].diagonal);
}

bool BlockLu::eliminate_until(int pivot) {
  if (pivot <= eliminated_) return true;
  clear(pivots_[index(pivot - 1)].end);
  const bool is_good = eliminate(values_.data(), eliminated_, pivot);
  if (!is_good) factorizations_with_scales_ = 0;
  eliminated_ = pivot;
  is_reduced_ = is_good && pivot == num_pivots() && !right_.empty();
  return is_good;
}

}  // namespace liegrad::dae
