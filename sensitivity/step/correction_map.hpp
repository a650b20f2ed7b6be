#pragma once

#include <span>
#include <vector>

#include "liegrad/dae/alpha/alpha_parameters.hpp"
#include "liegrad/dae/system/node_store.hpp"
#include "liegrad/sensitivity/step/motion_layout.hpp"

namespace liegrad::sensitivity {

/// What a correction of Newton's iteration does to the end of a step of a Lie-group method: with w - Nη' in the place of
/// the increment, see Assembly and Kinematics,
///
///     δq = hQ (w - Nη'),   δv = γ/β w,   δa = δv / (γh),   δv̇ = (1-α_m)/(1-α_f) δa.
///
/// These are derivatives of the relations K by the unknowns, which Newton's method has found: only those by the start of
/// the step are left for the kernels of K. Columns stand side by side.
class CorrectionMap {
 public:
  CorrectionMap(const dae::Model& system, const dae::AlphaParameters& parameters)
      : space_(system.configuration_space()),
        state_(system, dae::Method::kAlpha),
        parameters_(parameters) {}

  void set_step(double h);

  /// Adds perturbations of the end, as in StateLayout; `moved` is w - Nη', and the nodes have Q.
  void add(int columns, dae::NodeStore& nodes, std::span<const double> moved,
           std::span<const double> w, std::span<double> end) const;
  /// Gradients with respect to w - Nη' where only q depends on it, and to w with all of its effects, from those with respect
  /// to the end.
  void pull_back(int columns, dae::NodeStore& nodes, std::span<const double> end,
                 std::span<double> moved, std::span<double> w) const;

 private:
  const lie::GroupList& space_;
  StateLayout state_;
  dae::AlphaParameters parameters_;
  double h_ = 0, of_v_ = 0, of_v_dot_ = 0, of_a_ = 0;
};

}  // namespace liegrad::sensitivity
