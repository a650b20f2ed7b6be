#pragma once

#include <string>

#include "liegrad/dae/system/system.hpp"
#include "liegrad/models/file/json_fields.hpp"

namespace liegrad::models {

/// A straight beam of a file: nodes name.0, name.1, … with elements between them that share their parameters name.EA and so
/// on, and clamps name.from and name.to where it has such. Throws InvalidArgument with the place of a mistake.
void add_beam(const std::string& name, const JsonFields::Json& entry, const JsonPlace& place,
              const lie::NodeGroup& group, dae::System& system);

}  // namespace liegrad::models
