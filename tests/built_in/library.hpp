#pragma once

#include "liegrad/ad/kernel.hpp"

namespace liegrad::test {

/// A kernel of the library.
ad::Kernel cube_kernel();

}  // namespace liegrad::test
