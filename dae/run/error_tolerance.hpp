#pragma once

namespace liegrad::dae {

/// What adaptive steps aim at: errors at the end of a run of about relative · scale + absolute.
struct ErrorTolerance {
  double relative = 1e-6;
  /// In the units of each coordinate. Scales are never zero, so that none is needed.
  double absolute = 0;
  /// Multipliers count too; otherwise positions and velocities do.
  bool multipliers = false;
};

}  // namespace liegrad::dae
