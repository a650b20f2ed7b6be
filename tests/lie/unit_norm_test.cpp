// Rounding must not move rotations off the unit sphere, however many are composed.

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "liegrad/lie/so2.hpp"
#include "liegrad/lie/so3.hpp"

namespace liegrad::lie {
namespace {

constexpr int kTenMillion = 10'000'000;

/// Small rotations to be composed in turn; |Ω| about 1e-2.
std::vector<SO3<double>> small_rotations() {
  std::mt19937 rng(42);
  std::normal_distribution<double> normal(0, 5e-3);
  std::vector<SO3<double>> rotations;
  for (int i = 0; i < 4093; ++i) {  // a prime, so that the sequence fits no other period
    rotations.push_back(SO3<double>::exp(Vec<double, 3>(normal(rng), normal(rng), normal(rng))));
  }
  return rotations;
}

/// The product without the correction of unit_norm.hpp.
Vec<double, 4> plain_product(const Vec<double, 4>& a, const Vec<double, 4>& b) {
  return {a(0) * b(0) - a(1) * b(1) - a(2) * b(2) - a(3) * b(3),
          a(0) * b(1) + a(1) * b(0) + a(2) * b(3) - a(3) * b(2),
          a(0) * b(2) - a(1) * b(3) + a(2) * b(0) + a(3) * b(1),
          a(0) * b(3) + a(1) * b(2) - a(2) * b(1) + a(3) * b(0)};
}

TEST(SO3, StaysOnTheUnitSphereThroughTenMillionProducts) {
  const auto rotations = small_rotations();
  auto q = SO3<double>::identity();
  double worst = 0;
  std::size_t next = 0;
  for (int i = 0; i < kTenMillion; ++i) {
    q = q * rotations[next];
    next = next + 1 == rotations.size() ? 0 : next + 1;
    worst = std::max(worst, std::abs(q.coeffs().squaredNorm() - 1) / 2);  // | |q| - 1 |
  }
  RecordProperty("worst_distance_from_the_sphere_in_1e_16", std::to_string(worst * 1e16));
  EXPECT_LT(worst, 1e-14);
  // The rotation did go somewhere.
  EXPECT_GT(q.log().norm(), 0.1);
}

// Without the correction the same products drift away: the test above can fail.
TEST(SO3, PlainProductsDriftOffTheUnitSphere) {
  const auto rotations = small_rotations();
  Vec<double, 4> q = SO3<double>::identity().coeffs();
  std::size_t next = 0;
  for (int i = 0; i < kTenMillion; ++i) {
    q = plain_product(q, rotations[next].coeffs());
    next = next + 1 == rotations.size() ? 0 : next + 1;
  }
  RecordProperty("drift_in_1e_16", std::to_string(std::abs(q.norm() - 1) * 1e16));
  EXPECT_GT(std::abs(q.norm() - 1), 1e-13);
}

/// One product takes a norm 1 + ε to 1 - 3ε²/2.
TEST(SO3, ComesBackToTheUnitSphereQuadratically) {
  const double epsilon = 1e-4;
  const auto off = SO3<double>::from_coeffs(Vec<double, 4>(1 + epsilon, 0, 0, 0));
  const auto once = off * SO3<double>::identity();
  EXPECT_NEAR(once.coeffs().norm(), 1 - 1.5 * epsilon * epsilon, epsilon * epsilon * epsilon);
  const auto twice = once * SO3<double>::identity();
  EXPECT_NEAR(twice.coeffs().norm(), 1, 1e-15);
}

TEST(SO2, StaysOnTheUnitCircleThroughAMillionProducts) {
  const auto step = SO2<double>::from_angle(0.01);
  auto q = SO2<double>::identity();
  double worst = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    q = q * step;
    worst = std::max(worst, std::abs(q.coeffs().norm() - 1));
  }
  EXPECT_LT(worst, 1e-14);
}

}  // namespace
}  // namespace liegrad::lie
