#include "liegrad/dae/linear/dense_lu.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "liegrad/dae/linear/dense_lu_kernels.hpp"
#include "liegrad/dae/linear/wide_registers.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {
namespace {

/// For how many matrices scales serve.
constexpr int kFactorizationsWithScales = 1024;
/// In how many rounds they are found.
constexpr int kNumRounds = 3;
/// An entry below this part of others is extreme if it must be there, and may be rounding if not.
constexpr double kExtreme = 1e-10;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

}  // namespace

DenseLu::DenseLu(int size, std::vector<bool> has_inertia)
    : n_(size),
      stride_(dense_lu::stride_of(size)),
      kernels_(&dense_lu::kernels_for(size)),
      a_(index(size * stride_)),
      copy_(a_.size()),
      squares_(index(stride_)),
      order_(index(size)),
      row_scale_(index(size), 1.0),
      column_scale_(index(stride_), 1.0),
      has_inertia_(std::move(has_inertia)),
      work_(index(size)) {}

/// Whether inertias are so small or so large beside other entries that elimination could lose them.
bool DenseLu::has_extreme_inertia() const {
  double least = std::numeric_limits<double>::max(), most = 0;
  for (int i = 0; i < n_; ++i) {
    if (has_inertia_[index(i)]) least = std::min(least, std::abs(a_[index(position(i, i))]));
    for (int j = 0; j < n_; ++j) most = std::max(most, std::abs(a_[index(position(i, j))]));
  }
  return least < kExtreme * most;
}

/// Inertias come first; then constraints by the velocities in them, multipliers by the equations that they are in, and,
/// by these, what has no inertia. 0 is a scale that is not known yet; entries that may be rounding do not count.
void DenseLu::find_scales() {
  std::ranges::fill(row_scale_, 1.0);
  std::ranges::fill(column_scale_, 1.0);
  is_scaled_ = !has_inertia_.empty() && has_extreme_inertia();
  if (!is_scaled_) return;
  const auto scale_for = [](double largest) {
    const bool is_usable = largest > 0 && std::isfinite(largest);
    return is_usable ? std::ldexp(1.0, -std::ilogb(largest)) : 0.0;
  };
  for (int i = 0; i < n_; ++i) {
    const double inertia = has_inertia_[index(i)] ? std::abs(a_[index(position(i, i))]) : 0.0;
    row_scale_[index(i)] = column_scale_[index(i)] = scale_for(std::sqrt(inertia));
  }
  const auto scale_rest = [&](bool rows) {
    std::vector<double>& scale = rows ? row_scale_ : column_scale_;
    const std::vector<double>& other = rows ? column_scale_ : row_scale_;
    for (int i = 0; i < n_; ++i) {
      if (scale[index(i)] != 0) continue;
      const auto entry = [&](int j) {
        return std::abs(a_[index(rows ? position(i, j) : position(j, i))]);
      };
      double most = 0, largest = 0;
      for (int j = 0; j < n_; ++j) most = std::max(most, entry(j));
      for (int j = 0; j < n_; ++j) {
        if (entry(j) > kExtreme * most) largest = std::max(largest, entry(j) * other[index(j)]);
      }
      scale[index(i)] = scale_for(largest);
    }
  };
  for (int round = 0; round < kNumRounds; ++round) {
    scale_rest(true);
    scale_rest(false);
  }
  std::ranges::replace(row_scale_, 0.0, 1.0);
  std::ranges::replace(column_scale_, 0.0, 1.0);
}

void DenseLu::copy_scaled() {
  is_in_place_ = false;
  copy_ = a_;
  for (int i = 0; is_scaled_ && i < n_; ++i) {
    double* const row = copy_.data() + i * stride_;
    const double scale = row_scale_[index(i)];
    for (int j = 0; j < stride_; ++j) row[j] *= scale * column_scale_[index(j)];
  }
}

/// Where rows in their order do not do, the largest numbers tell which unknown is not determined.
bool DenseLu::factorize() {
  if (factorizations_with_scales_++ % kFactorizationsWithScales == 0) find_scales();
  copy_scaled();
  if (has_inertia_.empty()) return eliminate(kernels_->factorize);
  if (eliminate(kernels_->factorize_in_order)) return true;
  copy_scaled();
  return eliminate(kernels_->factorize);
}

bool DenseLu::factorize_in_place(std::span<const double> right) {
  const bool needs_scales =
      is_scaled_ || factorizations_with_scales_ % kFactorizationsWithScales == 0;
  if (needs_scales || has_inertia_.empty()) return factorize();
  factorizations_with_scales_ += 1;
  is_in_place_ = true;
  for (std::size_t i = 0; i < right.size(); ++i) a_[i * index(stride_) + index(n_)] = right[i];
  const bool is_good = eliminate(kernels_->factorize_in_order);
  is_reduced_ = is_good && !right.empty();
  return is_good;
}

bool DenseLu::eliminate(Factorize factorize) {
  is_reduced_ = false;
  double* const factors = is_in_place_ ? a_.data() : copy_.data();
  bool suspicious = false;
  const int pivots = factorize({factors, squares_.data(), order_.data()}, n_, suspicious);
  singular_unknown_ = pivots < n_ ? pivots : -1;
  for (int k = 0; suspicious && k < pivots; ++k) {
    if (pivot_is_rounding(k)) {
      singular_unknown_ = k;
      break;
    }
  }
  return singular_unknown_ < 0;
}

/// A pivot is a_kk - Σ_j l_kj u_jk. The Schur complement of a constraint under a large mass is small
/// beside its column, but not beside these numbers.
bool DenseLu::pivot_is_rounding(int k) const {
  const double* const lu = factors();
  const double pivot = std::abs(1 / lu[position(k, k)]);
  double sum = pivot;
  for (int j = 0; j < k; ++j) {
    sum += std::abs(lu[position(k, j)] * lu[position(j, k)]);
  }
  return pivot <= n_ * kEpsilon * sum;
}

bool DenseLu::solve_reduced(std::span<double> x) const {
  if (!is_reduced_) return false;
  is_reduced_ = false;
  kernels_->substitute(factors(), n_, x.data());
  return true;
}

void DenseLu::solve(std::span<double> b) const {
  for (std::size_t i = 0; is_scaled_ && i < b.size(); ++i) b[i] *= row_scale_[i];
  kernels_->solve(factors(), order_.data(), n_, work_.data(), b.data());
  for (std::size_t i = 0; is_scaled_ && i < b.size(); ++i) b[i] *= column_scale_[i];
}

void DenseLu::solve_transposed(std::span<double> b) const {
  for (std::size_t i = 0; is_scaled_ && i < b.size(); ++i) b[i] *= column_scale_[i];
  kernels_->solve_transposed(factors(), order_.data(), n_, work_.data(), b.data());
  for (std::size_t i = 0; is_scaled_ && i < b.size(); ++i) b[i] *= row_scale_[i];
}

LIEGRAD_FOR_WIDE_REGISTERS void DenseLu::solve(int columns, std::span<double> b) const {
  const double* const lu = factors();
  rows_.resize(n_, columns);
  for (int i = 0; i < n_; ++i) {
    const int from = order_[index(i)];
    rows_.load(i, b, from, row_scale_[index(from)]);
  }
  for (int panel = 0; panel < rows_.num_panels(); ++panel) {
    const panels::Rows::Column x = rows_.column(panel);
    for (int i = 0; i < n_; ++i) {
      const double* const row = lu + i * stride_;
      panels::Panel sum = x[i];
      for (int j = 0; j < i; ++j) sum.subtract(row[j], x[j]);
      sum.scale(row[i]);
      x[i] = sum;
    }
    for (int i = n_ - 1; i >= 0; --i) {
      const double* const row = lu + i * stride_;
      panels::Panel sum = x[i];
      for (int j = n_ - 1; j > i; --j) sum.subtract(row[j], x[j]);
      x[i] = sum;
    }
  }
  for (int i = 0; i < n_; ++i) rows_.store(i, b, i, column_scale_[index(i)]);
}

LIEGRAD_FOR_WIDE_REGISTERS void DenseLu::solve_transposed(int columns, std::span<double> b) const {
  const double* const lu = factors();
  rows_.resize(n_, columns);
  for (int i = 0; i < n_; ++i) rows_.load(i, b, i, column_scale_[index(i)]);
  for (int panel = 0; panel < rows_.num_panels(); ++panel) {
    const panels::Rows::Column x = rows_.column(panel);
    for (int i = 0; i < n_; ++i) {
      const double* const row = lu + i * stride_;
      const panels::Panel own = x[i];
      for (int j = i + 1; j < n_; ++j) x[j].subtract(row[j], own);
    }
    for (int i = n_ - 1; i >= 0; --i) {
      const double* const row = lu + i * stride_;
      x[i].scale(row[i]);
      const panels::Panel own = x[i];
      for (int j = 0; j < i; ++j) x[j].subtract(row[j], own);
    }
  }
  for (int i = 0; i < n_; ++i) {
    const int to = order_[index(i)];
    rows_.store(i, b, to, row_scale_[index(to)]);
  }
}

}  // namespace liegrad::dae
