#include "studies/run_observer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace liegrad::app {
namespace {

std::vector<std::string> columns_of(const dae::Outputs& outputs) {
  std::vector<std::string> columns = outputs.column_names();
  columns.insert(columns.begin(), "t");
  return columns;
}

}  // namespace

double EnergyRecord::largest_relative_change() const {
  const double scale = initial != 0 ? std::abs(initial) : largest_kinetic;
  return scale > 0 ? largest_change / scale : 0;
}

RunObserver::RunObserver(const dae::System& system, const dae::IntegrateOptions& options,
                         const std::string& file, bool shows_progress)
    : outputs_(system),
      controls_(system.controls().size(), 0.0),
      numbers_(static_cast<std::size_t>(outputs_.size())),
      sample_numbers_(numbers_.size()),
      t_start_(options.t_start),
      time_(options.t_start),
      interval_(options.sample_interval),
      times_(options.t_start, options.t_end),
      dense_(system.configuration_space()),
      progress_(options.t_start, options.t_end, shows_progress) {
  if (!file.empty()) file_ = std::make_unique<CsvFile>(file, columns_of(outputs_));
  if (outputs_.has_energy()) {
    energy_.emplace();
    energy_column_ = static_cast<std::size_t>(outputs_.offset("energy"));
    kinetic_column_ = static_cast<std::size_t>(outputs_.offset("energy.kinetic"));
  }
}

void RunObserver::evaluate(const dae::State& state, std::vector<double>& numbers) {
  if (equations_ == nullptr) return outputs_.evaluate(state, controls_, numbers);
  recomputed_ = state;
  equations_->set_accelerations(recomputed_);
  outputs_.evaluate(recomputed_, controls_, numbers);
}

void RunObserver::keep_samples(std::size_t most) { kept_.emplace(columns_of(outputs_), most); }

void RunObserver::start(const dae::State& initial) {
  evaluate(initial, numbers_);
  if (energy_) energy_->initial = numbers_[energy_column_];
  observe(initial);
  if (file_) write(initial);
  last_ = initial;
}

void RunObserver::after_step(const dae::MethodState& state) {
  const auto began = std::chrono::steady_clock::now();
  observe(state);
  if (file_) write_samples(state, state.step);
  progress_.update(state.t);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - began;
  seconds_ += taken.count();
}

void RunObserver::finish(const std::optional<dae::State>& end) {
  progress_.clear();
  if (end && end->t > time_) {
    if (file_) write_samples(*end, end->t - last_.t);
    observe(*end);
  }
  if (file_) file_->close();
}

void RunObserver::observe(const dae::State& state) {
  evaluate(state, numbers_);
  time_ = state.t;
  if (kept_) kept_->add(state.t, numbers_);
  if (!energy_) return;
  energy_->final = numbers_[energy_column_];
  energy_->largest_change =
      std::max(energy_->largest_change, std::abs(energy_->final - energy_->initial));
  energy_->largest_kinetic =
      std::max(energy_->largest_kinetic, std::abs(numbers_[kinetic_column_]));
}

void RunObserver::write(const dae::State& state) {
  evaluate(state, sample_numbers_);
  file_->write_row(state.t, sample_numbers_);
  num_samples_ += 1;
}

/// The samples in the step from the last state to this one.
void RunObserver::write_samples(const dae::State& state, double h) {
  if (interval_ <= 0) {
    write(state);
    return;
  }
  dense_.set_step(last_, state, h);
  while (true) {
    const double t = t_start_ + static_cast<double>(num_samples_) * interval_;
    if (times_.is_after(t, state.t)) break;
    if (times_.is_same(t, state.t)) {
      write(state);
    } else {
      dense_.evaluate(t, sample_);
      if (equations_between_ != nullptr) equations_between_->set_accelerations(sample_);
      write(sample_);
    }
  }
  last_ = state;
}

}  // namespace liegrad::app
