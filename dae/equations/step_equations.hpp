#pragma once

// The relations between the unknown increment Δq of a step and the motion at its end.
//
//     q_{n+1} = q_n∘exp(θ),   θ = hΔq
//     θ       = hv_n + hθ'_σ + h²(½-β) a_n + h²β a_{n+1}                  [Holzinger…, Eq. (12)]
//     θ'_σ    = σ β/γ (T⁻¹(θ) v_{n+1} - v_{n+1}) - T⁻¹(θ) B(q_n)ᵀη         [Holzinger…, Eqs. (13), (16)]
//     v_{n+1} = v_n + h(1-γ) a_n + hγ a_{n+1}                             [Holzinger…, Eq. (14)]
//     (1-α_m) a_{n+1} + α_m a_n = (1-α_f) v̇_{n+1} + α_f v̇_n              [Holzinger…, Eq. (15)]
//
// where Holzinger… is [HolzingerArnoldGerstmayr2025]. Solved for the velocity, with P = σI + (1-σ)T(θ):
//
//     β/γ P v_{n+1} = T(θ) y + B(q_n)ᵀη,   y = θ/h - (1-β/γ) v_n - h((½-β) - β/γ (1-γ)) a_n.
//
// With σ = 0 and η = 0 this is [ArnoldCardonaBruels2015, Eq. (37)]. The stabilised formulation with σ = 0
// is their (56), where B(q_n)ᵀη stands without T⁻¹: y + B(q_n)ᵀη on the right, P = I. The family with
// σ → 0 has another limit; both are of second order.

#include <span>
#include <vector>

#include "liegrad/dae/alpha/alpha_parameters.hpp"
#include "liegrad/dae/system/node_tangent.hpp"

namespace liegrad::dae {

/// The forms that the relations take for a σ.
enum class SigmaForm { kZero, kOne, kOther };
inline SigmaForm sigma_form(double sigma) {
  if (sigma == 0) return SigmaForm::kZero;
  return sigma == 1 ? SigmaForm::kOne : SigmaForm::kOther;
}

// The parameters p below are AlphaParameters, or a struct with the same names whose numbers are scalars S.

/// y of the relations above, entry by entry.
template <lie::Scalar S, class Parameters>
S increment_surplus(const Parameters& p, const S& h, const S& delta_q, const S& v_n, const S& a_n) {
  const auto ratio = p.beta / p.gamma;
  return delta_q - (1.0 - ratio) * v_n - h * ((0.5 - p.beta) - ratio * (1.0 - p.gamma)) * a_n;
}

/// P = σI + (1-σ)T(θ), [HolzingerArnoldGerstmayr2025, Eq. (61)].
template <template <class> class G, lie::Scalar S>
NodeMatrix<G, S> sigma_matrix(const S& sigma, const NodeMatrix<G, S>& tangent) {
  return NodeMatrix<G, S>::identity().scaled(sigma) + tangent.scaled(1.0 - sigma);
}

/// v_{n+1} of a part that turns, with its T(θ) and y; `factor` is γ/β, `stabilizer` the part of B(q_n)ᵀη.
template <template <class> class G, lie::Scalar S, class Number>
typename G<S>::Tangent end_velocity(SigmaForm form, const Number& factor, const Number& sigma,
                                    const NodeMatrix<G, S>& tangent,
                                    const typename G<S>::Tangent& surplus,
                                    const typename G<S>::Tangent& stabilizer) {
  if (form == SigmaForm::kZero) return factor * (surplus + stabilizer);
  const typename G<S>::Tangent right = tangent * surplus + stabilizer;
  if (form == SigmaForm::kOne) return factor * right;
  return factor * (sigma_matrix<G, S>(S(sigma), tangent).inverse() * right);
}
template <template <class> class G, lie::Scalar S>
typename G<S>::Tangent end_velocity(const AlphaMethod& method, const NodeMatrix<G, S>& tangent,
                                    const typename G<S>::Tangent& surplus,
                                    const typename G<S>::Tangent& stabilizer) {
  return end_velocity<G, S>(sigma_form(method.sigma), method.parameters.velocity_factor(),
                            method.sigma, tangent, surplus, stabilizer);
}

/// a_{n+1} and v̇_{n+1} that belong to v_{n+1}.
template <lie::Scalar S, class Parameters>
S end_auxiliary(const Parameters& p, const S& h, const S& v, const S& v_n, const S& a_n) {
  return (v - v_n - (1.0 - p.gamma) * h * a_n) / (p.gamma * h);
}
template <lie::Scalar S, class Parameters>
S end_acceleration(const Parameters& p, const S& a, const S& v_dot_n, const S& a_n) {
  return ((1.0 - p.alpha_m) * a + p.alpha_m * a_n - p.alpha_f * v_dot_n) / (1.0 - p.alpha_f);
}

/// The motion of all nodes at one end of a step.
template <lie::Scalar S>
struct StepEnd {
  std::vector<S> q, v, v_dot, a;
};

/// v_{n+1} of all parts of a configuration space.
template <lie::Scalar S>
struct EndVelocities {
  const AlphaMethod& method;
  std::span<const S> theta, surplus, stabilizer;
  std::span<S> v;

  template <template <class> class G>
  void turning(int /*node*/, int dof) const {
    using Tangent = typename G<S>::Tangent;
    using In = Eigen::Map<const Tangent>;
    Eigen::Map<Tangent>(v.data() + dof) =
        end_velocity<G, S>(method, node_tangent<G, S>(In(theta.data() + dof)),
                           In(surplus.data() + dof), In(stabilizer.data() + dof));
  }
  void linear(int dof, int count) const {
    const double factor = method.parameters.velocity_factor();
    for (std::size_t i = static_cast<std::size_t>(dof); i < static_cast<std::size_t>(dof + count);
         ++i) {
      v[i] = factor * (surplus[i] + stabilizer[i]);
    }
  }
};

/// The motion at the end of a step for a given increment, in any scalar.
template <lie::Scalar S>
StepEnd<S> end_of_step(const lie::GroupList& space, const AlphaMethod& method, const S& h,
                       const StepEnd<S>& start, std::span<const S> delta_q,
                       std::span<const S> stabilizer) {
  const std::size_t dof = static_cast<std::size_t>(space.dof());
  StepEnd<S> end{start.q, std::vector<S>(dof), std::vector<S>(dof), std::vector<S>(dof)};
  std::vector<S> theta(dof), surplus(dof);
  for (std::size_t i = 0; i < dof; ++i) {
    theta[i] = h * delta_q[i];
    surplus[i] = increment_surplus<S>(method.parameters, h, delta_q[i], start.v[i], start.a[i]);
  }
  space.plus<S>(start.q, theta, end.q);

  for_each_part(space, EndVelocities<S>{method, theta, surplus, stabilizer, end.v});
  for (std::size_t i = 0; i < dof; ++i) {
    end.a[i] = end_auxiliary<S>(method.parameters, h, end.v[i], start.v[i], start.a[i]);
    end.v_dot[i] = end_acceleration<S>(method.parameters, end.a[i], start.v_dot[i], start.a[i]);
  }
  return end;
}

}  // namespace liegrad::dae
