#include "liegrad/sensitivity/kernel_sum.hpp"

#include <algorithm>

#include "liegrad/dae/numbers.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::index;

/// Terms evaluated at once; the vector form of a kernel is fastest there.
constexpr int kLanes = 16;
/// Fewer terms are evaluated one by one.
constexpr int kFewTerms = 4;

std::size_t place_of(ad::ResultKind product) {
  switch (product) {
    case ad::ResultKind::kJacobianTimes: return 0;
    case ad::ResultKind::kTransposeTimes: return 1;
    default: return 2;
  }
}

/// From term after term to chunks of lanes; lanes beyond the last term repeat it.
std::vector<int> by_lanes(const std::vector<int>& list, int per_term, int num_terms, int lanes) {
  const int chunks = (num_terms + lanes - 1) / lanes;
  std::vector<int> result(index(chunks * lanes * per_term));
  for (int term = 0; term < chunks * lanes; ++term) {
    const int from = std::min(term, num_terms - 1);
    for (int i = 0; i < per_term; ++i) {
      result[index((term / lanes * per_term + i) * lanes + term % lanes)] =
          list[index(from * per_term + i)];
    }
  }
  return result;
}

}  // namespace

int KernelSum::add_function(const Local& function) {
  groups_.emplace_back().function = function;
  return static_cast<int>(groups_.size()) - 1;
}

void KernelSum::add_term(int function, std::span<const int> numbers, std::span<const int> arguments,
                         std::span<const int> values) {
  Group& group = groups_[index(function)];
  const auto append = [](std::vector<int>& list, std::span<const int> more) {
    list.insert(list.end(), more.begin(), more.end());
  };
  append(group.numbers, numbers);
  append(group.arguments, arguments);
  append(group.values, values);
  group.num_terms += 1;
  group.kernels = {};
}

const ad::Kernel& KernelSum::prepare(Group& group, ad::ResultKind product) {
  const ad::Kernel*& kernel = group.kernels[place_of(product)];
  if (kernel != nullptr) return *kernel;
  kernel = &group.function.kernel(product);
  const Local& f = group.function;
  group.lanes = group.num_terms < kFewTerms ? 1 : kLanes;
  const int num_inputs = static_cast<int>(f.inputs.size());
  group.lane_numbers = by_lanes(group.numbers, num_inputs, group.num_terms, group.lanes);
  group.lane_arguments = by_lanes(group.arguments, f.num_arguments, group.num_terms, group.lanes);
  group.lane_values = by_lanes(group.values, f.num_values, group.num_terms, group.lanes);
  const auto enlarge = [&group](std::vector<double>& list, int count) {
    const std::size_t size = index(count * group.lanes);
    if (list.size() < size) list.resize(size, 0.0);
  };
  enlarge(group.inputs, kernel->layout().num_inputs);
  enlarge(group.outputs, kernel->layout().num_outputs);
  return *kernel;
}

void KernelSum::load(Group& group, const std::vector<int>& list, int per_term, int first,
                     const double* from, double* to) {
  const int* const chunk = list.data() + first * per_term;
  const int count = per_term * group.lanes;
  for (int i = 0; i < count; ++i) to[i] = from[chunk[i]];
}

void KernelSum::call(Group& group, const ad::Kernel& kernel, int count) {
  if (group.lanes == 1) {
    kernel(group.inputs, group.outputs);
  } else {
    kernel.batch(count, group.inputs, group.lanes, group.outputs, group.lanes);
  }
}

void KernelSum::add(const Group& group, const std::vector<int>& list, int per_term, int first,
                    int count, double* to) {
  const int* const chunk = list.data() + first * per_term;
  for (int i = 0; i < per_term; ++i) {
    for (int lane = 0; lane < count; ++lane) {
      to[chunk[i * group.lanes + lane]] += group.outputs[index(i * group.lanes + lane)];
    }
  }
}

template <class Columns>
void KernelSum::for_each_chunk(ad::ResultKind product, std::span<const double> numbers,
                               Columns&& columns) {
  for (Group& group : groups_) {
    if (group.num_terms == 0) continue;
    const ad::Kernel& kernel = prepare(group, product);
    const std::vector<int>& inputs = group.function.inputs;
    const int num_inputs = static_cast<int>(inputs.size());
    for (int first = 0; first < group.num_terms; first += group.lanes) {
      const int* const chunk = group.lane_numbers.data() + first * num_inputs;
      for (int i = 0; i < num_inputs; ++i) {
        double* const to = group.inputs.data() + inputs[index(i)] * group.lanes;
        for (int lane = 0; lane < group.lanes; ++lane) {
          to[lane] = numbers[index(chunk[i * group.lanes + lane])];
        }
      }
      columns(group, kernel, first, std::min(group.lanes, group.num_terms - first));
    }
  }
}

void KernelSum::tangent(std::span<const double> numbers, int columns,
                        std::span<const double> directions, std::span<double> values) {
  for_each_chunk(ad::ResultKind::kJacobianTimes, numbers,
                 [&](Group& group, const ad::Kernel& kernel, int first, int count) {
                   const Local& f = group.function;
                   double* const to =
                       group.inputs.data() + kernel.layout().directions_offset * group.lanes;
                   for (int c = 0; c < columns; ++c) {
                     load(group, group.lane_arguments, f.num_arguments, first,
                          directions.data() + c * num_arguments_, to);
                     call(group, kernel, count);
                     add(group, group.lane_values, f.num_values, first, count,
                         values.data() + c * num_values_);
                   }
                 });
}

void KernelSum::adjoint(std::span<const double> numbers, int columns,
                        std::span<const double> weights, std::span<double> gradient) {
  for_each_chunk(
      ad::ResultKind::kTransposeTimes, numbers,
      [&](Group& group, const ad::Kernel& kernel, int first, int count) {
        const Local& f = group.function;
        double* const to = group.inputs.data() + kernel.layout().weights_offset * group.lanes;
        for (int c = 0; c < columns; ++c) {
          load(group, group.lane_values, f.num_values, first, weights.data() + c * num_values_, to);
          call(group, kernel, count);
          add(group, group.lane_arguments, f.num_arguments, first, count,
              gradient.data() + c * num_arguments_);
        }
      });
}

void KernelSum::second(std::span<const double> numbers, std::span<const double> weights,
                       std::span<const double> direction, std::span<double> gradient) {
  for_each_chunk(ad::ResultKind::kHessianTimes, numbers,
                 [&](Group& group, const ad::Kernel& kernel, int first, int count) {
                   const Local& f = group.function;
                   double* const inputs = group.inputs.data();
                   load(group, group.lane_values, f.num_values, first, weights.data(),
                        inputs + kernel.layout().weights_offset * group.lanes);
                   load(group, group.lane_arguments, f.num_arguments, first, direction.data(),
                        inputs + kernel.layout().directions_offset * group.lanes);
                   call(group, kernel, count);
                   add(group, group.lane_arguments, f.num_arguments, first, count, gradient.data());
                 });
}

}  // namespace liegrad::sensitivity
