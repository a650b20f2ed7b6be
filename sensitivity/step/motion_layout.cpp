#include "liegrad/sensitivity/step/motion_layout.hpp"

#include <algorithm>
#include <utility>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::sensitivity {

using dae::index;

MotionLayout::MotionLayout(const dae::Model& system) {
  int next = 0;
  const auto take = [&next](int count) { return std::exchange(next, next + count); };
  const int dof = system.dof(), multipliers = system.num_multipliers();
  q = take(dof);
  v = take(dof);
  v_dot = take(dof);
  lambda = take(multipliers);
  s = take(system.num_algebraic());
  parameters = take(static_cast<int>(system.parameters().size()));
  controls = take(static_cast<int>(system.controls().size()));
  time = take(1);
  size = next;
  rates = {take(dof), take(dof), take(dof), take(multipliers), take(system.num_algebraic()),
           take(1)};
  size_with_rates = next;
}

StateLayout::StateLayout(const dae::Model& system, dae::Method method)
    : v(system.dof()),
      v_dot(2 * system.dof()),
      a(3 * system.dof()),
      lambda(a + (method == dae::Method::kAlpha ? system.dof() : 0)),
      s(lambda + system.num_multipliers()),
      size(s + system.num_algebraic()) {}

OuterLayout::OuterLayout(const dae::Model& system)
    : start_controls(static_cast<int>(system.parameters().size())),
      end_controls(start_controls + static_cast<int>(system.controls().size())),
      start_time(end_controls + static_cast<int>(system.controls().size())),
      end_time(start_time + 1),
      h(end_time + 1),
      size(h + 1) {}

MotionPoint::MotionPoint(const dae::Model& system) : system_(&system) {
  int next = 0;
  const auto take = [&next](int count) { return std::exchange(next, next + count); };
  const lie::GroupList& space = system.configuration_space();
  for (int i = 0; i < space.size(); ++i) {
    at_.views.push_back(take(dae::NodeView::size(space.group(i))));
  }
  at_.v = take(system.dof());
  at_.v_dot = take(system.dof());
  at_.lambda = take(system.num_multipliers());
  at_.s = take(system.num_algebraic());
  at_.parameters = take(static_cast<int>(system.parameters().size()));
  at_.controls = take(static_cast<int>(system.controls().size()));
  at_.time = take(1);
  at_.rates = take(3 * system.dof() + system.num_multipliers() + system.num_algebraic() + 1);
  at_.size = next;
  numbers_.assign(index(next), 0.0);
}

void MotionPoint::set_configuration(std::span<const double> q) {
  const lie::GroupList& space = system_->configuration_space();
  for (int i = 0; i < space.size(); ++i) {
    dae::NodeView::of<double>(space.group(i), q.subspan(index(space.coeff_offset(i))), view(i));
  }
}

void MotionPoint::set(const dae::State& state, std::span<const double> controls) {
  set_configuration(state.q);
  const auto put = [this](int first, std::span<const double> values) {
    std::copy(values.begin(), values.end(), numbers_.begin() + first);
  };
  put(at_.v, state.v);
  put(at_.v_dot, state.v_dot);
  put(at_.lambda, state.lambda);
  put(at_.s, state.s);
  put(at_.controls, controls);
  numbers_[index(at_.time)] = state.t;
}

void MotionPoint::set_parameters(std::span<const double> parameters) {
  std::copy(parameters.begin(), parameters.end(), numbers_.begin() + at_.parameters);
}

}  // namespace liegrad::sensitivity
