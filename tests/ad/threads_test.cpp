// Eight threads at once: calling one kernel, compiled or interpreted; making the same kernel and
// different ones; recording. `make tsan` runs this program under the thread sanitizer.

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "body_step.hpp"
#include "liegrad/ad/kernel.hpp"
#include "own_cache.hpp"

namespace liegrad::ad {
namespace {

using Numbers = std::vector<double>;

constexpr int kThreads = 8;

/// Runs f(0) … f(7) on a thread each, all let loose at the same moment.
void in_threads(const std::function<void(int)>& f) {
  std::atomic<int> waiting = 0;
  std::vector<std::thread> threads;
  for (int k = 0; k < kThreads; ++k) {
    threads.emplace_back([&, k] {
      ++waiting;
      while (waiting < kThreads) std::this_thread::yield();
      f(k);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

/// Inputs of instance k, different for each, on both sides of the series switch.
Numbers inputs(const Kernel& kernel, int k) {
  Numbers in(static_cast<std::size_t>(kernel.layout().num_inputs));
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = 0.1 + 0.37 * static_cast<double>((i * 5 + static_cast<std::size_t>(k)) % 11);
  return in;
}

Numbers evaluated(const Kernel& kernel, const Numbers& in) {
  Numbers out(static_cast<std::size_t>(kernel.layout().num_outputs));
  kernel(in, out);
  return out;
}

constexpr int kInstances = 40;

Numbers batch_evaluated(const Kernel& kernel) {
  const auto& layout = kernel.layout();
  const auto size = [](int numbers) { return static_cast<std::size_t>(numbers * kInstances); };
  Numbers in(size(layout.num_inputs)), out(size(layout.num_outputs));
  for (int k = 0; k < kInstances; ++k) {
    const Numbers one = inputs(kernel, k);
    for (std::size_t i = 0; i < one.size(); ++i)
      in[i * kInstances + static_cast<std::size_t>(k)] = one[i];
  }
  kernel.batch(kInstances, in, kInstances, out, kInstances);
  return out;
}

const KernelSpec& spec() {
  static const KernelSpec spec = {.results = {value(), jacobian(), transpose_times()}};
  return spec;
}

void expect_same_as_in_one_thread(const Kernel& kernel) {
  std::vector<Numbers> expected;
  for (int k = 0; k < kInstances; ++k) expected.push_back(evaluated(kernel, inputs(kernel, k)));
  const Numbers expected_batch = batch_evaluated(kernel);
  std::atomic<int> different = 0;
  in_threads([&](int thread) {
    for (int n = 0; n < kInstances; ++n) {
      const int k = (n + 5 * thread) % kInstances;
      if (evaluated(kernel, inputs(kernel, k)) != expected[static_cast<std::size_t>(k)])
        ++different;
    }
    if (batch_evaluated(kernel) != expected_batch) ++different;
  });
  EXPECT_EQ(different, 0);
}

TEST(Threads, CallOneCompiledKernelWithTheResultsOfOneThreadBitForBit) {
  const Kernel kernel(test::body_step("compiled"), spec());
  ASSERT_EQ(kernel.info().backend_used, Backend::kCompiled) << kernel.info().message;
  expect_same_as_in_one_thread(kernel);
}

TEST(Threads, CallOneInterpretedKernelWithTheResultsOfOneThreadBitForBit) {
  expect_same_as_in_one_thread(
      Kernel(test::body_step("interpreted"), spec(), Backend::kInterpreted));
}

TEST(Threads, MakeTheSameKernelAtOnceAndCompileItOnce) {
  const Recording f = test::body_step("same", 2);
  std::atomic<int> compiled = 0, from_cache = 0;
  std::vector<Numbers> results(kThreads);
  in_threads([&](int k) {
    const Kernel kernel(f, spec());
    if (kernel.info().origin == NativeCodeOrigin::kCompiled) ++compiled;
    if (kernel.info().origin == NativeCodeOrigin::kCache) ++from_cache;
    results[static_cast<std::size_t>(k)] = evaluated(kernel, inputs(kernel, 1));
  });
  EXPECT_EQ(compiled, 1);
  EXPECT_EQ(from_cache, kThreads - 1);
  for (const Numbers& result : results) EXPECT_EQ(result, results[0]);
}

TEST(Threads, RecordAndMakeDifferentKernelsAtOnce) {
  std::vector<Numbers> results(kThreads), expected(kThreads);
  std::atomic<int> wrong_backend = 0;
  in_threads([&](int k) {
    // Each thread has its own recording and destroys it, and kernels of both kinds, while others work.
    const auto backend = k % 2 == 0 ? Backend::kCompiled : Backend::kInterpreted;
    for (int n = 0; n < 3; ++n) {
      const Recording f = test::body_step("different", 1 + 0.5 * k);
      const Kernel kernel(f, {.results = {value()}}, backend);
      if (kernel.info().backend_used != backend) ++wrong_backend;
      results[static_cast<std::size_t>(k)] = evaluated(kernel, inputs(kernel, k));
    }
  });
  EXPECT_EQ(wrong_backend, 0);
  // T(v) v̂ grows with the scale, so that results of different functions differ.
  for (int k = 0; k < kThreads; ++k) {
    const Recording f = test::body_step("different", 1 + 0.5 * k);
    const Kernel kernel(f, {.results = {value()}},
                        k % 2 == 0 ? Backend::kCompiled : Backend::kInterpreted);
    EXPECT_EQ(results[static_cast<std::size_t>(k)], evaluated(kernel, inputs(kernel, k)));
  }
}

}  // namespace
}  // namespace liegrad::ad
