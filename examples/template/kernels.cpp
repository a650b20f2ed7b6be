#include <liegrad/ad/kernel_list.hpp>

#include "mechanism.hpp"

void liegrad_kernels(liegrad::ad::KernelList& list) {
  const liegrad::dae::System system = make_mechanism();
  for (const auto& kind : system.kinds()) kind->list_kernels(list);
}
