#include <liegrad/ad/kernel_list.hpp>

#include "mechanism.hpp"

void liegrad_kernels(liegrad::ad::KernelList& list) { make_mechanism().list_kernels(list); }
