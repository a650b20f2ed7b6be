// Compiled once, into the library and into the program that writes its kernels.

#include "liegrad/sensitivity/step/alpha_step_function.hpp"

#include <algorithm>
#include <type_traits>

#include "liegrad/dae/alpha/local_motion.hpp"
#include "liegrad/dae/equations/step_equations.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/lie/coordinate_maps.hpp"
#include "liegrad/sensitivity/check/taped_parameters.hpp"

namespace liegrad::sensitivity {
namespace {

using ad::Taped;
using dae::AlphaVariant;
using dae::index;
using dae::SigmaForm;
using Tapes = std::span<const Taped>;
using TapedVector = std::vector<Taped>;

/// What the relations read of a part. Where they are differentiated changes of Δq and h are zero, and with them most of
/// the work.
struct StepInputs {
  StepInputs(const lie::GroupList& part, Tapes x, Tapes data)
      : node(part),
        delta(vector_of(part, x, 0)),
        v(vector_of(part, x, 1)),
        v_dot(vector_of(part, x, 2)),
        a(vector_of(part, x, 3)),
        force(vector_of(part, x, 5)),
        method(data.subspan(index(part.dof()) + 1)) {
    const Tapes increment_change = vector_of(part, x, 4), increment_made = vector_of(part, data, 0);
    const Taped &step_change = x[index(6 * part.dof())], &step_made = data[index(part.dof())];
    h = step_made + step_change;
    for (std::size_t i = 0; i < index(part.dof()); ++i) {
      increment.push_back(increment_made[i] + increment_change[i]);
      theta_made.push_back(step_made * increment_made[i]);
      theta_change.push_back(h * increment_change[i] + step_change * increment_made[i]);
      theta.push_back(theta_made[i] + theta_change[i]);
    }
  }

  const lie::GroupList& node;
  Tapes delta, v, v_dot, a, force;
  TapedParameters method;
  Taped h;
  /// Δq; h*Δq*, hΔq less that, and their sum.
  TapedVector increment, theta_made, theta_change, theta;
};

/// log(exp(-θ)∘exp(δ)∘exp(θ + d)) to second order in δ and d, which has the same first and second derivatives at zero,
/// but neither square roots nor choices.
///
/// exp(-θ)∘exp(δ)∘exp(θ) = exp(A) with A = Ad(exp(-θ)) δ = δ - θ̂T(θ) δ: by the series of T, [ArnoldCardonaBruels2015,
/// Eq. (30)], exp(-θ̂) = I - θ̂T(θ). In exp(-θ)∘exp(θ + εd) = exp(y(ε)) both sides have the velocity
/// T(θ + εd) d = T(y) y' = y' - ½ŷy' + …, where ŷy' = O(ε²), so that y(1) = T(θ + ½d) d + O(d³) by the midpoint rule. And
/// log(exp(A)∘exp(y)) = A + y + ½Ây up to terms of third order.
TapedVector moved_by_exp(const lie::GroupList& node, Tapes delta, Tapes theta, Tapes d) {
  const std::size_t dof = index(node.dof());
  TapedVector turned(dof), moved(dof), middle(dof), added(dof), commutator(dof);
  node.apply_tangent_operator<Taped>(theta, delta, turned);
  node.apply_ad<Taped>(theta, turned, moved);
  for (std::size_t i = 0; i < dof; ++i) {
    moved[i] = delta[i] - moved[i];
    middle[i] = theta[i] + 0.5 * d[i];
  }
  node.apply_tangent_operator<Taped>(middle, d, added);
  node.apply_ad<Taped>(moved, added, commutator);
  for (std::size_t i = 0; i < dof; ++i) moved[i] += added[i] + 0.5 * commutator[i];
  return moved;
}

/// Finds the motion at the end of a step, on one part.
class StepEnd {
 public:
  StepEnd(AlphaVariant variant, SigmaForm form, const StepInputs& in)
      : variant_(variant),
        form_(form),
        in_(in),
        delta_(moved_by_exp(in.node, in.delta, in.theta_made, in.theta_change)) {}

  template <template <class> class G>
  void turning(int /*node*/, int /*dof*/) {
    if (variant_ == AlphaVariant::kUpdatedLagrangianExp) return local<G, lie::ExponentialMap>();
    if constexpr (std::is_same_v<G<double>, lie::SO3<double>>) {
      using Crv = lie::ConformalRotationVector;
      if (variant_ == AlphaVariant::kUpdatedLagrangianCrv) {
        delta_ = list(moved_by_map<G, Crv>());
        return local<G, Crv>();
      }
    }
    using Tangent = typename G<Taped>::Tangent;
    Tangent y;
    for (int i = 0; i < G<Taped>::kDof; ++i) y(i) = surplus(index(i));
    set_velocity(list(dae::end_velocity<G, Taped>(
        form_, in_.method.velocity_factor(), in_.method.sigma,
        dae::node_tangent<G, Taped>(vector<G>(in_.theta)), y, vector<G>(in_.force))));
  }

  /// T = I, and all methods are plain generalized-α.
  void linear(int /*dof*/, int count) {
    TapedVector velocity;
    for (std::size_t i = 0; i < index(count); ++i) {
      velocity.push_back(in_.method.velocity_factor() * (surplus(i) + in_.force[i]));
    }
    set_velocity(velocity);
  }

  /// (δ, v, v̇, a).
  TapedVector values() const {
    TapedVector all = delta_;
    for (const TapedVector* part : {&v_, &v_dot_, &a_})
      all.insert(all.end(), part->begin(), part->end());
    return all;
  }

 private:
  template <template <class> class G>
  static typename G<Taped>::Tangent vector(Tapes x) {
    return Eigen::Map<const typename G<Taped>::Tangent>(x.data());
  }
  template <class Tangent>
  static TapedVector list(const Tangent& x) {
    return {x.begin(), x.end()};
  }
  Taped surplus(std::size_t i) const {
    return dae::increment_surplus<Taped>(in_.method, in_.h, in_.increment[i], in_.v[i], in_.a[i]);
  }

  void set_velocity(const TapedVector& velocity) {
    v_ = velocity;
    for (std::size_t i = 0; i < v_.size(); ++i) {
      a_.push_back(dae::end_auxiliary<Taped>(in_.method, in_.h, v_[i], in_.v[i], in_.a[i]));
      v_dot_.push_back(dae::end_acceleration<Taped>(in_.method, a_[i], in_.v_dot[i], in_.a[i]));
    }
  }

  /// Of an updated Lagrangian step.
  template <template <class> class G, class Map>
  void local() {
    const TapedParameters& m = in_.method;
    const dae::LocalParameters<Taped> p{in_.h, m.alpha_m, m.alpha_f, m.beta, m.gamma};
    const auto end = dae::end_of_local_step<G, Map, Taped>(
        p, vector<G>(in_.increment), vector<G>(in_.v), vector<G>(in_.a), vector<G>(in_.v_dot));
    v_ = list(end.v);
    v_dot_ = list(end.v_dot);
    a_ = list(end.a);
  }

  /// With another map in the place of exp, but that of δ_n.
  template <template <class> class G, class Map>
  typename G<Taped>::Tangent moved_by_map() const {
    return (Map::template to_group<G<Taped>>(vector<G>(in_.theta_made)).inverse() *
            G<Taped>::exp(vector<G>(in_.delta)) *
            Map::template to_group<G<Taped>>(vector<G>(in_.theta)))
        .log();
  }

  AlphaVariant variant_;
  SigmaForm form_;
  const StepInputs& in_;
  TapedVector delta_, v_, v_dot_, a_;
};

}  // namespace

NodeFunction alpha_step_function(AlphaVariant variant, SigmaForm form) {
  return {.vectors = 6,
          .scalars = 1,
          .data_vectors = 1,
          .data_scalars = 1 + kNumMethodNumbers,
          .values = 4,
          .zero_vectors = {0, 4},
          .zero_scalars = {0},
          .evaluate = [variant, form](const lie::GroupList& node, Tapes x, Tapes data) {
            const StepInputs in(node, x, data);
            StepEnd end(variant, form, in);
            dae::for_each_part(node, end);
            return end.values();
          }};
}

}  // namespace liegrad::sensitivity
