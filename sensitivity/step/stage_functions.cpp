#include "liegrad/sensitivity/step/stage_functions.hpp"

#include <map>
#include <memory>
#include <string>
#include <type_traits>

#include "liegrad/dae/system/node_tangent.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/sensitivity/step/local_function.hpp"

namespace liegrad::sensitivity {
namespace {

using ad::Taped;
using dae::index;

template <template <class> class G>
std::vector<Taped> record_turning(std::span<const Taped> x, std::span<const Taped> base) {
  using Tangent = typename G<Taped>::Tangent;
  const auto vector = [](const Taped* first) -> Tangent {
    return Eigen::Map<const Tangent>(first);
  };
  const Tangent theta = vector(&x[G<Taped>::kDof]);
  const Tangent delta = (G<Taped>::exp(vector(&base[0])).inverse() * G<Taped>::exp(vector(&x[0])) *
                         G<Taped>::exp(theta))
                            .log();
  const Tangent rate = G<Taped>::tangent_operator_inverse(theta) * vector(&x[2 * G<Taped>::kDof]);
  std::vector<Taped> result(delta.begin(), delta.end());
  result.insert(result.end(), rate.begin(), rate.end());
  return result;
}

/// A coordinate that commutes: T = I.
std::vector<Taped> record_linear(std::span<const Taped> x, std::span<const Taped> base) {
  return {x[0] + x[1] - base[0], x[2]};
}

/// Adds the parts of a configuration space to a sum.
class Terms {
 public:
  Terms(int dof, KernelSum& sum) : dof_(dof), sum_(sum) {}

  template <template <class> class G>
  void turning(int /*node*/, int dof) {
    constexpr bool kIsPlanar = std::is_same_v<G<double>, lie::SE2<double>>;
    constexpr int kDof = G<double>::kDof;
    add<kDof>(kDof == 6   ? "stage_se3"
              : kIsPlanar ? "stage_se2"
                          : "stage_so3",
              dof, record_turning<G>);
  }
  void linear(int dof, int count) {
    for (int i = 0; i < count; ++i) add<1>("stage_r1", dof + i, record_linear);
  }

 private:
  struct Known {
    int function;
    std::vector<int> inputs;
  };

  template <int Dof, class F>
  void add(const std::string& name, int first, const F& f) {
    auto found = known_.find(name);
    if (found == known_.end()) {
      const KernelSum::Local local = LocalFunction::term(std::make_shared<const LocalFunction>(
          ad::record({.name = name, .variables = 3 * Dof, .data = Dof}, f), ad::range(0, Dof),
          ad::Backend::kCompiled));
      found = known_.emplace(name, Known{sum_.add_function(local), local.inputs}).first;
    }
    const auto places = [this, first](std::initializer_list<int> vectors) {
      std::vector<int> list;
      for (const int vector : vectors) {
        for (int i = 0; i < Dof; ++i) list.push_back(vector * dof_ + first + i);
      }
      return list;
    };
    // δ_n, which is zero and not read, θ, v and θ*.
    const std::vector<int> numbers = places({0, 0, 1, 0});
    std::vector<int> read;
    for (const int input : found->second.inputs) read.push_back(numbers[index(input)]);
    sum_.add_term(found->second.function, read, places({0, 1, 2}), places({0, 1}));
  }

  int dof_;
  KernelSum& sum_;
  std::map<std::string, Known> known_;
};

}  // namespace

KernelSum stage_functions(const dae::Model& system) {
  KernelSum sum(3 * system.dof(), 2 * system.dof());
  dae::for_each_part(system.configuration_space(), Terms(system.dof(), sum));
  return sum;
}

}  // namespace liegrad::sensitivity
