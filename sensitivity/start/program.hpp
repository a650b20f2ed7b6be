#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "liegrad/dae/linear/linear_solver.hpp"
#include "liegrad/sensitivity/step/kernel_sum.hpp"

namespace liegrad::sensitivity {

/// Up to which order derivatives are asked for.
enum class Order { kFirst, kSecond };

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
  /// Its first derivatives by all variables but y are zero here, such as those of M(q) y for y = 0.
  bool is_stationary = false;
};

/// A multiple of variables that a relation adds to its equations.
struct LinearTerm {
  Block variables;
  int first_row = 0;
  double factor = 1;
};

/// Equations that determine further variables y from those before them.
class Relation {
 public:
  /// Forgets its terms, but not their memory.
  void begin(const Block& y);
  Term& add_term();
  void add_linear(const LinearTerm& term) { linear_terms_.push_back(term); }
  /// Has the factors of the equations' derivatives by y. Without one y is the sum of the terms itself instead of what
  /// makes it vanish.
  void set_matrix(const dae::LinearSolver* matrix) { matrix_ = matrix; }

  const Block& y() const { return y_; }
  std::span<const Term> terms() const { return std::span(terms_).first(num_terms_); }
  std::span<Term> terms() { return std::span(terms_).first(num_terms_); }
  std::span<const LinearTerm> linear_terms() const { return linear_terms_; }
  const dae::LinearSolver* matrix() const { return matrix_; }

 private:
  Block y_;
  std::vector<Term> terms_;  ///< the first num_terms_ count
  std::size_t num_terms_ = 0;
  std::vector<LinearTerm> linear_terms_;
  const dae::LinearSolver* matrix_ = nullptr;
};

/// Variables that follow from each other by explicit and implicit functions, and the derivatives of the last
/// by the first: for what is done once in a run, such as finding consistent initial values. Values are known
/// from elsewhere; a program has only the points at which its functions are differentiated.
///
/// A program is written in passes. The first one builds it; a later one with the same calls brings it to another point
/// and allocates nothing.
class Program {
 public:
  void begin();
  Block add_variables(int count);
  /// The next relation, to which terms are to be added.
  Relation& add_relation(const Block& y);
  int size() const { return size_; }

  // Columns of size() numbers stand side by side: all numbers of a variable together.

  /// Completes perturbations of the first variables.
  void tangent(int columns, std::span<double> variables);
  /// Carries gradients with respect to all variables back to the first ones. Those of other variables are
  /// lost.
  void adjoint(int columns, std::span<double> gradient);
  /// The same for one column with derivatives along a direction that tangent() has completed.
  void second(std::span<const double> direction, std::span<double> gradient,
              std::span<double> gradient_dot);

 private:
  void gather(const Term& term, int columns, std::span<const double> variables);
  void scatter(const Term& term, int columns, std::span<double> variables) const;
  void load_weights(const Term& term, int columns, std::span<const double> weights);
  void add_rows(const Relation& relation, int columns, std::span<const double> variables);
  void find_weights(const Relation& relation, int columns, std::span<const double> gradient);
  void add_adjoint(const Relation& relation, int columns, std::span<double> gradient);
  void add_second(const Relation& relation, std::span<const double> direction,
                  std::span<double> gradient);

  int size_ = 0;
  std::deque<Relation> relations_;  ///< the first num_relations_ count
  std::size_t num_relations_ = 0;
  // For reuse: arguments and values of a term, rows or weights of a relation.
  std::vector<double> arguments_, directions_, values_, rows_;
};

}  // namespace liegrad::sensitivity
