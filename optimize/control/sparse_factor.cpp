#include "liegrad/control/sparse_factor.hpp"

namespace liegrad::control {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

void SparseFactor::clear() {
  pivots_.clear();
  rows_.clear();
  values_.clear();
  negative_ = 0;
}

void SparseFactor::add_pivot(int unknown, double d) {
  pivots_.push_back({unknown, -1, d, 0, 0, rows_.size(), values_.size()});
  if (d < 0) ++negative_;
}

void SparseFactor::add_pivot(int first, int second, double d11, double d21, double d22) {
  pivots_.push_back({first, second, d11, d21, d22, rows_.size(), values_.size()});
  if (d11 * d22 - d21 * d21 < 0) {
    negative_ += 1;
  } else if (d11 < 0) {
    negative_ += 2;
  }
}

void SparseFactor::add(int row, double l) {
  rows_.push_back(row);
  values_.push_back(l);
}

void SparseFactor::add(int row, double l1, double l2) {
  rows_.push_back(row);
  values_.push_back(l1);
  values_.push_back(l2);
}

void SparseFactor::solve(std::span<double> b) const {
  const auto end_of = [this](std::size_t k) {
    return k + 1 < pivots_.size() ? pivots_[k + 1].begin : rows_.size();
  };
  for (std::size_t k = 0; k < pivots_.size(); ++k) {
    const Pivot& p = pivots_[k];
    const std::size_t end = end_of(k);
    const double* value = values_.data() + p.values;
    const double x = b[at(p.first)];
    if (p.second < 0) {
      for (std::size_t i = p.begin; i < end; ++i) b[at(rows_[i])] -= *value++ * x;
      b[at(p.first)] = x / p.d11;
      continue;
    }
    const double y = b[at(p.second)], determinant = p.d11 * p.d22 - p.d21 * p.d21;
    for (std::size_t i = p.begin; i < end; ++i, value += 2) {
      b[at(rows_[i])] -= value[0] * x + value[1] * y;
    }
    b[at(p.first)] = (p.d22 * x - p.d21 * y) / determinant;
    b[at(p.second)] = (p.d11 * y - p.d21 * x) / determinant;
  }
  for (std::size_t k = pivots_.size(); k-- > 0;) {
    const Pivot& p = pivots_[k];
    const std::size_t end = end_of(k);
    const double* value = values_.data() + p.values;
    double x = 0, y = 0;
    if (p.second < 0) {
      for (std::size_t i = p.begin; i < end; ++i) x += *value++ * b[at(rows_[i])];
    } else {
      for (std::size_t i = p.begin; i < end; ++i, value += 2) {
        x += value[0] * b[at(rows_[i])];
        y += value[1] * b[at(rows_[i])];
      }
      b[at(p.second)] -= y;
    }
    b[at(p.first)] -= x;
  }
}

}  // namespace liegrad::control
