#include "liegrad/optimize/fit/measured_path.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/lie/so3.hpp"

namespace liegrad::optimize {
namespace {

using lie::SO3;
using Vec3 = lie::Vec<double, 3>;
using Vec4 = lie::Vec<double, 4>;

SO3<double> orientation(const Series& series, std::size_t i) {
  return SO3<double>::from_coeffs(Vec4(Eigen::Map<const Vec4>(&series.values[4 * i])));
}

/// The cubic polynomial from 0 to `change` over a time h with given rates at both ends, and its rate, at s h.
struct Cubic {
  double value, rate;
  Cubic(double s, double h, double change, double first_rate, double last_rate) {
    const double a = h * first_rate, b = h * last_rate;
    const double third = a + b - 2 * change, second = 3 * change - 2 * a - b;
    value = s * (a + s * (second + s * third));
    rate = (a + s * (2 * second + 3 * s * third)) / h;
  }
};

}  // namespace

MeasuredPath::MeasuredPath(const Series& series)
    : series_(series), size_(dae::index(series.residual_size())) {
  find_changes();
  find_rates();
  find_spread();
}

void MeasuredPath::find_changes() {
  for (std::size_t i = 0; i + 1 < series_.times.size(); ++i) {
    if (series_.comparison == Comparison::kRotation) {
      const Vec3 change = (orientation(series_, i).inverse() * orientation(series_, i + 1)).log();
      changes_.insert(changes_.end(), change.begin(), change.end());
      continue;
    }
    const double change = series_.values[i + 1] - series_.values[i];
    changes_.push_back(series_.comparison == Comparison::kAngle
                           ? std::remainder(change, 2 * std::numbers::pi)
                           : change);
  }
}

/// Those of parabolas through three neighbours.
void MeasuredPath::find_rates() {
  const std::size_t samples = series_.times.size();
  rates_.assign(samples * size_, 0.0);
  if (samples < 2) return;
  const auto slope = [this](std::size_t i, std::size_t c) {
    return change(i, c) / (series_.times[i + 1] - series_.times[i]);
  };
  for (std::size_t i = 0; i < samples; ++i) {
    for (std::size_t c = 0; c < size_; ++c) {
      double& rate = rates_[i * size_ + c];
      if (i == 0 || i + 1 == samples) {
        rate = slope(i == 0 ? 0 : i - 1, c);
        continue;
      }
      const double before = series_.times[i] - series_.times[i - 1];
      const double after = series_.times[i + 1] - series_.times[i];
      rate = (after * slope(i - 1, c) + before * slope(i, c)) / (before + after);
    }
  }
}

void MeasuredPath::find_spread() {
  const std::size_t samples = series_.times.size();
  if (samples == 0) return;
  const double count = static_cast<double>(samples);
  double sum = 0, squares = 0;
  if (series_.comparison == Comparison::kRotation) {
    for (std::size_t i = 0; i < samples; ++i) {
      squares += (orientation(series_, 0).inverse() * orientation(series_, i)).log().squaredNorm();
    }
  } else {
    double value = 0;  // counted over turns
    for (std::size_t i = 0; i < samples; ++i) {
      sum += value;
      squares += value * value;
      if (i + 1 < samples) value += changes_[i];
    }
  }
  spread_ = std::sqrt(std::max(0.0, squares / count - sum * sum / (count * count)));
  double rates = 0;
  for (const double rate : rates_) rates += rate * rate;
  mean_rate_ = std::sqrt(rates / count);
}

void MeasuredPath::at(double t, std::span<double> value, std::span<double> rate) const {
  const std::vector<double>& times = series_.times;
  std::ranges::fill(value, 0.0);
  std::ranges::fill(rate, 0.0);
  if (times.empty()) return;
  const auto next = std::upper_bound(times.begin(), times.end(), t);
  const bool is_inside = next != times.begin() && next != times.end();
  const std::size_t i =
      next == times.begin() ? 0 : static_cast<std::size_t>(next - times.begin()) - 1;
  const std::size_t width = dae::index(series_.width());
  if (!is_inside) {
    std::copy_n(series_.values.begin() + static_cast<std::ptrdiff_t>(width * i), width,
                value.begin());
    return;
  }
  const double h = times[i + 1] - times[i], s = (t - times[i]) / h;
  if (series_.comparison != Comparison::kRotation) {
    const Cubic cubic(s, h, changes_[i], rates_[i], rates_[i + 1]);
    value[0] = series_.values[i] + cubic.value;
    rate[0] = cubic.rate;
    return;
  }
  // In θ of y_i∘exp(θ): the rate at the end is T⁻¹(θ) ω there, and on the way ω = T(θ) θ̇.
  const Eigen::Map<const Vec3> whole(&changes_[3 * i]), first(&rates_[3 * i]);
  const Vec3 last = SO3<double>::tangent_operator_inverse(Vec3(whole)) *
                    Vec3(Eigen::Map<const Vec3>(&rates_[3 * (i + 1)]));
  Vec3 theta, theta_dot;
  for (int c = 0; c < 3; ++c) {
    const Cubic cubic(s, h, whole(c), first(c), last(c));
    theta(c) = cubic.value;
    theta_dot(c) = cubic.rate;
  }
  const Vec4 q = (orientation(series_, i) * SO3<double>::exp(theta)).coeffs();
  const Vec3 omega = SO3<double>::tangent_operator(theta) * theta_dot;
  std::ranges::copy(q, value.begin());
  std::ranges::copy(omega, rate.begin());
}

}  // namespace liegrad::optimize
