#pragma once

#include <span>
#include <string>
#include <vector>

#include "liegrad/dae/equations/assembly.hpp"
#include "liegrad/dae/run/newton.hpp"

namespace liegrad::dae {

/// v̇ of M v̇ + g = 0 for systems without constraints, again and again, without allocation.
class MassSolver {
 public:
  explicit MassSolver(Assembly& assembly);

  /// To be called when parameters may have changed: M is evaluated anew.
  void start() { has_matrix_ = false; }
  /// Whether M depends on nothing but parameters: it is factorised once then.
  bool is_constant() const { return is_constant_; }

  /// Whether g that is not finite is a failure, which is the default. Otherwise v̇ is not finite.
  void set_checked(bool checked) { checked_ = checked; }

  /// At the positions, velocities and time that the assembly holds; false on a failure.
  bool solve(std::span<double> v_dot);
  NewtonFailure failure() const { return failure_; }
  /// Of the last failure, without where and when.
  const std::string& message() const { return message_; }

 private:
  bool factorize();
  bool fail(NewtonFailure failure, const std::string& message);

  Assembly& assembly_;
  int dof_;
  bool is_constant_, has_matrix_ = false, checked_ = true;
  NewtonFailure failure_ = NewtonFailure::kNone;
  std::string message_;
  std::vector<double> inverse_;  // of a constant M of few unknowns, column after column
};

}  // namespace liegrad::dae
