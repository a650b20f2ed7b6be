#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <vector>

namespace liegrad::bench {

/// The least of the times that each function returns, in seconds. The functions take turns, so that
/// what disturbs the machine for a while disturbs them alike and their ratios stand.
inline std::vector<double> least_in_turn(const std::vector<std::function<double()>>& timed,
                                         int rounds) {
  std::vector<double> best(timed.size(), std::numeric_limits<double>::infinity());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < timed.size(); ++i) best[i] = std::min(best[i], timed[i]());
  }
  return best;
}

/// The time of one call of each function, in seconds: the least of many rounds, in turn.
inline std::vector<double> times_in_turn(const std::vector<std::function<void()>>& functions,
                                         int rounds = 25, double seconds_each = 2e-3) {
  using Clock = std::chrono::steady_clock;
  const auto elapsed = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  std::vector<std::function<double()>> timed;
  for (const auto& f : functions) {
    // How often to call it in a round, from one call after a warm-up.
    f();
    const auto start = Clock::now();
    f();
    const long calls =
        std::max(1L, static_cast<long>(seconds_each / std::max(elapsed(start), 1e-9)));
    timed.emplace_back([&f, calls, elapsed] {
      const auto begin = Clock::now();
      for (long k = 0; k < calls; ++k) f();
      return elapsed(begin) / static_cast<double>(calls);
    });
  }
  return least_in_turn(timed, rounds);
}

}  // namespace liegrad::bench
