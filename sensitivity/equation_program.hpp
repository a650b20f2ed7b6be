#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "liegrad/dae/consistency.hpp"
#include "liegrad/sensitivity/motion_layout.hpp"
#include "liegrad/sensitivity/node_sum.hpp"
#include "liegrad/sensitivity/program_derivative.hpp"

namespace liegrad::sensitivity {

/// Variables of a program with their values.
struct Known {
  Block variables;
  std::vector<double> values;
};

/// A multiple of variables.
struct Multiple {
  Block variables;
  double factor = 1;
};

/// A state and what else equations read, as variables of a program; what is empty is constant.
struct MotionBlocks {
  Block q, v, v_dot, a, lambda, s, parameters, controls, time;
  struct Rates {
    Block q, v, v_dot, lambda, s;
  };
  Rates rates = {};
};

/// What is solved for with the matrix of Consistency, in the order of Assembly: accelerations or what stands
/// in their place, then what belongs to λ and s.
struct Unknowns {
  Block all, motion, multipliers, algebraic;
};

enum class ConstraintValue {
  kPosition,      ///< Φ
  kVelocity,      ///< dΦ/dt
  kAcceleration,  ///< d²Φ/dt²
  kJerk,          ///< d³Φ/dt³ for v̈ = 0
};

/// A program whose relations are made of the equations of a system, as Consistency solves them. Its first
/// variables are parameters, controls and time at the start of a step, and the length of the step.
class EquationProgram {
 public:
  EquationProgram(const dae::System& system, const dae::ConsistencyOptions& options,
                  dae::LinearSolverKind solver, std::span<const double> controls, double h);

  const dae::System& system() const { return system_; }
  /// With the same controls, to find the values of variables.
  dae::Consistency& consistency() { return consistency_; }
  /// A motion with parameters, controls and time only.
  const MotionBlocks& outer() const { return outer_; }
  /// h, or what stands in its place.
  const Known& step() const { return step_; }

  Block add_variables(int count) { return program_.add_variables(count); }
  Unknowns add_unknowns();
  /// The first part of a solution.
  Known motion_part(const Unknowns& unknowns, std::span<const double> values) const;

  // Variables that are explicit functions of others.

  Block add_values(Term term);
  Block add_sum(const std::vector<Multiple>& multiples);
  /// A function of each node by itself, with arguments and data in the order of NodeFunction.
  Block add_node_function(const std::string& name, const NodeFunction& f,
                          const std::vector<Known>& arguments,
                          const std::vector<double>& data = {});
  /// c h x.
  Known add_step_multiple(const Known& x, double c);

  // Terms of relations for unknowns, in the rows of Assembly.

  /// M v̇ + g + Bᵀλ and h_s.
  void add_motion_terms(const dae::State& state, const MotionBlocks& at, Relation& relation);
  /// Their rates for a motion with rates, whose values are in the order of MotionLayout::Rates.
  void add_rate_terms(const dae::State& state, const MotionBlocks& at,
                      std::span<const double> rates, Relation& relation);
  /// M x + Bᵀν for unknowns (x, ν, …) that have these values, with multiples of others added to x.
  void add_normal_terms(const dae::State& state, const MotionBlocks& at, const Unknowns& unknowns,
                        std::span<const double> values, const std::vector<Multiple>& others,
                        Relation& relation);
  void add_constraint_terms(ConstraintValue value, const dae::State& state, const MotionBlocks& at,
                            double factor, Relation& relation);
  /// B x, and its dependence on the configuration: dΦ/dt for the velocity x less that for none.
  void add_gradient_times(const dae::State& state, const MotionBlocks& at, const Known& x,
                          double factor, Relation& relation);

  /// A relation that is solved with the matrix (M Bᵀ; B 0) at a state, with the derivatives by s.
  void add_solved(const dae::State& state, Relation relation);
  /// v̇, λ and s of equations (19) of [ArnoldCardonaBruels2015].
  void add_accelerations(const dae::State& state, MotionBlocks& at);

  /// The derivative from one state to another; takes what was added out of this object.
  std::unique_ptr<Derivative> derivative(const MotionBlocks& start, const MotionBlocks& end) &&;

 private:
  std::shared_ptr<KernelSum> sum_of(dae::ElementFunction function);
  /// The numbers of a state; rates are zero.
  MotionPoint point(const dae::State& state);
  /// As many values of a function of all elements as there are rows.
  Term element_term(dae::ElementFunction function, const MotionPoint& here, const MotionBlocks& at,
                    int first_value, const Block& rows);
  void add_motion_terms(dae::ElementFunction function, const MotionPoint& here,
                        const MotionBlocks& at, Relation& relation);

  const dae::System& system_;
  MotionLayout layout_;
  int dof_;
  Unknowns rows_;
  dae::LinearSolverKind solver_;
  dae::Consistency consistency_;
  Program program_;
  MotionBlocks outer_;
  Known step_;
  std::map<dae::ElementFunction, std::shared_ptr<KernelSum>> sums_;
};

}  // namespace liegrad::sensitivity
