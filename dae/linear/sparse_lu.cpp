#include "liegrad/dae/linear/sparse_lu.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include <klu.h>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {

namespace {

/// Of the entries of a column those within this factor of the largest may be the pivot, and the one
/// on the diagonal is preferred. KLU's own choice of 1/1000 saves a little fill and costs digits.
constexpr double kPivotTolerance = 0.1;

/// Kept pivots are given up when the numbers grow this much more than they did under the pivots when
/// they were chosen: of 16 digits two may be lost.
constexpr double kGrowthLimit = 100;

/// Four sums, as one would wait for itself; a number times zero is zero unless it is not finite.
bool all_finite(std::span<const double> values) {
  double zero[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= values.size(); i += 4) {
    for (std::size_t k = 0; k < 4; ++k) zero[k] += 0 * values[i + k];
  }
  for (; i < values.size(); ++i) zero[0] += 0 * values[i];
  return zero[0] + zero[1] + zero[2] + zero[3] == 0;
}

}  // namespace

struct SparseLu::Klu {
  int n;
  std::vector<int> columns, rows;  // compressed columns
  std::vector<double> values;
  klu_common common;
  klu_symbolic* symbolic = nullptr;
  klu_numeric* numeric = nullptr;
  double reciprocal_growth = 0;  // when the pivots were chosen
  int singular_unknown = -1;
  int num_pivotings = 0;

  Klu(int size, std::span<const std::pair<int, int>> entries) : n(size) {
    columns.assign(index(n) + 1, 0);
    for (const auto& [row, column] : entries) {
      rows.push_back(row);
      ++columns[index(column) + 1];
    }
    for (int j = 0; j < n; ++j) columns[index(j) + 1] += columns[index(j)];
    values.assign(rows.size(), 0.0);

    klu_defaults(&common);
    common.tol = kPivotTolerance;
    symbolic = klu_analyze(n, columns.data(), rows.data(), &common);
    if (symbolic == nullptr) throw std::bad_alloc();
  }
  ~Klu() {
    klu_free_numeric(&numeric, &common);
    klu_free_symbolic(&symbolic, &common);
  }
  Klu(const Klu&) = delete;
  Klu& operator=(const Klu&) = delete;

  /// The numbers of the last factorisation with its pivots; false if they are not good.
  bool refactorize() {
    return numeric != nullptr &&
           klu_refactor(columns.data(), rows.data(), values.data(), symbolic, numeric, &common) !=
               0 &&
           common.status == KLU_OK && kGrowthLimit * growth() >= reciprocal_growth;
  }
  bool pivot_and_factorize() {
    ++num_pivotings;
    klu_free_numeric(&numeric, &common);
    numeric = klu_factor(columns.data(), rows.data(), values.data(), symbolic, &common);
    if (numeric == nullptr && common.status == KLU_OUT_OF_MEMORY) throw std::bad_alloc();
    if (numeric == nullptr || common.status != KLU_OK) {
      singular_unknown = common.singular_col;
      klu_free_numeric(&numeric, &common);
      return false;
    }
    reciprocal_growth = growth();
    return true;
  }
  /// The smallest ratio of a column's largest number in A and in U.
  double growth() {
    klu_rgrowth(columns.data(), rows.data(), values.data(), symbolic, numeric, &common);
    return common.rgrowth;
  }

  /// Whether a pivot is so small beside its column of A, or beside what it grew to, that it may be
  /// rounding.
  bool is_suspicious() const {
    const auto* pivots = static_cast<const double*>(numeric->Udiag);
    const double tolerance = n * std::numeric_limits<double>::epsilon() / common.rgrowth;
    for (int k = 0; k < n; ++k) {
      const int column = symbolic->Q[k];
      double largest = 0;
      for (int p = columns[index(column)]; p < columns[index(column) + 1]; ++p) {
        // KLU divides rows by these numbers, which it keeps in the order of the pivots.
        const double scale = numeric->Rs[numeric->Pinv[rows[index(p)]]];
        largest = std::max(largest, std::abs(values[index(p)]) / scale);
      }
      if (!(std::abs(pivots[k]) > tolerance * largest)) return true;
    }
    return false;
  }

  /// The column whose pivot is but rounding of the numbers above it; -1 if there is none.
  int column_of_rounding() {
    if (!is_suspicious()) return -1;
    const double tolerance = n * std::numeric_limits<double>::epsilon();
    std::vector<int> up(index(n) + 1), ui(index(numeric->unz));
    std::vector<double> ux(index(numeric->unz));
    klu_extract(numeric, symbolic, nullptr, nullptr, nullptr, up.data(), ui.data(), ux.data(),
                nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, &common);
    for (int k = 0; k < n; ++k) {
      double largest = 0, pivot = 0;
      for (int p = up[index(k)]; p < up[index(k) + 1]; ++p) {
        largest = std::max(largest, std::abs(ux[index(p)]));
        if (ui[index(p)] == k) pivot = std::abs(ux[index(p)]);
      }
      if (pivot <= tolerance * largest) return symbolic->Q[k];
    }
    return -1;
  }
};

SparseLu::SparseLu(int size, std::span<const std::pair<int, int>> entries)
    : klu_(std::make_unique<Klu>(size, entries)) {}
SparseLu::~SparseLu() = default;
SparseLu::SparseLu(SparseLu&&) noexcept = default;
SparseLu& SparseLu::operator=(SparseLu&&) noexcept = default;

int SparseLu::size() const { return klu_->n; }
std::span<double> SparseLu::values() { return klu_->values; }
int SparseLu::singular_unknown() const { return klu_->singular_unknown; }
int SparseLu::num_pivotings() const { return klu_->num_pivotings; }

int SparseLu::position(int row, int column) const {
  const auto begin = klu_->rows.begin() + klu_->columns[index(column)];
  const auto end = klu_->rows.begin() + klu_->columns[index(column) + 1];
  const auto found = std::lower_bound(begin, end, row);
  return found != end && *found == row ? static_cast<int>(found - klu_->rows.begin()) : -1;
}

bool SparseLu::factorize() {
  Klu& k = *klu_;
  // Not all entries reach a pivot: those between blocks do not.
  if (!all_finite(k.values)) {
    const auto bad = std::find_if(k.values.begin(), k.values.end(),
                                  [](double value) { return !std::isfinite(value); });
    const auto after = std::upper_bound(k.columns.begin(), k.columns.end(),
                                        static_cast<int>(bad - k.values.begin()));
    k.singular_unknown = static_cast<int>(after - k.columns.begin()) - 1;
    return false;
  }
  k.singular_unknown = -1;
  if (!k.refactorize() && !k.pivot_and_factorize()) return false;
  k.singular_unknown = k.column_of_rounding();
  return k.singular_unknown < 0;
}

void SparseLu::solve(std::span<double> b) const {
  klu_solve(klu_->symbolic, klu_->numeric, klu_->n, 1, b.data(), &klu_->common);
}

void SparseLu::solve_transposed(std::span<double> b) const {
  klu_tsolve(klu_->symbolic, klu_->numeric, klu_->n, 1, b.data(), &klu_->common);
}

}  // namespace liegrad::dae
