#pragma once

#include <functional>

#include "liegrad/sensitivity/kernel_sum.hpp"
#include "liegrad/sensitivity/motion_layout.hpp"

namespace liegrad::sensitivity {

/// Where the sums of element functions stand: of ElementFunction::kStep all of these (position and velocity
/// as far as the formulation has them), of kRate the first two.
struct EquationRows {
  EquationRows(const dae::Model& system, dae::ConstraintRows rows);
  int motion = 0, algebraic, position, velocity, size;
};

/// A function of all elements of a system, with arguments as in MotionLayout, read from a MotionPoint.
///
/// Values: EquationRows for kStep and kRate; Φ then dΦ/dt for kConstraints; one number for each constraint
/// for kAcceleration and kJerk; one for each velocity for kConstraintForce; those of ObservableRows, with
/// the outputs of all elements, for kObservables. Elements that are not wanted are left out; an empty function
/// wants all.
KernelSum element_sum(const dae::Model& system, dae::ElementFunction function,
                      dae::ConstraintRows rows = {},
                      const std::function<bool(const dae::PlacedElement&)>& is_wanted = {},
                      dae::Runs runs = dae::Runs::kOne);

}  // namespace liegrad::sensitivity
