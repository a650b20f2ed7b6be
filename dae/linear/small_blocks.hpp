#pragma once

// Products and inverses of small dense blocks, stored column by column. Blocks of three, those of rotations,
// positions and forces, are written out by the compiler, and blocks of six, those of the two multipliers of a
// spherical joint in the stabilised formulation and of bodies on SE(3), too.

#include <algorithm>
#include <cmath>
#include <utility>

namespace liegrad::dae::small_blocks {

/// A column of six, in the registers that the processor has. (GCC and clang)
struct Six {
  using Four [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;
  using Two [[gnu::vector_size(16), gnu::aligned(8), gnu::may_alias]] = double;

  Four first;
  Two last;

  static Six load(const double* from) {
    return {*reinterpret_cast<const Four*>(from), *reinterpret_cast<const Two*>(from + 4)};
  }
  void store(double* to) const {
    *reinterpret_cast<Four*>(to) = first;
    *reinterpret_cast<Two*>(to + 4) = last;
  }
  /// A factor is put into all places of one register; its lower half serves for the rest.
  void add(const Six& other, double factor) {
    const Four all = {factor, factor, factor, factor};
    first += other.first * all;
    last += other.last * __builtin_shufflevector(all, all, 0, 1);
  }
  void subtract(const Six& other, double factor) {
    const Four all = {factor, factor, factor, factor};
    first -= other.first * all;
    last -= other.last * __builtin_shufflevector(all, all, 0, 1);
  }
};

/// C -= A B for A of m×k, B of k×n.
template <int M, int K, int N>
inline void subtract_product_of(const double* a, const double* b, double* c) {
  if constexpr (M == 6) {
    Six columns[K];  // A stays in registers
    for (int l = 0; l < K; ++l) columns[l] = Six::load(a + 6 * l);
    for (int j = 0; j < N; ++j) {
      Six column = Six::load(c + 6 * j);
      for (int l = 0; l < K; ++l) column.subtract(columns[l], b[l + K * j]);
      column.store(c + 6 * j);
    }
    return;
  }
  double sum[M * N];
  for (int j = 0; j < N; ++j) {
    for (int i = 0; i < M; ++i) {
      double entry = a[i] * b[K * j];
      for (int l = 1; l < K; ++l) entry += a[i + M * l] * b[l + K * j];
      sum[i + M * j] = entry;
    }
  }
  for (int i = 0; i < M * N; ++i) c[i] -= sum[i];
}

template <int M, int K>
inline void subtract_product_of(int n, const double* a, const double* b, double* c) {
  switch (n) {
    case 1: return subtract_product_of<M, K, 1>(a, b, c);
    case 3: return subtract_product_of<M, K, 3>(a, b, c);
    case 6: return subtract_product_of<M, K, 6>(a, b, c);
    default:
      for (int j = 0; j < n; ++j) subtract_product_of<M, K, 1>(a, b + K * j, c + M * j);
  }
}

/// Rows and columns that are kept in registers while a product of large blocks, as stages of a Runge-Kutta method have
/// them, is subtracted. Entries are subtracted in the order of l, as below.
inline constexpr int kWide = 8, kTogether = 4;

template <int Rows, int Columns>
inline void subtract_product_of_part(int m, int k, const double* a, const double* b, double* c) {
  double sum[Columns][Rows];
  for (int j = 0; j < Columns; ++j) {
    for (int i = 0; i < Rows; ++i) sum[j][i] = c[i + m * j];
  }
  for (int l = 0; l < k; ++l) {
    for (int j = 0; j < Columns; ++j) {
      const double factor = b[l + k * j];
      for (int i = 0; i < Rows; ++i) sum[j][i] -= a[i + m * l] * factor;
    }
  }
  for (int j = 0; j < Columns; ++j) {
    for (int i = 0; i < Rows; ++i) c[i + m * j] = sum[j][i];
  }
}

template <int Columns>
inline void subtract_product_of_columns(int m, int k, const double* a, const double* b, double* c) {
  int i = 0;
  for (; i + kWide <= m; i += kWide) {
    subtract_product_of_part<kWide, Columns>(m, k, a + i, b, c + i);
  }
  for (; i + 2 <= m; i += 2) subtract_product_of_part<2, Columns>(m, k, a + i, b, c + i);
  if (i < m) subtract_product_of_part<1, Columns>(m, k, a + i, b, c + i);
}

inline void subtract_product_of_wide(int m, int k, int n, const double* a, const double* b,
                                     double* c) {
  int j = 0;
  for (; j + kTogether <= n; j += kTogether) {
    subtract_product_of_columns<kTogether>(m, k, a, b + k * j, c + m * j);
  }
  for (; j < n; ++j) subtract_product_of_columns<1>(m, k, a, b + k * j, c + m * j);
}

inline void subtract_product(int m, int k, int n, const double* a, const double* b, double* c) {
  if (m == 3 && k == 3) return subtract_product_of<3, 3>(n, a, b, c);
  if (m == 3 && k == 6) return subtract_product_of<3, 6>(n, a, b, c);
  if (m == 6 && k == 3) return subtract_product_of<6, 3>(n, a, b, c);
  if (m == 6 && k == 6) return subtract_product_of<6, 6>(n, a, b, c);
  if (m >= kWide) return subtract_product_of_wide(m, k, n, a, b, c);
  for (int j = 0; j < n; ++j) {
    for (int l = 0; l < k; ++l) {
      const double factor = b[l + k * j];
      for (int i = 0; i < m; ++i) c[i + m * j] -= a[i + m * l] * factor;
    }
  }
}

/// y -= Aᵀ x for A of m×n.
inline void subtract_transposed_product(int m, int n, const double* a, const double* x, double* y) {
  for (int j = 0; j < n; ++j) {
    double sum = 0;
    for (int i = 0; i < m; ++i) sum += a[i + m * j] * x[i];
    y[j] -= sum;
  }
}

/// Blocks larger than this are never made, see BlockStructure: three copies of the largest one of an assembly.
inline constexpr int kLargestBlock = 48;

/// A := A B for A of m×n, B of n×n.
template <int M, int N>
inline void multiply_right_of(const double* b, double* a) {
  if constexpr (M == 6) {
    Six columns[N];
    for (int l = 0; l < N; ++l) columns[l] = Six::load(a + 6 * l);
    for (int j = 0; j < N; ++j) {
      Six product = {};
      for (int l = 0; l < N; ++l) product.add(columns[l], b[l + N * j]);
      product.store(a + 6 * j);
    }
    return;
  }
  double product[M * N];
  for (int j = 0; j < N; ++j) {
    for (int i = 0; i < M; ++i) {
      double entry = a[i] * b[N * j];
      for (int l = 1; l < N; ++l) entry += a[i + M * l] * b[l + N * j];
      product[i + M * j] = entry;
    }
  }
  std::copy_n(product, M * N, a);
}

/// By groups of rows, whose products stand beside each other.
inline void multiply_right_of_wide(int m, int n, const double* b, double* a) {
  double product[kWide * kLargestBlock], part[kWide * kLargestBlock];
  for (int first = 0; first < m; first += kWide) {
    const int count = std::min(kWide, m - first);
    for (int l = 0; l < n; ++l) {
      for (int i = 0; i < kWide; ++i) part[i + kWide * l] = i < count ? a[first + i + m * l] : 0.0;
    }
    for (int j = 0; j < n; ++j) {
      double sum[kWide] = {};
      for (int l = 0; l < n; ++l) {
        for (int i = 0; i < kWide; ++i) sum[i] += part[i + kWide * l] * b[l + n * j];
      }
      std::copy_n(sum, kWide, product + kWide * j);
    }
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < count; ++i) a[first + i + m * j] = product[i + kWide * j];
    }
  }
}

inline void multiply_right(int m, int n, const double* b, double* a) {
  if (m == 3 && n == 3) return multiply_right_of<3, 3>(b, a);
  if (m == 6 && n == 3) return multiply_right_of<6, 3>(b, a);
  if (m == 3 && n == 6) return multiply_right_of<3, 6>(b, a);
  if (m == 6 && n == 6) return multiply_right_of<6, 6>(b, a);
  if (m >= kWide) return multiply_right_of_wide(m, n, b, a);
  for (int i = 0; i < m; ++i) {
    double row[kLargestBlock];
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < n; ++l) sum += a[i + m * l] * b[l + n * j];
      row[j] = sum;
    }
    for (int j = 0; j < n; ++j) a[i + m * j] = row[j];
  }
}

/// x := A x and x := Aᵀ x for A of n×n.
inline void multiply_left(int n, const double* a, double* x) {
  if (n == 6) {
    double negative[6] = {};
    subtract_product_of<6, 6, 1>(a, x, negative);
    for (int i = 0; i < 6; ++i) x[i] = -negative[i];
    return;
  }
  if (n == 3) {
    const double x0 = x[0], x1 = x[1], x2 = x[2];
    for (int i = 0; i < 3; ++i) x[i] = a[i] * x0 + a[i + 3] * x1 + a[i + 6] * x2;
    return;
  }
  double product[kLargestBlock];
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = 0; j < n; ++j) sum += a[i + n * j] * x[j];
    product[i] = sum;
  }
  std::copy_n(product, n, x);
}
inline void multiply_left_transposed(int n, const double* a, double* x) {
  double product[kLargestBlock];
  for (int j = 0; j < n; ++j) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += a[i + n * j] * x[i];
    product[j] = sum;
  }
  std::copy_n(product, n, x);
}

/// By cofactors: as accurate as elimination for three rows, and with a single division.
inline bool invert_3(double* a) {
  const double c0 = a[4] * a[8] - a[5] * a[7], c1 = a[5] * a[6] - a[3] * a[8],
               c2 = a[3] * a[7] - a[4] * a[6];
  const double determinant = a[0] * c0 + a[1] * c1 + a[2] * c2;
  const double f = 1 / determinant;
  const double result[9] = {
      c0 * f, (a[2] * a[7] - a[1] * a[8]) * f, (a[1] * a[5] - a[2] * a[4]) * f,
      c1 * f, (a[0] * a[8] - a[2] * a[6]) * f, (a[2] * a[3] - a[0] * a[5]) * f,
      c2 * f, (a[1] * a[6] - a[0] * a[7]) * f, (a[0] * a[4] - a[1] * a[3]) * f};
  std::copy_n(result, 9, a);
  return determinant != 0;
}

/// Whether no entry (i, j) is larger than bound · column[i] row[j]; N is the size, if it is known, or 0.
template <int N>
inline bool is_bounded(int size, const double* a, const double* column, const double* row,
                       double bound) {
  const int n = N > 0 ? N : size;
  double largest = 0;
  for (int j = 0; j < n; ++j) {
    const double of_column = bound * row[j];
    for (int i = 0; i < n; ++i) {
      // Written so that an entry that is no number remains.
      largest = std::abs(a[i + n * j]) <= of_column * column[i] ? largest : 2.0;
    }
  }
  return largest <= 1;
}

/// A := A⁻¹ for six rows by blocks of three, (E F; G H), several times faster than by elimination with exchange. False, and A
/// as it was, if an entry (i, j) of E⁻¹ is larger than column[i] row[j]: then G E⁻¹F may be so large that
/// digits of H are lost.
inline bool invert_by_threes(const double* row, const double* column, double* a) {
  double blocks[2][2][9];
  for (int j = 0; j < 6; ++j) {
    for (int i = 0; i < 6; ++i) blocks[i / 3][j / 3][i % 3 + 3 * (j % 3)] = a[i + 6 * j];
  }
  auto& [e, f] = blocks[0];
  auto& [g, h] = blocks[1];
  if (!invert_3(e)) return false;
  bool is_small = true;
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) is_small &= std::abs(e[i + 3 * j]) <= column[i] * row[j];
  }
  if (!is_small) return false;
  // (E⁻¹ + E⁻¹F H'⁻¹G E⁻¹, -E⁻¹F H'⁻¹; -H'⁻¹G E⁻¹, H'⁻¹) with H' = H - G E⁻¹F.
  double right[9], left[9];
  std::copy_n(e, 9, right);
  multiply_right_of<3, 3>(f, right);
  subtract_product_of<3, 3, 3>(g, right, h);
  if (!invert_3(h)) return false;
  std::copy_n(g, 9, left);
  multiply_right_of<3, 3>(e, left);
  std::fill_n(f, 9, 0.0);
  subtract_product_of<3, 3, 3>(right, h, f);
  std::fill_n(g, 9, 0.0);
  subtract_product_of<3, 3, 3>(h, left, g);
  subtract_product_of<3, 3, 3>(right, g, e);
  for (int j = 0; j < 6; ++j) {
    for (int i = 0; i < 6; ++i) a[i + 6 * j] = blocks[i / 3][j / 3][i % 3 + 3 * (j % 3)];
  }
  return true;
}

/// A := A⁻¹ by elimination with exchange of rows; false if a pivot is zero or infinite, which would leave no
/// trace.
inline bool invert(int n, double* a) {
  if (n == 3) return invert_3(a);
  int exchanged[kLargestBlock];
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int i = k + 1; i < n; ++i) {
      if (std::abs(a[i + n * k]) > std::abs(a[best + n * k])) best = i;
    }
    exchanged[k] = best;
    if (best != k) {
      for (int j = 0; j < n; ++j) std::swap(a[k + n * j], a[best + n * j]);
    }
    if (a[k + n * k] == 0 || !std::isfinite(a[k + n * k])) return false;
    const double inverse = 1 / a[k + n * k];
    double factors[kLargestBlock];
    for (int i = 0; i < n; ++i) factors[i] = std::exchange(a[i + n * k], 0.0);
    factors[k] = 0;
    a[k + n * k] = 1;
    for (int j = 0; j < n; ++j) {
      const double entry = a[k + n * j] *= inverse;
      for (int i = 0; i < n; ++i) a[i + n * j] -= factors[i] * entry;
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    if (exchanged[k] == k) continue;
    for (int i = 0; i < n; ++i) std::swap(a[i + n * k], a[i + n * exchanged[k]]);
  }
  return true;
}

}  // namespace liegrad::dae::small_blocks
