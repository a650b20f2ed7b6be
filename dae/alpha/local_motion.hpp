#pragma once

// The formulas of updated Lagrangian methods, [BruelsCardonaArnold2012, Eqs. (73)–(79)], with the unknown
// Δq = q_1/h instead of a_1, which is an affine function of it, (77).

#include "liegrad/ad/taylor_scalar.hpp"
#include "liegrad/lie/coordinate_maps.hpp"

namespace liegrad::dae {

template <class S>
struct LocalParameters {
  S h, alpha_m, alpha_f, beta, gamma;
};

/// a_1, q̇_1 and q̈_1, entry by entry, from (77), (78) and (79).
template <class S>
struct LocalMotion {
  S a, velocity, acceleration;
};
template <class S>
LocalMotion<S> local_motion(const LocalParameters<S>& p, const S& delta_q, const S& v_n,
                            const S& a_n, const S& v_dot_n) {
  const S a = (delta_q - v_n - (S(0.5) - p.beta) * p.h * a_n) / (p.beta * p.h);
  return {a, v_n + p.h * ((S(1) - p.gamma) * a_n + p.gamma * a),
          ((S(1) - p.alpha_m) * a + p.alpha_m * a_n - p.alpha_f * v_dot_n) / (S(1) - p.alpha_f)};
}

/// v, v̇ and a at the end of a step of a part that turns.
///
/// Along the curve with derivatives q_1, q̇_1, q̈_1 both (74) and (75) are one series, v(τ) = T(q(τ)) q̇(τ), so
/// that Ṫ needs no formula; (76) less (75) is a_{n+1} = v̇_{n+1} + T (a_1 - q̈_1).
template <class Tangent>
struct LocalStepEnd {
  Tangent v, v_dot, a;
};
template <template <class> class G, class Map, class S>
LocalStepEnd<typename G<S>::Tangent> end_of_local_step(const LocalParameters<S>& p,
                                                       const typename G<S>::Tangent& delta_q,
                                                       const typename G<S>::Tangent& v_n,
                                                       const typename G<S>::Tangent& a_n,
                                                       const typename G<S>::Tangent& v_dot_n) {
  using Series = ad::Taylor<S, 1>;
  typename G<Series>::Tangent position, velocity;
  typename G<S>::Tangent theta, surplus;
  for (Eigen::Index i = 0; i < delta_q.size(); ++i) {
    const LocalMotion<S> local = local_motion<S>(p, delta_q(i), v_n(i), a_n(i), v_dot_n(i));
    theta(i) = p.h * delta_q(i);
    surplus(i) = local.a - local.acceleration;
    position(i) = Series::from_derivatives({theta(i), local.velocity});
    velocity(i) = Series::from_derivatives({local.velocity, local.acceleration});
  }
  const typename G<Series>::Tangent v =
      Map::template tangent_operator<G<Series>>(position) * velocity;
  LocalStepEnd<typename G<S>::Tangent> end;
  for (Eigen::Index i = 0; i < delta_q.size(); ++i) {
    end.v(i) = v(i).derivative(0);
    end.v_dot(i) = v(i).derivative(1);
  }
  end.a = end.v_dot + Map::template tangent_operator<G<S>>(theta) * surplus;
  return end;
}

}  // namespace liegrad::dae
