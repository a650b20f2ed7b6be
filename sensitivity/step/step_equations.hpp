#pragma once

#include <memory>
#include <vector>

#include "liegrad/sensitivity/step/step_terms.hpp"
#include "liegrad/sensitivity/step/sum_at_point.hpp"

namespace liegrad::sensitivity {

/// The equations of one generalized-α step as a function of everything that they depend on, with its derivatives, at
/// any point, whether it satisfies them or not. Configurations are q̄∘exp(δ) about any two reference configurations.
///
/// Rows: those of StepTerms. Arguments: those of Layout, in point(); parameters are those of the system until they are
/// changed.
class StepEquations : public SumAtPoint {
 public:
  struct Layout {
    explicit Layout(const dae::Model& system);
    struct Start {
      int q, v, v_dot, a;
    };
    struct End {
      int q, v, v_dot, a, lambda, s;
    };
    Start start;
    End end;
    int stabilizer;  ///< -hη, used by the stabilised formulation
    int parameters, controls, start_time, end_time, h, size;
  };

  StepEquations(const dae::Model& system, dae::Formulation formulation,
                const dae::AlphaMethod& method, ad::Backend backend = ad::Backend::kCompiled);

  const Layout& layout() const { return layout_; }

  /// The configurations at δ = 0.
  void set_references(std::span<const double> start, std::span<const double> end);

 private:
  std::shared_ptr<const dae::Model> model_;
  Layout layout_;
  StepPlaces places_;
};

}  // namespace liegrad::sensitivity
