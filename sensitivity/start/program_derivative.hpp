#pragma once

#include <vector>

#include "liegrad/sensitivity/start/program.hpp"
#include "liegrad/sensitivity/step/derivative.hpp"

namespace liegrad::sensitivity {

/// A program as the derivative from one state to another: which of its variables are which entries of the
/// start, of the rest and of the end.
class ProgramDerivative : public Derivative {
 public:
  struct Link {
    int offset;
    Block variables;
  };
  struct Links {
    std::vector<Link> start, outer, end;
  };

  void tangent(int columns, std::span<const double> start, std::span<const double> outer,
               std::span<double> end) override;
  void adjoint(int columns, std::span<const double> end, std::span<double> start,
               std::span<double> outer) override;
  void second(std::span<const double> start_dot, std::span<const double> outer_dot, const Dual& end,
              const Dual& start, const Dual& outer) override;

 protected:
  explicit ProgramDerivative(int state_size) : state_size_(state_size) {}

  /// Both are there after the first pass, and stay.
  virtual Program& program() = 0;
  virtual const Links& links() const = 0;

 private:
  int state_size_;
  std::vector<double> variables_, gradient_, gradient_dot_;
};

}  // namespace liegrad::sensitivity
