#pragma once

#include <optional>
#include <string>
#include <vector>

#include "liegrad/ad/kernel_spec.hpp"
#include "liegrad/ad/native/shared_object.hpp"

namespace liegrad::ad {

enum class NativeCodeOrigin {
  kBuiltIn,   ///< compiled into the program
  kCache,     ///< compiled by an earlier run
  kCompiled,  ///< compiled just now
};

/// The two functions of a compiled kernel, as write_c() declares them.
struct NativeCode {
  using One = void (*)(const double* x, double* y);
  using Batch = void (*)(long count, const double* x, long x_stride, double* y, long y_stride);

  One one = nullptr;
  Batch batch = nullptr;
  NativeCodeOrigin origin = NativeCodeOrigin::kBuiltIn;
  /// Keeps loaded code in memory; empty for built-in code.
  std::optional<SharedObject> library = {};
};

/// Native code for a kernel: built into the program, else from the cache on disk, else compiled
/// now. Empty if none can be had, and then `why_not` says why in one sentence. Safe from any
/// thread.
std::optional<NativeCode> native_code(const Recording& recording, const KernelLayout& layout,
                                      std::string* why_not);

/// Version of this library and of CppAD, and a hash of the sources that write kernels.
const std::string& generator_identity();

/// 64 hexadecimal digits that tell what a kernel computes and which generator writes it; equal
/// fingerprints mean equal source.
std::string fingerprint(const Recording& recording, const KernelLayout& layout);

/// All that makes one compiled kernel differ from another.
struct CompiledIdentity {
  std::string fingerprint;
  std::string compiler;
  std::vector<std::string> flags;
  std::string cpu;
};

/// The name of a kernel in the cache: that of its function, for people, and a hash of its identity.
std::string entry_name(const std::string& function, const CompiledIdentity& identity);

/// The C source of a kernel, with functions named `symbol` and `symbol`_batch, to go behind
/// c_prelude().
std::string kernel_source(const Recording& recording, const KernelLayout& layout,
                          const std::string& symbol);

/// Whether the kernels of the program that were compiled for a kind of processors, its version, may be used:
/// $LIEGRAD_KERNELS, if it is set, names the only one. Called by generated code before main().
extern "C" bool liegrad_may_use_kernels(const char* version);

/// Makes functions compiled into the program known; called by generated code before main().
/// (See liegrad_add_kernels() in cmake/LiegradKernels.cmake.)
extern "C" void liegrad_register_kernel(const char* kernel_fingerprint, NativeCode::One one,
                                        NativeCode::Batch batch);

}  // namespace liegrad::ad
