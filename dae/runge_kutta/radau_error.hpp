#pragma once

#include <optional>
#include <vector>

#include "liegrad/dae/run/error_norm.hpp"
#include "liegrad/dae/runge_kutta/radau_equations.hpp"

namespace liegrad::dae {

/// What a Radau step adds to the error at the end of a run, from the difference d to an embedded result of order s
/// (docs/step-control.md).
class RadauError {
 public:
  RadauError(RadauEquations& equations, const RadauCoefficients& coefficients,
             const lie::GroupList& space, int num_multipliers);

  /// Begins a run.
  void reset() {
    peaks_ = next_peaks_ = {};
    hidden_rate_.reset();
  }
  /// After the last step is accepted.
  void accept() { peaks_ = next_peaks_; }
  /// The rate of a vibration that is damped and not resolved, as positions do not show it within the tolerance.
  std::optional<double> hidden_rate() const { return hidden_rate_; }
  /// Of the step that the equations hold, in units of the tolerance; NaN where the matrix of the filter is singular.
  double find(const State& start, const MethodState& end, const ErrorNorm& norm);

 private:
  /// The highest |v̈| and |v⃛| of late, in the tolerances of velocities, and |v̈| in those of positions.
  struct Peaks {
    double second = 0, third = 0, second_of_position = 0;
    double slow_rate = 0;  ///< |v̇| / |v|: the rate of the motion below a vibration
    double turning = 0;    ///< the highest |Ω|
    double age = 0;        ///< time since the start of the run
    /// ω.
    double rate() const { return second > 0 ? third / second : 0; }
    /// |v̈|/ω³: the amplitude of positions that vibrate at the rate ω.
    double amplitude() const;
  };

  void find_peaks(const State& start, const MethodState& upcoming, const ErrorNorm& norm);
  /// Of q and v, where d adds up to `factor` of itself.
  double motion_error(double h, double factor, const ErrorNorm& norm);
  /// Whether velocities change by a vibration that positions do not show within their tolerance.
  bool is_hidden_vibration(double h) const;
  /// The local error of the result over d, of a motion with a rate x/h.
  double local_over_difference(double x, const MethodState& end) const;
  /// What it adds up to in a run.
  double accumulated_over_difference(const MethodState& end, const ErrorNorm& norm) const;
  double multiplier_error(const MethodState& end, const ErrorNorm& norm);

  RadauEquations& equations_;
  RadauCoefficients coefficients_;
  const lie::GroupList& space_;
  std::optional<double> hidden_rate_;  ///< ω of the first vibration that positions do not show
  Peaks peaks_, next_peaks_;           ///< up to the last accepted step, and up to the last one
  std::vector<double> theta_, v_, slow_theta_, second_, third_, none_, multipliers_;
};

}  // namespace liegrad::dae
