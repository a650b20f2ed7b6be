#pragma once

// Products and inverses of small dense blocks, stored column by column. Blocks of three, those of rotations,
// positions and forces, are written out by the compiler; blocks of six, those of the two multipliers of a
// spherical joint in the stabilised formulation and of bodies on SE(3), are in registers column by column.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace liegrad::dae::small_blocks {

/// C -= A B for A of m×k, B of k×n.
template <int M, int K, int N>
inline void subtract_product_of(const double* a, const double* b, double* c) {
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

/// A column of six numbers.
struct Six {
  using Four = double __attribute__((vector_size(32)));
  using Two = double __attribute__((vector_size(16)));
  Four first;
  Two last;

  void load(const double* from) {
    std::memcpy(&first, from, sizeof(first));
    std::memcpy(&last, from + 4, sizeof(last));
  }
  void store(double* to) const {
    std::memcpy(to, &first, sizeof(first));
    std::memcpy(to + 4, &last, sizeof(last));
  }
  void add(const Six& column, double factor) {
    first += column.first * factor;
    last += column.last * factor;
  }
  void subtract(const Six& column, double factor) {
    first -= column.first * factor;
    last -= column.last * factor;
  }
};

/// C -= A B for A of 6×k, B of k×n.
template <int K>
inline void subtract_product_of_six(int n, const double* a, const double* b, double* c) {
  Six columns[K];
  for (int l = 0; l < K; ++l) columns[l].load(a + 6 * l);
  for (int j = 0; j < n; ++j) {
    Six sum;
    sum.load(c + 6 * j);
    for (int l = 0; l < K; ++l) sum.subtract(columns[l], b[l + K * j]);
    sum.store(c + 6 * j);
  }
}

/// A := A B for A of 6×n, B of n×n.
template <int N>
inline void multiply_six_right(const double* b, double* a) {
  Six columns[N];
  for (int l = 0; l < N; ++l) columns[l].load(a + 6 * l);
  for (int j = 0; j < N; ++j) {
    Six sum = {};
    for (int l = 0; l < N; ++l) sum.add(columns[l], b[l + N * j]);
    sum.store(a + 6 * j);
  }
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

inline void subtract_product(int m, int k, int n, const double* a, const double* b, double* c) {
  if (m == 3 && k == 3) return subtract_product_of<3, 3>(n, a, b, c);
  if (m == 3 && k == 6) return subtract_product_of<3, 6>(n, a, b, c);
  if (m == 6 && k == 3) return subtract_product_of_six<3>(n, a, b, c);
  if (m == 6 && k == 6) return subtract_product_of_six<6>(n, a, b, c);
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

/// Blocks larger than this are never made, see BlockStructure.
inline constexpr int kLargestBlock = 16;

/// A := A B for A of m×n, B of n×n.
inline void multiply_right(int m, int n, const double* b, double* a) {
  if (m == 3 && n == 3) {
    double product[9] = {};
    subtract_product_of<3, 3, 3>(a, b, product);
    for (int i = 0; i < 9; ++i) a[i] = -product[i];
    return;
  }
  if (m == 6 && n == 3) return multiply_six_right<3>(b, a);
  if (m == 6 && n == 6) return multiply_six_right<6>(b, a);
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

/// As invert() below. Rows stay where they are until the end, so that columns are written as a whole.
inline bool invert_6(double* a) {
  int pivot_row[6];
  double is_left[6] = {1, 1, 1, 1, 1, 1};  // rows without a pivot
  for (int k = 0; k < 6; ++k) {
    const double* const pivots = a + 6 * k;
    int best = 0;
    double largest = -1;
    for (int i = 0; i < 6; ++i) {
      const double size = is_left[i] * std::abs(pivots[i]);
      best = size > largest ? i : best;
      largest = size > largest ? size : largest;
    }
    if (!(largest > 0)) return false;
    pivot_row[k] = best;
    is_left[best] = 0;
    const double inverse = 1 / pivots[best];
    double kept[6] = {1, 1, 1, 1, 1, 1}, added[6];
    for (int i = 0; i < 6; ++i) added[i] = -pivots[i];
    kept[best] = 0;
    added[best] = 1;
    // New columns are `kept` times the old ones plus a multiple of `added`; that of the pivot was a unit vector.
    Six keep, add;
    keep.load(kept);
    add.load(added);
    for (int j = 0; j < 6; ++j) {
      const double factor = (j == k ? 1.0 : a[best + 6 * j]) * inverse;
      Six column;
      column.load(a + 6 * j);
      column.first = j == k ? add.first * factor : column.first * keep.first + add.first * factor;
      column.last = j == k ? add.last * factor : column.last * keep.last + add.last * factor;
      column.store(a + 6 * j);
    }
  }
  double inverted[36];
  for (int l = 0; l < 6; ++l) {
    for (int k = 0; k < 6; ++k) inverted[k + 6 * pivot_row[l]] = a[pivot_row[k] + 6 * l];
  }
  std::copy_n(inverted, 36, a);
  return true;
}

/// A := A⁻¹ by elimination with exchange of rows; false if a pivot is zero.
inline bool invert(int n, double* a) {
  if (n == 3) return invert_3(a);
  if (n == 6) return invert_6(a);
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
    if (a[k + n * k] == 0) return false;
    const double inverse = 1 / a[k + n * k];
    a[k + n * k] = 1;
    for (int j = 0; j < n; ++j) a[k + n * j] *= inverse;
    for (int i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = a[i + n * k];
      a[i + n * k] = 0;
      for (int j = 0; j < n; ++j) a[i + n * j] -= factor * a[k + n * j];
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    if (exchanged[k] == k) continue;
    for (int i = 0; i < n; ++i) std::swap(a[i + n * k], a[i + n * exchanged[k]]);
  }
  return true;
}

}  // namespace liegrad::dae::small_blocks
