#pragma once

#include <string>
#include <vector>

#include "liegrad/dae/system/element_interface.hpp"

namespace liegrad::elements {

/// Parameters of the origin of a body-fixed frame, "prefix.X1" to "prefix.X3": for elements that need a
/// point only.
inline std::vector<dae::ParameterSpec> point_parameters(const std::string& prefix) {
  return {{prefix + ".X1", 0, "m", "where it is attached, in the body"},
          {prefix + ".X2", 0, "m", "second component"},
          {prefix + ".X3", 0, "m", "third component"}};
}

/// Parameters of a whole frame: its origin, and its orientation as a quaternion of any length, "prefix.e0"
/// to "prefix.e3".
inline std::vector<dae::ParameterSpec> frame_parameters(const std::string& prefix) {
  std::vector<dae::ParameterSpec> list = point_parameters(prefix);
  list.push_back({prefix + ".e0", 1, "1", "orientation of its frame in the body, a quaternion"});
  list.push_back({prefix + ".e1", 0, "1", "second component"});
  list.push_back({prefix + ".e2", 0, "1", "third component"});
  list.push_back({prefix + ".e3", 0, "1", "fourth component"});
  return list;
}

inline constexpr int kPointParameters = 3;
inline constexpr int kFrameParameters = 7;

/// Lists of parameters one after the other.
template <class... Lists>
std::vector<dae::ParameterSpec> joined(std::vector<dae::ParameterSpec> first,
                                       const Lists&... more) {
  (first.insert(first.end(), more.begin(), more.end()), ...);
  return first;
}

/// The orientation in the body of a frame whose parameters begin there. The quaternion need not have
/// length one: a rational function of parameters that are independent of each other can be
/// differentiated by any of them.
template <class S>
lie::Mat<S, 3> attached_orientation(const dae::Position<S>& at, int first_parameter) {
  const S &w = at.parameter(first_parameter + 3), &x = at.parameter(first_parameter + 4),
          &y = at.parameter(first_parameter + 5), &z = at.parameter(first_parameter + 6);
  const S two = S(2) / (w * w + x * x + y * y + z * z);
  lie::Mat<S, 3> r;
  r(0, 0) = S(1) - two * (y * y + z * z);
  r(0, 1) = two * (x * y - w * z);
  r(0, 2) = two * (x * z + w * y);
  r(1, 0) = two * (x * y + w * z);
  r(1, 1) = S(1) - two * (x * x + z * z);
  r(1, 2) = two * (y * z - w * x);
  r(2, 0) = two * (x * z - w * y);
  r(2, 1) = two * (y * z + w * x);
  r(2, 2) = S(1) - two * (x * x + y * y);
  return r;
}

/// A frame fixed in a node, in inertial coordinates.
template <class S>
lie::Frame<S> attached_frame(const dae::Position<S>& at, int node, int first_parameter) {
  const lie::Frame<S> body = at.frame(node);
  return {body.rotation * attached_orientation<S>(at, first_parameter),
          body.point(at.parameter3(first_parameter))};
}

/// Its origin.
template <class S>
lie::Vec<S, 3> attached_point(const dae::Position<S>& at, int node, int first_parameter) {
  return at.frame(node).point(at.parameter3(first_parameter));
}

}  // namespace liegrad::elements
