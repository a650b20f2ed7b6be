#include "liegrad/sensitivity/step/step_functions.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include "liegrad/dae/system/node_tangent.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/sensitivity/step/local_function.hpp"
#include "liegrad/sensitivity/step/step_recordings.hpp"

/// Defined in the file that the build writes, see liegrad_add_kernels(): its kernels are found from
/// then on.
extern "C" void liegrad_sensitivity_register_kernels();

namespace liegrad::sensitivity {
namespace {

using dae::AlphaVariant;
using dae::index;
using dae::SigmaForm;

/// There are few of them, and they are kept: derivatives of many short runs would spend most of their time
/// on recording them again.
std::shared_ptr<const LocalFunction> step_function(StepPart part, AlphaVariant variant,
                                                   SigmaForm form) {
  static std::mutex mutex;
  using Kept =
      std::map<std::tuple<StepPart, AlphaVariant, SigmaForm>, std::shared_ptr<const LocalFunction>>;
  static Kept& kept = *new Kept;  // never destroyed: what CppAD needs for that may go before
  const std::lock_guard lock(mutex);
  std::shared_ptr<const LocalFunction>& function = kept[{part, variant, form}];
  if (!function) {
    function = std::make_shared<const LocalFunction>(step_recording(part, variant, form),
                                                     ad::range(0, step_part_dof(part)),
                                                     ad::Backend::kCompiled);
  }
  return function;
}

/// Adds the parts of a configuration space to a sum.
class Terms {
 public:
  Terms(const dae::Model& system, AlphaVariant variant, double sigma, KernelSum& sum)
      : arguments_(system.dof()),
        values_(system),
        at_(StepPoint(system.dof(), {}).places()),
        variant_(variant),
        form_(dae::sigma_form(sigma)),
        sum_(sum) {}

  template <template <class> class G>
  void turning(int /*node*/, int dof) {
    add(step_part_of<G>(), dof);
  }
  void linear(int dof, int count) {
    for (int i = 0; i < count; ++i) add(StepPart::kLinear, dof + i);
  }

 private:
  struct Known {
    int function;
    std::vector<int> inputs;
  };

  void add(StepPart part, int first) {
    const int count = step_part_dof(part);
    auto found = known_.find(part);
    if (found == known_.end()) {
      const KernelSum::Local local = LocalFunction::term(step_function(part, variant_, form_));
      found = known_.emplace(part, Known{sum_.add_function(local), local.inputs}).first;
    }
    std::vector<int> numbers, arguments, values;
    const auto append = [&](std::vector<int>& list, int offset) {
      for (int i = 0; i < count; ++i) list.push_back(offset + first + i);
    };
    append(numbers, 0);  // δ_n, which is zero
    for (const int offset : {at_.v, at_.v_dot, at_.a, at_.delta_q, at_.force}) {
      append(numbers, offset);
    }
    numbers.push_back(at_.h);
    append(numbers, at_.theta);
    for (int i = 0; i < kNumMethodNumbers; ++i) numbers.push_back(at_.method + i);
    for (const int offset : {arguments_.q, arguments_.v, arguments_.v_dot, arguments_.a,
                             arguments_.delta_q, arguments_.force}) {
      append(arguments, offset);
    }
    arguments.push_back(arguments_.h);
    for (const int offset : {values_.q, values_.v, values_.v_dot, values_.a}) {
      append(values, offset);
    }
    std::vector<int> read;
    for (const int input : found->second.inputs) read.push_back(numbers[index(input)]);
    sum_.add_term(found->second.function, read, arguments, values);
  }

  StepArguments arguments_;
  StateLayout values_;
  StepPoint::Places at_;
  AlphaVariant variant_;
  SigmaForm form_;
  KernelSum& sum_;
  std::map<StepPart, Known> known_;
};

}  // namespace

StepPoint::StepPoint(int dof, const dae::AlphaMethod& method)
    : at_{.v = 0,
          .v_dot = dof,
          .a = 2 * dof,
          .delta_q = 3 * dof,
          .force = 4 * dof,
          .theta = 5 * dof,
          .h = 6 * dof,
          .method = 6 * dof + 1,
          .size = 6 * dof + 1 + kNumMethodNumbers} {
  numbers_.assign(index(at_.size), 0.0);
  const dae::AlphaParameters& p = method.parameters;
  std::size_t next = index(at_.method);
  for (const double x : {p.alpha_m, p.alpha_f, p.beta, p.gamma, method.sigma}) {
    numbers_[next++] = x;
  }
}

void StepPoint::set(const dae::State& start, std::span<const double> delta_q,
                    std::span<const double> force, double h) {
  const auto put = [this](int first, std::span<const double> values) {
    std::copy(values.begin(), values.end(), numbers_.begin() + first);
  };
  put(at_.v, start.v);
  put(at_.v_dot, start.v_dot);
  put(at_.a, start.a);
  put(at_.delta_q, delta_q);
  put(at_.force, force);
  for (std::size_t i = 0; i < delta_q.size(); ++i) numbers_[index(at_.theta) + i] = h * delta_q[i];
  numbers_[index(at_.h)] = h;
}

KernelSum step_functions(const dae::Model& system, AlphaVariant variant, double sigma) {
  liegrad_sensitivity_register_kernels();
  KernelSum sum(StepArguments(system.dof()).size, StateLayout(system).size);
  dae::for_each_part(system.configuration_space(), Terms(system, variant, sigma, sum));
  return sum;
}

}  // namespace liegrad::sensitivity
