// What record() accepts, what it refuses and how it says so, and what it leaves behind.

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "expect_message.hpp"
#include "liegrad/ad/kernel.hpp"
#include "liegrad/lie/scalar.hpp"

namespace liegrad::ad {
namespace {

using test::expect_invalid;

Recording square() {
  return record({.name = "square", .variables = 1},
                [](auto x, auto) { return std::array{Taped(x[0] * x[0])}; });
}

std::vector<double> values_at(const Recording& f, const std::vector<double>& x) {
  std::vector<double> y(static_cast<std::size_t>(f.num_outputs()));
  Kernel(f, {.results = {value()}}, Backend::kInterpreted)(x, y);
  return y;
}

TEST(Record, KnowsItsSizes) {
  const auto f = record({.name = "f", .variables = 2, .data = 3}, [](auto x, auto d) {
    EXPECT_EQ(x.size(), 2u);
    EXPECT_EQ(d.size(), 3u);
    return std::vector<Taped>{x[0] * d[2], x[1], d[0], Taped(4.0)};
  });
  EXPECT_EQ(f.name(), "f");
  EXPECT_EQ(f.num_variables(), 2);
  EXPECT_EQ(f.num_data(), 3);
  EXPECT_EQ(f.num_inputs(), 5);
  EXPECT_EQ(f.num_outputs(), 4);
  EXPECT_GE(f.num_operations(), 1);
  EXPECT_EQ(values_at(f, {2, 3, 5, 7, 11}), (std::vector<double>{22, 3, 5, 4}));
}

TEST(Record, IsIndependentOfThePlaceWhereItWasRecorded) {
  const auto recorded_at = [](std::vector<double> at) {
    return record({.name = "f", .variables = 2, .at = std::move(at)}, [](auto x, auto) {
      return std::array{lie::select_lt<Taped>(x[0], x[1], x[0] * x[0], sqrt(x[1]))};
    });
  };
  const Recording here = recorded_at({}), there = recorded_at({3, 1});
  EXPECT_EQ(here.canonical_text(), there.canonical_text());
  EXPECT_EQ(values_at(here, {2, 4}), std::vector<double>{4});
  EXPECT_EQ(values_at(there, {2, 4}), std::vector<double>{4});
  EXPECT_EQ(values_at(there, {5, 4}), std::vector<double>{2});
}

TEST(Record, TellsFunctionsApartByWhatTheyCompute) {
  const auto scaled = [](double by) {
    return record({.name = "f", .variables = 1},
                  [by](auto x, auto) { return std::array{Taped(by * x[0])}; });
  };
  EXPECT_EQ(scaled(2).canonical_text(), scaled(2).canonical_text());
  EXPECT_NE(scaled(2).canonical_text(), scaled(std::nextafter(2, 3)).canonical_text());
  EXPECT_NE(scaled(2).canonical_text(), square().canonical_text());
  EXPECT_NE(record({.name = "f", .variables = 2}, [](auto x, auto) { return std::array{x[0]}; })
                .canonical_text(),
            record({.name = "f", .variables = 2}, [](auto x, auto) {
              return std::array{x[1]};
            }).canonical_text());
}

TEST(Record, KnowsWhichInputsItReads) {
  const auto f = record({.name = "f", .variables = 5, .data = 3}, [](auto x, auto d) {
    const Taped not_returned = x[2] * d[0];
    const Taped switched = lie::select_lt(x[3], Taped(1.0), Taped(0.0), x[0]);
    return std::vector<Taped>{x[0] * 2.0, switched, d[1]};
  });
  EXPECT_EQ(f.inputs_read(), (std::vector<int>{0, 3, 6}));
}

TEST(Record, RefusesAFunctionWithoutInputsOrOutputs) {
  const auto one = [](auto, auto) { return std::array{Taped(1.0)}; };
  expect_invalid([&] { record({.name = "f"}, one); },
                 "function 'f' has 0 variables and 0 data; it needs at least one input");
  expect_invalid([&] { record({.name = "f", .variables = -1, .data = 3}, one); },
                 "function 'f' has -1 variables and 3 data; it needs at least one input");
  expect_invalid(
      [] {
        record({.name = "g", .variables = 1}, [](auto, auto) { return std::vector<Taped>(); });
      },
      "function 'g' returned no outputs");
  // Data alone are enough, and so are constants.
  EXPECT_EQ(values_at(record({.name = "h", .data = 1}, one), {7}), std::vector<double>{1});
}

TEST(Record, RefusesAPlaceOfTheWrongSize) {
  expect_invalid(
      [] {
        record({.name = "f", .variables = 2, .data = 1, .at = {1, 2}},
               [](auto x, auto) { return std::array{x[0]}; });
      },
      "function 'f' is to be recorded at 2 values but has 3 inputs");
}

TEST(Record, RefusesComparisonsUnlessAllowed) {
  const auto larger = [](auto x, auto) {
    return std::array{x[0] < x[1] ? Taped(2.0 * x[1]) : Taped(2.0 * x[0])};
  };
  expect_invalid([&] { record({.name = "larger", .variables = 2}, larger); },
                 "function 'larger' compares recorded scalars, which freezes one branch; use "
                 "select_lt() instead of if, or set allow_comparisons");
  const auto f =
      record({.name = "larger", .variables = 2, .at = {1, 2}, .allow_comparisons = true}, larger);
  EXPECT_EQ(values_at(f, {1, 2}), std::vector<double>{4});
  EXPECT_EQ(values_at(f, {3, 2}), std::vector<double>{4});  // frozen, as was said
  // Comparisons with constants count; comparisons of constants do not.
  const auto positive = [](auto x, auto) {
    return std::array{x[0] > 0 ? Taped(1.0) : Taped(x[0])};
  };
  expect_invalid([&] { record({.name = "p", .variables = 1}, positive); },
                 "function 'p' compares recorded scalars, which freezes one branch; use "
                 "select_lt() instead of if, or set allow_comparisons");
  EXPECT_NO_THROW(record({.name = "c", .variables = 1}, [](auto x, auto) {
    return std::array{Taped(2.0) > Taped(1.0) ? Taped(x[0]) : Taped(0.0)};
  }));
}

TEST(Record, PassesExceptionsOnAndCanRecordAgain) {
  struct Mine {};
  for (int k = 0; k < 3; ++k) {
    EXPECT_THROW(record({.name = "f", .variables = 1},
                        [](auto x, auto) {
                          const Taped y = x[0] * x[0];
                          if (CppAD::Variable(y)) throw Mine();
                          return std::array{y};
                        }),
                 Mine);
    EXPECT_EQ(values_at(square(), {3}), std::vector<double>{9});
    // Also after a refusal.
    EXPECT_THROW(
        record({.name = "g", .variables = 1}, [](auto, auto) { return std::vector<Taped>(); }),
        InvalidArgument);
    EXPECT_EQ(values_at(square(), {4}), std::vector<double>{16});
  }
}

TEST(Record, OutlivesItsCopies) {
  std::vector<double> y(1);
  std::optional<Recording> f = square();
  const Recording copy = *f;
  const Kernel kernel(*f, {.results = {value()}}, Backend::kInterpreted);
  f.reset();
  kernel(std::array{5.0}, y);
  EXPECT_EQ(y[0], 25);
  EXPECT_EQ(values_at(copy, {6}), std::vector<double>{36});
}

TEST(SelectLt, OfConstantsRemembersWhereTheChosenNumberCameFrom) {
  // CppAD's own conditional expression keeps the value only, whose derivative is zero.
  const auto f = record({.name = "f", .variables = 2}, [](auto x, auto) {
    return std::array{lie::select_lt<Taped>(1.0, 2.0, x[0] * x[0], x[1]),
                      lie::select_lt<Taped>(2.0, 1.0, x[0], x[1] * x[1])};
  });
  EXPECT_EQ(values_at(f, {3, 4}), (std::vector<double>{9, 16}));
}

}  // namespace
}  // namespace liegrad::ad
