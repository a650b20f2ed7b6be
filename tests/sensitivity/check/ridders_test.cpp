// Differences say how good they are: of smooth functions, and of what they have no chance with.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "liegrad/lie/error.hpp"
#include "liegrad/models/models.hpp"
#include "liegrad/sensitivity/check/ridders.hpp"
#include "liegrad/sensitivity/check/typical_value.hpp"

namespace liegrad::testing {
namespace {

using sensitivity::Difference;
using sensitivity::ridders_derivative;
using Values = std::vector<double>;

constexpr double kRounding = std::numeric_limits<double>::epsilon();

TEST(Ridders, KnowsTheDerivativesOfSmoothFunctions) {
  int runs = 0;
  const Difference found = ridders_derivative(
      [&runs](double x) {
        runs += 1;
        return Values{std::exp(x), std::sin(3 * x), 1 / (2 + x), 5.0};
      },
      0.05);
  const Values exact = {1, 3, -0.25, 0};
  for (std::size_t i = 0; i < exact.size(); ++i) {
    EXPECT_NEAR(found.value[i], exact[i], 10 * found.error[i]) << i;
    EXPECT_LT(found.error[i], 1e-11) << i;
  }
  EXPECT_EQ(found.value[3], 0);
  EXPECT_EQ(found.error[3], 0);
  EXPECT_EQ(runs, 16);
}

TEST(Ridders, ShrinksAStepThatIsFarTooLong) {
  // All that the first steps see is an oscillation.
  for (const double frequency : {300.0, 1000.0, 7000.0}) {
    const Difference found = ridders_derivative(
        [frequency](double x) { return Values{std::sin(frequency * x + 0.4)}; }, 1);
    const double exact = frequency * std::cos(0.4);
    EXPECT_NEAR(found.value[0], exact, 1e-7 * exact) << frequency;
    EXPECT_NEAR(found.value[0], exact, 10 * found.error[0]) << frequency;
    EXPECT_LT(found.error[0], 1e-5 * exact) << frequency;
  }
}

TEST(Ridders, ClaimsNothingBelowTheRoundingOfTheFunction) {
  // Exact steps of a linear function: all rows are the same.
  const Difference found =
      ridders_derivative([](double x) { return Values{1e6 + 0.5 * x}; }, 0x1p-10);
  EXPECT_GE(found.error[0], kRounding * 1e6 / 0x1p-10);
  EXPECT_NEAR(found.value[0], 0.5, 10 * found.error[0]);
}

TEST(Ridders, CoversNoiseWithItsEstimate) {
  // Of 1e-9, on many functions with the derivative 1.
  std::mt19937 generator;  // NOLINT(cert-msc32-c,cert-msc51-cpp)
  std::uniform_real_distribution<double> noise(-1e-9, 1e-9);
  constexpr int kEntries = 2000;
  const Difference found = ridders_derivative(
      [&](double x) {
        Values values;
        for (int i = 0; i < kEntries; ++i) {
          values.push_back(std::sin(x) + noise(generator));
        }
        return values;
      },
      0.01);
  for (std::size_t i = 0; i < kEntries; ++i) {
    EXPECT_NEAR(found.value[i], 1, 10 * found.error[i]) << i;
    EXPECT_LT(found.error[i], 1e-5) << i;
  }
}

TEST(Ridders, DoesNotTrustItselfWhereTheFunctionJumps) {
  const Difference found =
      ridders_derivative([](double x) { return Values{x > 0 ? 1.0 : 0.0}; }, 0.01);
  EXPECT_GT(found.error[0], 0.4 * std::abs(found.value[0]));
}

TEST(Ridders, LeavesOutStepsWithWhichTheFunctionFails) {
  const auto up_to = [](double limit) {
    return [limit](double x) {
      if (std::abs(x) > limit) throw Error("too far");
      return Values{std::exp(x)};
    };
  };
  const Difference found = ridders_derivative(up_to(1e-3), 0.5);
  EXPECT_NEAR(found.value[0], 1, 1e-10);
  EXPECT_NEAR(found.value[0], 1, 10 * found.error[0]);
  EXPECT_THROW(ridders_derivative(up_to(1e-9), 0.5), Error);
}

TEST(TypicalValue, IsThatOfOthersWhereAParameterIsZero) {
  const dae::System system = models::make_model("andrews");
  for (const dae::ParameterSpec& parameter : system.parameters()) {
    const sensitivity::TypicalValue typical =
        sensitivity::typical_value(system, system.parameter_index(parameter.name));
    EXPECT_GT(typical.value, 0) << parameter.name;
    EXPECT_EQ(typical.is_guess, parameter.value == 0) << parameter.name;
    if (parameter.value != 0) {
      EXPECT_EQ(typical.value, std::abs(parameter.value)) << parameter.name;
    } else if (parameter.unit == "m") {
      // Its bodies have a size of some millimetres up to centimetres.
      EXPECT_LT(typical.value, 0.1) << parameter.name;
    }
  }
}

}  // namespace
}  // namespace liegrad::testing
