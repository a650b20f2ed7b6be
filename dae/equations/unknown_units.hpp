#pragma once

#include <span>
#include <vector>

#include "liegrad/dae/equations/assembly.hpp"

namespace liegrad::dae {

/// Units of the unknowns (v̇, λ, s) of (19), in which all are comparable: inertias are one, and then the largest entry of
/// each constraint. Precondition: the assembly holds the matrix of (19).
std::vector<double> unknown_units(Assembly& assembly);

/// The largest of the unknowns, each in its unit.
double size_in_units(std::span<const double> units, std::span<const double> v_dot,
                     std::span<const double> lambda, std::span<const double> s);

}  // namespace liegrad::dae
