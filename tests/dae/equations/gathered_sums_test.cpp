// Entries of one array as sums of entries of another.

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "liegrad/dae/equations/gathered_sums.hpp"

namespace liegrad::testing {
namespace {

using dae::GatheredSums;

/// What stood there before must not matter.
std::vector<double> sums_of(const std::vector<std::vector<int>>& terms,
                            const std::vector<double>& from) {
  std::vector<double> to(terms.size(), std::numeric_limits<double>::quiet_NaN());
  GatheredSums{terms}(from.data(), to.data());
  return to;
}

const std::vector<double> kNumbers = {1, 10, 100, 1000, 1e4, 1e5};

TEST(GatheredSums, CopyWhatHasOneTerm) {
  EXPECT_EQ(sums_of({{2}, {3}, {0}, {5}}, kNumbers), (std::vector<double>{100, 1000, 1, 1e5}));
}

TEST(GatheredSums, AddAllTermsOfAnEntry) {
  EXPECT_EQ(sums_of({{0, 3}, {1, 4}, {2}, {5, 0, 1}}, kNumbers),
            (std::vector<double>{1001, 10010, 100, 100011}));
}

TEST(GatheredSums, CountATermAsOftenAsItIsNamed) {
  EXPECT_EQ(sums_of({{1, 1}, {2, 0, 2}}, kNumbers), (std::vector<double>{20, 201}));
}

TEST(GatheredSums, ClearWhatHasNoTerm) {
  EXPECT_EQ(sums_of({{}, {4, 5}, {}, {1}}, kNumbers), (std::vector<double>{0, 1.1e5, 0, 10}));
}

}  // namespace
}  // namespace liegrad::testing
