#pragma once

#include <memory>

#include "liegrad/ad/kernel_spec.hpp"

namespace liegrad::ad {

/// Evaluates a kernel by CppAD's own sweeps over the tape: slower than compiled code by one to two
/// orders of magnitude, but in need of nothing. Calls from several threads take turns.
class Interpreter {
 public:
  Interpreter(const Recording& recording, KernelLayout layout);
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;
  ~Interpreter();

  void operator()(const double* in, double* out) const;

 private:
  using Numbers = std::vector<double>;

  Numbers weight(const double* in, int k) const;
  Numbers direction(const KernelLayout::Part& part, const double* in, int k) const;
  void evaluate(const KernelLayout::Part& part, const Numbers& x, const double* in,
                double* out) const;
  Numbers jacobian_columns(const KernelLayout::Part& part, const Numbers& x) const;
  Numbers hessian_column(const KernelLayout::Part& part, const Numbers& d, const double* in) const;

  KernelLayout layout_;
  /// A copy of the recording's tape: sweeps leave their coefficients in it.
  std::unique_ptr<CppAD::ADFun<double>> tape_;
};

}  // namespace liegrad::ad
