#pragma once

#include <map>
#include <utility>
#include <vector>

#include "liegrad/ad/kernel_list.hpp"
#include "liegrad/sensitivity/step/kernel_sum.hpp"

namespace liegrad::sensitivity {

/// Adds recorded functions to a sum whose arguments are the first of its numbers: the point itself stands in
/// front of the array, what does not vary behind it. Which inputs of a function are arguments follows from
/// where they are read.
class TermList {
 public:
  /// Marks an input that is zero, or not read.
  static constexpr int kZero = -1;

  explicit TermList(KernelSum& sum, ad::Backend backend = ad::Backend::kCompiled)
      : sum_(sum), backend_(backend) {}

  /// Input i of the recorded function is read from numbers[i], and value i is added to values[i] of the sum.
  void add(const ad::Recording& function, std::span<const int> numbers,
           std::span<const int> values);

  /// What is compiled for the functions added so far, for each of these results.
  void list_kernels(std::span<const ad::ResultKind> results, ad::KernelList& list) const;

 private:
  /// The tape, the inputs that are zero, the arguments.
  using Key = std::pair<const void*, std::pair<std::vector<int>, std::vector<int>>>;
  struct Known {
    int function;
    std::vector<int> inputs;
    ad::Recording recording;
  };

  KernelSum& sum_;
  ad::Backend backend_;
  std::map<Key, Known> known_;
};

}  // namespace liegrad::sensitivity
