// What a kernel can be asked for, how it refuses, and that all ways of asking give the same numbers.

#include <array>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "all_results.hpp"
#include "expect_message.hpp"
#include "liegrad/ad/kernel.hpp"

namespace liegrad::ad {
namespace {

using test::evaluated;
using test::expect_invalid;
using test::Numbers;

constexpr Backend kBackends[] = {Backend::kCompiled, Backend::kInterpreted};

/// Results that share work may be computed in another order: a few roundings.
constexpr double kOrderTolerance = 1e-14;

/// Three variables, two data, four outputs; the third is constant, the last reads only data.
Recording example() {
  return record({.name = "example", .variables = 3, .data = 2}, [](auto x, auto d) {
    return std::array{Taped(x[0] * x[0] * x[1] + d[0]), Taped(sin(x[2]) * d[1]), Taped(2.5),
                      Taped(d[0] * d[1] * d[1])};
  });
}
const Numbers kAt = {0.7, -1.3, 0.4, 1.1, 0.6};

/// J by all five inputs at kAt, by hand.
std::vector<Numbers> full_jacobian() {
  const double x = kAt[0], y = kAt[1], z = kAt[2], a = kAt[3], b = kAt[4];
  return {{2 * x * y, x * x, 0, 1, 0},
          {0, 0, std::cos(z) * b, 0, std::sin(z)},
          {0, 0, 0, 0, 0},
          {0, 0, 0, b * b, 2 * a * b}};
}

Numbers with(const Numbers& x, const Numbers& more) {
  Numbers all = x;
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

void expect_near(const Numbers& found, const Numbers& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], tolerance * std::max(1.0, std::abs(expected[i])));
  }
}

// ---------------------------------------------------------------- what it is asked for

TEST(Kernel, DifferentiatesByTheChosenInputsInTheirOrder) {
  const auto f = example();
  const auto J = full_jacobian();
  for (const Backend backend : kBackends) {
    for (const std::vector<int>& wrt :
         {std::vector<int>{}, {0, 1, 2}, {2, 0}, range(3, 2), {4, 1, 3}, {1}}) {
      const Kernel kernel(
          f, {.results = {jacobian(wrt), transpose_times(wrt), jacobian_times(wrt)}}, backend);
      const std::vector<int> columns = wrt.empty() ? range(0, 3) : wrt;
      Numbers dense, transpose, times;
      const Numbers w = {1, -2, 3, 0.5};
      Numbers d;
      for (std::size_t j = 0; j < columns.size(); ++j) d.push_back(1.0 + static_cast<double>(j));
      for (int i = 0; i < 4; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < columns.size(); ++j) {
          const double entry = J[static_cast<std::size_t>(i)][static_cast<std::size_t>(columns[j])];
          dense.push_back(entry);
          sum += entry * d[j];
        }
        times.push_back(sum);
      }
      for (const int j : columns) {
        double sum = 0;
        for (std::size_t i = 0; i < 4; ++i) sum += J[i][static_cast<std::size_t>(j)] * w[i];
        transpose.push_back(sum);
      }
      expect_near(evaluated(kernel, with(kAt, with(w, d))), with(dense, with(transpose, times)),
                  kOrderTolerance);
    }
  }
}

TEST(Kernel, KnowsWhichEntriesCanBeNonZero) {
  const auto f = example();
  EXPECT_EQ(jacobian_pattern(f, range(0, 5)),
            (Pattern{{0, 0}, {0, 1}, {0, 3}, {1, 2}, {1, 4}, {3, 3}, {3, 4}}));
  EXPECT_EQ(jacobian_pattern(f, {4, 2}), (Pattern{{1, 0}, {1, 1}, {3, 0}}));
  EXPECT_EQ(hessian_pattern(f, range(0, 5)),
            (Pattern{{0, 0}, {1, 0}, {2, 2}, {4, 2}, {4, 3}, {4, 4}}));
  // Rows and columns count in the chosen order, and the lower triangle is that of this order.
  EXPECT_EQ(hessian_pattern(f, {4, 2}), (Pattern{{0, 0}, {1, 0}, {1, 1}}));

  // Exactly those are non-zero at an ordinary point.
  const auto J = full_jacobian();
  Pattern found;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 5; ++j) {
      if (J[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] != 0)
        found.emplace_back(i, j);
    }
  }
  EXPECT_EQ(jacobian_pattern(f, range(0, 5)), found);
}

TEST(Kernel, KnowsThatAConstantTimesAnInputVaries) {
  // CppAD's own forward Hessian pattern does not, if the product is azmul().
  const auto f = record({.name = "azmul", .variables = 1}, [](auto x, auto) {
    return std::array{Taped(sin(azmul(Taped(3.0), x[0])))};
  });
  EXPECT_EQ(hessian_pattern(f, {0}), (Pattern{{0, 0}}));
}

TEST(Kernel, ReturnsTheEntriesOfARequestedPatternInItsOrder) {
  const auto f = example();
  const auto J = full_jacobian();
  // Out of order, and one that is always zero.
  const Pattern entries = {{1, 4}, {0, 0}, {2, 1}, {0, 3}};
  const Pattern lower = {{4, 3}, {0, 0}, {3, 1}};
  const double x1 = kAt[1], b = kAt[4];
  for (const Backend backend : kBackends) {
    const Kernel kernel(
        f, {.results = {sparse_jacobian(range(0, 5), entries), hessian(range(0, 5), lower)}},
        backend);
    EXPECT_EQ(kernel.layout().parts[0].pattern, entries);
    expect_near(evaluated(kernel, with(kAt, {3, 1, 1, 2})),
                {J[1][4], J[0][0], 0, J[0][3], 2 * 2 * b, 3 * 2 * x1, 0}, kOrderTolerance);
  }
}

TEST(Kernel, GivesTheSameNumbersForOneResultAndForMany) {
  const auto f = example();
  const test::Point point{.x = kAt};
  const KernelSpec all = test::all_results();
  for (const Backend backend : kBackends) {
    const Kernel together(f, all, backend);
    std::mt19937 rng(1);
    const Numbers in = test::inputs_at(together.layout(), kAt, rng);
    const Numbers out = evaluated(together, in);
    for (std::size_t k = 0; k < all.results.size(); ++k) {
      const Kernel alone(f, {.results = {all.results[k]}, .directions = 2, .weights = 2}, backend);
      const KernelLayout &one = alone.layout(), &many = together.layout();
      Numbers own_in = kAt;
      const auto append = [&](int offset, int count) {
        own_in.insert(own_in.end(), in.begin() + offset, in.begin() + offset + count);
      };
      append(many.weights_offset, one.num_weights * one.weight_size);
      append(many.directions_offset, one.num_directions * one.direction_size);
      const auto& part = many.parts[k];
      expect_near(evaluated(alone, own_in),
                  Numbers(out.begin() + part.offset, out.begin() + part.offset + part.size),
                  kOrderTolerance);
    }
  }
}

TEST(Kernel, TakesDerivativesWhereInputsAreKnownToBeZero) {
  const auto f = example();
  Numbers zeroed = kAt;
  zeroed[0] = zeroed[3] = 0;
  Numbers unread = kAt;
  unread[0] = unread[3] = std::numeric_limits<double>::quiet_NaN();
  for (const Backend backend : kBackends) {
    const Kernel usual(f, {.results = {value(), jacobian(range(0, 5))}}, backend);
    const Kernel at_zero(f, {.results = {value(), jacobian(range(0, 5))}, .zero_inputs = {0, 3}},
                         backend);
    expect_near(evaluated(at_zero, unread), evaluated(usual, zeroed), kOrderTolerance);
    const Kernel sparse(f, {.results = {sparse_jacobian(range(0, 5))}, .zero_inputs = {0, 3}},
                        backend);
    EXPECT_EQ(sparse.layout().parts[0].pattern, (Pattern{{0, 3}, {1, 2}, {1, 4}, {3, 3}}));
  }
}

TEST(Kernel, MayHaveNothingToReturn) {
  // The Hessian of a linear function.
  const auto f = record({.name = "linear", .variables = 2},
                        [](auto x, auto) { return std::array{Taped(x[0] + 2.0 * x[1])}; });
  for (const Backend backend : kBackends) {
    const Kernel kernel(f, {.results = {hessian()}}, backend);
    EXPECT_EQ(kernel.layout().num_outputs, 0);
    Numbers none;
    kernel(Numbers{1, 2, 1}, none);
    kernel.batch(9, Numbers(27), 9, none, 9);
    const Kernel both(f, {.results = {hessian(), value()}}, backend);
    EXPECT_EQ(evaluated(both, {1, 2, 1}), Numbers{5});
  }
}

TEST(Kernel, SaysWhatItWasAskedToBeAndWhatItIs) {
  const auto f = example();
  const Kernel compiled(f, {.results = {value()}});
  EXPECT_EQ(compiled.info().backend_given, Backend::kCompiled);
  EXPECT_EQ(compiled.info().backend_used, Backend::kCompiled);
  EXPECT_TRUE(compiled.info().origin.has_value());
  EXPECT_EQ(compiled.info().message, "");
  EXPECT_GT(compiled.info().seconds, 0);
  const Kernel interpreted(f, {.results = {value()}}, Backend::kInterpreted);
  EXPECT_EQ(interpreted.info().backend_given, Backend::kInterpreted);
  EXPECT_EQ(interpreted.info().backend_used, Backend::kInterpreted);
  EXPECT_FALSE(interpreted.info().origin.has_value());
  EXPECT_EQ(interpreted.info().message, "");
}

TEST(Kernel, KeepsNanAndInfinityVisible) {
  const auto f = record({.name = "domain", .variables = 1}, [](auto x, auto) {
    return std::array{Taped(log(x[0])), Taped(1.0 / x[0]), Taped(x[0] * x[0])};
  });
  for (const Backend backend : kBackends) {
    const Kernel kernel(f, {.results = {value(), jacobian()}}, backend);
    const Numbers at_zero = evaluated(kernel, {0});
    EXPECT_EQ(at_zero[0], -std::numeric_limits<double>::infinity());
    EXPECT_EQ(at_zero[1], std::numeric_limits<double>::infinity());
    EXPECT_EQ(at_zero[2], 0);
    EXPECT_EQ(at_zero[3], std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isnan(evaluated(kernel, {-1})[0]));
    for (const double y : evaluated(kernel, {std::numeric_limits<double>::quiet_NaN()})) {
      EXPECT_TRUE(std::isnan(y));
    }
  }
}

// ---------------------------------------------------------------- long functions

TEST(Kernel, OfALongFunctionIsCutIntoPiecesAndStaysTheSame) {
  constexpr int kSteps = 250;
  const auto f = record({.name = "long_chain", .variables = 3}, [](auto start, auto) {
    std::vector<Taped> x(start.begin(), start.end());
    // A damped rotation with a kick that depends on the side; values stay of order one.
    for (int k = 0; k < kSteps; ++k) {
      const Taped kick = lie::select_lt<Taped>(x[0], x[1], 0.1 * x[2] * x[2], 0.2 * sin(x[1]));
      const Taped first = 0.8 * x[0] - 0.6 * x[1] + kick;
      x[1] = 0.6 * x[0] + 0.8 * x[1] - 0.01 * x[1] * x[1] * x[1];
      x[2] = 0.99 * x[2] + 0.02 * cos(first);
      x[0] = 0.97 * first;
    }
    return x;
  });
  EXPECT_GT(f.num_operations(), 5000);
  const KernelSpec spec = {.results = {value(), transpose_times()}};
  const Kernel compiled(f, spec), interpreted(f, spec, Backend::kInterpreted);
  ASSERT_EQ(compiled.info().backend_used, Backend::kCompiled) << compiled.info().message;
  // The chain forgets: its derivative after many steps is small, so the scale is the value's.
  const Numbers in = {0.3, 0.2, 0.9, 1, -1, 0.5};
  const Numbers found = evaluated(compiled, in), expected = evaluated(interpreted, in);
  double largest = 0;
  for (const double y : expected) largest = std::max(largest, std::abs(y));
  EXPECT_GT(largest, 0.01);
  // Rounding is amplified along the chain as the derivatives are; each of its steps adds one.
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], kSteps * 1e-15 * std::max(1.0, largest));
  }
  Numbers batch_in(6 * 9), batch_out(static_cast<std::size_t>(compiled.layout().num_outputs) * 9);
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t k = 0; k < 9; ++k) batch_in[9 * i + k] = in[i];
  }
  compiled.batch(9, batch_in, 9, batch_out, 9);
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::size_t k = 0; k < 9; ++k) {
      EXPECT_NEAR(batch_out[9 * i + k], found[i], kSteps * 1e-15 * std::max(1.0, largest));
    }
  }
}

// ---------------------------------------------------------------- what it refuses

void expect_refused(const KernelSpec& spec, const std::string& sentence) {
  const auto f = example();
  expect_invalid([&] { Kernel(f, spec); }, "kernel of function 'example': " + sentence);
}

TEST(KernelSpec, IsRefusedWithOneSentence) {
  expect_refused({}, "it has no results");
  expect_refused({.results = {jacobian({0, 5})}}, "there is no input 5; it has 5");
  expect_refused({.results = {jacobian({-1})}}, "there is no input -1; it has 5");
  expect_refused({.results = {value()}, .zero_inputs = {7}}, "there is no input 7; it has 5");
  expect_refused({.results = {transpose_times({2, 0, 2})}}, "input 2 is named twice");
  expect_refused({.results = {sparse_jacobian({}, Pattern{{0, 0}, {4, 0}})}},
                 "entry (4, 0) of the pattern is outside the 4 by 3 matrix");
  expect_refused({.results = {sparse_jacobian({1}, Pattern{{0, 1}})}},
                 "entry (0, 1) of the pattern is outside the 4 by 1 matrix");
  expect_refused({.results = {hessian({}, Pattern{{0, 1}})}},
                 "entry (0, 1) of the pattern is outside the lower triangle of the 3 by 3 matrix");
  expect_refused({.results = {hessian({}, Pattern{{1, 0}, {2, 2}, {1, 0}})}},
                 "an entry of the pattern is named twice");
  expect_refused({.results = {{ResultKind::kJacobian, {}, Pattern{{0, 0}}}}},
                 "a pattern belongs to a sparse Jacobian or a Hessian only");
  expect_refused({.results = {jacobian_times({0, 1}), hessian_times({2})}},
                 "results that share the directions differentiate by 2 and by 1 inputs");
  expect_refused({.results = {jacobian_times()}, .directions = 0},
                 "a product with directions needs at least one direction");
  expect_refused({.results = {transpose_times()}, .weights = 0},
                 "a product with weights needs at least one weight");
}

TEST(Kernel, RefusesArraysThatAreTooShort) {
  const auto f = example();
  for (const Backend backend : kBackends) {
    const Kernel kernel(f, {.results = {value()}}, backend);
    Numbers in(5), out(4), few(3);
    expect_invalid([&] { kernel(few, out); },
                   "kernel 'example': the input array has 3 numbers instead of 5");
    expect_invalid([&] { kernel(in, few); },
                   "kernel 'example': the output array has 3 numbers instead of 4");
    // The last row of a batch need not be as long as the stride.
    Numbers batch_in(4 * 10 + 8), batch_out(3 * 9 + 8);
    EXPECT_NO_THROW(kernel.batch(8, batch_in, 10, batch_out, 9));
    batch_in.pop_back();
    expect_invalid([&] { kernel.batch(8, batch_in, 10, batch_out, 9); },
                   "kernel 'example': the input array has 47 numbers instead of 48");
    batch_in.push_back(0);
    batch_out.pop_back();
    expect_invalid([&] { kernel.batch(8, batch_in, 10, batch_out, 9); },
                   "kernel 'example': the output array has 34 numbers instead of 35");
    expect_invalid([&] { kernel.batch(8, batch_in, 7, batch_out, 9); },
                   "kernel 'example': a batch of 8 needs strides of at least that, not 7 and 9");
    EXPECT_NO_THROW(kernel.batch(0, {}, 0, {}, 0));
  }
}

}  // namespace
}  // namespace liegrad::ad
