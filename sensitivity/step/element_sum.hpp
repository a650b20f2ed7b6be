#pragma once

#include <functional>

#include "liegrad/dae/system/element_kind.hpp"
#include "liegrad/sensitivity/step/kernel_sum.hpp"
#include "liegrad/sensitivity/step/motion_layout.hpp"

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

/// Where the arguments of an element's function, in the order of ElementKind::arguments(), stand in MotionLayout.
std::vector<int> element_arguments(const dae::Model& system, const dae::PlacedElement& element,
                                   const MotionLayout& layout, bool with_rates = false);
/// Where the values of an element's function stand among those of element_sum().
std::vector<int> element_values(const dae::Model& system, const dae::PlacedElement& element,
                                dae::ElementFunction function, dae::ConstraintRows rows);
/// Whether a function is one of constraints only, which elements without constraints do not have.
bool is_about_constraints(dae::ElementFunction function);

}  // namespace liegrad::sensitivity
