#pragma once

#include <span>

#include "liegrad/ad/recording.hpp"

namespace liegrad::dae {

/// Initial values that depend on parameters, in the scalars that the library needs.
///
/// A user writes a struct with
///
///     template <class S>
///     void operator()(std::span<const S> parameters, std::span<S> q, std::span<S> v) const;
///
/// where q holds the coefficients of all nodes and v their velocities, filled with the constant
/// initial values when it is called.
class InitialFunction {
 public:
  virtual ~InitialFunction() = default;
  virtual void operator()(std::span<const double> p, std::span<double> q,
                          std::span<double> v) const = 0;
  virtual void operator()(std::span<const ad::Taped> p, std::span<ad::Taped> q,
                          std::span<ad::Taped> v) const = 0;
};

template <class F>
class InitialFunctionOf final : public InitialFunction {
 public:
  explicit InitialFunctionOf(const F& f) : f_(f) {}
  void operator()(std::span<const double> p, std::span<double> q,
                  std::span<double> v) const override {
    f_(p, q, v);
  }
  void operator()(std::span<const ad::Taped> p, std::span<ad::Taped> q,
                  std::span<ad::Taped> v) const override {
    f_(p, q, v);
  }

 private:
  F f_;
};

}  // namespace liegrad::dae
