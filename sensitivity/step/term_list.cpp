#include "liegrad/sensitivity/step/term_list.hpp"

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/sensitivity/step/local_function.hpp"

namespace liegrad::sensitivity {

using dae::index;

void TermList::add(const ad::Recording& function, std::span<const int> numbers,
                   std::span<const int> values) {
  std::vector<int> zero, arguments, argument_places;
  for (const int input : function.inputs_read()) {
    const int number = numbers[index(input)];
    if (number == kZero) {
      zero.push_back(input);
    } else if (number < sum_.num_arguments()) {
      arguments.push_back(input);
      argument_places.push_back(number);
    }
  }
  const Key key{&function.tape(), {zero, arguments}};
  auto found = known_.find(key);
  if (found == known_.end()) {
    const KernelSum::Local local = LocalFunction::term(
        std::make_shared<const LocalFunction>(function, zero, arguments, backend_));
    found = known_.emplace(key, Known{sum_.add_function(local), local.inputs, function}).first;
  }
  std::vector<int> read;
  for (const int input : found->second.inputs) read.push_back(numbers[index(input)]);
  sum_.add_term(found->second.function, read, argument_places, values);
}

void TermList::list_kernels(std::span<const ad::ResultKind> results, ad::KernelList& list) const {
  for (const auto& [key, known] : known_) {
    const auto& [zero, arguments] = key.second;
    for (const ad::ResultKind result : results) {
      if (arguments.empty() && result != ad::ResultKind::kValue) continue;
      list.add(known.recording, product_spec(result, zero, arguments));
    }
  }
}

}  // namespace liegrad::sensitivity
