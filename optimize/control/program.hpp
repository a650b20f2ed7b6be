#pragma once

#include <span>
#include <vector>

#include "liegrad/ad/kernel.hpp"
#include "liegrad/control/problem.hpp"

namespace liegrad::control {

/// A nonlinear program as IPOPT sees it:
///
///     min f(x),   constraint bounds ≤ g(x) ≤ constraint bounds,   bounds ≤ x ≤ bounds.
class Program {
 public:
  virtual ~Program() = default;

  virtual int num_variables() const = 0;
  virtual int num_constraints() const = 0;
  virtual Interval variable_interval(int variable) const = 0;
  virtual Interval constraint_interval(int constraint) const = 0;

  /// The point of all that follows. False where the functions cannot be evaluated.
  virtual bool set_point(std::span<const double> x) = 0;
  virtual double cost() = 0;
  virtual void constraints(std::span<double> g) = 0;
  virtual void cost_gradient(std::span<double> gradient) = 0;
  virtual const ad::Pattern& jacobian_pattern() const = 0;
  virtual void jacobian(std::span<double> entries) = 0;
  /// The lower triangle of the Hessian of cost_factor f + multipliersᵀ g.
  virtual const ad::Pattern& hessian_pattern() const = 0;
  virtual void hessian(double cost_factor, std::span<const double> multipliers,
                       std::span<double> entries) = 0;
  /// The largest angle by which an unknown configuration is away from its reference.
  virtual double largest_turn(std::span<const double> x) const = 0;
  /// Moves the reference to the configurations of x, where it may move.
  virtual void recentre(std::vector<double>& x) = 0;

  // What a linear solver may know.

  /// The stage of time, or kBorderStage for what all stages see.
  virtual int variable_stage(int variable) const = 0;
  virtual int constraint_stage(int constraint) const = 0;
  /// Whether multipliers of joints are among the unknowns.
  virtual bool has_joints() const = 0;
};

}  // namespace liegrad::control
