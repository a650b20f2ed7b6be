#include "liegrad/sensitivity/node_sum.hpp"

#include "liegrad/dae/numbers.hpp"
#include "liegrad/sensitivity/local_function.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::index;

/// Where functions are recorded; zero would divide by zero.
constexpr double kAnywhere = 0.5;

/// Where the parts of a node stand among vectors and scalars of the space.
std::vector<int> places(int dof, int first_dof, int node_dof, int begin, int vectors, int scalars) {
  std::vector<int> list;
  for (int k = 0; k < vectors; ++k) {
    for (int i = 0; i < node_dof; ++i) list.push_back(begin + k * dof + first_dof + i);
  }
  for (int i = 0; i < scalars; ++i) list.push_back(begin + vectors * dof + i);
  return list;
}

}  // namespace

std::shared_ptr<KernelSum> node_sum(const lie::GroupList& space, const std::string& name,
                                    const NodeFunction& f) {
  const int dof = space.dof(), num_arguments = f.vectors * dof + f.scalars;
  auto sum = std::make_shared<KernelSum>(num_arguments, f.values * dof);
  struct Known {
    lie::NodeGroup group;
    int function;
    std::vector<int> inputs;
  };
  std::vector<Known> known;
  for (int i = 0; i < space.size(); ++i) {
    const lie::NodeGroup& group = space.group(i);
    if (group.dof() == 0) continue;
    const Known* found = nullptr;
    for (const Known& one : known) {
      if (one.group == group) found = &one;
    }
    if (found == nullptr) {
      const lie::GroupList node({group});
      const int variables = f.vectors * group.dof() + f.scalars;
      const int num_data = f.data_vectors * group.dof() + f.data_scalars;
      const ad::Recording recording =
          ad::record({.name = name,
                      .variables = variables,
                      .data = num_data,
                      .at = std::vector<double>(index(variables + num_data), kAnywhere)},
                     [&](std::span<const ad::Taped> x, std::span<const ad::Taped> d) {
                       return f.evaluate(node, x, d);
                     });
      const KernelSum::Local local = LocalFunction::term(std::make_shared<const LocalFunction>(
          recording, std::vector<int>(), ad::Backend::kInterpreted));
      known.push_back({group, sum->add_function(local), local.inputs});
      found = &known.back();
    }
    const int first = space.dof_offset(i);
    std::vector<int> numbers = places(dof, first, group.dof(), 0, f.vectors, f.scalars);
    const std::vector<int> data =
        places(dof, first, group.dof(), num_arguments, f.data_vectors, f.data_scalars);
    numbers.insert(numbers.end(), data.begin(), data.end());
    std::vector<int> read;
    for (const int input : found->inputs) read.push_back(numbers[index(input)]);
    sum->add_term(found->function, read, places(dof, first, group.dof(), 0, f.vectors, f.scalars),
                  places(dof, first, group.dof(), 0, f.values, 0));
  }
  return sum;
}

}  // namespace liegrad::sensitivity
