#pragma once

#include <optional>

#include "liegrad/models/file/json_fields.hpp"
#include "liegrad/models/system_file.hpp"

namespace liegrad::models {

/// The system that a part of a JSON file describes: an object with bodies, joints, nodes and elements, or with the name of
/// a built-in system; or a text with the name of a built-in system or of another file, relative to this one.
/// docs/system-files.md has the keys. Throws InvalidArgument with the place of a mistake.
SystemFile system_in(const JsonFields::Json& json, const JsonPlace& place,
                     const std::optional<lie::NodeGroup>& body_group);

/// "so3xr3" or "se3"; where the text is another one, the place is refused.
lie::NodeGroup body_group_in(const JsonFields& fields, const std::string& key);

}  // namespace liegrad::models
