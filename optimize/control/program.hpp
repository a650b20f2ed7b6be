#pragma once

#include <memory>
#include <span>
#include <vector>

#include "liegrad/ad/kernel.hpp"
#include "liegrad/control/front_tree.hpp"
#include "liegrad/control/problem.hpp"

namespace liegrad::control {

class TimeBlocks;

/// What never changes of a nonlinear program.
struct ProgramShape {
  /// The stage of time of each variable and constraint, or kBorderStage for what all stages see.
  std::vector<int> variable_stages, constraint_stages;
  /// That of the Hessian is its lower triangle.
  ad::Pattern jacobian_pattern, hessian_pattern;
  bool has_joints = false;  ///< multipliers of joints are among the unknowns
  /// How elimination in time goes on.
  FrontOrder front_order = FrontOrder::kStages;
};

/// What unknowns, rows and the cost are counted in; empty where they stay as they are. See unit_scales.hpp.
struct UnitScales {
  std::vector<double> variables, rows;
  double cost = 1;
  bool empty() const { return variables.empty(); }
};

/// A nonlinear program as IPOPT sees it:
///
///     min f(x),   constraint bounds ≤ g(x) ≤ constraint bounds,   bounds ≤ x ≤ bounds.
class Program {
 public:
  virtual ~Program() = default;

  int num_variables() const { return static_cast<int>(shape_.variable_stages.size()); }
  int num_constraints() const { return static_cast<int>(shape_.constraint_stages.size()); }
  const ad::Pattern& jacobian_pattern() const { return shape_.jacobian_pattern; }
  const ad::Pattern& hessian_pattern() const { return shape_.hessian_pattern; }
  bool has_joints() const { return shape_.has_joints; }
  FrontOrder front_order() const { return shape_.front_order; }
  int variable_stage(int variable) const {
    return shape_.variable_stages[static_cast<std::size_t>(variable)];
  }
  int constraint_stage(int constraint) const {
    return shape_.constraint_stages[static_cast<std::size_t>(constraint)];
  }

  /// Bounds change when the reference of a program moves.
  virtual Interval variable_interval(int variable) const = 0;
  virtual Interval constraint_interval(int constraint) const = 0;

  /// The point of all that follows. False where the functions cannot be evaluated.
  virtual bool set_point(std::span<const double> x) = 0;
  virtual double cost() = 0;
  virtual void constraints(std::span<double> g) = 0;
  virtual void cost_gradient(std::span<double> gradient) = 0;
  virtual void jacobian(std::span<double> entries) = 0;
  /// The lower triangle of the Hessian of cost_factor f + multipliersᵀ g.
  virtual void hessian(double cost_factor, std::span<const double> multipliers,
                       std::span<double> entries) = 0;
  /// The largest angle by which an unknown configuration is away from its reference.
  virtual double largest_turn(std::span<const double> x) const = 0;
  /// Moves the reference to the configurations of x, where it may move.
  virtual void recentre(std::vector<double>& x) = 0;

  /// IPOPT works in these units, and nobody else sees them.
  UnitScales units;
  /// The elimination of its KKT matrices in time, made when it is first needed and kept from search to search.
  std::shared_ptr<TimeBlocks> elimination;

 protected:
  ProgramShape shape_;  ///< made by a constructor
};

}  // namespace liegrad::control
