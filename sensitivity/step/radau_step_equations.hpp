#pragma once

#include <memory>
#include <vector>

#include "liegrad/sensitivity/step/radau_terms.hpp"
#include "liegrad/sensitivity/step/sum_at_point.hpp"

namespace liegrad::sensitivity {

/// The equations of one Radau step as a function of everything that they depend on, with its derivatives, at any point,
/// whether it satisfies them or not. Configurations are q̄∘exp(δ) about any references, one for the start and one for each
/// stage.
///
/// Rows: those of RadauTerms. Arguments: those of Layout, in point(); parameters are those of the system until they are
/// changed, and W is that of the system's own.
class RadauStepEquations : public SumAtPoint {
 public:
  struct Layout {
    Layout(const dae::Model& system, int stages);
    struct Start {
      int q, v, controls, time;
    };
    struct Stage {
      int q, v, v_dot, lambda, s;
      int stabilizer;  ///< hη
      int controls, time;
    };
    /// What is solved for at the end, whose q and v are those of the last stage.
    struct End {
      int v_dot, lambda, s;
    };
    Start start;
    std::vector<Stage> stages;
    End end;
    int parameters, h, size;
  };

  /// For 2 or 3 stages.
  RadauStepEquations(const dae::Model& system, int stages,
                     ad::Backend backend = ad::Backend::kCompiled);

  const Layout& layout() const { return layout_; }
  /// Of the rows of a stage.
  int stage_size() const { return stage_size_; }
  std::span<const double> weights() const { return weights_; }

  /// The configurations at δ = 0: that of the start, then one for each stage.
  void set_references(const std::vector<std::vector<double>>& references);

 private:
  std::shared_ptr<const dae::Model> model_;
  Layout layout_;
  RadauPlaces places_;
  int stage_size_ = 0;
  std::vector<double> weights_;
};

}  // namespace liegrad::sensitivity
