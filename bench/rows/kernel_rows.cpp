// What derivatives cost, over the residual that they are derivatives of.

#include <cstdlib>
#include <filesystem>
#include <string>

#include <unistd.h>

#include "liegrad/ad/jet_scalar.hpp"
#include "liegrad/ad/kernel.hpp"

#include "heavy_top_step.hpp"
#include "measure.hpp"
#include "revolute_joint.hpp"
#include "row.hpp"

namespace liegrad::bench {
namespace {

/// As many as a caller would do at once: inputs and results stay in the first-level cache.
constexpr int kInstances = 16;

/// Input arrays of many instances, one after the other and side by side.
struct Instances {
  std::size_t inputs;
  std::vector<double> rows, columns;

  template <std::size_t N>
  Instances(const std::array<double, N>& example, const ad::Kernel& kernel)
      : inputs(static_cast<std::size_t>(kernel.layout().num_inputs)),
        rows(inputs * kInstances),
        columns(inputs * kInstances) {
    for (std::size_t k = 0; k < kInstances; ++k) {
      for (std::size_t i = 0; i < inputs; ++i) {
        // One input differs a little between instances; weights and directions are ones.
        const double value = i < N ? example[i] : 1.0;
        const double number = i == 12 ? value * (1 + 1e-3 * static_cast<double>(k)) : value;
        rows[k * inputs + i] = columns[i * kInstances + k] = number;
      }
    }
  }
};

/// The inputs of one of many calls.
std::span<const double> instance(const Instances& of, std::size_t k) {
  return {of.rows.data() + k * of.inputs, of.inputs};
}

/// A loop of one call for each instance.
std::function<void()> one_by_one(const ad::Kernel& kernel, const Instances& of) {
  return
      [&kernel, &of,
       out = std::vector<double>(static_cast<std::size_t>(kernel.layout().num_outputs))]() mutable {
        for (std::size_t k = 0; k < kInstances; ++k) kernel(instance(of, k), out);
      };
}

/// All instances in one call.
std::function<void()> at_once(const ad::Kernel& kernel, const Instances& of) {
  return [&kernel, &of,
          out = std::vector<double>(
              static_cast<std::size_t>(kernel.layout().num_outputs * kInstances))]() mutable {
    kernel.batch(kInstances, of.columns, kInstances, out, kInstances);
  };
}

/// A function of (x, d) called with plain numbers.
template <class F, class Residual>
std::function<void()> native(const Instances& of, Residual residual) {
  return [&of, residual] {
    for (std::size_t k = 0; k < kInstances; ++k) {
      const auto in = instance(of, k);
      const auto y = residual(in.first(F::kVariables), in.subspan(F::kVariables));
      asm volatile("" : : "g"(&y) : "memory");
    }
  };
}

/// Its Jacobian by dual numbers.
template <class F, class Residual>
std::function<void()> with_jets(const Instances& of, Residual residual) {
  return [&of, residual] {
    using Jet = ceres::Jet<double, F::kVariables>;
    for (std::size_t k = 0; k < kInstances; ++k) {
      const auto in = instance(of, k);
      std::array<Jet, F::kVariables + F::kData> jets;
      for (std::size_t i = 0; i < jets.size(); ++i) jets[i] = Jet(in[i]);
      for (int i = 0; i < F::kVariables; ++i) jets[static_cast<std::size_t>(i)].v(i) = 1;
      const std::span<const Jet> all(jets);
      const auto y = residual(all.first(F::kVariables), all.subspan(F::kVariables));
      asm volatile("" : : "g"(&y) : "memory");
    }
  };
}

/// CppAD's own Jacobian(), with the data as dynamic parameters so that it does not differentiate
/// with respect to them.
template <class F, class Residual>
std::function<void()> with_cppad(const Instances& of, Residual residual) {
  const auto example = F::example();
  std::vector<ad::Taped> x(example.begin(), example.begin() + F::kVariables);
  std::vector<ad::Taped> d(example.begin() + F::kVariables, example.end());
  CppAD::Independent(x, d);
  const auto y = residual(std::span<const ad::Taped>(x), std::span<const ad::Taped>(d));
  auto tape = std::make_shared<CppAD::ADFun<double>>();
  tape->Dependent(x, std::vector<ad::Taped>(y.begin(), y.end()));
  tape->optimize();
  return [tape, &of] {
    for (std::size_t k = 0; k < kInstances; ++k) {
      const double* in = instance(of, k).data();
      tape->new_dynamic(std::vector<double>(in + F::kVariables, in + F::kVariables + F::kData));
      const auto jacobian = tape->Jacobian(std::vector<double>(in, in + F::kVariables));
      asm volatile("" : : "g"(jacobian.data()) : "memory");
    }
  };
}

/// Rows of the function F: `recorded` is what a user writes, `by_hand` the same for any scalar without
/// derivatives inside.
template <class F, class Recorded, class ByHand>
std::vector<Row> rows_of(const std::string& name, Recorded recorded, ByHand by_hand) {
  const ad::Recording recording =
      ad::record({.name = name, .variables = F::kVariables, .data = F::kData}, recorded);
  const auto kernel = [&recording](std::vector<ad::Result> results,
                                   ad::Backend backend = ad::Backend::kCompiled) {
    return ad::Kernel(recording, {.results = std::move(results), .zero_inputs = F::zero_inputs()},
                      backend);
  };
  const ad::Kernel value = kernel({ad::value()}), jacobian = kernel({ad::jacobian()}),
                   both = kernel({ad::value(), ad::jacobian()}),
                   sparse = kernel({ad::sparse_jacobian()}), vjp = kernel({ad::transpose_times()}),
                   hessian = kernel({ad::hessian()}),
                   interpreted = kernel({ad::jacobian()}, ad::Backend::kInterpreted);
  const Instances plain(F::example(), value), weighted(F::example(), vjp);

  std::vector<double> t = times_in_turn({
      native<F>(plain, by_hand),       // 0
      one_by_one(value, plain),        // 1
      one_by_one(jacobian, plain),     // 2
      one_by_one(both, plain),         // 3
      one_by_one(vjp, weighted),       // 4
      one_by_one(hessian, weighted),   // 5
      at_once(value, plain),           // 6
      at_once(jacobian, plain),        // 7
      at_once(both, plain),            // 8
      at_once(vjp, weighted),          // 9
      at_once(hessian, weighted),      // 10
      one_by_one(interpreted, plain),  // 11
      with_cppad<F>(plain, recorded),  // 12
      with_jets<F>(plain, by_hand),    // 13
      one_by_one(sparse, plain),       // 14
      at_once(sparse, plain),          // 15
  });
  for (double& seconds : t) seconds *= 1e9 / kInstances;

  const std::string prefix = "kernel." + name + ".";
  return {
      {prefix + "native_residual", t[0], "ns"},
      {prefix + "value_over_residual", t[1] / t[0], "ratio"},
      {prefix + "jacobian_over_residual", t[2] / t[0], "ratio", 2.5},
      {prefix + "sparse_jacobian_over_residual", t[14] / t[0], "ratio"},
      {prefix + "both_over_residual", t[3] / t[0], "ratio", 3.0},
      {prefix + "vjp_over_residual", t[4] / t[0], "ratio", 2.5},
      {prefix + "hessian_over_residual", t[5] / t[0], "ratio"},
      {prefix + "batch_value_over_residual", t[6] / t[0], "ratio"},
      {prefix + "batch_jacobian_over_residual", t[7] / t[0], "ratio"},
      {prefix + "batch_sparse_jacobian_over_residual", t[15] / t[0], "ratio", 1.5},
      {prefix + "batch_both_over_residual", t[8] / t[0], "ratio"},
      {prefix + "batch_vjp_over_residual", t[9] / t[0], "ratio"},
      {prefix + "batch_hessian_over_residual", t[10] / t[0], "ratio"},
      {prefix + "interpreted_jacobian_over_residual", t[11] / t[0], "ratio"},
      {prefix + "speedup_over_cppad", t[12] / t[2], "x", 40.0},
      {prefix + "jet_jacobian_over_residual", t[13] / t[0], "ratio"},
  };
}

/// An empty cache for the time of its life.
class EmptyCache {
 public:
  EmptyCache()
      : folder_((std::filesystem::temp_directory_path() / "liegrad-bench-XXXXXX").string()) {
    if (const char* before = std::getenv("XDG_CACHE_HOME")) before_ = before;
    if (mkdtemp(folder_.data()) != nullptr) setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  }
  EmptyCache(const EmptyCache&) = delete;
  EmptyCache& operator=(const EmptyCache&) = delete;
  ~EmptyCache() {
    if (before_) {
      setenv("XDG_CACHE_HOME", before_->c_str(), 1);
    } else {
      unsetenv("XDG_CACHE_HOME");
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

 private:
  std::string folder_;
  std::optional<std::string> before_;
};

/// Recording a function and obtaining residual and Jacobian: never seen before, and seen before.
std::vector<Row> first_use_rows() {
  const EmptyCache cache;
  const auto seconds = [] {
    const auto start = std::chrono::steady_clock::now();
    const ad::Recording recording = ad::record(
        {.name = "first_use", .variables = HeavyTopStep::kVariables, .data = HeavyTopStep::kData},
        [](auto x, auto d) { return HeavyTopStep::residual<ad::Taped>(x, d); });
    const ad::Kernel kernel(recording, {.results = {ad::value(), ad::jacobian()}});
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const double first = seconds(), second = seconds();
  return {{"kernel.first_use_seconds", first, "s", 2.0},
          {"kernel.cached_seconds", second, "s", 0.05}};
}

}  // namespace

std::vector<Row> kernel_rows() {
  // Called with a span of any scalar.
  const auto scalar_of = []<class S>(std::span<const S>) { return S(); };
  const auto top = [=](auto x, auto d) {
    return HeavyTopStep::residual<decltype(scalar_of(x))>(x, d);
  };
  const auto joint = [](auto x, auto d) { return RevoluteJoint::residual<ad::Taped>(x, d); };
  const auto joint_by_hand = [=](auto x, auto d) {
    return RevoluteJoint::by_hand<decltype(scalar_of(x))>(x, d);
  };
  std::vector<Row> rows = rows_of<HeavyTopStep>("heavy_top", top, top);
  for (Row& row : rows_of<RevoluteJoint>("revolute_joint", joint, joint_by_hand)) {
    rows.push_back(std::move(row));
  }
  for (Row& row : first_use_rows()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace liegrad::bench
