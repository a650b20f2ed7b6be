#pragma once

#include <memory>

#include "liegrad/dae/alpha/alpha_parameters.hpp"
#include "liegrad/dae/equations/kinematics.hpp"

namespace liegrad::dae {

/// The updated Lagrangian formulas [BruelsCardonaArnold2012, Eqs. (71)–(79)]: generalized-α in local
/// coordinates of the exponential map, or with crv of the conformal rotation vector, Eqs. (80)–(82).
std::unique_ptr<Kinematics> make_updated_lagrangian(const lie::GroupList& space,
                                                    const AlphaParameters& parameters, bool crv);

}  // namespace liegrad::dae
