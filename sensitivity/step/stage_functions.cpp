#include "liegrad/sensitivity/step/stage_functions.hpp"

#include <map>
#include <memory>
#include <string>
#include <type_traits>

#include "liegrad/dae/system/node_tangent.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/sensitivity/step/local_function.hpp"

namespace liegrad::sensitivity {

using ad::Taped;
using dae::index;

namespace {

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

/// There are few of them, and they are kept: they are the same for all systems.
template <template <class> class G>
std::shared_ptr<const LocalFunction> stage_function(const std::string& name) {
  constexpr int kDof = G<double>::kDof;
  // Never destroyed: what CppAD needs for that may go before.
  static const auto& kept =
      *new std::shared_ptr<const LocalFunction>(std::make_shared<const LocalFunction>(
          ad::record({.name = name, .variables = 3 * kDof, .data = kDof}, record_turning<G>),
          ad::range(0, kDof), ad::Backend::kCompiled));
  return kept;
}

/// to += from, of numbers in a row.
void add(const double* from, int count, double* to) {
  for (int i = 0; i < count; ++i) to[i] += from[i];
}

}  // namespace

/// Adds the parts of a configuration space.
class StageFunctions::Terms {
 public:
  explicit Terms(StageFunctions& all) : dof_(all.dof_), sum_(all.turning_), linear_(all.linear_) {}

  template <template <class> class G>
  void turning(int /*node*/, int dof) {
    constexpr bool kIsPlanar = std::is_same_v<G<double>, lie::SE2<double>>;
    constexpr int kDof = G<double>::kDof;
    add<G>(kDof == 6 ? "stage_se3" : kIsPlanar ? "stage_se2" : "stage_so3", dof);
  }
  void linear(int dof, int count) { linear_.push_back({dof, count}); }

 private:
  struct Known {
    int function;
    std::vector<int> inputs;
  };

  template <template <class> class G>
  void add(const std::string& name, int first) {
    constexpr int kDof = G<double>::kDof;
    auto found = known_.find(name);
    if (found == known_.end()) {
      const KernelSum::Local local = LocalFunction::term(stage_function<G>(name));
      found = known_.emplace(name, Known{sum_.add_function(local), local.inputs}).first;
    }
    const auto places = [this, first](std::initializer_list<int> vectors) {
      std::vector<int> list;
      for (const int vector : vectors) {
        for (int i = 0; i < kDof; ++i) list.push_back(vector * dof_ + first + i);
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
  std::vector<Coordinates>& linear_;
  std::map<std::string, Known> known_;
};

StageFunctions::StageFunctions(const dae::Model& system)
    : dof_(system.dof()), turning_(3 * dof_, 2 * dof_) {
  dae::for_each_part(system.configuration_space(), Terms(*this));
}

void StageFunctions::tangent(Const numbers, int columns, Const arguments, Span values) {
  turning_.tangent(numbers, columns, arguments, values);
  for (const Coordinates& part : linear_) {
    const int first = part.first * columns, count = part.count * columns, vector = dof_ * columns;
    const double* const start = arguments.data() + first;
    double* const delta = values.data() + first;
    add(start, count, delta);
    add(start + vector, count, delta);
    add(start + 2 * vector, count, delta + vector);
  }
}

void StageFunctions::adjoint(Const numbers, int columns, Const values, Span arguments) {
  turning_.adjoint(numbers, columns, values, arguments);
  for (const Coordinates& part : linear_) {
    const int first = part.first * columns, count = part.count * columns, vector = dof_ * columns;
    const double* const delta = values.data() + first;
    double* const start = arguments.data() + first;
    add(delta, count, start);
    add(delta, count, start + vector);
    add(delta + vector, count, start + 2 * vector);
  }
}

}  // namespace liegrad::sensitivity
