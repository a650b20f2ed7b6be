#pragma once

#include <vector>

#include "liegrad/dae/state.hpp"
#include "liegrad/lie/group_list.hpp"

namespace liegrad::dae {

/// The motion between the ends of a step, on the group:
///
///     q(t_n + τh) = q_n∘exp(θ(τ)),   v = T(θ) θ'/h,
///
/// where θ is the cubic polynomial that meets q and v at both ends: error O(h⁴) in q, O(h³) in v beyond
/// that of the ends. v̇, a, λ, s are interpolated linearly, η belongs to the whole step.
class DenseOutput {
 public:
  explicit DenseOutput(const lie::GroupList& space) : space_(&space) {}

  void set_step(const State& start, const State& end);
  /// For t in the step.
  void evaluate(double t, State& out) const;

 private:
  const lie::GroupList* space_;
  const State* start_ = nullptr;
  const State* end_ = nullptr;
  double h_ = 0;
  std::vector<double> theta_, slope_start_, slope_end_;
  mutable std::vector<double> at_, slope_;
};

}  // namespace liegrad::dae
