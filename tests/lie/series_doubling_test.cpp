// stumpff_doubled() against stumpff() at the doubled angle, in extended precision.

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "liegrad/lie/series.hpp"

namespace liegrad::lie {
namespace {

TEST(StumpffDoubled, AgreesWithTheFunctionsAtTheDoubledAngle) {
  static_assert(std::numeric_limits<long double>::digits >= std::numeric_limits<double>::digits);
  for (double theta = 0; theta < 6.3; theta += 0.01) {
    const double x = theta * theta;
    const auto doubled = stumpff_doubled<7, double>(stumpff<7>(0.25 * x));
    const auto expected = stumpff<7>(static_cast<long double>(x));
    for (int k = 0; k <= 7; ++k) {
      // The scale of c_k is its value at zero: c_0 and c_1 pass through zero.
      const auto scale = static_cast<double>(series_detail::inverse_factorial(k));
      EXPECT_NEAR(doubled(k), static_cast<double>(expected(k)),
                  8 * scale * std::numeric_limits<double>::epsilon())
          << "c_" << k << " at " << theta;
    }
  }
}

}  // namespace
}  // namespace liegrad::lie
