#pragma once

#include <span>
#include <utility>
#include <vector>

#include "liegrad/sensitivity/step/element_sum.hpp"
#include "liegrad/sensitivity/step/term_list.hpp"

namespace liegrad::sensitivity {

/// Where a perturbed motion stands among the numbers of a sum: the parts of MotionLayout, number by number, those of its
/// rates where a function reads them, and the views of the nodes at δ = 0, node by node.
struct MotionPlaces {
  std::vector<int> motion;
  std::vector<int> views;

  /// Parts of MotionLayout of equal length, put in a row of numbers that begins at an offset.
  void put(int first, int count, int offset);
};

/// Where the parts of a motion begin.
struct MotionOffsets {
  int q, v, v_dot, lambda, s, controls, time;
};

/// Hands out numbers in a row: to arguments first, then to what stands behind them.
class Placing {
 public:
  explicit Placing(const dae::Model& system, int first = 0)
      : system_(&system), layout_(system), next_(first) {}

  /// How many numbers were handed out.
  int size() const { return next_; }
  int take(int count) { return std::exchange(next_, next_ + count); }
  int velocities() { return take(system_->dof()); }
  int multipliers() { return take(system_->num_multipliers()); }
  int algebraic() { return take(system_->num_algebraic()); }
  int parameters() { return take(layout_.controls - layout_.parameters); }
  int controls() { return take(layout_.time - layout_.controls); }
  std::vector<int> views();
  /// A motion whose parts were placed before, with views of its own unless it has those of another. All motions have the
  /// same parameters, which were placed one by one.
  void set_parameters(std::vector<int> places) { parameters_ = std::move(places); }
  MotionPlaces motion(const MotionOffsets& at) { return motion(at, views()); }
  MotionPlaces motion(const MotionOffsets& at, std::vector<int> views) const;

 private:
  const dae::Model* system_;
  MotionLayout layout_;
  int next_;
  std::vector<int> parameters_;
};

/// Writes the views of a configuration to their places.
void set_views(const lie::GroupList& space, std::span<const double> q, std::span<const int> views,
               std::span<double> numbers);

/// Functions of the elements of a system as terms of a sum, at any motion.
class ElementTerms {
 public:
  ElementTerms(const dae::Model& system, TermList& terms)
      : system_(system), layout_(system), terms_(terms) {}

  /// A function of all elements; its values are those of element_sum(), from a row on.
  void add_elements(dae::ElementFunction function, dae::ConstraintRows rows,
                    const MotionPlaces& places, int first_row);
  /// The same of one element, whose values are added to the rows that are named.
  void add_element(dae::ElementFunction function, dae::ConstraintRows rows,
                   const dae::PlacedElement& element, const MotionPlaces& places,
                   const std::vector<int>& values);
  /// The equations of v̇, λ and s, (19) of [ArnoldCardonaBruels2015]: M v̇ + g + Bᵀλ, h_s and d²Φ/dt².
  void add_accelerations(const MotionPlaces& places, int first_row);
  int accelerations_size() const;

 protected:
  const dae::Model& system_;
  MotionLayout layout_;
  TermList& terms_;
};

}  // namespace liegrad::sensitivity
