#pragma once

#include <chrono>
#include <ctime>
#include <memory>
#include <utility>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/run/stepper.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::bench {

/// Some steps of a system, again and again from its initial values.
class Steps {
 public:
  Steps(dae::System system, const dae::IntegrateOptions& options, int count)
      : system_(std::move(system)),
        stepper_(dae::make_stepper(system_, options)),
        step_(options.step),
        count_(count) {
    dae::Consistency initial(system_, options.alpha.consistency, options.alpha.solver);
    initial_ = initial.initial_state(0, stepper_->assembly().controls());
  }
  // The stepper refers to the system.
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;
  ~Steps() = default;

  /// The seconds that a step takes, without those of the start.
  double seconds() {
    stepper_->start(initial_, step_);
    const auto start = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    return taken.count() / count_;
  }
  /// Those of the processor: runs that are longer than a slice of time are
  /// interrupted on a busy machine, all of them.
  double processor_seconds() {
    stepper_->start(initial_, step_);
    const std::clock_t start = std::clock();
    run();
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / count_;
  }

  /// Newton iterations of a step, when last run.
  double iterations() const { return static_cast<double>(iterations_) / count_; }
  /// After a run: at the end of its last step.
  dae::Assembly& assembly() { return stepper_->assembly(); }

 private:
  void run() {
    iterations_ = 0;
    for (int n = 1; n <= count_; ++n) {
      const dae::StepReport& report = stepper_->step(step_, n * step_);
      if (!report.success) throw Error("a step of the benchmark failed: " + report.message);
      iterations_ += report.newton_iterations;
      stepper_->accept();
    }
  }

  dae::System system_;
  std::unique_ptr<dae::Stepper> stepper_;
  dae::State initial_;
  double step_;
  int count_;
  long iterations_ = 0;
};

/// Generalized-α, index 3, ρ∞ = 0.9, full Newton, h = 1e-3: what the rows vary.
inline dae::IntegrateOptions alpha() {
  dae::IntegrateOptions options = dae::alpha_steps();
  options.step = 1e-3;
  options.alpha.method.parameters = dae::AlphaParameters::from_spectral_radius(0.9);
  return options;
}

}  // namespace liegrad::bench
