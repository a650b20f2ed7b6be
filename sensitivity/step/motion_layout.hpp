#pragma once

#include <span>
#include <vector>

#include "liegrad/dae/method.hpp"
#include "liegrad/dae/state.hpp"
#include "liegrad/dae/system/model.hpp"
#include "liegrad/dae/system/node_view.hpp"

namespace liegrad::sensitivity {

/// Where the parts of a perturbed motion stand in one vector: q∘exp(δ), v, v̇, λ, s, parameters, controls,
/// time; and, for functions of a motion and its rate of change, the rates δ', v', v̇', λ', s', t' behind them.
struct MotionLayout {
  explicit MotionLayout(const dae::Model& system);

  int q = 0, v, v_dot, lambda, s, parameters, controls, time;
  int size;
  struct Rates {
    int q, v, v_dot, lambda, s, time;
  };
  Rates rates;
  int size_with_rates;
};

/// Where the parts of a perturbed state stand in one vector: q∘exp(δ), v, v̇, a, λ, s. Only generalized-α has a; what
/// other methods remember does not change what they do next. A step reads what stands before λ of the one before it;
/// one that projects reads λ and s, too.
struct StateLayout {
  StateLayout(const dae::Model& system, dae::Method method);
  int q = 0, v, v_dot, a, lambda, s, size;
};

/// Where all else that a step depends on stands in one vector: parameters, controls and time at both of its
/// ends, and its length.
struct OuterLayout {
  explicit OuterLayout(const dae::Model& system);
  int parameters = 0, start_controls, end_controls, start_time, end_time, h, size;
};

/// The numbers of a motion that element functions read, in one array: views of the nodes in place of δ.
class MotionPoint {
 public:
  explicit MotionPoint(const dae::Model& system);

  void set_configuration(std::span<const double> q);
  void set(const dae::State& state, std::span<const double> controls);
  void set_parameters(std::span<const double> parameters);
  std::span<double> view(int node) {
    return part(at_.views[static_cast<std::size_t>(node)],
                dae::NodeView::size(system_->configuration_space().group(node)));
  }
  std::span<double> v() { return part(at_.v, system_->dof()); }
  std::span<double> v_dot() { return part(at_.v_dot, system_->dof()); }
  std::span<double> lambda() { return part(at_.lambda, system_->num_multipliers()); }
  std::span<double> s() { return part(at_.s, system_->num_algebraic()); }
  std::span<double> controls() { return part(at_.controls, at_.time - at_.controls); }
  void set_time(double t) { numbers_[static_cast<std::size_t>(at_.time)] = t; }
  /// In the order of MotionLayout::Rates, δ' first.
  std::span<double> rates() {
    return std::span(numbers_).subspan(static_cast<std::size_t>(at_.rates));
  }
  std::span<const double> numbers() const { return numbers_; }

  /// Where they stand.
  struct Places {
    std::vector<int> views;
    int v, v_dot, lambda, s, parameters, controls, time, rates, size;
  };
  const Places& places() const { return at_; }

 private:
  std::span<double> part(int first, int count) {
    return std::span(numbers_).subspan(static_cast<std::size_t>(first),
                                       static_cast<std::size_t>(count));
  }

  const dae::Model* system_;
  Places at_;
  std::vector<double> numbers_;
};

}  // namespace liegrad::sensitivity
