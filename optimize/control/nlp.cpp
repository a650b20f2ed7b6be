#include "liegrad/control/nlp.hpp"

#include <algorithm>
#include <chrono>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::control {
namespace {

using dae::index;

/// Adds the time that it lives to a sum.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_(sum), begin_(Clock::now()) {}
  ~Stopwatch() { sum_ += std::chrono::duration<double>(Clock::now() - begin_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double& sum_;
  Clock::time_point begin_;
};

}  // namespace

Nlp::Nlp(Transcription& transcription) : transcription_(transcription) {
  sensitivity::KernelSum& sum = transcription.sum();
  shape_.hessian_pattern = sum.hessian_pattern();
  for (const auto& [row, column] : sum.jacobian_pattern()) {
    if (row == 0) {
      ++num_gradient_entries_;
    } else {
      shape_.jacobian_pattern.emplace_back(row - 1, column);
    }
  }
  for (int i = 0; i < transcription.num_variables(); ++i) {
    shape_.variable_stages.push_back(transcription.layout().stage_of_variable(i));
  }
  for (int row = 1; row < transcription.num_rows(); ++row) {
    shape_.constraint_stages.push_back(transcription.rows().stage_of_row(row));
  }
  shape_.has_joints = transcription.problem().system().num_multipliers() > 0;
  if (transcription.has_stages()) shape_.front_order = FrontOrder::kInnerFirst;
  values_.resize(index(transcription.num_rows()));
  weights_.resize(index(transcription.num_rows()));
  entries_.resize(sum.jacobian_pattern().size());
}

Interval Nlp::variable_interval(int variable) const {
  return transcription_.variable_bounds()[index(variable)];
}

Interval Nlp::constraint_interval(int constraint) const {
  const Interval& bounds = transcription_.row_bounds()[index(constraint + 1)];
  const double scale = transcription_.row_scales()[index(constraint + 1)];
  return {scale * bounds.lower, scale * bounds.upper};
}

bool Nlp::set_point(std::span<const double> x) {
  std::copy(x.begin(), x.end(), transcription_.numbers().begin());
  has_values_ = has_jacobian_ = false;
  return true;
}

void Nlp::evaluate_values() {
  if (has_values_) return;
  const Stopwatch watch(seconds_);
  std::fill(values_.begin(), values_.end(), 0.0);
  transcription_.sum().values(transcription_.numbers(), values_);
  has_values_ = true;
}

void Nlp::evaluate_jacobian() {
  if (has_jacobian_) return;
  const Stopwatch watch(seconds_);
  std::fill(entries_.begin(), entries_.end(), 0.0);
  transcription_.sum().jacobian(transcription_.numbers(), entries_);
  has_jacobian_ = true;
}

double Nlp::cost() {
  evaluate_values();
  return values_[0];
}

void Nlp::constraints(std::span<double> g) {
  evaluate_values();
  const std::vector<double>& scales = transcription_.row_scales();
  for (std::size_t i = 1; i < values_.size(); ++i) g[i - 1] = scales[i] * values_[i];
}

void Nlp::cost_gradient(std::span<double> gradient) {
  evaluate_jacobian();
  std::fill(gradient.begin(), gradient.end(), 0.0);
  const ad::Pattern& pattern = transcription_.sum().jacobian_pattern();
  for (std::size_t i = 0; i < num_gradient_entries_; ++i) {
    gradient[index(pattern[i].second)] = entries_[i];
  }
}

void Nlp::jacobian(std::span<double> entries) {
  evaluate_jacobian();
  const std::vector<double>& scales = transcription_.row_scales();
  for (std::size_t i = 0; i < shape_.jacobian_pattern.size(); ++i) {
    entries[i] =
        scales[index(shape_.jacobian_pattern[i].first + 1)] * entries_[num_gradient_entries_ + i];
  }
}

void Nlp::hessian(double cost_factor, std::span<const double> multipliers,
                  std::span<double> entries) {
  const Stopwatch watch(seconds_);
  const std::vector<double>& scales = transcription_.row_scales();
  weights_[0] = cost_factor;
  for (std::size_t i = 1; i < weights_.size(); ++i) weights_[i] = scales[i] * multipliers[i - 1];
  std::fill_n(entries.begin(), shape_.hessian_pattern.size(), 0.0);
  transcription_.sum().hessian(transcription_.numbers(), weights_, entries);
}

}  // namespace liegrad::control
