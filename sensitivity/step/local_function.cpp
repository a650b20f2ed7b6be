#include "liegrad/sensitivity/step/local_function.hpp"

#include <algorithm>

namespace liegrad::sensitivity {

LocalFunction::LocalFunction(const ad::Recording& recording, const std::vector<int>& zero_inputs,
                             ad::Backend backend)
    : LocalFunction(recording, zero_inputs, ad::range(0, recording.num_variables()), backend) {}

LocalFunction::LocalFunction(const ad::Recording& recording, const std::vector<int>& zero_inputs,
                             const std::vector<int>& arguments, ad::Backend backend)
    : recording_(recording), zero_inputs_(zero_inputs), arguments_(arguments), backend_(backend) {}

const ad::Kernel& LocalFunction::kernel(ad::ResultKind product) const {
  const std::lock_guard lock(mutex_);
  const auto found = kernels_.find(product);
  if (found != kernels_.end()) return found->second;
  return kernels_
      .emplace(product,
               ad::Kernel(recording_, product_spec(product, zero_inputs_, arguments_), backend_))
      .first->second;
}

KernelSum::Local LocalFunction::term(const std::shared_ptr<const LocalFunction>& function) {
  return {.kernel = [function](ad::ResultKind product) -> const ad::Kernel& {
            return function->kernel(product);
          },
          .inputs = inputs_read(function->recording_, function->zero_inputs_),
          .num_arguments = static_cast<int>(function->arguments_.size()),
          .num_values = function->recording_.num_outputs(),
          .arguments_read = arguments_read(function->recording_, function->arguments_)};
}

std::vector<int> arguments_read(const ad::Recording& recording, const std::vector<int>& arguments) {
  const std::vector<int>& inputs = recording.inputs_read();
  std::vector<int> read;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (std::ranges::binary_search(inputs, arguments[i])) read.push_back(static_cast<int>(i));
  }
  return read;
}

std::vector<int> inputs_read(const ad::Recording& recording, const std::vector<int>& without) {
  std::vector<int> inputs = recording.inputs_read();
  std::erase_if(inputs, [&without](int input) {
    return std::find(without.begin(), without.end(), input) != without.end();
  });
  return inputs;
}

}  // namespace liegrad::sensitivity
