#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "liegrad/ad/backend.hpp"
#include "liegrad/ad/kernel_spec.hpp"
#include "liegrad/ad/native/native_code.hpp"

namespace liegrad::ad {

class Interpreter;

/// What a kernel was asked to be, what it is, and why.
struct KernelInfo {
  Backend backend_given = Backend::kCompiled;
  Backend backend_used = Backend::kInterpreted;
  /// Where native code came from; empty when interpreted.
  std::optional<NativeCodeOrigin> origin;
  /// Why a compiled kernel is interpreted after all; empty when it got what was asked for.
  std::string message;
  /// Time to obtain it: derivation, compilation, loading.
  double seconds = 0;
};

/// A function on plain arrays that returns values and derivatives of a recorded function.
///
/// A kernel never changes after it is made: any number of threads may call the same one at once. A
/// compiled call allocates nothing. Without a C compiler (or one that works) the kernel is interpreted:
/// the same numbers, slower; this is recorded in info() and said once.
///
///     const auto f = record({.name = "square", .variables = 2}, [](auto x, auto) {
///       return std::array{x[0] * x[0] * x[1]};
///     });
///     const Kernel kernel(f, {.results = {value(), jacobian()}});
///     kernel(std::array{3.0, 2.0}, out);   // out = 18, 12, 9
class Kernel {
 public:
  /// Throws InvalidArgument if the specification does not fit the recording.
  Kernel(const Recording& recording, const KernelSpec& spec, Backend backend = Backend::kCompiled);

  const KernelLayout& layout() const { return layout_; }
  const KernelInfo& info() const { return info_; }

  /// One evaluation; throws InvalidArgument if an array is shorter than the layout says.
  void operator()(std::span<const double> in, std::span<double> out) const;

  /// `count` evaluations. Number i of instance k stands at in[i*in_stride + k] and
  /// out[i*out_stride + k], so strides are at least `count`. Several instances are done at once.
  void batch(int count, std::span<const double> in, std::ptrdiff_t in_stride, std::span<double> out,
             std::ptrdiff_t out_stride) const;

 private:
  void check_size(std::size_t given, std::size_t wanted, const char* what) const;

  std::string name_;
  KernelLayout layout_;
  KernelInfo info_;
  std::optional<NativeCode> native_;
  std::shared_ptr<const Interpreter> interpreter_;
};

}  // namespace liegrad::ad
