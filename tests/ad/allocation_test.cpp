// A compiled kernel touches the heap neither for one instance nor for a batch.

#include <vector>

#include "body_step.hpp"
#include "liegrad/ad/kernel.hpp"
#include "own_cache.hpp"
#include "support/allocations.hpp"

namespace liegrad::ad {
namespace {

using test::Allocation;
using test::allocations_of;

TEST_F(Allocation, IsCountedWhenItHappens) {
  EXPECT_EQ(allocations_of([] { test::keep(std::vector<double>(10)); }), 1);
  // An interpreted kernel does allocate: CppAD's sweeps hand out vectors.
  const Kernel kernel(test::body_step("interpreted"), {.results = {value()}},
                      Backend::kInterpreted);
  const std::vector<double> in(13, 0.25);
  std::vector<double> out(12);
  EXPECT_GT(allocations_of([&] { kernel(in, out); }), 0);
}

TEST_F(Allocation, OfACompiledKernelIsNone) {
  const KernelSpec spec = {.results = {value(), jacobian(), transpose_times(), hessian_times()}};
  const Kernel kernel(test::body_step("compiled"), spec);
  ASSERT_EQ(kernel.info().backend_used, Backend::kCompiled) << kernel.info().message;
  constexpr int kCount = 21;  // whole vectors and a rest
  const auto size = [](int numbers) { return static_cast<std::size_t>(numbers * kCount); };
  std::vector<double> in(size(kernel.layout().num_inputs)), out(size(kernel.layout().num_outputs));
  // Angles on both sides of the switch, so that a batch does some instances on their own.
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = 0.25 * static_cast<double>(i % 13);
  EXPECT_EQ(allocations_of([&] { kernel(in, out); }), 0);
  EXPECT_EQ(allocations_of([&] { kernel.batch(kCount, in, kCount, out, kCount); }), 0);
}

}  // namespace
}  // namespace liegrad::ad
