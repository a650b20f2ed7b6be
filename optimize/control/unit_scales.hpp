#pragma once

#include "liegrad/control/nlp.hpp"

namespace liegrad::control {

/// Units in which the motion of a problem, its forces and its cost are about 1, where its own are far from that: the
/// tolerances of IPOPT are absolute, and a torque of 1e-6 N m that satisfies its bounds within 1e-8 N m is found at random.
/// None for problems whose horizon and controls are within some powers of ten of 1, which are left as they are.
///
/// With the horizon τ, velocities are counted in 1/τ and accelerations in 1/τ². Controls are counted in their bounds; where
/// they have none, and multipliers always, in the force that gives what they act on an acceleration of 1/τ². Rows follow,
/// so that their largest entry is about 1, and the cost, whose derivative by a control of that size is. Units are powers of ten.
UnitScales unit_scales(const Transcription& transcription, Nlp& nlp);

}  // namespace liegrad::control
