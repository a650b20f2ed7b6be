#pragma once

// What the tests of the laws share: the elements they visit and the errors they allow.

#include <ostream>
#include <sstream>

#include <gtest/gtest.h>

#include "support/group_under_test.hpp"
#include "support/hostile_elements.hpp"

namespace liegrad::test {

/// Each number compared has passed through fewer than this many roundings: the longest chain, a
/// product of exponentials of SE(3), has about 40 operations in sequence.
inline constexpr Value kRoundings = 64;

using Groups = std::vector<const GroupUnderTest*>;

// Each is compiled in a file of its own, groups_on_<scalar>.cpp.
const Groups& groups_on_float();
const Groups& groups_on_double();
const Groups& groups_on_long_double();
const Groups& groups_on_cppad();
const Groups& groups_on_nested_cppad();
const Groups& groups_on_jet();

inline void PrintTo(const GroupUnderTest* group, std::ostream* out) {
  *out << group->name << " on " << group->scalar_name;
}

/// |a - b| ≤ error, entry by entry; NaN is never close.
inline testing::AssertionResult close(const Values& a, const Values& b, Value error) {
  if (a.rows() != b.rows() || a.cols() != b.cols())
    return testing::AssertionFailure() << "sizes differ";
  const Value difference = a.size() == 0 ? Value(0) : (a - b).cwiseAbs().maxCoeff();
  if (a.allFinite() && b.allFinite() && difference <= error) return testing::AssertionSuccess();
  std::ostringstream text;
  text << "difference " << difference << " > " << error << "\n" << a << "\nand\n" << b;
  return testing::AssertionFailure() << text.str();
}

inline testing::AssertionResult close(Value a, Value b, Value error) {
  return close(Values::Constant(1, 1, a), Values::Constant(1, 1, b), error);
}

inline Value size_of(const Values& a) { return std::max(Value(1), largest_entry(a)); }

/// v, rounded to the scalar, and everything else a law needs at that point.
class GroupLaws : public testing::TestWithParam<const GroupUnderTest*> {
 protected:
  const GroupUnderTest& G = *GetParam();

  std::vector<Values> tangents() const {
    std::vector<Values> result;
    for (const Values& v : hostile_tangents(G.dof, G.rotations)) result.push_back(G.rounded(v));
    return result;
  }
  /// Exponentials of the hostile tangents, and random elements.
  std::vector<Values> elements() const {
    std::vector<Values> result;
    for (const Values& v : tangents()) result.push_back(G.exp(v));
    std::mt19937 rng(7);
    for (int i = 0; i < 3; ++i) result.push_back(G.random(rng));
    return result;
  }
  /// A second and a third member of a list, to go with its i-th.
  template <class T>
  static const T& partner(const std::vector<T>& list, std::size_t i, std::size_t which) {
    return list[(5 * i + 3 + 7 * which) % list.size()];
  }
  /// Directions whose rotation parts are no longer than 1.
  Values direction(int which) const {
    Values w(G.dof, 1);
    for (int i = 0; i < G.dof; ++i) w(i) = 0.55L * std::sin(Value(1 + 3 * which) * (i + 1));
    return G.rounded(w);
  }
  bool inside_injectivity_radius(const Values& v, Value margin) const {
    return largest_angle(v, G.rotations) < std::numbers::pi_v<Value> - margin;
  }
  /// Rounding of an object of this size.
  Value rounding(Value size) const { return kRoundings * G.precision * size; }
  /// An angle θ is known to a relative precision, so functions of it have errors that grow with θ.
  Value rounding(Value size, const Values& v) const {
    return rounding(size * (1 + largest_entry(v)));
  }
  /// Rounding, and the error of differences where the scalar has no derivatives of its own.
  Value derivative_error(Value size, const Values& v) const {
    return rounding(size, v) + G.derivative_error * size * (1 + largest_entry(v));
  }
  Values matrix_of_exp(const Values& v) const { return G.matrix(G.exp(v)); }
};

}  // namespace liegrad::test
