#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <vector>

namespace liegrad::bench {

/// The time of one call of each function, in seconds: the least of many rounds. The functions take
/// turns, so that what disturbs the machine for a while disturbs them alike and their ratios stand.
inline std::vector<double> times_in_turn(const std::vector<std::function<void()>>& functions,
                                         int rounds = 25, double seconds_each = 2e-3) {
  using Clock = std::chrono::steady_clock;
  const auto elapsed = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  // How often to call each in a round, from one call after a warm-up.
  std::vector<long> calls;
  for (const auto& f : functions) {
    f();
    const auto start = Clock::now();
    f();
    calls.push_back(std::max(1L, static_cast<long>(seconds_each / std::max(elapsed(start), 1e-9))));
  }
  std::vector<double> best(functions.size(), std::numeric_limits<double>::infinity());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < functions.size(); ++i) {
      const auto start = Clock::now();
      for (long k = 0; k < calls[i]; ++k) functions[i]();
      best[i] = std::min(best[i], elapsed(start) / static_cast<double>(calls[i]));
    }
  }
  return best;
}

}  // namespace liegrad::bench
