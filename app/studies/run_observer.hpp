#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/run/dense_output.hpp"
#include "liegrad/dae/run/run_times.hpp"
#include "liegrad/dae/start/consistency.hpp"
#include "output/csv_file.hpp"
#include "output/progress.hpp"
#include "studies/sample_table.hpp"

namespace liegrad::app {

/// Energy along a run, at the ends of all steps.
struct EnergyRecord {
  double initial = 0, final = 0;
  double largest_change = 0;   ///< |E - E_0|
  double largest_kinetic = 0;  ///< what the change is compared with when E_0 is zero

  double largest_relative_change() const;
};

/// Writes samples while a system runs, and keeps what the summary needs.
class RunObserver {
 public:
  /// `file` is empty when no samples are wanted; one for each step if the interval is zero.
  RunObserver(const dae::System& system, const dae::IntegrateOptions& options,
              const std::string& file, bool shows_progress);

  /// From now on λ, v̇ and s are those that belong to q and v by the equations of motion.
  void recompute_multipliers(dae::Consistency& equations) { equations_ = &equations; }
  /// The same for samples between steps alone, where they would be interpolated.
  void recompute_multipliers_between_steps(dae::Consistency& equations) {
    equations_between_ = &equations;
  }

  /// Keeps the ends of steps for a figure, thinned out to about `most`.
  void keep_samples(std::size_t most);

  void start(const dae::State& initial);
  void after_step(const dae::MethodState& state);
  /// With the end of the run, which is not the end of a step after an event; without one when there is none to
  /// be had from a run that failed.
  void finish(const std::optional<dae::State>& end);

  const dae::Outputs& outputs() const { return outputs_; }
  /// The last time observed, and all numbers then.
  double time() const { return time_; }
  const std::vector<double>& final_outputs() const { return numbers_; }
  const std::optional<EnergyRecord>& energy() const { return energy_; }
  long num_samples() const { return num_samples_; }
  /// Precondition: they were kept.
  optimize::Table samples() const { return kept_->table(); }
  /// Time that after_step() took: not part of the integration.
  double seconds() const { return seconds_; }

 private:
  void evaluate(const dae::State& state, std::vector<double>& numbers);
  void observe(const dae::State& state);
  void write(const dae::State& state);
  void write_samples(const dae::State& state, double h);

  dae::Outputs outputs_;
  dae::Consistency *equations_ = nullptr, *equations_between_ = nullptr;
  std::vector<double> controls_, numbers_, sample_numbers_;
  std::unique_ptr<CsvFile> file_;
  std::optional<SampleTable> kept_;
  double t_start_, time_, interval_;
  dae::RunTimes times_;
  dae::DenseOutput dense_;
  dae::State last_, sample_, recomputed_;
  std::optional<EnergyRecord> energy_;
  std::size_t energy_column_ = 0, kinetic_column_ = 0;
  long num_samples_ = 0;
  double seconds_ = 0;
  RunProgress progress_;
};

}  // namespace liegrad::app
