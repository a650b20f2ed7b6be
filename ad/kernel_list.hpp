#pragma once

#include <map>
#include <string>

#include "liegrad/ad/kernel_spec.hpp"

namespace liegrad::ad {

/// Kernels to be compiled into a program when it is built, so that it needs no compiler when it
/// runs. A kernel made later from an equal recording and specification finds its code by itself.
class KernelList {
 public:
  void add(const Recording& recording, const KernelSpec& spec);

  /// C++ that defines all kernels and a function that registers them,
  ///
  ///     extern "C" bool LIEGRAD_REGISTER_FUNCTION();
  ///
  /// which does nothing and returns false if this processor lacks instructions that the compiler used, or if
  /// the user does not want LIEGRAD_KERNEL_VERSION. Both macros are for whoever compiles it, perhaps several times.
  std::string source() const;

 private:
  std::map<std::string, std::string> source_by_fingerprint_;
};

}  // namespace liegrad::ad

/// Defined by the user of liegrad_add_kernels() in CMake: adds the kernels of a project to the
/// list.
void liegrad_kernels(liegrad::ad::KernelList& list);
