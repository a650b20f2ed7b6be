#pragma once

namespace liegrad::ad {

/// What evaluates a kernel.
enum class Backend {
  kCompiled,     ///< native code
  kInterpreted,  ///< sweeps over the tape
};

}  // namespace liegrad::ad
