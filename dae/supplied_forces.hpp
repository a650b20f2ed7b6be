#pragma once

#include <string>
#include <vector>

#include "liegrad/dae/model.hpp"

namespace liegrad::dae {

/// Compares the constraint forces that elements give in closed form with those that AD derives from
/// their constraints, at the initial values of the system and beside them. One sentence for each
/// element whose forces differ by more than rounding; empty when all are right.
std::vector<std::string> check_supplied_forces(const Model& system);

}  // namespace liegrad::dae
