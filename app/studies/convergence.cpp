#include "studies/convergence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "liegrad/lie/group_list.hpp"

namespace liegrad::app {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double norm_of(std::span<const double> x) {
  double sum = 0;
  for (const double entry : x) sum += entry * entry;
  return std::sqrt(sum);
}

/// The position of a first-order state is no unknown: its entries become zero.
void remove_first_order(const dae::System& system, std::vector<double>& list, bool coefficients) {
  const lie::GroupList& space = system.configuration_space();
  for (int i = 0; i < space.size(); ++i) {
    if (!system.nodes()[static_cast<std::size_t>(i)].first_order) continue;
    const int first = coefficients ? space.coeff_offset(i) : space.dof_offset(i);
    std::fill_n(list.begin() + first, space.group(i).dof(), 0.0);
  }
}

void set_difference(std::span<const double> a, std::span<const double> b,
                    std::vector<double>& result) {
  result.assign(a.begin(), a.end());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] -= b[i];
}

/// max that keeps a NaN.
void raise(double& largest, double value) {
  if (!(value <= largest)) largest = value;
}

double slope(const std::vector<double>& h, const std::vector<ByVariable>& errors,
             double ByVariable::*variable) {
  std::vector<double> x, y;
  for (std::size_t i = 0; i < h.size(); ++i) {
    const double error = errors[i].*variable;
    if (!(error > 0) || !std::isfinite(error)) continue;
    x.push_back(std::log(h[i]));
    y.push_back(std::log(error));
  }
  const double count = static_cast<double>(x.size());
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += x[i] / count;
    mean_y += y[i] / count;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  return xx > 0 ? xy / xx : kNone;
}

}  // namespace

RunErrors::RunErrors(const dae::System& system, const ReferenceStates& reference,
                     double time_tolerance)
    : system_(system),
      reference_(reference),
      time_tolerance_(time_tolerance),
      largest_{0, 0, system.num_multipliers() > 0 ? 0 : kNone},
      q_error_(static_cast<std::size_t>(system.dof())) {}

void RunErrors::after_step(const dae::State& state) {
  while (next_ < reference_.size() && reference_.time(next_) < state.t - time_tolerance_) ++next_;
  if (next_ == reference_.size() || reference_.time(next_) > state.t + time_tolerance_) return;
  reference_.load(next_, exact_);
  count_ += 1;
  system_.configuration_space().minus<double>(state.q, exact_.q, q_error_);
  remove_first_order(system_, q_error_, false);
  raise(largest_.q, norm_of(q_error_));
  set_difference(state.v, exact_.v, difference_);
  raise(largest_.v, norm_of(difference_));
  if (exact_.lambda.empty()) return;
  set_difference(state.lambda, exact_.lambda, difference_);
  raise(largest_.lambda, norm_of(difference_));
}

ByVariable largest_norms(const dae::System& system, const ReferenceStates& reference) {
  ByVariable largest;
  dae::State state;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    reference.load(i, state);
    remove_first_order(system, state.q, true);
    raise(largest.q, norm_of(state.q));
    raise(largest.v, norm_of(state.v));
    raise(largest.lambda, norm_of(state.lambda));
  }
  return largest;
}

ByVariable relative(const ByVariable& errors, const ByVariable& sizes) {
  const auto over = [](double error, double size) { return size > 0 ? error / size : error; };
  return {over(errors.q, sizes.q), over(errors.v, sizes.v), over(errors.lambda, sizes.lambda)};
}

ByVariable observed_order(double h_1, const ByVariable& e_1, double h_2, const ByVariable& e_2) {
  return fitted_order({h_1, h_2}, {e_1, e_2});
}

ByVariable fitted_order(const std::vector<double>& h, const std::vector<ByVariable>& errors) {
  return {slope(h, errors, &ByVariable::q), slope(h, errors, &ByVariable::v),
          slope(h, errors, &ByVariable::lambda)};
}

}  // namespace liegrad::app
