// Lists of moves against one number after the other.

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

#include "liegrad/dae/equations/moves.hpp"

namespace liegrad::testing {
namespace {

using dae::Moves;

constexpr int kSize = 40;

std::vector<double> numbers(double first) {
  std::vector<double> result(kSize);
  std::iota(result.begin(), result.end(), first);
  return result;
}

/// Runs of one to five neighbours that go to other places; no two go to the same one.
std::vector<Moves::Move> some_runs(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> length(1, 5), gap(0, 2), start(0, kSize - 5);
  std::vector<Moves::Move> moves;
  for (int to = 0; to + 5 <= kSize; to += gap(random)) {
    const int from = start(random), count = length(random);
    for (int i = 0; i < count; ++i) moves.push_back({from + i, to++});
  }
  return moves;
}

TEST(Moves, CopyEachNumberToItsPlaceAndTouchNoOther) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const std::vector<Moves::Move> moves = some_runs(seed);
    const std::vector<double> from = numbers(1);
    std::vector<double> to = numbers(100), expected = to;
    for (const Moves::Move& m : moves) expected[m.to] = from[m.from];
    Moves(moves).copy(from.data(), to.data());
    EXPECT_EQ(to, expected) << "seed " << seed;
  }
}

TEST(Moves, AddToTheirPlaces) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const std::vector<Moves::Move> moves = some_runs(seed);
    const std::vector<double> from = numbers(1);
    std::vector<double> to = numbers(100), expected = to;
    for (const Moves::Move& m : moves) expected[m.to] += from[m.from];
    Moves(moves).add(from.data(), to.data());
    EXPECT_EQ(to, expected) << "seed " << seed;
  }
}

// Runs overlap where they come from: a number then takes what several give.
TEST(Moves, AddBackToWhereTheNumbersCameFrom) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const std::vector<Moves::Move> moves = some_runs(seed);
    const std::vector<double> to = numbers(100);
    std::vector<double> from = numbers(1), expected = from;
    for (const Moves::Move& m : moves) expected[m.from] += to[m.to];
    Moves(moves).add_back(to.data(), from.data());
    EXPECT_EQ(from, expected) << "seed " << seed;
  }
}

TEST(Moves, WithoutAnyDoNothing) {
  const std::vector<double> from = numbers(1);
  std::vector<double> to = numbers(100);
  Moves().copy(from.data(), to.data());
  Moves().add(from.data(), to.data());
  EXPECT_EQ(to, numbers(100));
}

}  // namespace
}  // namespace liegrad::testing
