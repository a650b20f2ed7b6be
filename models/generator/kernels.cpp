// Compiled into a program that writes the kernels of all built-in systems when the library is built.

#include "liegrad/ad/kernel_list.hpp"
#include "liegrad/models/models.hpp"

void liegrad_kernels(liegrad::ad::KernelList& list) {
  using namespace liegrad;
  for (const auto make : {models::heavy_top, models::spinning_top, models::free_body,
                          models::pendulum, models::torsional_ball}) {
    for (const lie::NodeGroup& group : {lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()}) {
      const dae::System system = make(group);
      for (const auto& kind : system.kinds()) kind->list_kernels(list);
    }
  }
}
