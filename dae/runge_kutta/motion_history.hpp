#pragma once

#include <array>
#include <span>
#include <vector>

#include "liegrad/dae/state.hpp"

namespace liegrad::dae {

/// The ends of the last steps, and polynomials through some of them as guesses of what follows.
///
/// Through k ends that of v, which meets v and v̇, has degree 2k - 1, and those of λ and s have degree k - 1. k is the
/// number that would have served best for the last step: few where accelerations change abruptly.
class MotionHistory {
 public:
  /// Begins anew with one end.
  void reset(const State& state);
  /// Adds the end of a step.
  void add(const State& state);

  int size() const { return count_; }
  /// k.
  int best() const { return best_; }
  /// Between the last two ends; 0 while there is one.
  double last_step() const { return count_ > 1 ? age_of(1) : 0; }

  /// Writes v a time after the last end, through the given number of ends.
  void velocity(double after, int ends, std::span<double> v) const;
  void multipliers(double after, int ends, std::span<double> lambda, std::span<double> s) const;

 private:
  static constexpr int kMostEnds = 4;
  struct End {
    double age = 0;  ///< before the last one
    std::vector<double> v, v_dot, lambda, s;
  };
  struct Weights {
    std::array<double, kMostEnds> values, slopes;
  };

  const End& end(int k) const { return ends_[static_cast<std::size_t>((first_ + k) % kMostEnds)]; }
  double age_of(int k) const { return end(k).age; }
  void write(const State& state);
  /// What v, or with slopes v and v̇, of the ends contribute.
  Weights lagrange(double after, int ends) const;
  Weights hermite(double after, int ends) const;
  void choose(const State& state);

  std::array<End, kMostEnds> ends_;  ///< the last one at first_, then backwards in time
  int first_ = 0, count_ = 0, best_ = 1;
  std::vector<double> predicted_;
};

}  // namespace liegrad::dae
