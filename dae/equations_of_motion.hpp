#pragma once

#include <memory>
#include <span>

#include "liegrad/dae/start/consistency_options.hpp"
#include "liegrad/dae/state.hpp"
#include "liegrad/dae/system/model.hpp"

namespace liegrad::dae {

class Consistency;

/// The equations of a model at a point, for integrators that are written by hand:
///
///     M v̇ + g + Bᵀλ = 0,   d²Φ/dt² = 0,   h_s = 0.
///
/// An object belongs to one thread at a time.
class EquationsOfMotion {
 public:
  explicit EquationsOfMotion(const Model& model, const ConsistencyOptions& options = {});
  ~EquationsOfMotion();
  EquationsOfMotion(EquationsOfMotion&&) noexcept;
  EquationsOfMotion& operator=(EquationsOfMotion&&) noexcept;

  /// The initial values of the model, consistent, with v̇, λ and s. Throws InvalidArgument for values that are not.
  State initial_state(double t = 0);
  /// Finds v̇, λ and s at t, q and v of the state. Throws Error naming what is singular.
  void set_accelerations(State& state);
  /// Values of the controls for both, zero at first.
  std::span<double> controls();

 private:
  std::shared_ptr<const Model> model_;
  std::unique_ptr<Consistency> consistency_;
};

}  // namespace liegrad::dae
