#include "liegrad/dae/runge_kutta/stage_tolerances.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "liegrad/dae/equations/place_state.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/turn.hpp"

namespace liegrad::dae {
namespace {

/// Corrections below this part of velocities change no scale.
constexpr double kSmallCorrection = 1e-6;
/// Corrections that move positions by less than so many units in their last place are rounding, however slow the
/// motion is.
constexpr double kSmallMove = 1e3 * std::numeric_limits<double>::epsilon();
/// Of the gradient of a constraint; smaller entries may be rounding.
constexpr double kSmallGradient = 1e-3;
/// How fast what is known of rounding is forgotten, each time that scales are taken anew, how often that is, and how
/// much the step may change in between.
constexpr double kForgetting = 0.9;
constexpr int kStepsWithScales = 16;
constexpr double kLargestChange = 1.25;

}  // namespace

StageTolerances::StageTolerances(Assembly& assembly, RadauEquations& equations,
                                 const RadauCoefficients& coefficients, double relative)
    : assembly_(assembly),
      equations_(equations),
      relative_(relative),
      inertia_weight_(coefficients.inverse.cwiseAbs().rowwise().sum().maxCoeff()),
      stages_(coefficients.stages),
      scales_(assembly),
      inverse_(index(assembly.size())),
      multiplier_tolerance_(index(assembly.system().num_multipliers())),
      largest_gradient_(multiplier_tolerance_) {}

void StageTolerances::reset() {
  steps_to_scales_ = 0;
  measured_step_ = 0;
  rounding_ = 1;
}

void StageTolerances::update(const State& start, double h) {
  const bool is_similar =
      std::max(h, measured_step_) <= kLargestChange * std::min(h, measured_step_);
  if (steps_to_scales_-- > 0 && is_similar) return;
  steps_to_scales_ = kStepsWithScales;
  rounding_ = std::max(1.0, kForgetting * rounding_);
  equations_.go_to_time(start.t, assembly_);
  measure(start, h);
}

void StageTolerances::measure(const State& state, double h) {
  measured_step_ = h;
  place_state(state, assembly_);
  assembly_.coefficients() = {
      .c_a = inertia_weight_, .c_v = h, .motion_scale = h, .position_scale = 1 / h};
  scales_.measure(state, h);
  scales_.set_inverse_tolerances(relative_, h, inverse_);
  widen();
}

/// Multipliers are known to the rounding of the larger of the forces on both sides of their constraints, and what that
/// leaves in the equations on the other side is no error of the iteration: at the free end of a long chain that falls,
/// multipliers are far below it. Precondition: the assembly holds the matrix of the last measurement, with B.
void StageTolerances::widen() {
  std::ranges::fill(multiplier_tolerance_, 0.0);
  std::ranges::fill(largest_gradient_, 0.0);
  const auto for_each_gradient = [this](auto&& f) {
    const int first = assembly_.multiplier_offset();
    for (const auto& [row, column, place, is_position] : equations_.entries()) {
      if (!is_position) continue;
      f(index(row - first), index(column), std::abs(assembly_.matrix().values()[index(place)]));
    }
  };
  for_each_gradient([this](std::size_t k, std::size_t, double gradient) {
    largest_gradient_[k] = std::max(largest_gradient_[k], gradient);
  });
  for_each_gradient([this](std::size_t k, std::size_t i, double gradient) {
    if (!(gradient > kSmallGradient * largest_gradient_[k])) return;
    multiplier_tolerance_[k] = std::max(multiplier_tolerance_[k], 1 / (inverse_[i] * gradient));
  });
  for_each_gradient([this](std::size_t k, std::size_t i, double gradient) {
    const double left = gradient * multiplier_tolerance_[k];
    inverse_[i] = std::min(inverse_[i], 1 / left);
  });
}

double StageTolerances::size(std::span<const double> residual) const {
  double largest = 0, sum = 0;
  for (std::size_t i = 0; i < residual.size(); i += inverse_.size()) {
    for (std::size_t k = 0; k < inverse_.size(); ++k) {
      const double magnitude = std::abs(residual[i + k]);
      sum += magnitude;
      largest = std::max(largest, magnitude * inverse_[k]);
    }
  }
  return std::isfinite(sum) ? largest : sum;
}

bool StageTolerances::is_above(int row, double value) const {
  return std::abs(value) * inverse_[index(row)] > 1;
}

/// Beside the highest speeds, of angles and of translations: parts that hardly move feel the rounding of others. Where
/// a mechanism begins to move, all speeds are below the rounding of positions over h, which stiff parts feel.
bool StageTolerances::correction_is_small() const {
  const lie::GroupList& space = assembly_.system().configuration_space();
  double correction[2] = {}, speed[2] = {}, size[2] = {};
  for (int node = 0; node < space.size(); ++node) {
    for (int k = 0; k < space.group(node).dof(); ++k) {
      const std::size_t at = index(space.dof_offset(node) + k);
      const std::size_t unit = k < num_angles(space.group(node).kind) ? 0 : 1;
      speed[unit] = std::max(speed[unit], scales_.speeds()[at]);
      size[unit] = std::max(size[unit], scales_.sizes()[at]);
      for (int i = 0; i < stages_; ++i) {
        correction[unit] = std::max(correction[unit], std::abs(equations_.correction(i)[at]));
      }
    }
  }
  const auto is_small = [&](int unit) {
    return correction[unit] <=
           std::max(kSmallCorrection * speed[unit], kSmallMove * size[unit] / measured_step_);
  };
  return is_small(0) && is_small(1);
}

}  // namespace liegrad::dae
