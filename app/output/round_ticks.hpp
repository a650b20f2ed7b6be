#pragma once

#include <vector>

namespace liegrad::app {

/// Round numbers in an interval, at most `most` and one, at equal distances of 1, 2 or 5 times a power of ten, which is
/// `least` or more.
std::vector<double> round_ticks(double low, double high, int most, double least = 0);

}  // namespace liegrad::app
