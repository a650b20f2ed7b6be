#include "liegrad/sensitivity/ridders.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace liegrad::sensitivity {
namespace {

constexpr int kLevels = 8;
constexpr double kShrink = 1.8;

}  // namespace

Difference ridders_derivative(const std::function<std::vector<double>(double)>& f,
                              double first_step) {
  Difference best;
  std::vector<std::vector<double>> previous;
  double step = first_step;
  for (int level = 0; level < kLevels; ++level, step /= kShrink) {
    const std::vector<double> plus = f(step), minus = f(-step);
    std::vector<std::vector<double>> row(1);
    for (std::size_t i = 0; i < plus.size(); ++i) {
      row[0].push_back((plus[i] - minus[i]) / (2 * step));
    }
    if (level == 0) {
      best = {row[0], std::vector<double>(plus.size(), std::numeric_limits<double>::infinity())};
    }
    double factor = kShrink * kShrink;
    for (std::size_t j = 1; j <= previous.size(); ++j, factor *= kShrink * kShrink) {
      row.emplace_back(plus.size());
      for (std::size_t i = 0; i < plus.size(); ++i) {
        row[j][i] = (factor * row[j - 1][i] - previous[j - 1][i]) / (factor - 1);
        const double error =
            std::max(std::abs(row[j][i] - row[j - 1][i]), std::abs(row[j][i] - previous[j - 1][i]));
        if (error <= best.error[i]) {
          best.error[i] = error;
          best.value[i] = row[j][i];
        }
      }
    }
    previous = std::move(row);
  }
  return best;
}

}  // namespace liegrad::sensitivity
