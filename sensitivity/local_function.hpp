#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "liegrad/sensitivity/kernel_sum.hpp"

namespace liegrad::sensitivity {

/// A kernel with one product as its result, by all variables of a recording.
inline ad::KernelSpec product_spec(ad::ResultKind product, const std::vector<int>& zero_inputs) {
  return {.results = {{.kind = product}}, .zero_inputs = zero_inputs};
}

/// A recorded function with the kernels of its products, which are made when first needed.
class LocalFunction {
 public:
  /// Its first inputs, as many as the recording has variables, are the arguments; those in zero_inputs are
  /// zero whenever it is evaluated.
  LocalFunction(const ad::Recording& recording, const std::vector<int>& zero_inputs,
                ad::Backend backend);

  const ad::Kernel& kernel(ad::ResultKind product) const;
  /// As a term of sums reads it.
  static KernelSum::Local term(const std::shared_ptr<const LocalFunction>& function);

 private:
  ad::Recording recording_;
  std::vector<int> zero_inputs_;
  ad::Backend backend_;
  mutable std::mutex mutex_;
  mutable std::map<ad::ResultKind, ad::Kernel> kernels_;
};

/// The inputs that a recorded function reads, without those of a list.
std::vector<int> inputs_read(const ad::Recording& recording, const std::vector<int>& without);

}  // namespace liegrad::sensitivity
