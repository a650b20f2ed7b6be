#pragma once

#include <map>
#include <string>
#include <vector>

#include "liegrad/elements/beams/straight_beam.hpp"
#include "liegrad/models/models.hpp"

namespace liegrad::models {

/// A beam with equal stiffness along and about the two axes of its section.
struct UniformBeam {
  double length, EA, GA, GJ, EI, mass, J1, J2;
};

/// Its numbers as parameters of the system under a prefix, "" or "AB.", and the bindings of the elements.
inline std::map<std::string, std::string> add_beam_parameters(dae::System& system,
                                                              const std::string& prefix,
                                                              const UniformBeam& beam) {
  const std::vector<dae::ParameterSpec> list = {
      {"L", beam.length, "m", "length without stress"},
      {"EA", beam.EA, "N", "axial stiffness"},
      {"GA", beam.GA, "N", "shear stiffness"},
      {"GJ", beam.GJ, "N m^2", "torsional stiffness"},
      {"EI", beam.EI, "N m^2", "bending stiffness"},
      {"m", beam.mass, "kg/m", "mass of a length"},
      {"J1", beam.J1, "kg m", "inertia of a length about the beam"},
      {"J2", beam.J2, "kg m", "inertia of a length across the beam"}};
  std::map<std::string, std::string> bind;
  for (dae::ParameterSpec parameter : list) {
    const std::string own = parameter.name;
    parameter.name = prefix + own;
    system.add_parameter(parameter);
    if (own == "GA" || own == "EI") {
      bind[own + "2"] = bind[own + "3"] = parameter.name;
    } else {
      bind[own] = parameter.name;
    }
  }
  bind["J3"] = bind["J2"];
  return bind;
}

/// Adds the row with the interpolation that belongs to the group of its nodes: straight lines and turns for
/// SO(3)×R³, helices for SE(3).
inline void add_beam(dae::System& system, const elements::StraightBeam& row, bool damped = false) {
  if (row.group.kind == lie::GroupKind::kSE3) {
    add_straight_beam(system, row,
                      elements::Beam<elements::HelicoidalInterpolation>{.damped = damped});
  } else {
    add_straight_beam(system, row, elements::Beam<elements::LinearInterpolation>{.damped = damped});
  }
}

}  // namespace liegrad::models
