#include "taped_radau.hpp"

#include "liegrad/dae/runge_kutta/radau_coefficients.hpp"
#include "liegrad/dae/runge_kutta/stabilizer_weights.hpp"
#include "liegrad/dae/start/acceleration_solver.hpp"

namespace liegrad::testing {
namespace {

using dae::index;

/// W of N = W B(q_n)ᵀ.
std::vector<double> weights_of(const dae::Model& system) {
  dae::AccelerationSolver solver(system, false, dae::LinearSolverKind::kAutomatic);
  dae::StabilizerWeights weights(system);
  const std::span<const double> found = weights.find(solver.assembly());
  return {found.begin(), found.end()};
}

/// The equations of all stages, with the unknowns p, λ, s and η of each.
class Stages {
 public:
  Stages(const dae::System& system, int stages, const TapedState& start, const TapedStepEnd& to)
      : system_(system), radau_(stages), start_(start), to_(to) {
    if (system.num_multipliers() > 0) weights_ = weights_of(system);
  }

  std::vector<double> guess() const {
    std::vector<double> all;
    const auto add = [&all](const std::vector<double>& part) {
      all.insert(all.end(), part.begin(), part.end());
    };
    for (int i = 0; i < radau_.stages; ++i) {
      add(values_of(start_.v));
      add(values_of(start_.lambda));
      add(values_of(start_.s));
      add(std::vector<double>(start_.lambda.size(), 0.0));
    }
    return all;
  }

  Tapes residual(TapeSpan unknowns) {
    set(unknowns);
    Tapes all;
    for (const TapedState& stage : list_) {
      const Rows rows = rows_at(system_, stage);
      const Tapes own = joined({rows.motion, rows.algebraic, rows.position, rows.velocity});
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }

  /// With the last stage, where the step ends, as it is by the unknowns.
  TapedState end(TapeSpan unknowns) {
    set(unknowns);
    return list_.back();
  }

 private:
  /// θ_i = hΣ a_ij p_j, q_i = q_n∘exp(θ_i), v_i = T(θ_i) p_i + N η_i, v̇_i = Σ_j (A⁻¹)_ij (v_j - v_n)/h.
  void set(TapeSpan unknowns) {
    const lie::GroupList& space = system_.configuration_space();
    const std::size_t dof = index(system_.dof());
    const auto take = [&unknowns](std::size_t count) {
      const TapeSpan part = unknowns.first(count);
      unknowns = unknowns.subspan(count);
      return Tapes(part.begin(), part.end());
    };
    std::vector<Tapes> rates;
    list_.assign(index(radau_.stages), start_);
    std::vector<Tapes> forces;
    for (TapedState& stage : list_) {
      rates.push_back(take(dof));
      stage.lambda = take(start_.lambda.size());
      stage.s = take(start_.s.size());
      forces.push_back(constraint_force(take(start_.lambda.size())));
    }
    for (int i = 0; i < radau_.stages; ++i) {
      TapedState& stage = list_[index(i)];
      stage.t = start_.t + radau_.c(i) * to_.h;
      stage.controls = i + 1 == radau_.stages ? to_.controls : to_.controls_between(radau_.c(i));
      Tapes theta(dof, Taped(0));
      for (int j = 0; j < radau_.stages; ++j) {
        for (std::size_t k = 0; k < dof; ++k) {
          theta[k] += to_.h * radau_.a(i, j) * rates[index(j)][k];
        }
      }
      space.plus<Taped>(start_.q, theta, stage.q);
      space.apply_tangent_operator<Taped>(theta, rates[index(i)], stage.v);
      for (std::size_t k = 0; k < dof; ++k) stage.v[k] += forces[index(i)][k];
    }
    for (int i = 0; i < radau_.stages; ++i) {
      for (std::size_t k = 0; k < dof; ++k) {
        Taped sum = 0;
        for (int j = 0; j < radau_.stages; ++j) {
          sum += radau_.inverse(i, j) * (list_[index(j)].v[k] - start_.v[k]);
        }
        list_[index(i)].v_dot[k] = sum / to_.h;
      }
    }
  }

  /// W B(q_n)ᵀη. M v̇ + g + Bᵀλ is affine in λ: forces must not depend on it.
  Tapes constraint_force(const Tapes& eta) const {
    Tapes force(index(system_.dof()), Taped(0));
    if (eta.empty()) return force;
    TapedState with = start_, without = start_;
    with.lambda = eta;
    without.lambda.assign(eta.size(), Taped(0));
    const Tapes all = rows_at(system_, with).motion, rest = rows_at(system_, without).motion;
    for (std::size_t k = 0; k < force.size(); ++k) force[k] = weights_[k] * (all[k] - rest[k]);
    return force;
  }

  const dae::System& system_;
  dae::RadauCoefficients radau_;
  const TapedState& start_;
  const TapedStepEnd& to_;
  std::vector<double> weights_;
  std::vector<TapedState> list_;
};

}  // namespace

TapedState taped_radau_step(const dae::System& system, int stages, const TapedState& start,
                            const TapedStepEnd& to, ImplicitFunctions& implicit,
                            TapedBalance& balance) {
  Stages equations(system, stages, start, to);
  const Tapes unknowns =
      implicit.solve(equations.guess(), [&](TapeSpan z) { return equations.residual(z); });
  TapedState end = equations.end(unknowns);
  balance.set_accelerations(to.guess, end);
  end.a = end.v_dot;
  return end;
}

}  // namespace liegrad::testing
