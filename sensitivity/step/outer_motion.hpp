#pragma once

#include <span>

#include "liegrad/sensitivity/step/entries.hpp"
#include "liegrad/sensitivity/step/motion_layout.hpp"

namespace liegrad::sensitivity {

/// Parameters, controls and time of a motion, see MotionLayout, among all else that a step depends on, see OuterLayout.
class OuterMotion {
 public:
  explicit OuterMotion(const dae::Model& system) : motion_(system), outer_(system) {}

  /// Perturbations of a motion from those of the rest, whose controls and time stand at these offsets.
  void put(int columns, std::span<const double> outer, int controls, int time,
           std::span<double> motion) const {
    const Entries entries(columns);
    entries.copy(outer, outer_.parameters, motion_.controls - motion_.parameters, motion,
                 motion_.parameters);
    entries.copy(outer, controls, motion_.time - motion_.controls, motion, motion_.controls);
    entries.copy(outer, time, 1, motion, motion_.time);
  }
  /// Adds gradients with respect to a motion to those with respect to the rest.
  void add(int columns, std::span<const double> motion, int controls, int time,
           std::span<double> outer) const {
    const Entries entries(columns);
    entries.add(motion, motion_.parameters, motion_.controls - motion_.parameters, outer,
                outer_.parameters);
    entries.add(motion, motion_.controls, motion_.time - motion_.controls, outer, controls);
    entries.add(motion, motion_.time, 1, outer, time);
  }

 private:
  MotionLayout motion_;
  OuterLayout outer_;
};

}  // namespace liegrad::sensitivity
