// Compiled into a program that writes the kernels of this library when it is built.

#include "liegrad/sensitivity/observe/node_functions.hpp"

void liegrad_kernels(liegrad::ad::KernelList& list) {
  liegrad::sensitivity::list_node_kernels(list);
}
