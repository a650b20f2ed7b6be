#pragma once

#include <span>
#include <vector>

#include "liegrad/sensitivity/step/element_sum.hpp"
#include "liegrad/sensitivity/step/term_list.hpp"

namespace liegrad::sensitivity {

/// Where a perturbed motion stands among the numbers of a sum: the parts of MotionLayout, number by number, and
/// the views of the nodes at δ = 0, node by node.
struct MotionPlaces {
  std::vector<int> motion;
  std::vector<int> views;

  /// Parts of MotionLayout of equal length, put in a row of numbers that begins at an offset.
  void put(int first, int count, int offset);
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

 protected:
  const dae::Model& system_;
  MotionLayout layout_;
  TermList& terms_;
};

}  // namespace liegrad::sensitivity
