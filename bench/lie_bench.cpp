// What the group operations cost, in nanoseconds a call, beside two floors of the same run: Eigen's
// product of quaternions, and libm's sine and cosine of one angle.
//
// Each operation runs over an array of different inputs, small enough for the first-level cache; every
// result is stored, and no call waits for another (throughput). In the rows named `chain` each call
// takes the result of the one before (latency). The rotation angles are
//
//     step    those of one time step, up to half a radian;
//     any     those of uniformly distributed rotations, 0 to π.

#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <Eigen/Geometry>

#include "liegrad/lie/operations.hpp"
#include "liegrad/lie/se3.hpp"
#include "liegrad/lie/so3.hpp"

namespace liegrad::lie {
namespace {

constexpr std::size_t kInputs = 64;
constexpr double kLargestStepAngle = 0.5;

enum class Angles { kStep, kAny };

/// Logarithms of random elements, their rotations shortened to those of a step where asked.
template <class G>
std::vector<typename G::Tangent> tangents(Angles angles) {
  std::mt19937 rng(1);
  std::uniform_real_distribution<double> step_angle(0, kLargestStepAngle);
  std::vector<typename G::Tangent> result;
  for (std::size_t i = 0; i < kInputs; ++i) {
    typename G::Tangent v = G::random(rng).log();
    if (angles == Angles::kStep) {
      v.template head<3>() *= step_angle(rng) / v.template head<3>().norm();
    }
    result.push_back(v);
  }
  return result;
}

template <class G>
std::vector<G> elements(Angles angles) {
  std::vector<G> result;
  for (const auto& v : tangents<G>(angles)) result.push_back(G::exp(v));
  return result;
}

/// A benchmark of `f` over the inputs, a call to an iteration.
template <class Input, class F>
void add(const std::string& name, const std::vector<Input>& inputs, F f) {
  benchmark::RegisterBenchmark(name.c_str(), [inputs, f](benchmark::State& state) {
    while (state.KeepRunningBatch(static_cast<benchmark::IterationCount>(kInputs))) {
      for (const Input& input : inputs) {
        auto result = f(input);
        benchmark::DoNotOptimize(result);
      }
    }
  });
}

/// A benchmark of the product of all inputs.
template <class Input>
void add_chain(const std::string& name, const std::vector<Input>& inputs) {
  benchmark::RegisterBenchmark(name.c_str(), [inputs](benchmark::State& state) {
    Input product = inputs.front();
    while (state.KeepRunningBatch(static_cast<benchmark::IterationCount>(kInputs))) {
      for (const Input& input : inputs) product = product * input;
      benchmark::DoNotOptimize(product);
    }
  });
}

template <class G>
void add_group(const std::string& group, Angles angles, const std::string& kind) {
  const auto v = tangents<G>(angles);
  const auto g = elements<G>(angles);
  const auto name = [&](const std::string& operation) {
    return group + '/' + operation + '/' + kind;
  };
  add(name("exp"), v, [](const auto& x) { return G::exp(x); });
  add(name("log"), g, [](const auto& x) { return x.log(); });
  add(name("T"), v, [](const auto& x) { return G::tangent_operator(x); });
  add(name("T_inverse"), v, [](const auto& x) { return G::tangent_operator_inverse(x); });
  add(name("T_derivative"), v,
      [w = v.front()](const auto& x) { return G::tangent_operator_derivative(x, w, w); });
  add(name("Ad"), g, [](const auto& x) { return x.Ad(); });
  add(name("compose"), g, [h = g.front()](const auto& x) { return h * x; });
  add(name("plus"), v, [h = g.front()](const auto& x) { return plus<G>(h, x); });
  add_chain(name("compose_chain"), g);
}

void add_floors(Angles angles, const std::string& kind) {
  std::vector<double> theta;
  for (const auto& v : tangents<SO3<double>>(angles)) theta.push_back(v.norm());
  add("floor/libm_sin_and_cos/" + kind, theta,
      [](double x) { return Vec<double, 2>(std::cos(x), std::sin(x)); });

  std::vector<Eigen::Quaterniond> q;
  for (const auto& g : elements<SO3<double>>(angles)) {
    const auto& c = g.coeffs();
    q.emplace_back(c(0), c(1), c(2), c(3));
  }
  add("floor/Eigen_quaternion_product/" + kind, q,
      [h = q.front()](const Eigen::Quaterniond& x) { return Eigen::Quaterniond(h * x); });
  add_chain("floor/Eigen_quaternion_product_chain/" + kind, q);
}

const bool kRegistered = [] {
  for (const auto& [angles, kind] : {std::pair(Angles::kStep, "step"), {Angles::kAny, "any"}}) {
    add_floors(angles, kind);
    add_group<SO3<double>>("SO3", angles, kind);
    add_group<SE3<double>>("SE3", angles, kind);
  }
  return true;
}();

}  // namespace
}  // namespace liegrad::lie
