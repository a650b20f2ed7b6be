#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "liegrad/dae/runge_kutta/butcher_tableau.hpp"
#include "liegrad/sensitivity/step/munthe_kaas_terms.hpp"
#include "liegrad/sensitivity/step/sum_at_point.hpp"

namespace liegrad::sensitivity {

/// The equations of one Munthe-Kaas step as a function of everything that they depend on, with its derivatives, at any
/// point, whether it satisfies them or not. Configurations are q̄∘exp(δ) about any references, one for the start, one for
/// each stage, and one for a projected end.
///
/// Rows: those of MuntheKaasTerms, as many as there are unknowns of a step. Arguments: those of Layout, in point();
/// parameters are those of the system until they are changed.
///
/// Throws InvalidArgument where make_munthe_kaas() does.
class MuntheKaasStepEquations : public SumAtPoint {
 public:
  struct Layout {
    Layout(const dae::Model& system, const dae::ButcherTableau& tableau);
    /// Only explicit tableaus depend on v̇ there, and only projections on λ and s.
    struct Start {
      int q, v, v_dot, lambda, s, controls, time;
    };
    /// One of stage_places(); the last one is the end, before it is projected.
    struct Stage {
      int q, v;
      std::optional<int> p;  ///< θ', of a stage whose rate has a weight
      int v_dot, lambda, s;  ///< where the end is projected, its last stage has those of the end
      int controls, time;
    };
    /// Where the end is projected.
    struct Projection {
      int q, v;          ///< of the end
      int x, nu, sigma;  ///< the correction of positions
      int y, mu, tau;    ///< and of velocities
    };
    Start start;
    std::vector<Stage> stages;
    std::optional<Projection> projection;
    int parameters, h, size;
  };

  MuntheKaasStepEquations(const dae::Model& system, const dae::ButcherTableau& tableau,
                          ad::Backend backend = ad::Backend::kCompiled);

  const Layout& layout() const { return layout_; }

  /// The configurations at δ = 0: that of the start, then one for each stage, then that of a projected end.
  void set_references(const std::vector<std::vector<double>>& references);

 private:
  MuntheKaasStepEquations(const dae::Model& system, const dae::ButcherTableau& tableau,
                          ad::Backend backend, const Layout& layout);

  std::shared_ptr<const dae::Model> model_;
  Layout layout_;
  MuntheKaasPlaces places_;
};

}  // namespace liegrad::sensitivity
