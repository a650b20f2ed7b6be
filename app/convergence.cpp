#include "convergence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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

std::vector<double> difference(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) result[i] = a[i] - b[i];
  return result;
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

ByVariable largest_errors(const dae::System& system, std::span<const dae::State> states,
                          std::span<const dae::State> reference, bool absolute) {
  ByVariable largest{0, 0, system.num_multipliers() > 0 ? 0 : kNone};
  const auto relative = [absolute](const std::vector<double>& error,
                                   const std::vector<double>& nominal) {
    const double scale = absolute ? 0 : norm_of(nominal);
    return norm_of(error) / (scale > 0 ? scale : 1);
  };
  std::vector<double> q_error(static_cast<std::size_t>(system.dof()));
  for (std::size_t n = 0; n < reference.size(); ++n) {
    const dae::State &state = states[n], &exact = reference[n];
    std::vector<double> q = exact.q;
    system.configuration_space().minus<double>(state.q, exact.q, q_error);
    remove_first_order(system, q_error, false);
    remove_first_order(system, q, true);
    raise(largest.q, relative(q_error, q));
    raise(largest.v, relative(difference(state.v, exact.v), exact.v));
    if (exact.lambda.empty()) continue;
    raise(largest.lambda, relative(difference(state.lambda, exact.lambda), exact.lambda));
  }
  return largest;
}

ByVariable observed_order(double h_1, const ByVariable& e_1, double h_2, const ByVariable& e_2) {
  return fitted_order({h_1, h_2}, {e_1, e_2});
}

ByVariable fitted_order(const std::vector<double>& h, const std::vector<ByVariable>& errors) {
  return {slope(h, errors, &ByVariable::q), slope(h, errors, &ByVariable::v),
          slope(h, errors, &ByVariable::lambda)};
}

}  // namespace liegrad::app
