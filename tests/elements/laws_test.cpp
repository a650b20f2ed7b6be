// Laws of time: values, derivatives by time and by parameters, and refusals.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "liegrad/ad/taylor_scalar.hpp"
#include "liegrad/elements/coordinates/law_jumps.hpp"
#include "liegrad/elements/coordinates/table_law.hpp"

namespace liegrad::testing {
namespace {

using namespace elements;
using Series = ad::Taylor<double, 3>;
using std::numbers::pi;

/// Value and three derivatives by time.
template <class Law>
std::array<double, 4> derivatives(const Law& law, const std::vector<double>& p, double t) {
  const std::vector<Series> constants(p.begin(), p.end());
  const Series y = law.template value<Series>(constants, Series::variable(t));
  return {y.derivative(0), y.derivative(1), y.derivative(2), y.derivative(3)};
}
template <class Law>
double value(const Law& law, const std::vector<double>& p, double t) {
  return law.template value<double>(p, t);
}

const std::vector<double> kTimes = {-0.2, 0.3, 1, 1.4, 2.5}, kValues = {1, -2, 0.5, 3, 2.5};

TEST(TableLaw, IsTheNaturalSplineAndContinuesStraight) {
  const TableLaw law(kTimes, kValues);
  double largest_jump = 0;
  for (std::size_t i = 0; i < kTimes.size(); ++i) {
    EXPECT_NEAR(value(law, kValues, kTimes[i]), kValues[i], 1e-14);
    const auto before = derivatives(law, kValues, kTimes[i] - 1e-12);
    const auto after = derivatives(law, kValues, kTimes[i] + 1e-12);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(before[k], after[k], 1e-9) << "knot " << i;
    largest_jump = std::max(largest_jump, std::abs(before[3] - after[3]));
  }
  // A spline is no more than C²; together with the values and the ends that makes it unique.
  EXPECT_GT(largest_jump, 1);
  for (const double t : {kTimes.front(), kTimes.back()}) {
    EXPECT_NEAR(derivatives(law, kValues, t)[2], 0, 1e-13);
  }
  const double slope = derivatives(law, kValues, kTimes.back())[1];
  EXPECT_NEAR(value(law, kValues, 4.5), kValues.back() + 2 * slope, 1e-13);
  EXPECT_NEAR(value(law, kValues, -2.2), kValues[0] - 2 * derivatives(law, kValues, kTimes[0])[1],
              1e-13);
}

TEST(TableLaw, IsExactForStraightLinesAndOfFourthOrderElsewhere) {
  EXPECT_NEAR(value(TableLaw({0, 2}, {1, 5}), {1, 5}, 0.5), 2, 1e-15);
  std::vector<double> errors;
  for (const int n : {10, 20, 40}) {
    // The sine has no curvature at 0 and π, as natural ends want it.
    std::vector<double> times, values;
    for (int i = 0; i <= n; ++i) {
      times.push_back(pi * i / n);
      values.push_back(std::sin(times.back()));
    }
    const TableLaw law(times, values);
    double error = 0;
    for (double t = 0; t < pi; t += 0.01) {
      error = std::max(error, std::abs(value(law, values, t) - std::sin(t)));
    }
    errors.push_back(error);
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 4, 0.1);
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 4, 0.1);
}

TEST(TableLaw, HasExactDerivativesByItsValues) {
  const TableLaw law(kTimes, kValues);
  for (const double t : {-1.0, 0.1, 1.2, 2.0, 3.0}) {
    for (std::size_t j = 0; j < kTimes.size(); ++j) {
      std::vector<Series> y(kValues.begin(), kValues.end());
      y[j] = Series::variable(kValues[j]);
      const Series by_value = law.value<Series>(y, Series(t));
      // It is linear in its values: a difference of any size has no truncation error.
      std::vector<double> more = kValues, less = kValues;
      more[j] += 1, less[j] -= 1;
      const double difference = (value(law, more, t) - value(law, less, t)) / 2;
      EXPECT_NEAR(by_value.derivative(1), difference, 1e-14) << "t = " << t << ", value " << j;
      EXPECT_NEAR(by_value.derivative(2), 0, 1e-14);
    }
  }
}

TEST(TableLaw, SharesItsPhysicsWithOthersOfEqualTimes) {
  EXPECT_EQ(TableLaw({0, 1}, {0, 1}), TableLaw({0, 1}, {0, 2}));
  EXPECT_FALSE(TableLaw({0, 1}, {0, 1}) == TableLaw({0, 2}, {0, 1}));
  EXPECT_EQ(TableLaw({0, 1}, {0, 2}).parameters("rad")[1].value, 2);
}

TEST(Laws, ThatMakeNoSenseAreRefusedInOneSentence) {
  // BadModels has those of tables, with the names of their elements.
  EXPECT_EQ(LinearTableLaw({0}, {0}).validation_message({}),
            "has a law with a table of 1 knots; it needs at least two");
  EXPECT_EQ(TableLaw({0, 1}, {0, 1}).validation_message({}), "");
  // A law that is used in spite of its validation message has no value.
  EXPECT_TRUE(std::isnan(value(TableLaw({0, 1, 1}, {0, 1, 2}), {0, 1, 2}, 0.5)));
  EXPECT_TRUE(std::isnan(value(LinearTableLaw({0}, {0}), {0}, 0.5)));
  EXPECT_TRUE(std::isnan(value(PolynomialLaw(0), {}, 0.5)));
  EXPECT_EQ(SmoothStartLaw{}.validation_message(std::array{1.0, 0.0}),
            "has a starting time t_s = 0 s; it must be positive");
  EXPECT_EQ(SmoothStartLaw{}.validation_message(std::array{1.0, 0.5}), "");
}

TEST(LawPieces, EndWhereComparisonsChange) {
  const std::vector<double> p = {-5, 0.5};
  const LawPieces smooth(SmoothStartLaw{}, p);
  EXPECT_EQ(smooth.end_after(-1), 0);
  EXPECT_EQ(smooth.end_after(0), 0.5);
  EXPECT_EQ(smooth.end_after(0.5), std::numeric_limits<double>::infinity());
  const TableLaw law(kTimes, kValues);
  const LawPieces spline(law, kValues);
  double t = -1;
  for (const double knot : kTimes) EXPECT_NEAR(t = spline.end_after(t), knot, 1e-15);
  // The third derivatives of the pieces that meet, as they are beside the knot.
  for (const double side : {-1, 1}) {
    const auto beside = derivatives(law, kValues, 1 + side * 1e-12);
    const auto limit = spline.at(1, static_cast<int>(side));
    EXPECT_NEAR(limit.derivative(0), kValues[2], 1e-15);
    for (int k = 1; k < 4; ++k) {
      EXPECT_NEAR(limit.derivative(k), beside[static_cast<std::size_t>(k)], 1e-9);
    }
  }
}

TEST(Laws, OfDrivesDoNotJump) {
  EXPECT_EQ(jump_validation_message(ConstantLaw{}, std::array{7.0}, 0), "");
  EXPECT_EQ(jump_validation_message(HarmonicLaw{}, std::array{0.5, 2.0, 0.25, 0.1}, 0), "");
  EXPECT_EQ(jump_validation_message(PolynomialLaw(3), std::array{1.0, 2.0, 3.0}, 0), "");
  // In all units, and far from the start.
  for (const double scale : {1e-9, 1.0, 1e9}) {
    EXPECT_EQ(jump_validation_message(SmoothStartLaw{}, std::array{-5 * scale, 0.5}, -0.3), "");
    EXPECT_EQ(jump_validation_message(SmoothStartLaw{}, std::array{-5 * scale, 1e4}, -0.3), "");
    std::vector<double> times, wild, straight;
    for (int i = 0; i < 100; ++i) {
      times.push_back(0.1 * i + 0.03 * std::sin(7.0 * i) + 1e3);
      wild.push_back(scale * std::cos(11.0 * i));
      straight.push_back(scale * times.back());
    }
    EXPECT_EQ(jump_validation_message(TableLaw(times, wild), wild, 0), "");
    EXPECT_EQ(jump_validation_message(TableLaw(times, straight), straight, 0), "");
    EXPECT_EQ(
        jump_validation_message(LinearTableLaw(times, wild), wild, 0).find("has a law whose speed"),
        0u);
  }
}

TEST(SmoothStartLaw, IsAsPrinted) {
  // ω and t_s of the four-bar mechanism.
  const double omega = -5, t_s = 0.5;
  const std::vector<double> p = {omega, t_s};
  const SmoothStartLaw law;
  for (const double t : {0.0, 0.1, 0.25, 0.4, 0.5}) {
    const double printed =
        omega / t_s * (t * t / 2 + std::pow(t_s / (2 * pi), 2) * (std::cos(2 * pi * t / t_s) - 1));
    EXPECT_NEAR(value(law, p, t), printed, 1e-15);
    const auto d = derivatives(law, p, t);
    EXPECT_NEAR(d[2], omega / t_s * (1 - std::cos(2 * pi * t / t_s)), 1e-12);
  }
  for (const double t : {0.5, 0.7, 3.0}) {
    EXPECT_NEAR(value(law, p, t), omega * (t - t_s / 2), 1e-14);
    EXPECT_NEAR(derivatives(law, p, t)[1], omega, 1e-13);
  }
  EXPECT_EQ(value(law, p, -0.3), 0);
  for (const double t : {0.0, t_s}) {
    const auto before = derivatives(law, p, t - 1e-12), after = derivatives(law, p, t + 1e-12);
    for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(before[k], after[k], 1e-7);
  }
  // In the middle of the start, where (86) was not linear: half of the speed, twice the mean
  // acceleration.
  EXPECT_NEAR(derivatives(law, p, 0.25)[1], omega / 2, 1e-13);
  EXPECT_NEAR(derivatives(law, p, 0.25)[2], 2 * omega / t_s, 1e-12);
}

TEST(LinearTableLaw, HasCornersAndHoldsItsEnds) {
  const LinearTableLaw law({0, 1, 2}, {0, 50, 0});
  const std::vector<double> y = {0, 50, 0};
  EXPECT_EQ(value(law, y, -1), 0);
  EXPECT_NEAR(value(law, y, 0.5), 25, 1e-14);
  EXPECT_NEAR(value(law, y, 1), 50, 1e-14);
  EXPECT_NEAR(value(law, y, 1.75), 12.5, 1e-14);
  EXPECT_NEAR(value(law, y, 30), 0, 1e-13);
  EXPECT_NEAR(derivatives(law, y, 0.9)[1], 50, 1e-13);
  EXPECT_NEAR(derivatives(law, y, 1.1)[1], -50, 1e-13);
}

TEST(Laws, ConstantPolynomialAndHarmonic) {
  EXPECT_EQ(value(ConstantLaw{}, {7}, 3), 7);
  EXPECT_NEAR(value(PolynomialLaw(3), {1, 2, 3}, 2), 1 + 4 + 12, 1e-15);
  EXPECT_EQ(PolynomialLaw(3).parameters("rad")[2].unit, "(rad)/s^2");
  const auto d = derivatives(HarmonicLaw{}, {0.5, 2, 0.25, 0.1}, 3);
  const double angle = 2 * pi * 0.25 * 3 + 0.1;
  EXPECT_NEAR(d[0], 0.5 + 2 * std::sin(angle), 1e-14);
  EXPECT_NEAR(d[1], pi * std::cos(angle), 1e-14);
}

}  // namespace
}  // namespace liegrad::testing
