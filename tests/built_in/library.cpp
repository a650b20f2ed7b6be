#include "library.hpp"

#include "functions.hpp"

extern "C" void kernel_library_register_kernels();

namespace liegrad::test {

ad::Kernel cube_kernel() {
  kernel_library_register_kernels();
  return {cube(), kValueAndJacobian};
}

}  // namespace liegrad::test
