#pragma once

#include <optional>
#include <string>

#include "liegrad/dae/system/system.hpp"

namespace liegrad::models {

/// A system that a JSON file describes (docs/system-files.md), and how long a run of it takes by default.
struct SystemFile {
  dae::System system;
  std::string description = {};
  double t_end = 1, step = 1e-3;
  bool has_bodies = false;  ///< on SO(3)×R³ or SE(3)
};

/// Reads a file. The group of the rigid bodies, where it is given, goes before that of the file. Throws InvalidArgument: for
/// a file that cannot be read, and for each mistake in one sentence with its line and column.
SystemFile read_system_file(const std::string& file,
                            const std::optional<lie::NodeGroup>& body_group = {});

/// The system alone.
inline dae::System read_system(const std::string& file) { return read_system_file(file).system; }

}  // namespace liegrad::models
