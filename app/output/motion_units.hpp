#pragma once

#include <string>
#include <vector>

#include "liegrad/control/problem.hpp"

namespace liegrad::app {

/// Units of what figures of a motion show, as far as they are known: of groups and points, of joints and actuators of the
/// library, and of what the problem declares. All else has none, an empty text.
class MotionUnits {
 public:
  explicit MotionUnits(const control::Problem& problem);

  /// Of a position along q∘exp(δ).
  const std::string& position(int dof) const { return positions_[static_cast<std::size_t>(dof)]; }
  std::string velocity(int dof) const;
  /// Of a costate: the cost, whose unit is nobody's business here, by that of the position.
  std::string costate(int dof) const;
  const std::string& control(int i) const { return controls_[static_cast<std::size_t>(i)]; }
  /// Of the derivative of the Hamiltonian by a control.
  std::string switching(int i) const;
  const std::string& multiplier(int i) const { return multipliers_[static_cast<std::size_t>(i)]; }

 private:
  void find_positions(const control::Problem& problem);
  void find_controls(const control::Problem& problem);
  void find_multipliers(const dae::Model& system);

  std::vector<std::string> positions_, controls_, multipliers_;
};

}  // namespace liegrad::app
