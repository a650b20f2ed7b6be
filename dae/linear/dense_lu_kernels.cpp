#include "liegrad/dae/linear/dense_lu_kernels.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace liegrad::dae::dense_lu {
namespace {

/// Of numbers below a pivot that is taken in order. A factor of two digits at the worst, where pivots are
/// inertias and what these leave of constraints, -B M⁻¹Bᵀ, which need no exchange for their own sake.
constexpr double kLargestMultiple = 64;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

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

/// The larger ones of their magnitudes. (One instruction each, as a NaN may be lost.)
[[gnu::always_inline]] inline Packet larger(Packet a, Packet b) {
  using Bits [[gnu::vector_size(16), gnu::may_alias]] = std::int64_t;
  constexpr std::int64_t kMagnitude = std::numeric_limits<std::int64_t>::max();
  b = reinterpret_cast<Packet>(reinterpret_cast<Bits>(b) & Bits{kMagnitude, kMagnitude});
  return a > b ? a : b;
}

/// Whether no number below the diagonal is more than kLargestMultiple times as large. Nothing waits for the answer.
[[gnu::always_inline]] inline bool may_be_pivot(const double* column, int stride, int k, int n) {
  Packet largest = {0, 0};
  int i = k + 1;
  for (; i + 1 < n; i += 2) {
    largest = larger(largest, Packet{column[i * stride], column[(i + 1) * stride]});
  }
  if (i < n) largest = larger(largest, Packet{column[i * stride], 0});
  const double bound = kLargestMultiple * std::abs(column[k * stride]);
  return largest[0] <= bound && largest[1] <= bound;
}

/// Exchanges a row with the one that has the largest entry in column k.
template <int N>
[[gnu::always_inline]] inline void exchange(const Factors& f, int k, int n) {
  const int stride = stride_of(N > 0 ? N : n);
  const int chosen = pivot_row(f.lu + k, stride, k, n);
  if (chosen == k) return;
  Packet* const top = packets(f.lu + k * stride);
  Packet* const other = packets(f.lu + chosen * stride);
  for (int p = 0; p < stride / 2; ++p) std::swap(top[p], other[p]);
  std::swap(f.order[k], f.order[chosen]);
}

template <int N>
[[gnu::noinline, gnu::cold]] void exchange_rarely(Factors f, int k, int n) {
  exchange<N>(f, k, n);
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

/// Which rows become pivots.
enum class RowOrder {
  kLargest,  ///< that with the largest number below
  kGiven,    ///< the next one, unless numbers below are much larger
};

/// One step of elimination; false if there is no pivot.
template <int N, RowOrder Order>
[[gnu::always_inline]] inline bool eliminate(const Factors& f, Packet* squares, int k, int n,
                                             bool& suspicious) {
  const int stride = stride_of(N > 0 ? N : n);
  double* const top = f.lu + k * stride;
  if constexpr (Order == RowOrder::kLargest) {
    exchange<N>(f, k, n);
  } else if (!may_be_pivot(f.lu + k, stride, k, n)) [[unlikely]] {
    exchange_rarely<N>(f, k, n);
  }
  // Written so that NaN fails as well. A NaN anywhere becomes a pivot sooner or later: it spreads
  // along its row and, from the top, down every column.
  const double pivot = top[k], magnitude = std::abs(pivot);
  if (!(magnitude > 0) || !(magnitude <= std::numeric_limits<double>::max())) return false;
  const double inverse = 1 / pivot;
  // The rounding in a pivot is at most that of the numbers above it times the most that a row was multiplied by. Where
  // the square is too large or too small for a double, this is true.
  const double tolerance = n * kEpsilon * (Order == RowOrder::kLargest ? 1 : kLargestMultiple);
  suspicious |= !(pivot * pivot > tolerance * tolerance * squares[k / 2][k % 2]);

  // Whole packets: with an even k the first one contains column k, which must not change.
  const int first = (k + 1) / 2;
  const int last = Order == RowOrder::kGiven ? stride / 2 : (n + 1) / 2;
  Packet in_registers[N / 2 + 1];
  Packet* const scaled = N > 0 ? in_registers : packets(top);
  for (int p = first; p < last; ++p) {
    const Packet u = packets(top)[p];
    squares[p] += u * u;
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

template <int N, RowOrder Order>
int factorize(const Factors& given, int size, bool& was_suspicious) {
  const int n = N > 0 ? N : size;
  const Factors f = given;  // a copy, which no store can change
  bool suspicious = false;
  for (int k = 0; k < n; ++k) f.order[k] = k;
  Packet in_registers[N / 2 + 1];
  Packet* const squares = N > 0 && Order == RowOrder::kGiven ? in_registers : packets(f.squares);
  for (int p = 0; p < stride_of(n) / 2; ++p) squares[p] = Packet{0, 0};
  int k = 0;
  if constexpr (N > 0) {
    // Written out step by step: every length is then a constant.
    [&]<int... K>(std::integer_sequence<int, K...>) {
      (void)((eliminate<N, Order>(f, squares, K, N, suspicious) && (++k, true)) && ...);
    }
    (std::make_integer_sequence<int, N>());
  } else {
    while (k < n && eliminate<N, Order>(f, squares, k, n, suspicious)) ++k;
  }
  was_suspicious = suspicious;
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

template <int N>
void substitute(const double* lu, int size, double* x) {
  const int n = N > 0 ? N : size, stride = stride_of(n);
  double in_registers[std::max(N, 1)];
  double* const found = N > 0 ? in_registers : x;
  for (int i = 0; i < n; ++i) found[i] = lu[i * stride + n];
  for_each<N>(n, [&](int from_last) {
    const int i = n - 1 - from_last;
    const double* const row = lu + i * stride;
    double sum = found[i];
    for (int j = n - 1; j > i; --j) sum -= row[j] * found[j];
    x[i] = found[i] = sum;
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
  return {Kernels{factorize<N, RowOrder::kLargest>, factorize<N, RowOrder::kGiven>, solve<N>,
                  substitute<N>, solve_transposed<N>}...};
}
constexpr auto kKernels = make_kernels(std::make_integer_sequence<int, kLargestFixedSize + 1>());

}  // namespace

const Kernels& kernels_for(int size) {
  return kKernels[static_cast<std::size_t>(size <= kLargestFixedSize ? size : 0)];
}

}  // namespace liegrad::dae::dense_lu
