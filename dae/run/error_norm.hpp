#pragma once

#include <span>
#include <vector>

#include "liegrad/dae/equations/assembly.hpp"
#include "liegrad/dae/run/error_tolerance.hpp"
#include "liegrad/dae/state.hpp"

namespace liegrad::dae {

/// Measures errors in units of the tolerance: the largest over all parts of all nodes, each by its Euclidean norm.
///
/// Scales depend neither on units nor on the place of the origin:
///
///     turning         1 rad;                                 its rate: highest seen, at least 1 rad / T
///     displacement    characteristic length of the system,   its rate: highest seen, at least length / T
///                     or the way of the node so far
///     R^n             largest |q| of the node so far         its rate: highest seen, at least largest |q| / T
///
/// T is the length of the run. The characteristic length is the extent of the initial positions of all bodies, or
/// the largest radius of gyration where that is more.
class ErrorNorm {
 public:
  /// `assembly` holds the mass matrix at the initial state.
  ErrorNorm(Assembly& assembly, const State& initial, const ErrorTolerance& tolerance,
            double interval);
  /// Begins a further run of the same system; allocates nothing.
  void start(Assembly& assembly, const State& initial, const ErrorTolerance& tolerance,
             double interval);

  /// Raises the scales to those of a further state of the run.
  void observe(const State& state);

  /// Of an increment of position and a velocity.
  double size(std::span<const double> theta, std::span<const double> v) const;
  double multiplier_size(std::span<const double> lambda) const;
  bool counts_multipliers() const { return tolerance_.multipliers; }

  const ErrorTolerance& tolerance() const { return tolerance_; }
  double interval() const { return interval_; }
  /// A local error that every step makes adds up over a run to this multiple of itself.
  double accumulated_over_local(double h) const { return interval_ / h; }
  /// The same for a method that goes on with the better of two results, whose difference is measured: the error of that
  /// one is smaller by about ωh, where ω = |v̈| / |v̇|, so that the multiple is of the size of ωT.
  double accumulated_over_difference() const;
  /// The distance in time over which second derivatives of accelerations are not drowned by their rounding, ε/h².
  double spacing_above_rounding(double h) const;
  /// Of rounding, as accelerations show it, in positions and velocities of this size.
  double size_of_rounding(std::span<const double> theta, std::span<const double> v) const;

 private:
  enum class Kind { kTurning, kDisplacement, kCoordinates, kFirstOrder };
  /// Coordinates of a node that are measured together.
  struct Part {
    Kind kind;
    int dof, size;
    int coefficients;  ///< where the position, or the coordinates, stand in q
    double position_scale, velocity_scale;
  };

  void add_parts(int node, const Model& system);
  double radius_of_gyration(Assembly& assembly);
  double extent(const State& state) const;
  double weight(double scale) const { return tolerance_.absolute + tolerance_.relative * scale; }

  ErrorTolerance tolerance_;
  double interval_;
  std::vector<Part> parts_;
  std::vector<double> initial_q_;
  double multiplier_scale_ = 0;
  double last_time_ = 0, highest_v_dot_ = 0, highest_jerk_ = 0;
  std::vector<double> last_v_dot_, none_, jerk_;
};

}  // namespace liegrad::dae
