#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "liegrad/ad/kernel.hpp"
#include "liegrad/dae/equations/moves.hpp"

namespace liegrad::sensitivity {

/// A function R^n → R^m that is a sum of many small ones, each of which reads a few of its arguments and
/// adds to a few of its values: what elements and nodes contribute to the equations of a step.
///
/// The small ones are kernels, evaluated many at a time. The point at which they are differentiated stands
/// in an array of numbers of the caller: a kernel's inputs are copied from there by a list made once. All
/// products are added to what stands in their results, and nothing is allocated after the first of a kind.
class KernelSum {
 public:
  /// A small function.
  struct Local {
    /// Its kernel for a value, a product (J d, Jᵀ w or H d of kernel_spec.hpp), J or H in sparse form, which is
    /// its only result; made when first needed.
    std::function<const ad::Kernel&(ad::ResultKind)> kernel;
    /// The inputs that it reads; all others are zero.
    std::vector<int> inputs;
    int num_arguments = 0, num_values = 0;
    /// Those of its arguments that it depends on. Derivatives by the others are zero, and they are left out of products.
    std::vector<int> arguments_read = {};
  };

  KernelSum(int num_arguments, int num_values)
      : num_arguments_(num_arguments), num_values_(num_values) {}

  int num_arguments() const { return num_arguments_; }
  int num_values() const { return num_values_; }
  /// Whether a term depends on this argument.
  bool depends_on(int argument) const;

  /// Makes a small function known; terms refer to it by the number returned.
  int add_function(const Local& function);
  /// A term of the sum: where its inputs stand in the array of numbers, and which arguments and values of
  /// the sum its own are.
  void add_term(int function, std::span<const int> numbers, std::span<const int> arguments,
                std::span<const int> values);

  // Columns stand side by side: all numbers of an argument or of a value together.

  /// values += J d for each column.
  void tangent(std::span<const double> numbers, int columns, std::span<const double> directions,
               std::span<double> values);
  /// The same at several points, with the same directions. Numbers and values stand point after point.
  void tangents(int points, std::span<const double> numbers, int columns,
                std::span<const double> directions, std::span<double> values);
  /// gradient += Jᵀ w for each column.
  void adjoint(std::span<const double> numbers, int columns, std::span<const double> weights,
               std::span<double> gradient);
  /// gradient += H d.
  void second(std::span<const double> numbers, std::span<const double> weights,
              std::span<const double> direction, std::span<double> gradient);
  /// values += f.
  void values(std::span<const double> numbers, std::span<double> values);

  // Sparse matrices. Their patterns follow from the terms alone and stay the same at every point.

  /// Entries (row, column) of J that can be non-zero, row by row.
  const ad::Pattern& jacobian_pattern();
  /// The same of the lower triangle of H.
  const ad::Pattern& hessian_pattern();
  /// entries += J, in the order of jacobian_pattern().
  void jacobian(std::span<const double> numbers, std::span<double> entries);
  /// entries += H of wᵀf, in the order of hessian_pattern().
  void hessian(std::span<const double> numbers, std::span<const double> weights,
               std::span<double> entries);

 private:
  /// The terms of one small function. Lists stand lane by lane: entry i of term k of a chunk of L terms
  /// that begins at term c is at c·n + i·L + k.
  struct Group {
    Local function = {};
    int lanes = 1;
    int num_terms = 0;
    std::vector<int> numbers, arguments, values;  ///< as added, term after term
    std::vector<int> arguments_read;              ///< of the arguments, those that are read
    std::vector<int> lane_numbers, lane_arguments, lane_values;
    /// Of a term that is evaluated by itself for one column: from places of the sum to rows of the kernel.
    struct Single {
      dae::Moves numbers, arguments, values;
    };
    std::vector<Single> singles;
    std::vector<int> all_rows;  ///< 0, 1, … of a list of which a kernel has all
    std::array<const ad::Kernel*, 6> kernels = {};  ///< f, J d, Jᵀ w, H d, J, H
    std::vector<int> lane_jacobian, lane_hessian;   ///< places among the entries of the sum
    /// Of the entries of H, 2 where both of its arguments are the same one of the sum; empty without such.
    std::vector<double> lane_factors;
    std::vector<double> inputs, outputs;
    /// Of one term for many columns or points: inputs of J d and of Jᵀ w.
    std::array<std::vector<double>, 2> wide_inputs;
    std::vector<double> wide_outputs;
  };

  static const ad::Kernel& kernel_of(Group& group, ad::ResultKind product);
  /// Arranges lists and arrays for a product when terms were added or the kernel is new.
  static const ad::Kernel& prepare(Group& group, ad::ResultKind product);
  static bool has_nothing(const Group& group, ad::ResultKind product);
  template <class Columns>
  void for_each_chunk(ad::ResultKind product, std::span<const double> numbers, Columns&& columns);
  template <class Columns>
  static void for_each_chunk(Group& group, const ad::Kernel& kernel,
                             std::span<const double> numbers, Columns&& columns);
  /// Where a group's part of the arguments or of the values stands, and in which rows a kernel has it.
  struct Side {
    const std::vector<int>& list;  ///< lane by lane
    std::span<const int> rows;
    dae::Moves Group::Single::*moves = nullptr;  ///< of terms that are evaluated by themselves

    int per_term() const { return static_cast<int>(rows.size()); }
  };
  static Side arguments_of(const Group& group);
  static Side values_of(const Group& group);
  static std::span<const int> all_rows(const Group& group, int count);
  /// One of the columns that stand side by side.
  struct Place {
    int column = 0, num_columns = 1;
  };

  static void load(const Group& group, const Side& side, int first, const double* from,
                   const Place& place, double* to);
  static void call(Group& group, const ad::Kernel& kernel, int count);
  static void add(const Group& group, const Side& side, int first, int count, const Place& place,
                  double* to);
  /// to += J from or Jᵀ from for a column, term by term.
  static void multiply_singles(ad::ResultKind product, Group& group, const ad::Kernel& kernel,
                               const double* numbers, const double* from, double* to);
  /// to += J from or Jᵀ from.
  void multiply(ad::ResultKind product, std::span<const double> numbers, int columns,
                const double* from, double* to);
  /// The same of one group, whose terms are taken one by one: lanes take columns.
  void multiply_columns(ad::ResultKind product, Group& group, std::span<const double> numbers,
                        int columns, const double* from, double* to);

  /// Products at several points of one group, whose terms are taken one by one: lanes take pairs of point and column.
  void multiply_points(Group& group, int points, std::span<const double> numbers, int columns,
                       const double* from, double* to);

  /// Calls found(group, term, entry of the kernel, row, column) for all entries of J or H of all terms.
  template <class Found>
  void for_each_entry(ad::ResultKind kind, Found&& found);
  ad::Pattern find_pattern(ad::ResultKind kind, std::vector<int> Group::*lane_entries);

  int num_arguments_, num_values_;
  std::vector<Group> groups_;
  ad::Pattern jacobian_pattern_, hessian_pattern_;
  bool has_jacobian_pattern_ = false, has_hessian_pattern_ = false;
};

}  // namespace liegrad::sensitivity
