#pragma once

#include <string>
#include <vector>

#include "liegrad/optimize/fit/measurements.hpp"

namespace liegrad::optimize {

/// Which columns of a file are measured values of which output.
struct ColumnMap {
  std::string output;  ///< "body.x", or "body.x[2]" for one component
  std::vector<std::string> columns;
};

/// Formats of files. All quaternions rotate vectors of the body into the inertial frame.
enum class FileFormat {
  kCsv,    ///< a header line, a column t in seconds, and columns of any names
  kTum,    ///< no header: t x y z qx qy qz qw, in seconds, separated by blanks
  kEuroc,  ///< t in nanoseconds, then p_x p_y p_z, q_w q_x q_y q_z, separated by commas; further columns are left out
};

/// Throws InvalidArgument for an unknown name: csv, tum or euroc.
FileFormat file_format_of(const std::string& name);

/// Reads one trial. Without maps, columns are named after outputs, "top.x.1", and a trajectory belongs to the only
/// rigid body of the system. Throws InvalidArgument for everything that is wrong with the file, with the line.
Recording read_recording(const std::string& file, FileFormat format,
                         const std::vector<ColumnMap>& maps, const dae::System& system);

}  // namespace liegrad::optimize
