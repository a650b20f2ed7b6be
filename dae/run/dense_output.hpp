#pragma once

#include <vector>

#include "liegrad/dae/state.hpp"
#include "liegrad/lie/group_list.hpp"

namespace liegrad::dae {

/// The motion between the ends of a step, on the group:
///
///     q(t_n + τh) = q_n∘exp(θ(τ)),   v = T(θ) θ'/h,
///
/// where θ is the polynomial of degree 5 that meets q, v and v̇ at both ends: error O(h⁶) in q, O(h⁵) in v beyond
/// that of the ends, so that samples of methods of order 5 are as good as their steps. v̇ is the slope of the cubic
/// polynomial that meets v and v̇, with error O(h³). λ and s are interpolated linearly.
class DenseOutput {
 public:
  explicit DenseOutput(const lie::GroupList& space) : space_(&space) {}

  /// The length h is end.t - start.t but for rounding, which at large times takes digits of the difference.
  void set_step(const State& start, const State& end, double h);
  /// For t in the step.
  void evaluate(double t, State& out) const;

 private:
  const lie::GroupList* space_;
  const State* start_ = nullptr;
  const State* end_ = nullptr;
  double h_ = 0;
  std::vector<double> theta_, rate_end_, second_rate_end_;
  mutable std::vector<double> at_, rate_;
};

}  // namespace liegrad::dae
