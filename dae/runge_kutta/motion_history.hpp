#pragma once

#include <array>
#include <span>
#include <vector>

#include "liegrad/dae/state.hpp"

namespace liegrad::dae {

/// The ends of the last steps, and polynomials through some of them as guesses of what follows.
///
/// Through k ends that of v, which meets v and v̇, has degree 2k - 1, and those of λ and s have degree k - 1. k is, for each
/// of them, the number that would have served best for the last step: few where accelerations change abruptly, and more of
/// λ, which has no derivatives at the ends, than of v.
class MotionHistory {
 public:
  /// Begins anew with one end.
  void reset(const State& state);
  /// Adds the end of a step.
  void add(const MethodState& state);

  int size() const { return count_; }
  /// k of v, and of λ and s.
  int best() const { return best_; }
  int best_of_multipliers() const { return best_of_multipliers_; }
  /// Between the last two ends; 0 while there is one.
  double last_step() const { return count_ > 1 ? age_of(1) : 0; }

  /// Writes v a time after the last end, through the given number of ends.
  void velocity(double after, int ends, std::span<double> v) const;
  void multipliers(double after, int ends, std::span<double> lambda, std::span<double> s) const;

 private:
  static constexpr int kMostEnds = 6, kPlaces = 8;  ///< a power of two
  struct End {
    double age = 0;  ///< before the last one
    std::vector<double> v, v_dot, lambda, s;
  };
  struct Weights {
    std::array<double, kMostEnds> values, slopes;
  };

  std::size_t place(int k) const { return static_cast<std::size_t>((first_ + k) % kPlaces); }
  const End& end(int k) const { return ends_[place(k)]; }
  double age_of(int k) const { return end(k).age; }
  void write(const State& state);
  /// What v, or with slopes v and v̇, of the ends contribute.
  Weights lagrange(double after, int ends) const;
  Weights hermite(double after, int ends) const;
  void choose(const MethodState& state);
  /// Of the present number and its neighbours the one with the least square, which is a function of it.
  template <class F>
  int best_near(int present, F&& square) const;

  std::array<End, kPlaces> ends_;  ///< the last one at first_, then backwards in time
  /// 1/(t_j - t_k) of the ends at places j and k: they stay as long as both do.
  std::array<std::array<double, kPlaces>, kPlaces> reciprocals_{};
  int first_ = 0, count_ = 0, best_ = 1, best_of_multipliers_ = 1;
  std::vector<double> predicted_, predicted_lambda_, predicted_s_;
};

}  // namespace liegrad::dae
