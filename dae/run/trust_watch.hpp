#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "liegrad/dae/integrate.hpp"

namespace liegrad::dae {

/// Sees when a run that goes on gives numbers that cannot be relied on (docs/step-control.md):
///
///     many steps were halved, or some were and energy rose in a system without controls and laws of time;
///     accelerations, and with them multipliers, alternate from step to step and move velocities;
///     error control accepted steps above the tolerance, since they could not be shorter.
class TrustWatch {
 public:
  TrustWatch(const Model& system, const IntegrateOptions& options)
      : model_(system.shared()), options_(options) {}

  void set_parameters(std::span<const double> parameters) { parameters_ = parameters; }
  /// Velocities and accelerations are measured by the inertias on the diagonal of the mass matrix, which the assembly
  /// holds: vᵀMv has one unit, whatever v consists of.
  void start(const State& initial, Assembly& assembly);

  /// After each step, from one state to the next.
  void observe(const State& before, const MethodState& after);
  /// A step was accepted although its error is above the tolerance.
  void accept_above_tolerance() { above_tolerance_ += 1; }

  /// What makes the run untrustworthy, and what helps; none if nothing is known against it.
  std::optional<std::string> doubt(const IntegrateSummary& summary, const State& end) const;

 private:
  bool many_were_halved(const IntegrateSummary& summary) const;
  bool is_driven() const;
  double energy_rise(const State& end) const;
  std::string remedy() const;

  std::shared_ptr<const Model> model_;
  IntegrateOptions options_;
  std::span<const double> parameters_;
  State initial_;
  std::vector<double> earlier_v_dot_;  ///< at the start of the step before
  double earlier_step_ = 0;
  std::vector<double> inertia_;  ///< by velocity
  double highest_energy_ = 0;
  double recent_alternations_ = 0;  ///< their number, older ones count less
  long above_tolerance_ = 0;
};

/// Whether errors of constraint forces may persist, since the parameters of the method do not damp them.
bool leaves_oscillations(const IntegrateOptions& options);

}  // namespace liegrad::dae
