#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "liegrad/elements/attached_frame.hpp"

namespace liegrad::elements {

/// Parameters of the origin of a frame fixed in a planar body, "prefix.X1" and "prefix.X2": for elements
/// that need a point only.
inline std::vector<dae::ParameterSpec> planar_point_parameters(const std::string& prefix) {
  return {{prefix + ".X1", 0, "m", "where it is attached, in the body"},
          {prefix + ".X2", 0, "m", "second component"}};
}

/// Parameters of a whole frame: its origin, and the direction of its x axis, of any length, "prefix.d1"
/// and "prefix.d2".
inline std::vector<dae::ParameterSpec> planar_frame_parameters(const std::string& prefix) {
  std::vector<dae::ParameterSpec> list = planar_point_parameters(prefix);
  list.push_back({prefix + ".d1", 1, "1", "direction of its x axis in the body"});
  list.push_back({prefix + ".d2", 0, "1", "second component"});
  return list;
}

inline constexpr int kPlanarPointParameters = 2;
inline constexpr int kPlanarFrameParameters = 4;

/// Where an element is attached, in the body.
template <class S>
lie::Vec<S, 2> point_in_planar_body(const dae::Position<S>& at, int first_parameter) {
  return {at.parameter(first_parameter), at.parameter(first_parameter + 1)};
}

/// The same in inertial coordinates.
template <class S>
lie::Vec<S, 2> attached_planar_point(const dae::Position<S>& at, int node, int first_parameter) {
  return at.planar_frame(node).point(point_in_planar_body<S>(at, first_parameter));
}

/// A frame fixed in a node, in inertial coordinates.
template <class S>
lie::PlanarFrame<S> attached_planar_frame(const dae::Position<S>& at, int node,
                                          int first_parameter) {
  using std::sqrt;
  const S &d1 = at.parameter(first_parameter + 2), &d2 = at.parameter(first_parameter + 3);
  const S scale = S(1) / sqrt(d1 * d1 + d2 * d2);
  const lie::Vec<S, 2> axis =
      at.planar_frame(node).direction(lie::Vec<S, 2>(scale * d1, scale * d2));
  return {axis(0), axis(1), attached_planar_point(at, node, first_parameter)};
}

/// What is wrong with an attached frame whose parameters begin there: its direction may have any length but
/// zero.
inline std::string planar_frame_validation_message(const dae::Position<double>& at,
                                                   const std::string& prefix, int first_parameter) {
  const double d1 = at.parameter(first_parameter + 2), d2 = at.parameter(first_parameter + 3);
  if (d1 != 0 || d2 != 0) return {};
  return "has the direction (0, 0) as x axis of its frame " + prefix +
         "; it may have any length but zero";
}

/// What is wrong with the frames a and b of a joint, whose x axes should point the same way: a joint that
/// makes the sine of the angle between them zero would also hold them in opposite directions.
inline std::string parallel_frames_validation_message(const dae::Position<double>& at) {
  for (const int i : {0, 1}) {
    const std::string text =
        planar_frame_validation_message(at, i == 0 ? "a" : "b", i * kPlanarFrameParameters);
    if (!text.empty()) return text;
  }
  const lie::PlanarFrame<double> a = attached_planar_frame(at, 0, 0);
  const lie::PlanarFrame<double> b = attached_planar_frame(at, 1, kPlanarFrameParameters);
  if (a.cosine * b.cosine + a.sine * b.sine > 0) return {};
  return "has x axes of a and b that point in opposite directions at the start; turn one of them "
         "by d1 and d2";
}

}  // namespace liegrad::elements
