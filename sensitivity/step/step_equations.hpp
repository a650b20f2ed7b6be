#pragma once

#include <memory>
#include <vector>

#include "liegrad/sensitivity/step/step_terms.hpp"

namespace liegrad::sensitivity {

/// The equations of one generalized-α step as a function of everything that they depend on, with its derivatives, at
/// any point, whether it satisfies them or not. Configurations are q̄∘exp(δ) about any two reference configurations.
///
/// Rows: those of StepTerms. Arguments: those of Layout, in point().
class StepEquations {
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
  int num_rows() const { return sum_.num_values(); }

  /// The configurations at δ = 0.
  void set_references(std::span<const double> start, std::span<const double> end);
  /// Where the equations are evaluated; parameters are those of the system until they are changed.
  std::span<double> point() {
    return std::span(numbers_).first(static_cast<std::size_t>(layout_.size));
  }

  // All add to what stands in their results, see KernelSum.

  void residual(std::span<double> rows) { sum_.values(numbers_, rows); }
  const ad::Pattern& jacobian_pattern() { return sum_.jacobian_pattern(); }
  void jacobian(std::span<double> entries) { sum_.jacobian(numbers_, entries); }
  const ad::Pattern& hessian_pattern() { return sum_.hessian_pattern(); }
  void hessian(std::span<const double> weights, std::span<double> entries) {
    sum_.hessian(numbers_, weights, entries);
  }
  void tangent(int columns, std::span<const double> directions, std::span<double> rows) {
    sum_.tangent(numbers_, columns, directions, rows);
  }
  void adjoint(int columns, std::span<const double> weights, std::span<double> gradient) {
    sum_.adjoint(numbers_, columns, weights, gradient);
  }
  void second(std::span<const double> weights, std::span<const double> direction,
              std::span<double> gradient) {
    sum_.second(numbers_, weights, direction, gradient);
  }

 private:
  std::shared_ptr<const dae::Model> model_;
  Layout layout_;
  StepPlaces places_;
  KernelSum sum_;
  std::vector<double> numbers_;
};

}  // namespace liegrad::sensitivity
