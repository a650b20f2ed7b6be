#include "functions.hpp"
#include "liegrad/ad/kernel_list.hpp"

void liegrad_kernels(liegrad::ad::KernelList& list) {
  using namespace liegrad::test;
  list.add(square(), kValueAndJacobian);
  list.add(cube(), kValueAndJacobian);
}
