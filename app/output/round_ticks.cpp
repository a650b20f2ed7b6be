#include "output/round_ticks.hpp"

#include <algorithm>
#include <cmath>

namespace liegrad::app {

std::vector<double> round_ticks(double low, double high, int most, double least) {
  const double rough = (high - low) / most, power = std::pow(10, std::floor(std::log10(rough)));
  double spacing = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * power >= rough) spacing = factor * power;
  }
  spacing = std::max(spacing, least);
  std::vector<double> list;
  for (double x = std::ceil(low / spacing) * spacing; x <= high; x += spacing) {
    list.push_back(std::abs(x) < 1e-9 * spacing ? 0 : x);
  }
  return list;
}

}  // namespace liegrad::app
