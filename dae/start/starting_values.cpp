#include "liegrad/dae/start/starting_values.hpp"

namespace liegrad::dae {

State state_beside(const State& state, double tau, Consistency& consistency) {
  State beside = state;
  std::vector<double> theta(state.v.size());
  for (std::size_t i = 0; i < theta.size(); ++i) {
    theta[i] = tau * state.v[i] + 0.5 * tau * tau * state.v_dot[i];
    beside.v[i] += tau * state.v_dot[i];
  }
  beside.t += tau;
  consistency.assembly().system().configuration_space().plus<double>(state.q, theta, beside.q);
  consistency.set_accelerations(beside);
  return beside;
}

namespace {

std::vector<double> jerk_by_difference(const State& state, double h, Consistency& consistency) {
  std::vector<double> jerk = state_beside(state, kStartingSpan * h, consistency).v_dot;
  const std::vector<double> before = state_beside(state, -kStartingSpan * h, consistency).v_dot;
  for (std::size_t i = 0; i < jerk.size(); ++i) {
    jerk[i] = (jerk[i] - before[i]) / (2 * kStartingSpan * h);
  }
  return jerk;
}

}  // namespace

StartingTerms starting_terms(const AlphaMethod& method, AlphaVariant variant) {
  switch (variant) {
    case AlphaVariant::kUpdatedLagrangianExp: return {.commutator = 0.5};
    case AlphaVariant::kUpdatedLagrangianCrv: return {.commutator = 0.5, .cube = 0.125};
    case AlphaVariant::kLieGroup: break;
  }
  return {.error_commutator = method.parameters.commutator_coefficient(method.sigma)};
}

void set_starting_values(StartingValues kind, const AlphaMethod& method, AlphaVariant variant,
                         Formulation formulation, double h, Consistency& consistency,
                         MethodState& state) {
  if (kind == StartingValues::kClassical) return;
  std::vector<double> jerk = kind == StartingValues::kCorrected
                                 ? consistency.jerk(state)
                                 : jerk_by_difference(state, h, consistency);
  jerk.resize(state.v.size());
  const lie::GroupList& space = consistency.assembly().system().configuration_space();
  const StartingTerms terms = starting_terms(method, variant);
  jerk = local_jerk<double>(space, terms.commutator, terms.cube, state.v, state.v_dot, jerk);
  const AlphaParameters& p = method.parameters;
  const std::span<double> a = alpha_memory(state).a;
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += p.delta_alpha() * h * jerk[i];
  if (formulation != Formulation::kIndex3 || state.lambda.empty()) return;
  std::vector<double> error(state.v.size());
  space.apply_ad<double>(state.v, state.v_dot, error);
  for (std::size_t i = 0; i < error.size(); ++i) {
    error[i] = h * h * (p.c_q() * jerk[i] + terms.error_commutator * error[i]);
  }
  const std::vector<double> correction = consistency.normal_part(state, error);
  for (std::size_t i = 0; i < state.v.size(); ++i) state.v[i] += correction[i];
}

}  // namespace liegrad::dae
