#include "taped_munthe_kaas.hpp"

namespace liegrad::testing {
namespace {

using dae::index;
using Span = TapeSpan;

/// Back to the constraints, with directions at the state and v̇, λ and s as they stand there.
void project(const dae::System& system, TapedBalance& balance, TapedState& at) {
  const lie::GroupList& space = system.configuration_space();
  const auto moved = [&](Span x) {
    TapedState there = at;
    space.plus<Taped>(at.q, x, there.q);
    return there;
  };
  const Tapes x = balance.normal_change(
      at, [&](Span change) { return rows_at(system, moved(change)).position; });
  const TapedState there = moved(x);
  const auto pushed = [&](Span y) {
    TapedState result = there;
    for (std::size_t i = 0; i < y.size(); ++i) result.v[i] += y[i];
    return result;
  };
  const Tapes y = balance.normal_change(
      at, [&](Span change) { return rows_at(system, pushed(change)).velocity; });
  at = pushed(y);
}

}  // namespace

TapedState taped_munthe_kaas_step(const dae::System& system, const dae::ButcherTableau& tableau,
                                  const TapedState& start, const TapedStepEnd& to,
                                  TapedBalance& balance) {
  const lie::GroupList& space = system.configuration_space();
  const std::size_t dof = index(system.dof());
  const Eigen::Index stages = tableau.b.size();
  std::vector<Tapes> p, u;
  Tapes theta(dof);
  const auto combine = [&](const auto& weights, TapedState& at) {
    at = start;
    std::fill(theta.begin(), theta.end(), Taped(0));
    for (std::size_t j = 0; j < p.size(); ++j) {
      const double weight = weights(static_cast<Eigen::Index>(j));
      for (std::size_t k = 0; k < dof; ++k) {
        theta[k] += to.h * weight * p[j][k];
        at.v[k] += to.h * weight * u[j][k];
      }
    }
    space.plus<Taped>(start.q, theta, at.q);
  };
  TapedState at = start;
  for (Eigen::Index i = 0; i < stages; ++i) {
    Tapes rate = start.v;
    if (i > 0) {
      combine(tableau.a.row(i), at);
      const double c = tableau.c(i);
      at.t = start.t + c * to.h;
      at.controls = c == 0 ? start.controls : c == 1 ? to.controls : to.controls_between(c);
      balance.set_accelerations(to.guess, at);
      space.apply_tangent_operator_inverse<Taped>(theta, at.v, rate);
    }
    p.push_back(rate);
    u.push_back(at.v_dot);
  }
  combine(tableau.b, at);
  at.t = start.t + to.h;
  at.controls = to.controls;
  if (system.num_multipliers() > 0) project(system, balance, at);
  balance.set_accelerations(to.guess, at);
  at.a = at.v_dot;
  return at;
}

}  // namespace liegrad::testing
