#pragma once

#include <vector>

#include "liegrad/dae/linear/mass_solver.hpp"
#include "liegrad/dae/run/stepper.hpp"
#include "liegrad/dae/runge_kutta/butcher_tableau.hpp"

namespace liegrad::dae {

/// The methods of munthe_kaas.hpp with an explicit tableau.
///
/// At the start of a step θ = 0 and T = I, so that the first stage is (v_n, v̇_n), which the state
/// holds: a method of s stages evaluates v̇ s times a step, the last time at the end, and s - 1 times
/// when its last stage is the end.
class ExplicitMuntheKaas final : public Stepper {
 public:
  ExplicitMuntheKaas(const Model& system, const ButcherTableau& tableau);

  void set_parameters(std::span<const double> parameters) override {
    assembly_.set_parameters(parameters);
  }
  void start(const State& initial, double h) override;
  const StepReport& step(double h, double t_end) override;
  void accept() override;
  double error(const ErrorNorm& norm) override;
  int error_exponent() const override;
  double longest_step() const override;
  LinearSolverKind solver() const override { return solver_; }
  Assembly& assembly() override { return assembly_; }

 private:
  void set_coefficients(double h);
  /// (θ, v) = (0, v_n) + Σ_j weights_j k_j over the first stages.
  void combine(const double* weights, int count);
  template <int N>
  void add_rates(const double* weights, int count, int at);
  /// Nodes at (θ, v); writes θ' to `rates`.
  void move_nodes(double* rates);
  /// The end of the step at (θ, v).
  void move_to_end();
  bool evaluate(double t, double* v_dot);
  /// Fails where θ turns a node by more than π.
  bool turns_too_far();
  bool run_stages(double t_end);

  const lie::GroupList& space_;
  ButcherTableau tableau_;
  int stages_, dof_;
  int row_;  // 2 dof rounded up to whole packets: the length of what follows
  Assembly assembly_;
  LinearSolverKind solver_;
  MassSolver mass_;
  bool ends_with_last_stage_;
  double h_ = 0;
  std::vector<double> weights_;        // h a_ij row after row, then h b_j
  std::vector<double> error_weights_;  // h (b_j - b̂_j)
  std::vector<double> start_, point_;  // (0, v_n) and (θ, v)
  std::vector<double> rates_;  // k_j = (θ', v̇), stage after stage, then (-, v̇) at the end
  std::vector<double> error_;
  std::vector<double> start_view_, end_view_;
  /// A node: where its numbers are in the arrays above, in q and in the assembly.
  struct Place {
    lie::NodeGroup group;
    int num_dof, dof, coeff, view;
    double *to_view, *to_v;
  };
  std::vector<Place> places_;
};

}  // namespace liegrad::dae
