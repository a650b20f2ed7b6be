#pragma once

#include <optional>
#include <string>
#include <vector>

#include "liegrad/dae/run/control_law.hpp"
#include "liegrad/dae/system/system.hpp"

namespace liegrad::optimize {

/// How measured and computed values of an output are compared.
enum class Comparison {
  kDifference,  ///< y - ŷ
  kAngle,       ///< y - ŷ on SO(2), between -π and π
  kRotation,  ///< log(ŷ⁻¹ y) on SO(3), of unit quaternions (w, x, y, z); their sign does not matter
};

/// Measured values of one number of an output, or of a whole orientation, at its own times.
struct Series {
  std::string output;  ///< "top.x"
  int component = 0;   ///< from 1; 0 where the output is one number or an orientation
  Comparison comparison = Comparison::kDifference;
  std::vector<double> times = {};   ///< increasing
  std::vector<double> values = {};  ///< for each time one number, or the four of a quaternion

  int width() const { return comparison == Comparison::kRotation ? 4 : 1; }
  /// Of a residual.
  int residual_size() const { return comparison == Comparison::kRotation ? 3 : 1; }
  /// "top.x.1", as in dae::Outputs.
  std::string name() const {
    return component == 0 ? output : output + "." + std::to_string(component);
  }
  /// Columns of the outputs that it is compared with.
  std::vector<std::string> columns() const;
};

/// What was measured in one trial.
struct Recording {
  std::string name;
  std::vector<Series> series;
  /// Where its run starts and ends; at the first and the last sample unless given.
  std::optional<double> run_start = {}, run_end = {};
  /// What drove the system in this trial, in place of the controls of the runs.
  dae::ControlLaw controls = {};

  double first_time() const;
  double last_time() const;
  int num_samples() const;
};

/// A series without values for an output of a system, or one component of it. Throws InvalidArgument for a name
/// that does not exist, and for a single component of an orientation.
Series series_of(const dae::System& system, const std::string& output, int component);

/// Throws InvalidArgument for times that do not increase, for values that are not finite, for quaternions whose
/// length is not 1 up to 1e-3, and for a recording without any two times. Quaternions are normalised.
void check_recording(Recording& recording);

/// The part of a recording in a window of time.
Recording window_of(const Recording& recording, std::optional<double> from,
                    std::optional<double> to);
/// Pieces of a given length, "swing[1]", "swing[2]", …; a last one shorter than half of it is left out. A sample
/// between two pieces belongs to the second.
std::vector<Recording> pieces_of(const Recording& recording, double length);
/// All of a recording, cut where a sensor has no samples for several times its usual interval.
std::vector<Recording> parts_without_gaps(const Recording& recording);

}  // namespace liegrad::optimize
