#pragma once

#include <string>
#include <vector>

#include "liegrad/dae/run/control_law.hpp"
#include "liegrad/dae/system/system.hpp"
#include "liegrad/optimize/fit/measurements.hpp"

namespace liegrad::optimize {

/// A system with forces that pull what was measured of it to where it was measured:
///
///     f = gain Jᵀ (k (y_m(t) - y) + d (ẏ_m(t) - ẏ)),   y(q) an output and J = ∂y/∂q,
///
/// and gain (k log(R̂ᵀR_m) + d (R̂ᵀR_m ω_m - ω)) on an orientation. k is 1 over the square of the spread of the data,
/// so that the gain is an energy and outputs of any unit count alike, and d is k times a fifth of the time in which
/// the data change by their spread: hardly a vibration is left of a pull that is just strong enough. Nothing of it acts where the gain is zero.
class TrackedSystem {
 public:
  /// Throws InvalidArgument where none of what was measured depends on positions alone.
  TrackedSystem(const dae::System& system, const std::vector<Recording>& trials);

  const dae::System& system() const { return system_; }
  void set_gain(double gain);
  /// What the system is driven by while it is pulled to a recording; `own` are its own controls.
  dae::ControlLaw controls(const Recording& to, const dae::ControlLaw& own) const;

 private:
  /// A measured output: its force has three controls for each component, or eight of an orientation.
  struct Tracked {
    std::string output;
    Comparison comparison = Comparison::kDifference;
    std::vector<int> components = {};  ///< as in Series
    std::size_t first_control = 0;
  };
  void add_orientation(const Tracked& tracked, const std::vector<Recording>& trials);
  /// Returns why it cannot be done, if so.
  std::string add_output(const Tracked& tracked, const std::vector<Recording>& trials);

  dae::System system_;
  std::size_t num_own_controls_;
  std::vector<Tracked> tracked_;
};

}  // namespace liegrad::optimize
