#include <liegrad/ad/kernel_list.hpp>

#include "square.hpp"

void liegrad_kernels(liegrad::ad::KernelList& list) { list.add(square(), kSpec); }
