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

  /// A C++ file that defines all kernels and registers them before main(). A static library, whose
  /// unused parts a linker drops, calls `void register_function()` from code that is used.
  std::string source(const std::string& register_function) const;

 private:
  std::map<std::string, std::string> source_by_fingerprint_;
};

}  // namespace liegrad::ad

/// Defined by the user of liegrad_add_kernels() in CMake: adds the kernels of a project to the
/// list.
void liegrad_kernels(liegrad::ad::KernelList& list);
