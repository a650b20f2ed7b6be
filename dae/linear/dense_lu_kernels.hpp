#pragma once

// What a DenseLu does with its numbers, for matrices of a size that the compiler knows and for others.

namespace liegrad::dae::dense_lu {

/// What the kernels work on, as plain pointers.
struct Factors {
  double* lu;       ///< L with 1/l_kk on its diagonal, and above it U, whose diagonal is one
  double* squares;  ///< of the numbers of each column that became pivot rows, summed
  int* order;       ///< the row of A that is row k of L U
};

/// Factorisations return how many pivots there are, and whether one is so small that it may be rounding.
struct Kernels {
  /// The largest number of a column becomes its pivot.
  int (*factorize)(const Factors& f, int n, bool& suspicious);
  /// Rows are exchanged only where a number of a column is more than kLargestMultiple times as large as that on the
  /// diagonal. A right-hand side, in the column behind the matrix, is reduced with it.
  int (*factorize_in_order)(const Factors& f, int n, bool& suspicious);
  void (*solve)(const double* lu, const int* order, int n, double* work, double* b);
  /// The second half of a solution, of the right-hand side that was reduced.
  void (*substitute)(const double* lu, int n, double* x);
  void (*solve_transposed)(const double* lu, const int* order, int n, double* work, double* b);
};

const Kernels& kernels_for(int size);

/// The distance of rows: even, with room for a right-hand side.
constexpr int stride_of(int n) { return n / 2 * 2 + 2; }

}  // namespace liegrad::dae::dense_lu
