#include "liegrad/dae/linear/dense_lu.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "liegrad/dae/linear/wide_registers.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {

namespace dense_lu_detail {

/// What the kernels work on, as plain pointers.
struct Factors {
  double* lu;       // L with 1/l_kk on its diagonal, and above it U, whose diagonal is one
  double* squares;  // of the numbers of each column that became pivot rows, summed
  int* order;       // the row of A that is row k of L U
};

struct Kernels {
  /// How many pivots there are; and whether one is so small that it may be rounding.
  int (*factorize)(const Factors& f, int n, bool& suspicious);
  void (*solve)(const double* lu, const int* order, int n, double* work, double* b);
  void (*solve_transposed)(const double* lu, const int* order, int n, double* work, double* b);
};

}  // namespace dense_lu_detail

namespace {

/// For how many matrices scales serve.
constexpr int kFactorizationsWithScales = 1024;
/// In how many rounds they are found.
constexpr int kNumRounds = 3;
/// An entry below this part of others is extreme if it must be there, and may be rounding if not.
constexpr double kExtreme = 1e-10;

using dense_lu_detail::Factors;
using dense_lu_detail::Kernels;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

constexpr int stride_of(int n) { return (n + 1) / 2 * 2; }

/// Sizes up to this one have kernels of their own, in which the compiler knows how long rows are: a body with a joint
/// has 9 unknowns, and twice as many in the complex system of a Radau step.
constexpr int kLargestFixedSize = 18;

// In what follows N = 0 says that the size is known at run time only.

/// Two doubles: what every processor of this architecture works on at once. (GCC and clang)
using Packet [[gnu::vector_size(16), gnu::may_alias]] = double;

// Vectors of numbers begin where a packet may, and so do rows of even length.
static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= sizeof(Packet));

Packet* packets(double* row) { return reinterpret_cast<Packet*>(row); }

/// The row k ≤ i < n whose entry in a column is largest. Numbers of one sign are ordered like their
/// bits, with NaN above all of them; the last bits make room for the row, so that one comparison of
/// integers decides. The first row wins among nearly equal ones.
[[gnu::always_inline]] inline int pivot_row(const double* column, int stride, int k, int n) {
  constexpr std::uint64_t kRowBits = 0xffff;
  constexpr std::uint64_t kMagnitude = ~(std::uint64_t(1) << 63 | kRowBits);
  std::uint64_t largest = 0;
  for (int i = k; i < n; ++i) {
    const auto bits = std::bit_cast<std::uint64_t>(column[i * stride]);
    const std::uint64_t key = (bits & kMagnitude) | (kRowBits - static_cast<std::uint64_t>(i));
    largest = key > largest ? key : largest;
  }
  return static_cast<int>(kRowBits - (largest & kRowBits));
}

/// Row - l_ik · top for some rows at once, so that a packet of the top is loaded once for all.
template <int Rows>
[[gnu::always_inline]] inline void subtract(double* row, int stride, int k, const Packet* top,
                                            int first, int last) {
  Packet l[Rows];
  for (int r = 0; r < Rows; ++r) l[r] = Packet{row[r * stride + k], row[r * stride + k]};
  for (int p = first; p < last; ++p) {
    const Packet u = top[p];
    for (int r = 0; r < Rows; ++r) packets(row + r * stride)[p] -= l[r] * u;
  }
}

/// One step of elimination; false if there is no pivot.
template <int N>
[[gnu::always_inline]] inline bool eliminate(const Factors& f, int k, int n, bool& suspicious) {
  const int stride = stride_of(N > 0 ? N : n);
  double* const top = f.lu + k * stride;
  const int chosen = pivot_row(f.lu + k, stride, k, n);
  if (chosen != k) {
    Packet* const other = packets(f.lu + chosen * stride);
    for (int p = 0; p < stride / 2; ++p) std::swap(packets(top)[p], other[p]);
    std::swap(f.order[k], f.order[chosen]);
  }
  // Written so that NaN fails as well. A NaN anywhere becomes a pivot sooner or later: it spreads
  // along its row and, from the top, down every column.
  const double pivot = top[k], magnitude = std::abs(pivot);
  if (!(magnitude > 0) || !(magnitude <= std::numeric_limits<double>::max())) return false;
  const double inverse = 1 / pivot;
  // The rounding in a pivot is at most that of the numbers above it, as no row was multiplied by
  // more than one. Where the square is too large or too small for a double, this is true.
  const double tolerance = n * kEpsilon;
  suspicious |= !(pivot * pivot > tolerance * tolerance * f.squares[k]);

  // Whole packets: with an even k the first one contains column k, which must not change.
  const int first = (k + 1) / 2, last = stride / 2;
  Packet in_registers[N / 2 + 1];
  Packet* const scaled = N > 0 ? in_registers : packets(top);
  for (int p = first; p < last; ++p) {
    const Packet u = packets(top)[p];
    packets(f.squares)[p] += u * u;
    scaled[p] = u * Packet{inverse, inverse};
    if (p == k / 2) scaled[p] = Packet{0, scaled[p][1]};
    if constexpr (N > 0) packets(top)[p] = scaled[p];
  }
  int i = k + 1;
  if constexpr (N == 0) {
    for (; i + 4 <= n; i += 4) subtract<4>(f.lu + i * stride, stride, k, scaled, first, last);
  }
  for (; i < n; ++i) subtract<1>(f.lu + i * stride, stride, k, scaled, first, last);
  top[k] = inverse;
  return true;
}

template <int N>
int factorize(const Factors& f, int size, bool& suspicious) {
  const int n = N > 0 ? N : size;
  suspicious = false;
  for (int k = 0; k < n; ++k) f.order[k] = k;
  for (int p = 0; p < stride_of(n) / 2; ++p) packets(f.squares)[p] = Packet{0, 0};
  int k = 0;
  if constexpr (N > 0) {
    // Written out step by step: every length is then a constant.
    [&]<int... K>(std::integer_sequence<int, K...>) {
      (void)((eliminate<N>(f, K, N, suspicious) && (++k, true)) && ...);
    }
    (std::make_integer_sequence<int, N>());
  } else {
    while (k < n && eliminate<N>(f, k, n, suspicious)) ++k;
  }
  return k;
}

/// f(0), f(1) … f(n-1), written out if n is known.
template <int N, class F>
[[gnu::always_inline]] inline void for_each(int n, F&& f) {
  if constexpr (N > 0) {
    [&]<int... I>(std::integer_sequence<int, I...>) { (f(I), ...); }
    (std::make_integer_sequence<int, N>());
  } else {
    for (int i = 0; i < n; ++i) f(i);
  }
}

// The number found last is at the end of a sum, so that no other product waits for it.
template <int N>
void solve(const double* lu, const int* order, int size, double* work, double* b) {
  const int n = N > 0 ? N : size, stride = stride_of(n);
  double in_registers[std::max(N, 1)];
  double* const x = N > 0 ? in_registers : work;
  for (int i = 0; i < n; ++i) x[i] = b[order[i]];
  for_each<N>(n, [&](int i) {
    const double* const row = lu + i * stride;
    double sum = x[i];
    for (int j = 0; j < i; ++j) sum -= row[j] * x[j];
    x[i] = sum * row[i];
  });
  for_each<N>(n, [&](int from_last) {
    const int i = n - 1 - from_last;
    const double* const row = lu + i * stride;
    double sum = x[i];
    for (int j = n - 1; j > i; --j) sum -= row[j] * x[j];
    b[i] = x[i] = sum;
  });
}

/// Aᵀ = Uᵀ Lᵀ P.
template <int N>
void solve_transposed(const double* lu, const int* order, int size, double* work, double* b) {
  const int n = N > 0 ? N : size, stride = stride_of(n);
  double in_registers[std::max(N, 1)];
  double* const x = N > 0 ? in_registers : work;
  for (int i = 0; i < n; ++i) x[i] = b[i];
  for_each<N>(n, [&](int i) {
    const double* const row = lu + i * stride;
    for (int j = i + 1; j < n; ++j) x[j] -= row[j] * x[i];
  });
  for_each<N>(n, [&](int from_last) {
    const int i = n - 1 - from_last;
    const double* const row = lu + i * stride;
    b[order[i]] = x[i] *= row[i];
    for (int j = 0; j < i; ++j) x[j] -= row[j] * x[i];
  });
}

template <int... N>
constexpr std::array<Kernels, sizeof...(N)> make_kernels(std::integer_sequence<int, N...>) {
  return {Kernels{factorize<N>, solve<N>, solve_transposed<N>}...};
}
constexpr auto kKernels = make_kernels(std::make_integer_sequence<int, kLargestFixedSize + 1>());

}  // namespace

DenseLu::DenseLu(int size, std::vector<bool> has_inertia)
    : n_(size),
      stride_(stride_of(size)),
      kernels_(&kKernels[index(size <= kLargestFixedSize ? size : 0)]),
      a_(index(size * stride_)),
      lu_(a_.size()),
      squares_(index(stride_)),
      order_(index(size)),
      row_scale_(index(size), 1.0),
      column_scale_(index(stride_), 1.0),
      has_inertia_(std::move(has_inertia)),
      work_(index(size)),
      column_(index(size)) {}

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

bool DenseLu::factorize() {
  if (factorizations_with_scales_++ % kFactorizationsWithScales == 0) find_scales();
  lu_ = a_;
  for (int i = 0; is_scaled_ && i < n_; ++i) {
    double* const row = lu_.data() + i * stride_;
    const double scale = row_scale_[index(i)];
    for (int j = 0; j < stride_; ++j) row[j] *= scale * column_scale_[index(j)];
  }
  bool suspicious = false;
  const int pivots =
      kernels_->factorize({lu_.data(), squares_.data(), order_.data()}, n_, suspicious);
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
  const double pivot = std::abs(1 / lu_[index(position(k, k))]);
  double sum = pivot;
  for (int j = 0; j < k; ++j) {
    sum += std::abs(lu_[index(position(k, j))] * lu_[index(position(j, k))]);
  }
  return pivot <= n_ * kEpsilon * sum;
}

void DenseLu::solve(std::span<double> b) const {
  for (std::size_t i = 0; is_scaled_ && i < b.size(); ++i) b[i] *= row_scale_[i];
  kernels_->solve(lu_.data(), order_.data(), n_, work_.data(), b.data());
  for (std::size_t i = 0; is_scaled_ && i < b.size(); ++i) b[i] *= column_scale_[i];
}

void DenseLu::solve_transposed(std::span<double> b) const {
  for (std::size_t i = 0; is_scaled_ && i < b.size(); ++i) b[i] *= column_scale_[i];
  kernels_->solve_transposed(lu_.data(), order_.data(), n_, work_.data(), b.data());
  for (std::size_t i = 0; is_scaled_ && i < b.size(); ++i) b[i] *= row_scale_[i];
}

LIEGRAD_FOR_WIDE_REGISTERS void DenseLu::solve(int columns, std::span<double> b) const {
  rows_.resize(n_, columns);
  for (int i = 0; i < n_; ++i) {
    const int from = order_[index(i)];
    rows_.load(i, b, from, row_scale_[index(from)]);
  }
  for (int panel = 0; panel < rows_.num_panels(); ++panel) {
    const panels::Rows::Column x = rows_.column(panel);
    for (int i = 0; i < n_; ++i) {
      const double* const row = lu_.data() + i * stride_;
      panels::Panel sum = x[i];
      for (int j = 0; j < i; ++j) sum.subtract(row[j], x[j]);
      sum.scale(row[i]);
      x[i] = sum;
    }
    for (int i = n_ - 1; i >= 0; --i) {
      const double* const row = lu_.data() + i * stride_;
      panels::Panel sum = x[i];
      for (int j = n_ - 1; j > i; --j) sum.subtract(row[j], x[j]);
      x[i] = sum;
    }
  }
  for (int i = 0; i < n_; ++i) rows_.store(i, b, i, column_scale_[index(i)]);
}

LIEGRAD_FOR_WIDE_REGISTERS void DenseLu::solve_transposed(int columns, std::span<double> b) const {
  rows_.resize(n_, columns);
  for (int i = 0; i < n_; ++i) rows_.load(i, b, i, column_scale_[index(i)]);
  for (int panel = 0; panel < rows_.num_panels(); ++panel) {
    const panels::Rows::Column x = rows_.column(panel);
    for (int i = 0; i < n_; ++i) {
      const double* const row = lu_.data() + i * stride_;
      const panels::Panel own = x[i];
      for (int j = i + 1; j < n_; ++j) x[j].subtract(row[j], own);
    }
    for (int i = n_ - 1; i >= 0; --i) {
      const double* const row = lu_.data() + i * stride_;
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

double DenseLu::condition() const {
  double norm = 0, inverse_norm = 0;
  for (int j = 0; j < n_; ++j) {
    double sum = 0;
    for (int i = 0; i < n_; ++i) sum += std::abs(a_[index(position(i, j))]);
    norm = std::max(norm, sum);

    std::fill(column_.begin(), column_.end(), 0.0);
    column_[index(j)] = 1;
    solve(column_);
    sum = 0;
    for (const double x : column_) sum += std::abs(x);
    inverse_norm = std::max(inverse_norm, sum);
  }
  return norm * inverse_norm;
}

}  // namespace liegrad::dae
