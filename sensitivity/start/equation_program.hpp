#pragma once

#include <deque>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "liegrad/dae/start/consistency.hpp"
#include "liegrad/sensitivity/start/program_derivative.hpp"
#include "liegrad/sensitivity/step/motion_layout.hpp"
#include "liegrad/sensitivity/step/node_sum.hpp"

namespace liegrad::sensitivity {

/// Variables of a program with their values, which stay until the next pass.
struct Known {
  Block variables;
  std::span<const double> values;
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
///
/// Like the program it is written in passes: between begin() and end() the same calls are made each time, or memory grows.
class EquationProgram : public ProgramDerivative {
 public:
  EquationProgram(const dae::Model& system, dae::Method method,
                  const dae::ConsistencyOptions& options, dae::LinearSolverKind solver,
                  dae::Runs runs, Order order);

  /// What has second derivatives only may be left out of a program of first order.
  Order order() const { return order_; }
  const dae::Model& system() const { return *system_; }
  void set_parameters(std::span<const double> parameters);
  std::span<const double> parameters() const { return parameters_; }

  void begin(std::span<const double> controls, double h);
  /// The program is the derivative from one state to another.
  void end(const MotionBlocks& start, const MotionBlocks& end);

  /// With the controls of this pass, to find the values of variables.
  dae::Consistency& consistency() { return consistency_; }
  /// Memory for numbers and states that are needed until the pass ends.
  std::span<double> new_numbers(std::size_t count);
  dae::State& new_state(const dae::State& original);
  /// The same, with a copy of some numbers.
  std::span<const double> copied(std::span<const double> numbers);
  /// A motion with parameters, controls and time only.
  const MotionBlocks& outer() const { return outer_; }
  /// h, or what stands in its place.
  const Known& step() const { return step_; }

  Block add_variables(int count) { return program_.add_variables(count); }
  Unknowns add_unknowns();
  /// The first part of a solution.
  Known motion_part(const Unknowns& unknowns, std::span<const double> values) const;

  // Variables that are explicit functions of others.

  /// The values of a function, as the only term of a relation, and where they stand.
  struct Values {
    Block variables;
    Term& term;
  };
  Values add_values(const std::shared_ptr<KernelSum>& function);
  Block add_sum(std::initializer_list<Multiple> multiples,
                std::initializer_list<Multiple> more = {});
  /// A function of each node by itself, with arguments and data in the order of NodeFunction.
  Block add_node_function(NodeMap map, std::initializer_list<Known> arguments,
                          std::initializer_list<std::span<const double>> data = {});
  /// c h x.
  Known add_step_multiple(const Known& x, double c);

  // Terms of relations for unknowns, in the rows of Assembly.

  Relation& add_relation(const Unknowns& unknowns) { return program_.add_relation(unknowns.all); }
  /// M v̇ + g + Bᵀλ and h_s.
  void add_motion_terms(const dae::State& state, const MotionBlocks& at, Relation& relation);
  /// Their rates for a motion with rates, whose values are in the order of MotionLayout::Rates.
  void add_rate_terms(const dae::State& state, const MotionBlocks& at,
                      std::span<const double> rates, Relation& relation);
  /// M x + Bᵀν for unknowns (x, ν, …) that have these values.
  void add_normal_terms(const dae::State& state, const MotionBlocks& at, const Unknowns& unknowns,
                        std::span<const double> values, Relation& relation);
  void add_constraint_terms(ConstraintValue value, const dae::State& state, const MotionBlocks& at,
                            double factor, Relation& relation);
  /// The same where multiples of others are added to the configuration, or to the velocity for kVelocity.
  void add_constraint_terms(ConstraintValue value, const dae::State& state, const MotionBlocks& at,
                            std::initializer_list<Multiple> others, Relation& relation);
  /// B x, and its dependence on the configuration: dΦ/dt for the velocity x less that for none.
  void add_gradient_times(const dae::State& state, const MotionBlocks& at, const Known& x,
                          double factor, Relation& relation);

  /// Lets a relation be solved with the matrix (M Bᵀ; B 0) at a state, with the derivatives by s.
  void solve_at(const dae::State& state, Relation& relation);
  /// v̇, λ and s of equations (19) of [ArnoldCardonaBruels2015].
  void add_accelerations(const dae::State& state, MotionBlocks& at);

 protected:
  Program& program() override { return program_; }
  const Links& links() const override { return links_; }

 private:
  /// The matrix of (19) with its factors at a state.
  struct Matrix {
    dae::Assembly assembly;
    dae::State state;
  };

  const std::shared_ptr<KernelSum>& sum_of(dae::ElementFunction function);
  /// Brings point_ to a state; rates are zero.
  void go_to(const dae::State& state);
  /// As many values of a function of all elements, at point_, as there are rows.
  Term& add_element_term(dae::ElementFunction function, const MotionBlocks& at, int first_value,
                         const Block& rows, Relation& relation);
  void add_motion_terms_here(dae::ElementFunction function, const MotionBlocks& at,
                             Relation& relation);
  Matrix& matrix_at(const dae::State& state);

  std::shared_ptr<const dae::Model> system_;
  StateLayout state_;
  MotionLayout layout_;
  int dof_;
  Unknowns rows_;
  dae::LinearSolverKind solver_;
  dae::Consistency consistency_;
  dae::Runs runs_;
  Order order_;
  std::vector<double> parameters_;
  MotionPoint point_;
  Program program_;
  Links links_;
  int links_end_ = 0;  ///< where v̇ of the end stands in them
  MotionBlocks outer_;
  Known step_;
  std::map<dae::ElementFunction, std::shared_ptr<KernelSum>> sums_;
  std::map<NodeMap, std::shared_ptr<KernelSum>> node_sums_;
  // Made in the first pass; as many as this pass has asked for are in use.
  std::deque<std::vector<double>> numbers_;
  std::deque<dae::State> states_;
  std::deque<Matrix> matrices_;
  std::size_t num_numbers_ = 0, num_states_ = 0, num_matrices_ = 0;
};

}  // namespace liegrad::sensitivity
