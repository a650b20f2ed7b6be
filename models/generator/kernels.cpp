// Compiled into a program that writes the kernels of all built-in systems when the library is built.

#include "liegrad/ad/kernel_list.hpp"
#include "liegrad/models/models.hpp"

void liegrad_kernels(liegrad::ad::KernelList& list) {
  using namespace liegrad;
  for (const models::Model& model : models::all_models()) {
    for (const lie::NodeGroup& group : {lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()}) {
      // Two bodies have all kinds of elements that more have.
      const int bodies = model.default_bodies > 0 ? 2 : 0;
      model.make({.body_group = group, .bodies = bodies}).list_kernels(list);
    }
  }
}
