#include "liegrad/sensitivity/step/node_sum.hpp"

#include <map>
#include <mutex>
#include <tuple>
#include <type_traits>
#include <utility>

#include "liegrad/dae/system/node_tangent.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/sensitivity/step/local_function.hpp"

/// Defined in the file that the build writes, see liegrad_add_kernels(): its kernels are found from
/// then on.
extern "C" void liegrad_sensitivity_register_kernels();

namespace liegrad::sensitivity {
namespace {

using dae::index;

/// There are few of them, and they are kept: they are the same for all systems.
std::shared_ptr<const LocalFunction> local_function(NodeMap map, const lie::NodeGroup& part) {
  static std::mutex mutex;
  using Kept =
      std::map<std::tuple<NodeMap, lie::GroupKind, int>, std::shared_ptr<const LocalFunction>>;
  static Kept& kept = *new Kept;  // never destroyed: what CppAD needs for that may go before
  const std::lock_guard lock(mutex);
  std::shared_ptr<const LocalFunction>& function = kept[{map, part.kind, part.dof()}];
  if (!function) {
    function = std::make_shared<const LocalFunction>(
        node_recording(map, part), zero_inputs(map, part), ad::Backend::kCompiled);
  }
  return function;
}

/// Adds the parts of a configuration space to a sum.
class Terms {
 public:
  Terms(NodeMap map, int dof, KernelSum& sum)
      : map_(map), f_(node_function(map)), dof_(dof), sum_(sum) {}

  template <template <class> class G>
  void turning(int /*node*/, int dof) {
    if constexpr (std::is_same_v<G<double>, lie::SE3<double>>) {
      add(lie::NodeGroup::se3(), dof);
    } else if constexpr (std::is_same_v<G<double>, lie::SE2<double>>) {
      add(lie::NodeGroup::se2(), dof);
    } else {
      add(lie::NodeGroup::so3(), dof);
    }
  }
  void linear(int dof, int count) {
    // Three coordinates at once, as points have them, take as many calls as one.
    int i = 0;
    for (; i + 3 <= count; i += 3) add(lie::NodeGroup::rn(3), dof + i);
    for (; i < count; ++i) add(lie::NodeGroup::rn(1), dof + i);
  }

 private:
  struct Known {
    int function;
    std::vector<int> inputs;
  };

  void add(const lie::NodeGroup& part, int first) {
    const std::pair key(part.kind, part.dof());
    auto found = known_.find(key);
    if (found == known_.end()) {
      const KernelSum::Local local = LocalFunction::term(local_function(map_, part));
      found = known_.emplace(key, Known{sum_.add_function(local), local.inputs}).first;
    }
    const std::vector<int> arguments = places(part, first, 0, f_.vectors, f_.scalars);
    std::vector<int> numbers = arguments;
    const std::vector<int> data =
        places(part, first, sum_.num_arguments(), f_.data_vectors, f_.data_scalars);
    numbers.insert(numbers.end(), data.begin(), data.end());
    std::vector<int> read;
    for (const int input : found->second.inputs) read.push_back(numbers[index(input)]);
    sum_.add_term(found->second.function, read, arguments, places(part, first, 0, f_.values, 0));
  }

  /// Where the numbers of a part stand among vectors and scalars of the space.
  std::vector<int> places(const lie::NodeGroup& part, int first, int begin, int vectors,
                          int scalars) const {
    std::vector<int> list;
    for (int k = 0; k < vectors; ++k) {
      for (int i = 0; i < part.dof(); ++i) list.push_back(begin + k * dof_ + first + i);
    }
    for (int i = 0; i < scalars; ++i) list.push_back(begin + vectors * dof_ + i);
    return list;
  }

  NodeMap map_;
  NodeFunction f_;
  int dof_;
  KernelSum& sum_;
  std::map<std::pair<lie::GroupKind, int>, Known> known_;
};

}  // namespace

std::shared_ptr<KernelSum> node_sum(const lie::GroupList& space, NodeMap map) {
  [[maybe_unused]] static const bool is_registered = (liegrad_sensitivity_register_kernels(), true);
  const NodeFunction f = node_function(map);
  auto sum =
      std::make_shared<KernelSum>(f.vectors * space.dof() + f.scalars, f.values * space.dof());
  dae::for_each_part(space, Terms(map, space.dof(), *sum));
  return sum;
}

}  // namespace liegrad::sensitivity
