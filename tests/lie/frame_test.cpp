// Frames against the group elements they come from.

#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "liegrad/lie/frame.hpp"
#include "liegrad/lie/operations.hpp"

namespace liegrad::lie {
namespace {

constexpr double kRounding = 32 * std::numeric_limits<double>::epsilon();

template <template <class> class G>
void expect_displacement_to_be_that_of_the_group() {
  std::mt19937 rng(7);
  for (int trial = 0; trial < 50; ++trial) {
    const auto q = random<G<double>>(rng);
    Vec<double, 6> delta = random<G<double>>(rng).log();
    if (trial == 0) delta.setZero();
    const auto moved = Frame<double>::of(plus(q, delta));
    const auto frame = Frame<double>::of(q).template displaced<G>(delta);
    const double scale = 1 + delta.norm() + q.translation().norm();
    EXPECT_LE((frame.rotation - moved.rotation).cwiseAbs().maxCoeff(), kRounding);
    EXPECT_LE((frame.position - moved.position).cwiseAbs().maxCoeff(), kRounding * scale);
  }
}

TEST(Frame, IsDisplacedAsItsPoseIsInTheDirectProduct) {
  expect_displacement_to_be_that_of_the_group<SO3xR3>();
}

TEST(Frame, IsDisplacedAsItsPoseIsInSE3) { expect_displacement_to_be_that_of_the_group<SE3>(); }

TEST(Frame, TellsTheTwoGroupsApart) {
  std::mt19937 rng(8);
  const auto frame = Frame<double>::of(random<SE3<double>>(rng));
  const Vec<double, 6> delta = Vec<double, 6>::LinSpaced(0.1, 0.6);
  const auto in_product = frame.displaced<SO3xR3>(delta), in_se3 = frame.displaced<SE3>(delta);
  EXPECT_GT((in_product.position - in_se3.position).norm(), 0.1);
}

TEST(Frame, ActsOnPointsAndDirectionsAsThePoseDoes) {
  std::mt19937 rng(9);
  const auto pose = random<SE3<double>>(rng);
  const auto frame = Frame<double>::of(pose);
  const Vec<double, 3> X(0.3, -1.2, 2.0);
  EXPECT_LE((frame.point(X) - pose.transform_point(X)).norm(), kRounding * 4);
  EXPECT_LE((frame.direction(X) - pose.transform_vector(X)).norm(), kRounding * 4);
  EXPECT_LE((frame.in_body(frame.direction(X)) - X).norm(), kRounding * 4);
}

}  // namespace
}  // namespace liegrad::lie
