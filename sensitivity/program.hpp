#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "liegrad/sensitivity/kernel_sum.hpp"

namespace liegrad::sensitivity {

/// A part of the variables of a program.
struct Block {
  int first = 0, count = 0;
  Block part(int offset, int size) const { return {first + offset, size}; }
};

/// What a relation of a program adds to its equations: a function of some of the variables at a point.
struct Term {
  std::shared_ptr<KernelSum> function;
  std::vector<double> numbers;  ///< the point, as the function reads it
  /// Which arguments of the function are which variables; all others are constant.
  struct Argument {
    int argument;
    Block variables;
    double factor = 1;
  };
  std::vector<Argument> arguments;
  int first_value = 0, num_values = 0;  ///< the values that count
  int first_row = 0;                    ///< where they are added
  double factor = 1;
};

/// A multiple of variables that a relation adds to its equations.
struct LinearTerm {
  Block variables;
  int first_row = 0;
  double factor = 1;
};

/// Equations that determine further variables y from those before them.
struct Relation {
  Block y;
  std::vector<Term> terms = {};
  std::vector<LinearTerm> linear_terms = {};
  /// In place, with the matrix of the equations' derivatives by y; where they are empty y is the sum itself
  /// instead of what makes it vanish.
  std::function<void(std::span<double>)> solve = {}, solve_transposed = {};
};

/// Variables that follow from each other by explicit and implicit functions, and the derivatives of the last
/// by the first: for what is done once in a run, such as finding consistent initial values. Values are known
/// from elsewhere; a program has only the points at which its functions are differentiated.
class Program {
 public:
  Block add_variables(int count);
  void add(Relation relation) { relations_.push_back(std::move(relation)); }
  int size() const { return size_; }

  /// Completes a perturbation of the first variables.
  void tangent(std::span<double> variables) const;
  /// Carries gradients with respect to all variables back to the first ones. Those of other variables are
  /// lost.
  void adjoint(std::span<double> gradient) const;
  /// The same with derivatives along a direction that tangent() has completed.
  void second(std::span<const double> direction, std::span<double> gradient,
              std::span<double> gradient_dot) const;

 private:
  std::vector<double> rows(const Relation& relation, std::span<const double> direction) const;
  void add_adjoint(const Relation& relation, std::span<const double> weights,
                   std::span<double> gradient) const;
  void add_second(const Relation& relation, std::span<const double> weights,
                  std::span<const double> direction, std::span<double> gradient) const;

  int size_ = 0;
  std::vector<Relation> relations_;
};

}  // namespace liegrad::sensitivity
