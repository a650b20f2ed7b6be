#pragma once

#include <memory>
#include <span>

#include "liegrad/dae/state.hpp"
#include "liegrad/sensitivity/step/motion_layout.hpp"

namespace liegrad::sensitivity {

/// Numbers read from a motion, with their derivatives: what an objective or a measurement is made of.
///
/// Perturbations of the motion stand as in MotionLayout, in the chart q∘exp(δ) around the configuration at
/// which the observable is, so that second derivatives are those of an ordinary function of a vector. The
/// derivative of a number by what it cannot depend on is exactly 0.0.
class Observable {
 public:
  virtual ~Observable() = default;
  /// One for another thread or objective, with memory of its own.
  virtual std::unique_ptr<Observable> clone() const = 0;

  /// How many numbers.
  virtual int size() const = 0;
  /// Whether they depend on v̇, λ or s.
  virtual bool reads_accelerations() const = 0;
  /// How many data the numbers depend on besides the motion, such as a measured pose.
  virtual int num_data() const { return 0; }
  /// Takes num_data() numbers, which count from the next set_state() on.
  virtual void set_data(std::span<const double> /*data*/) {}

  /// Values of all parameters of the system, in its order; they count from the next set_state() on. At first
  /// they are those that the system has when the observable is made.
  virtual void set_parameters(std::span<const double> parameters) = 0;
  /// Goes to a state; values() are those there.
  virtual void set_state(const dae::State& state, std::span<const double> controls) = 0;
  virtual std::span<const double> values() const = 0;

  // Derivatives there; all add to their results.

  /// values += J d for each column d: MotionLayout::size entries of `directions` and size() of `values`, each with its
  /// numbers of all columns side by side.
  virtual void tangent(int columns, std::span<const double> directions,
                       std::span<double> values) = 0;
  /// gradient += Jᵀ w.
  virtual void adjoint(std::span<const double> weights, std::span<double> gradient) = 0;
  /// gradient += H d, where H is the matrix of second derivatives of wᵀ values.
  virtual void second(std::span<const double> weights, std::span<const double> direction,
                      std::span<double> gradient) = 0;
};

}  // namespace liegrad::sensitivity
