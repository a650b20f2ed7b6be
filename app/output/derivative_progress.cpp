#include "output/derivative_progress.hpp"

#include <utility>

#include "options/interrupt.hpp"

namespace liegrad::app {

DerivativeProgress::DerivativeProgress(std::string text, sensitivity::DifferentiateOptions& options,
                                       bool wanted)
    : text_(std::move(text)),
      t_end_(options.integrate.t_end),
      wanted_(wanted),
      pace_(options.integrate) {
  run_.emplace(options.integrate.t_start, t_end_, wanted);
  options.integrate.on_step = [this](const dae::State& state) {
    after_step(state.t);
    return true;
  };
  options.on_progress = [this](double done) { after_part(done); };
}

void DerivativeProgress::after_step(double t) {
  throw_if_interrupted();
  if (const std::optional<std::string> failure = pace_.failure(t)) throw Error(*failure);
  if (!run_) return;
  run_->update(t);
  if (t < t_end_) return;
  run_.reset();
  line_.emplace(wanted_);
}

void DerivativeProgress::after_part(double done) {
  throw_if_interrupted();
  if (line_ && line_->is_due()) line_->show(text_, done);
}

}  // namespace liegrad::app
