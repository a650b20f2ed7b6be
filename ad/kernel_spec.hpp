#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "liegrad/ad/recording.hpp"

namespace liegrad::ad {

/// Positions (row, column) of the entries of a sparse matrix, row by row, columns ascending.
using Pattern = std::vector<std::pair<int, int>>;

/// What a kernel can return of a recorded function f: R^n → R^m. J is its Jacobian with respect to
/// the chosen inputs, H the Hessian of wᵀf with respect to them.
enum class ResultKind {
  kValue,           ///< f                       m numbers
  kJacobian,        ///< J                       dense, row by row
  kSparseJacobian,  ///< J                       the entries of a pattern, in its order
  kJacobianTimes,   ///< J d for each direction  m numbers for each d
  kTransposeTimes,  ///< Jᵀ w for each weight    one number for each chosen input, for each w
  kHessian,         ///< H for the first weight  the entries of a pattern in the lower triangle
  kHessianTimes,    ///< H d for the first weight and each direction
};

/// One thing that a kernel returns. Made by the functions below.
struct Result {
  ResultKind kind = ResultKind::kValue;
  /// The inputs to differentiate with respect to, in this order; row and column numbers of J and H
  /// count in it. Empty: all variables.
  std::vector<int> wrt = {};
  /// Of a sparse result: the entries wanted. Empty: all that can be non-zero.
  std::optional<Pattern> pattern = {};
};

inline Result value() { return {ResultKind::kValue}; }
inline Result jacobian(std::vector<int> wrt = {}) {
  return {ResultKind::kJacobian, std::move(wrt)};
}
inline Result sparse_jacobian(std::vector<int> wrt = {}, std::optional<Pattern> pattern = {}) {
  return {ResultKind::kSparseJacobian, std::move(wrt), std::move(pattern)};
}
inline Result jacobian_times(std::vector<int> wrt = {}) {
  return {ResultKind::kJacobianTimes, std::move(wrt)};
}
inline Result transpose_times(std::vector<int> wrt = {}) {
  return {ResultKind::kTransposeTimes, std::move(wrt)};
}
inline Result hessian(std::vector<int> wrt = {}, std::optional<Pattern> pattern = {}) {
  return {ResultKind::kHessian, std::move(wrt), std::move(pattern)};
}
inline Result hessian_times(std::vector<int> wrt = {}) {
  return {ResultKind::kHessianTimes, std::move(wrt)};
}

/// The indices first, first+1, …, first+count-1.
std::vector<int> range(int first, int count);

/// What one kernel computes: any number of results that share their work.
struct KernelSpec {
  std::vector<Result> results = {};
  /// How many directions d the products J d and H d are taken with.
  int directions = 1;
  /// How many weights w the products Jᵀ w are taken with.
  int weights = 1;
  /// Inputs that are zero whenever the kernel is called, such as a perturbation δ of a group element
  /// q∘exp(δ): derivatives by them are taken at zero, where most of the work vanishes. Their places
  /// in the input array are not read.
  std::vector<int> zero_inputs = {};
};

/// Where a kernel reads and writes. Its input array holds the function's inputs, then the weights
/// (m numbers each), then the directions (as many numbers each as inputs chosen); parts that no
/// result uses are absent. Its output array holds the results one after the other.
struct KernelLayout {
  struct Part {
    ResultKind kind;
    std::vector<int> wrt;
    Pattern pattern;  ///< of sparse results
    int offset = 0;   ///< of the first number in the output array
    int size = 0;
  };

  int num_function_inputs = 0;
  std::vector<int> zero_inputs;
  int weights_offset = 0, num_weights = 0, weight_size = 0;
  int directions_offset = 0, num_directions = 0, direction_size = 0;
  int num_inputs = 0;
  int num_outputs = 0;
  std::vector<Part> parts;
};

/// Checks the specification and lays it out. Throws InvalidArgument naming function and result:
/// an input that does not exist or is named twice, a pattern outside the matrix or above the
/// diagonal of a Hessian, results that need directions of different length.
KernelLayout lay_out(const Recording& recording, const KernelSpec& spec);

/// Entries of J that can be non-zero.
Pattern jacobian_pattern(const Recording& recording, const std::vector<int>& wrt);
/// Entries of H that can be non-zero, lower triangle.
Pattern hessian_pattern(const Recording& recording, const std::vector<int>& wrt);

/// Text that tells specifications apart, as Recording::canonical_text() does recordings.
std::string canonical_text(const KernelLayout& layout);

}  // namespace liegrad::ad
