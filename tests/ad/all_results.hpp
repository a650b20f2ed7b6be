#pragma once

// Every kind of result of a function, computed by each back end and by independent methods, and
// compared. The function is a callable on std::vector<S> for any scalar S, with N inputs.
//
// References are computed in long double, whose rounding is 2000 times smaller than that of double:
// the first derivatives by the dual numbers of Ceres and again by Ridders' extrapolated differences,
// the second by Ridders' differences of Ceres' gradient.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "liegrad/ad/jet_scalar.hpp"
#include "liegrad/ad/kernel.hpp"
#include "own_cache.hpp"
#include "support/derivative_along.hpp"

namespace liegrad::test {

using Numbers = std::vector<double>;
using Exact = long double;

/// What issue 4 promises of interpreted and compiled kernels.
constexpr double kBackendTolerance = 1e-13;
/// Either back end against the same formulas in long double: some hundred operations, each with its
/// rounding of 1.1e-16, amplified by the cancellation that the formulas contain.
constexpr double kRoundingTolerance = 1e-12;

/// A place to compare at.
struct Point {
  Numbers x;
  /// How far the function is smooth around x: the first step of the differences. Zero on a switch
  /// between two formulas, where differences mean nothing and only the dual numbers are compared.
  double radius = 1.0 / 64;

  /// Ridders' method loses ε^(2/3) when the function changes over a distance of 1 and steps begin
  /// there; a smaller first step leaves as much less to extrapolate, and loses more to rounding.
  double difference_tolerance() const {
    return static_cast<double>(DerivativeAlong<Exact>::relative_error()) / radius;
  }
};

inline ad::KernelSpec all_results() {
  return {.results = {ad::value(), ad::jacobian(), ad::sparse_jacobian(), ad::jacobian_times(),
                      ad::transpose_times(), ad::hessian(), ad::hessian_times()},
          .directions = 2,
          .weights = 2};
}

/// A kernel's inputs at x: weights and directions are random numbers between 1/4 and 1 with random
/// signs, so that none is lost.
inline Numbers inputs_at(const ad::KernelLayout& layout, const Numbers& x, std::mt19937& rng) {
  std::uniform_real_distribution<double> magnitude(0.25, 1);
  Numbers in = x;
  while (static_cast<int>(in.size()) < layout.num_inputs) {
    in.push_back(rng() % 2 == 0 ? magnitude(rng) : -magnitude(rng));
  }
  return in;
}

inline Numbers evaluated(const ad::Kernel& kernel, const Numbers& in) {
  Numbers out(static_cast<std::size_t>(kernel.layout().num_outputs),
              std::numeric_limits<double>::quiet_NaN());
  kernel(in, out);
  return out;
}

/// f, J and the Hessian of wᵀf for the first weight.
struct Reference {
  Values value, jacobian, hessian;
};

/// All outputs of an all_results() kernel from the three things they are made of.
inline std::vector<Exact> outputs_of(const ad::KernelLayout& layout, const Reference& r,
                                     const Numbers& in) {
  const auto m = r.jacobian.rows(), n = r.jacobian.cols();
  const auto block = [&](int offset, Eigen::Index size, int k) -> Values {
    return Eigen::Map<const Eigen::VectorXd>(in.data() + offset + k * size, size).cast<Value>();
  };
  std::vector<Exact> out;
  const auto append = [&out](const Values& column) {
    out.insert(out.end(), column.data(), column.data() + column.size());
  };
  for (const ad::KernelLayout::Part& part : layout.parts) {
    switch (part.kind) {
      case ad::ResultKind::kValue: append(r.value); break;
      case ad::ResultKind::kJacobian: append(r.jacobian.transpose()); break;
      case ad::ResultKind::kSparseJacobian:
        for (const auto& [i, j] : part.pattern) out.push_back(r.jacobian(i, j));
        break;
      case ad::ResultKind::kJacobianTimes:
        for (int k = 0; k < layout.num_directions; ++k) {
          append(r.jacobian * block(layout.directions_offset, n, k));
        }
        break;
      case ad::ResultKind::kTransposeTimes:
        for (int k = 0; k < layout.num_weights; ++k) {
          append(r.jacobian.transpose() * block(layout.weights_offset, m, k));
        }
        break;
      case ad::ResultKind::kHessian:
        for (const auto& [i, j] : part.pattern) out.push_back(r.hessian(i, j));
        break;
      case ad::ResultKind::kHessianTimes:
        for (int k = 0; k < layout.num_directions; ++k) {
          append(r.hessian * block(layout.directions_offset, n, k));
        }
        break;
    }
  }
  return out;
}

/// How far two sets of outputs are from each other, and where.
struct Difference {
  double size = 0;
  int entry = 0;  ///< of the result
};

/// The largest difference of two sets of outputs in one kind of result, relative to
///   the number itself     for values,
///   its row of J          for Jacobians and J d (whose directions are at most 1),
///   the largest entry     for Jᵀw, Hessians and H d,
/// and to 1 where that is larger, as the functions under test are of that size. NaN is infinitely far
/// from everything.
template <class A, class B>
Difference difference(const ad::KernelLayout& layout, ad::ResultKind kind, const A& a, const B& b) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  const int m = layout.weight_size;
  std::vector<double> row(at(m), 1.0);
  Difference largest_difference;
  for (const ad::KernelLayout::Part& part : layout.parts) {
    const int n = static_cast<int>(part.wrt.size());
    if (part.kind == ad::ResultKind::kJacobian) {
      for (int k = 0; k < part.size; ++k) {
        double& scale = row[at(k / n)];
        scale = std::max(scale, std::abs(static_cast<double>(b[at(part.offset + k)])));
      }
    }
    if (part.kind != kind) continue;
    double largest = 1;
    for (int k = 0; k < part.size; ++k) {
      largest = std::max(largest, std::abs(static_cast<double>(b[at(part.offset + k)])));
    }
    for (int k = 0; k < part.size; ++k) {
      double scale = largest;
      switch (kind) {
        case ad::ResultKind::kValue:
          scale = std::max(1.0, std::abs(static_cast<double>(b[at(part.offset + k)])));
          break;
        case ad::ResultKind::kJacobian: scale = row[at(k / n)]; break;
        case ad::ResultKind::kSparseJacobian: scale = row[at(part.pattern[at(k)].first)]; break;
        case ad::ResultKind::kJacobianTimes: scale = row[at(k % m)]; break;
        default: break;
      }
      const double change =
          static_cast<double>(std::abs(a[at(part.offset + k)] - b[at(part.offset + k)])) / scale;
      if (!(change <= largest_difference.size)) {
        largest_difference = {change, k};
        if (std::isnan(change)) largest_difference.size = std::numeric_limits<double>::infinity();
      }
    }
  }
  return largest_difference;
}

inline const char* name_of(ad::ResultKind kind) {
  switch (kind) {
    case ad::ResultKind::kValue: return "value";
    case ad::ResultKind::kJacobian: return "jacobian";
    case ad::ResultKind::kSparseJacobian: return "sparse_jacobian";
    case ad::ResultKind::kJacobianTimes: return "jacobian_times";
    case ad::ResultKind::kTransposeTimes: return "transpose_times";
    case ad::ResultKind::kHessian: return "hessian";
    case ad::ResultKind::kHessianTimes: return "hessian_times";
  }
  return "";
}

constexpr ad::ResultKind kAllKinds[] = {
    ad::ResultKind::kValue,          ad::ResultKind::kJacobian,
    ad::ResultKind::kSparseJacobian, ad::ResultKind::kJacobianTimes,
    ad::ResultKind::kTransposeTimes, ad::ResultKind::kHessian,
    ad::ResultKind::kHessianTimes};

inline bool is_second_order(ad::ResultKind kind) {
  return kind == ad::ResultKind::kHessian || kind == ad::ResultKind::kHessianTimes;
}

/// Compares the results of a function at points, and keeps the largest differences.
template <int N, class F>
class AllResultsCheck {
 public:
  AllResultsCheck(const std::string& name, F f)
      : f_(std::move(f)),
        recording_(ad::record({.name = name, .variables = N},
                              [this](std::span<const ad::Taped> x, auto) {
                                return f_(std::vector<ad::Taped>(x.begin(), x.end()));
                              })),
        compiled_(recording_, all_results()),
        interpreted_(recording_, all_results(), ad::Backend::kInterpreted) {
    EXPECT_EQ(compiled_.info().backend_used, ad::Backend::kCompiled) << compiled_.info().message;
    largest_row_.assign(static_cast<std::size_t>(recording_.num_outputs()), 0);
  }

  const ad::Recording& recording() const { return recording_; }

  /// Both back ends against each other and against the references.
  void compare(const Point& point) {
    const Numbers in = inputs_at(layout(), point.x, rng_);
    SCOPED_TRACE(recording_.name() + " at " + testing::PrintToString(point.x));
    const Numbers compiled = evaluated(compiled_, in), interpreted = evaluated(interpreted_, in);
    expect_close("compiled against interpreted", compiled, interpreted, kBackendTolerance);

    const Reference dual = by_dual_numbers(in);
    note_sizes(dual);
    const std::vector<Exact> by_dual = outputs_of(layout(), dual, in);
    for (const Numbers& result : {compiled, interpreted}) {
      expect_close("dual numbers", result, by_dual, kRoundingTolerance, /*second_order=*/false);
    }
    if (point.radius == 0) return;
    const std::vector<Exact> by_differences =
        outputs_of(layout(), by_ridders(in, point.radius), in);
    const double tolerance = point.difference_tolerance();
    for (const Numbers& result : {compiled, interpreted}) {
      expect_close("Ridders", result, by_differences, tolerance);
    }
  }

  /// Batches of the points in random order against single calls.
  void compare_batches(const std::vector<Point>& points) {
    for (const int count : {1, 7, 8, 9, 33}) {
      std::vector<Numbers> instances;
      for (int k = 0; k < count; ++k) {
        instances.push_back(inputs_at(layout(), points[rng_() % points.size()].x, rng_));
      }
      SCOPED_TRACE(recording_.name() + ", batch of " + std::to_string(count));
      compare_batch(compiled_, instances);
      compare_batch(interpreted_, instances);
    }
  }

  /// The references must see something: every output has a derivative somewhere, except those that
  /// are named flat, and so has the gradient.
  void expect_references_not_zero(const std::vector<int>& flat = {}) const {
    for (std::size_t i = 0; i < largest_row_.size(); ++i) {
      const bool is_flat = std::count(flat.begin(), flat.end(), static_cast<int>(i)) > 0;
      if (is_flat) {
        EXPECT_EQ(largest_row_[i], 0) << recording_.name() << ", output " << i;
      } else {
        EXPECT_GT(largest_row_[i], 0.01) << recording_.name() << ", output " << i;
      }
    }
    EXPECT_GT(largest_hessian_, 0.1) << recording_.name();
  }

 private:
  using Dual = ceres::Jet<Exact, N>;

  const ad::KernelLayout& layout() const { return compiled_.layout(); }
  int num_outputs() const { return recording_.num_outputs(); }

  template <class B>
  void expect_close(const std::string& what, const Numbers& a, const B& b, double tolerance,
                    bool second_order = true) {
    for (const ad::ResultKind kind : kAllKinds) {
      if (is_second_order(kind) && !second_order) continue;
      const Difference found = difference(layout(), kind, a, b);
      EXPECT_LE(found.size, tolerance)
          << what << ": entry " << found.entry << " of " << name_of(kind);
      largest_[what] = std::max(largest_[what], found.size);
      testing::Test::RecordProperty(recording_.name() + ": " + what,
                                    testing::PrintToString(largest_[what]));
    }
  }

  void compare_batch(const ad::Kernel& kernel, const std::vector<Numbers>& instances) {
    const auto count = static_cast<std::ptrdiff_t>(instances.size());
    // Strides larger than the batch, in and out differently; what lies between is not touched.
    const std::ptrdiff_t in_stride = count + 3, out_stride = count + 2;
    constexpr double kUntouched = -77;
    Numbers in(static_cast<std::size_t>(layout().num_inputs * in_stride), kUntouched);
    Numbers out(static_cast<std::size_t>(layout().num_outputs * out_stride), kUntouched);
    const auto at = [](std::ptrdiff_t i, std::ptrdiff_t stride, std::ptrdiff_t k) {
      return static_cast<std::size_t>(i * stride + k);
    };
    for (std::ptrdiff_t k = 0; k < count; ++k) {
      for (int i = 0; i < layout().num_inputs; ++i) {
        in[at(i, in_stride, k)] =
            instances[static_cast<std::size_t>(k)][static_cast<std::size_t>(i)];
      }
    }
    kernel.batch(static_cast<int>(count), in, in_stride, out, out_stride);
    for (std::ptrdiff_t k = 0; k < count; ++k) {
      Numbers one;
      for (int i = 0; i < layout().num_outputs; ++i) one.push_back(out[at(i, out_stride, k)]);
      const Numbers& instance = instances[static_cast<std::size_t>(k)];
      SCOPED_TRACE("instance " + std::to_string(k) + " at " +
                   testing::PrintToString(Numbers(instance.begin(), instance.begin() + N)));
      expect_close("batch against single calls", one, evaluated(kernel, instance),
                   kBackendTolerance);
    }
    for (int i = 0; i < layout().num_outputs; ++i) {
      for (std::ptrdiff_t k = count; k < out_stride; ++k) {
        ASSERT_EQ(out[at(i, out_stride, k)], kUntouched);
      }
    }
  }

  Values jacobian_by_dual_numbers(const std::vector<Exact>& x, Values* value = nullptr) const {
    std::vector<Dual> inputs;
    for (int j = 0; j < N; ++j) inputs.emplace_back(x[static_cast<std::size_t>(j)], j);
    const std::vector<Dual> y = f_(inputs);
    Values jacobian(num_outputs(), N);
    if (value != nullptr) value->resize(num_outputs(), 1);
    for (int i = 0; i < num_outputs(); ++i) {
      jacobian.row(i) = y[static_cast<std::size_t>(i)].v.transpose();
      if (value != nullptr) (*value)(i) = y[static_cast<std::size_t>(i)].a;
    }
    return jacobian;
  }

  Reference by_dual_numbers(const Numbers& in) const {
    Reference r;
    r.jacobian = jacobian_by_dual_numbers({in.begin(), in.begin() + N}, &r.value);
    r.hessian = Values::Zero(N, N);  // not compared
    return r;
  }

  /// d/dε g(x + ε e_j) for each j, as columns.
  template <class G>
  Values columns_by_ridders(const Numbers& in, double radius, G&& g) const {
    // The method's first step is 1/4.
    const Exact scale = 4 * static_cast<Exact>(radius);
    Values columns;
    for (int j = 0; j < N; ++j) {
      const Values column = DerivativeAlong<Exact>::of([&](Exact epsilon) -> Column<Exact> {
        std::vector<Exact> x(in.begin(), in.begin() + N);
        x[static_cast<std::size_t>(j)] += scale * epsilon;
        return g(x);
      });
      columns.conservativeResize(column.rows(), N);
      columns.col(j) = column / scale;
    }
    return columns;
  }

  Reference by_ridders(const Numbers& in, double radius) {
    Reference r;
    const auto value = [this](const std::vector<Exact>& x) -> Column<Exact> {
      const std::vector<Exact> y = f_(x);
      return Eigen::Map<const Column<Exact>>(y.data(), static_cast<Eigen::Index>(y.size()));
    };
    r.value = value({in.begin(), in.begin() + N});
    r.jacobian = columns_by_ridders(in, radius, value);
    const Values w =
        Eigen::Map<const Eigen::VectorXd>(in.data() + layout().weights_offset, num_outputs())
            .cast<Value>();
    r.hessian = columns_by_ridders(in, radius, [&](const std::vector<Exact>& x) -> Column<Exact> {
      return jacobian_by_dual_numbers(x).transpose() * w;
    });
    largest_hessian_ = std::max(largest_hessian_, static_cast<double>(largest_entry(r.hessian)));
    return r;
  }

  void note_sizes(const Reference& r) {
    for (int i = 0; i < num_outputs(); ++i) {
      double& size = largest_row_[static_cast<std::size_t>(i)];
      size = std::max(size, static_cast<double>(largest_entry(r.jacobian.row(i))));
    }
  }

  F f_;
  ad::Recording recording_;
  ad::Kernel compiled_, interpreted_;
  std::mt19937 rng_{4};
  std::map<std::string, double> largest_;
  std::vector<double> largest_row_;
  double largest_hessian_ = 0;
};

/// The whole comparison.
template <int N, class F>
void expect_all_results_agree(const std::string& name, F f, const std::vector<Point>& points,
                              const std::vector<int>& flat_outputs = {}) {
  AllResultsCheck<N, F> check(name, std::move(f));
  for (const Point& point : points) check.compare(point);
  check.compare_batches(points);
  check.expect_references_not_zero(flat_outputs);
}

}  // namespace liegrad::test
