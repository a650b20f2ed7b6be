#include "liegrad/control/run_cost.hpp"

#include <array>

#include "liegrad/control/point_function.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::control {
namespace {

using dae::index;

/// ∫ f over four steps of length h is h times the sum of these multiples of f at their ends, with an error of h⁷.
constexpr std::array kBoole = {14.0 / 45, 64.0 / 45, 24.0 / 45, 64.0 / 45, 14.0 / 45};

}  // namespace

double cost_of_run(const Problem& problem, std::span<const double> parameters,
                   std::span<const dae::State> states, const PiecewiseControls& controls) {
  const dae::Model& system = problem.system();
  const PointFunctions functions(system);
  const sensitivity::MotionLayout motion(system);
  const std::size_t last = states.size() - 1, size = index(functions.num_inputs());
  // The five points of each piece with their inputs and weights, and behind all the length of steps in two factors.
  const std::size_t num_points = last / 4 * kBoole.size();
  std::vector<double> numbers(num_points * (size + 1) + 2);
  const int length = static_cast<int>(numbers.size()) - 2;
  numbers[index(length)] = states.back().t - states.front().t;
  numbers[index(length + 1)] = 1 / static_cast<double>(last);
  sensitivity::KernelSum sum(0, 1);
  sensitivity::TermList terms(sum, ad::Backend::kInterpreted);
  std::vector<ad::Recording> running, end;
  for (const Problem::Function& f : problem.running_costs()) {
    running.push_back(functions.in_quadrature("running_cost", f));
  }
  for (const Problem::Function& f : problem.end_costs()) {
    end.push_back(functions.at_point("end_cost", f));
  }
  std::vector<int> views;
  int next_view = motion.size;
  for (int i = 0; i < system.configuration_space().size(); ++i) {
    views.push_back(next_view);
    next_view += dae::NodeView::size(system.configuration_space().group(i));
  }
  for (std::size_t n = 0; n < num_points; ++n) {
    const std::size_t begin = n / kBoole.size() * 4, place = n % kBoole.size();
    const dae::State& state = states[begin + place];
    const int first = static_cast<int>(n * (size + 1));
    const std::span<double> point = std::span(numbers).subspan(index(first), size + 1);
    const auto put = [&](int offset, std::span<const double> list) {
      std::copy(list.begin(), list.end(), point.begin() + offset);
    };
    put(motion.v, state.v);
    put(motion.v_dot, state.v_dot);
    put(motion.lambda, state.lambda);
    put(motion.s, state.s);
    put(motion.parameters, parameters);
    controls(state.t, states[begin + 2].t,
             point.subspan(index(motion.controls), system.controls().size()));
    point[index(motion.time)] = state.t;
    sensitivity::set_views(system.configuration_space(), state.q, views, point);
    point[size] = kBoole[place];
    std::vector<int> inputs = ad::range(first, static_cast<int>(size));
    for (const ad::Recording& f : end) {
      if (n + 1 == num_points) terms.add(f, inputs, std::array{0});
    }
    inputs.insert(inputs.end(), {length, length + 1, first + static_cast<int>(size)});
    for (const ad::Recording& f : running) terms.add(f, inputs, std::array{0});
  }
  double cost = 0;
  sum.values(numbers, std::span(&cost, 1));
  return cost;
}

}  // namespace liegrad::control
