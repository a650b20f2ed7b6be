#pragma once

#include <memory>
#include <span>
#include <vector>

#include "liegrad/dae/system/element.hpp"

namespace liegrad::dae {

/// Φ of an element along q∘exp(δ) as a function of its own, from which Bᵀλ and time derivatives are derived while
/// something else is recorded. CppAD's own modes derive them, so that an element is compiled for one scalar.
class ConstraintTape {
 public:
  /// Records Φ. Precondition: nothing is being recorded.
  ConstraintTape(const ElementModel& model, const std::vector<lie::NodeGroup>& groups);
  ~ConstraintTape();
  ConstraintTape(const ConstraintTape&) = delete;
  ConstraintTape& operator=(const ConstraintTape&) = delete;

  /// Where derivatives are taken: the views of all nodes, one after the other, parameters, controls and time.
  using Point = std::vector<Taped>;

  /// The gradient of λᵀΦ by δ at δ = 0.
  std::vector<Taped> force(const Point& at, const std::vector<Taped>& lambda) const;
  /// Of Φ(t+τ) the coefficient of τ to the power of delta.size(), where δ(τ) = delta[0] τ + delta[1] τ² + ….
  std::vector<Taped> coefficient(const Point& at,
                                 const std::vector<std::vector<Taped>>& delta) const;

 private:
  std::vector<Taped> inputs(const Point& at) const;

  std::size_t dof_ = 0;
  /// Its values belong to the recording that it takes part in.
  std::unique_ptr<CppAD::ADFun<Taped, double>> tape_;
};

/// Φ at a position. Throws InvalidArgument unless it has as many numbers as the shape says.
std::vector<Taped> constraint_at(const ElementModel& model, const Position<Taped>& at);

/// Throws InvalidArgument unless a function of an element returns as many numbers as its shape says.
void check_returned_size(const ElementShape& shape, const char* function, std::size_t given,
                         int expected);

}  // namespace liegrad::dae
