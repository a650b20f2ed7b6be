// How to bring an integrator: coefficients of your own, or steps of your own.

#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

#include "liegrad/dae/equations_of_motion.hpp"
#include "liegrad/dae/integrate.hpp"
#include "liegrad/models/models.hpp"
using namespace liegrad;

/// Kutta's 3/8 rule, for the library's steps on the group.
dae::ButcherTableau three_eighths() {
  dae::ButcherTableau rule{.name = "3/8", .order = 4};
  rule.a = Eigen::MatrixXd::Zero(4, 4);
  rule.a.row(1) << 1.0 / 3, 0, 0, 0;
  rule.a.row(2) << -1.0 / 3, 1, 0, 0;
  rule.a.row(3) << 1, -1, 1, 0;
  rule.b = Eigen::Vector4d(1, 3, 3, 1) / 8;
  rule.c = Eigen::Vector4d(0, 1.0 / 3, 2.0 / 3, 1);
  return rule;
}

double turn_with(const dae::System& system, const dae::State& exact, int steps) {
  dae::IntegrateOptions options;
  options.method = dae::Method::kMuntheKaas;
  options.tableau = three_eighths();
  options.t_end = 0.2;
  options.step = 0.2 / steps;
  const dae::State end = dae::integrate(system, options).final;
  std::vector<double> error(system.dof());
  system.configuration_space().minus<double>(end.q, exact.q, error);
  return std::hypot(error[0], error[1], error[2]);
}

/// Steps written by hand: the explicit midpoint rule, q ∘ exp(h v_m). Accelerations (and multipliers) come from the
/// equations of the system.
double turn_by_hand(const dae::System& system, const dae::State& exact, int steps) {
  dae::EquationsOfMotion equations(system);
  const lie::GroupList& space = system.configuration_space();
  dae::State state = equations.initial_state();
  std::vector<double> move(state.v.size());
  /// from ∘ exp(h v), v_from + h v̇ with the rates of another state
  const auto go = [&](const dae::State& from, const dae::State& rates, double h) {
    dae::State to = from;
    for (std::size_t i = 0; i < move.size(); ++i) {
      move[i] = h * rates.v[i];
      to.v[i] += h * rates.v_dot[i];
    }
    space.plus<double>(from.q, move, to.q);
    to.t += h;
    equations.set_accelerations(to);
    return to;
  };
  const double h = 0.2 / steps;
  for (int n = 0; n < steps; ++n) state = go(state, go(state, state, h / 2), h);
  std::vector<double> error(move.size());
  space.minus<double>(state.q, exact.q, error);
  return std::hypot(error[0], error[1], error[2]);
}

int main() {
  for (const std::string& problem : three_eighths().problems()) std::puts(problem.c_str());
  const dae::System system = models::make_model("spinning_top");
  dae::IntegrateOptions options;
  options.t_end = 0.2;
  options.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = 1e-13}};
  options.method = dae::Method::kMuntheKaas;
  options.tableau = dae::dormand_prince_54();
  const dae::State exact = dae::integrate(system, options).final;

  const double order = std::log2(turn_with(system, exact, 200) / turn_with(system, exact, 400));
  const double own =
      std::log2(turn_by_hand(system, exact, 2000) / turn_by_hand(system, exact, 4000));
  std::printf("3/8 rule: order %.1f\nsteps by hand: order %.1f\n", order, own);
  return std::abs(order - 4) < 0.1 && std::abs(own - 2) < 0.1 ? 0 : 1;
}
