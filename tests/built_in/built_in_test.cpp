// A program with kernels that were compiled when it was built, run where there is no compiler and
// no cache.

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "functions.hpp"
#include "library.hpp"
#include "liegrad/ad/kernel.hpp"

namespace liegrad::test {
namespace {

using ad::Backend;
using ad::Kernel;

/// Of two ways to evaluate the same formulas, which differ in the order of operations only.
constexpr double kTolerance = 1e-13;

/// Whether this processor can run the version of kernels that $LIEGRAD_KERNELS names.
bool can_run_chosen_version() {
  const char* chosen = std::getenv("LIEGRAD_KERNELS");
  const std::string version = chosen != nullptr ? chosen : "";
#ifdef __x86_64__
  if (version == "avx2") return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
  return true;
}

class BuiltInKernel : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_run_chosen_version()) GTEST_SKIP() << "this processor cannot run them";
    setenv("PATH", "", 1);
    setenv("LIEGRAD_CC", compiler().c_str(), 1);
    setenv("XDG_CACHE_HOME", (scratch_ / "cache").c_str(), 1);
    unsetenv("HOME");
  }
  void TearDown() override { std::filesystem::remove_all(scratch_); }

  /// A path in an empty directory of this test's own: there is no file, whoever ran before.
  std::string compiler() const { return (scratch_ / "no-compiler").string(); }

  static void expect_built_in(const Kernel& kernel) {
    EXPECT_EQ(kernel.info().backend_given, Backend::kCompiled);
    EXPECT_EQ(kernel.info().backend_used, Backend::kCompiled);
    EXPECT_EQ(kernel.info().origin, ad::NativeCodeOrigin::kBuiltIn);
    EXPECT_EQ(kernel.info().message, "");
  }

 private:
  static std::filesystem::path new_directory() {
    std::string name = (std::filesystem::temp_directory_path() / "liegrad-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error(name + " cannot be made");
    return name;
  }

  const std::filesystem::path scratch_ = new_directory();
};

TEST_F(BuiltInKernel, IsFoundByAnEqualRecording) {
  const Kernel kernel(square(), kValueAndJacobian);
  expect_built_in(kernel);
  std::array<double, 2> out{};
  kernel(std::array{3.0}, out);
  EXPECT_EQ(out, (std::array{9.0, 6.0}));
}

TEST_F(BuiltInKernel, AgreesWithTheInterpreterOneByOneAndInBatches) {
  const Kernel built_in(moved_point(), kValueAndJacobian);
  const Kernel interpreted(moved_point(), kValueAndJacobian, Backend::kInterpreted);
  expect_built_in(built_in);
  ASSERT_EQ(interpreted.info().backend_used, Backend::kInterpreted);

  constexpr int kCount = 11;  // not a multiple of any vector's length
  const auto num_inputs = static_cast<std::size_t>(built_in.layout().num_inputs);
  const auto num_outputs = static_cast<std::size_t>(built_in.layout().num_outputs);
  ASSERT_EQ(num_inputs, 9U);
  ASSERT_EQ(num_outputs, 3U + 3 * 6);
  std::vector<double> in(num_inputs * kCount), out(num_outputs * kCount);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = std::sin(0.7 * static_cast<double>(i));
  built_in.batch(kCount, in, kCount, out, kCount);

  std::vector<double> x(num_inputs), once(num_outputs), expected(num_outputs);
  for (std::size_t k = 0; k < kCount; ++k) {
    for (std::size_t i = 0; i < num_inputs; ++i) x[i] = in[i * kCount + k];
    interpreted(x, expected);
    built_in(x, once);
    for (std::size_t i = 0; i < num_outputs; ++i) {
      EXPECT_NEAR(once[i], expected[i], kTolerance);
      EXPECT_NEAR(out[i * kCount + k], expected[i], kTolerance);
    }
  }
}

TEST_F(BuiltInKernel, MayBelongToAStaticLibrary) {
  const Kernel kernel = cube_kernel();
  expect_built_in(kernel);
  std::array<double, 2> out{};
  kernel(std::array{2.0}, out);
  EXPECT_EQ(out, (std::array{8.0, 12.0}));
}

TEST_F(BuiltInKernel, IsOnlyForItsOwnSpecification) {
  const Kernel kernel(square(), {.results = {ad::jacobian()}});
  EXPECT_EQ(kernel.info().backend_used, Backend::kInterpreted);
  EXPECT_EQ(kernel.info().message,
            "the C compiler ($LIEGRAD_CC = " + compiler() +
                "), asked for its version, cannot be run: No such file or directory; install one "
                "or set LIEGRAD_CC");
  std::array<double, 1> out{};
  kernel(std::array{3.0}, out);
  EXPECT_EQ(out[0], 6.0);
}

}  // namespace
}  // namespace liegrad::test
