#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "liegrad/sensitivity/step/kernel_sum.hpp"

namespace liegrad::sensitivity {

/// A kernel with one product as its result, by the inputs of a list or, if that is empty, by all variables.
inline ad::KernelSpec product_spec(ad::ResultKind product, const std::vector<int>& zero_inputs,
                                   const std::vector<int>& wrt = {}) {
  return {.results = {{.kind = product, .wrt = wrt}}, .zero_inputs = zero_inputs};
}

/// A recorded function with the kernels of its products, which are made when first needed.
class LocalFunction {
 public:
  /// Its first inputs, as many as the recording has variables, are the arguments; those in zero_inputs are
  /// zero whenever it is evaluated.
  LocalFunction(const ad::Recording& recording, const std::vector<int>& zero_inputs,
                ad::Backend backend);
  /// The inputs in `arguments` are the arguments.
  LocalFunction(const ad::Recording& recording, const std::vector<int>& zero_inputs,
                const std::vector<int>& arguments, ad::Backend backend);

  const ad::Kernel& kernel(ad::ResultKind product) const;
  /// As a term of sums reads it.
  static KernelSum::Local term(const std::shared_ptr<const LocalFunction>& function);

 private:
  ad::Recording recording_;
  std::vector<int> zero_inputs_, arguments_;
  ad::Backend backend_;
  mutable std::mutex mutex_;
  mutable std::map<ad::ResultKind, ad::Kernel> kernels_;
};

/// Which of its arguments, inputs of a list, a recorded function reads, by their places in the list.
std::vector<int> arguments_read(const ad::Recording& recording, const std::vector<int>& arguments);

/// The inputs that a recorded function reads, without those of a list.
std::vector<int> inputs_read(const ad::Recording& recording, const std::vector<int>& without);

}  // namespace liegrad::sensitivity
