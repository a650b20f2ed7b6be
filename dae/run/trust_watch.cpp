#include "liegrad/dae/run/trust_watch.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "liegrad/dae/equations/assembly.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/outputs.hpp"
#include "liegrad/dae/system/text.hpp"

namespace liegrad::dae {
namespace {

/// Of all steps; a crack of a whip or two may be halved.
constexpr double kManyHalved = 0.01;
/// Of the energy at the ends.
constexpr double kLargestRise = 0.05;
/// Of the highest speed; its square is a part of the energy.
constexpr double kLargestAlternation = 0.1;
/// Of the last steps: an alternation counts for about this many.
constexpr double kMemory = 20;

}  // namespace

bool leaves_oscillations(const IntegrateOptions& options) {
  return options.method == Method::kAlpha && !options.alpha.method.parameters.warnings().empty();
}

void TrustWatch::start(const State& initial, Assembly& assembly) {
  initial_ = initial;
  inertia_.clear();
  for (int i = 0; i < model_->dof(); ++i) inertia_.push_back(std::abs(assembly.entry(i, i)));
  earlier_v_dot_.clear();
  earlier_step_ = highest_energy_ = recent_alternations_ = 0;
  above_tolerance_ = 0;
}

void TrustWatch::observe(const State& before, const MethodState& after) {
  const double h = after.step;
  const bool equal_steps =
      std::ssize(earlier_v_dot_) == model_->dof() && std::abs(h - earlier_step_) <= 1e-6 * h;
  double energy = 0, alternating = 0, smooth = 0;
  for (std::size_t i = 0; i < inertia_.size(); ++i) {
    energy += inertia_[i] * after.v[i] * after.v[i];
    if (!equal_steps) continue;
    const double ends = earlier_v_dot_[i] + after.v_dot[i], middle = 2 * before.v_dot[i];
    alternating += inertia_[i] * (ends - middle) * (ends - middle) / 16;
    smooth += inertia_[i] * (ends + middle) * (ends + middle) / 16;
  }
  highest_energy_ = std::max(highest_energy_, energy);
  const double largest = kLargestAlternation * kLargestAlternation * highest_energy_;
  const bool alternates = alternating > smooth && h * h * alternating > largest;
  recent_alternations_ = (1 - 1 / kMemory) * recent_alternations_ + (alternates ? 1 : 0);
  earlier_v_dot_.assign(before.v_dot.begin(), before.v_dot.end());
  earlier_step_ = h;
}

bool TrustWatch::many_were_halved(const IntegrateSummary& summary) const {
  return !options_.adaptive && static_cast<double>(summary.failed_attempts) >
                                   std::max(1.0, kManyHalved * static_cast<double>(summary.steps));
}

/// Drives and loads that follow a law of time can do work, as controls can.
bool TrustWatch::is_driven() const {
  if (!model_->controls().empty()) return true;
  return std::ranges::any_of(model_->kinds(), [](const auto& kind) {
    const std::vector<bool> read = kind->inputs_of_steps({}, {});
    return read[index(kind->inputs({}).time)];
  });
}

/// As a part of the larger of |E| and the kinetic energy at both ends; 0 where it is not known or may rise.
double TrustWatch::energy_rise(const State& end) const {
  if (is_driven()) return 0;
  Outputs outputs(*model_);
  outputs.set_parameters(parameters_);
  if (!outputs.has_energy()) return 0;
  std::vector<double> numbers(index(outputs.size()));
  std::array<double, 2> energy{};
  double scale = 0;
  for (const std::size_t i : {0u, 1u}) {
    outputs.evaluate(i == 0 ? initial_ : end, {}, numbers);
    energy[i] = numbers[index(outputs.offset("energy"))];
    const double kinetic = numbers[index(outputs.offset("energy.kinetic"))];
    scale = std::max({scale, std::abs(kinetic), std::abs(energy[i])});
  }
  return scale > 0 ? (energy[1] - energy[0]) / scale : 0;
}

std::string TrustWatch::remedy() const {
  if (leaves_oscillations(options_)) {
    return "choose a spectral radius rho below 1, or the stabilised formulation";
  }
  const bool is_index3 = options_.method == Method::kAlpha && model_->num_multipliers() > 0 &&
                         options_.alpha.formulation == Formulation::kIndex3;
  if (is_index3) return "choose the stabilised formulation, or a spectral radius rho closer to 0";
  return "choose a shorter step, or adaptive steps";
}

std::optional<std::string> TrustWatch::doubt(const IntegrateSummary& summary,
                                             const State& end) const {
  if (above_tolerance_ > 0) {
    return std::to_string(above_tolerance_) +
           " steps could not be made short enough for the tolerance; allow shorter steps, or a "
           "larger "
           "tolerance";
  }
  if (!options_.adaptive && summary.failed_attempts > 0) {
    const double rise = energy_rise(end);
    const bool rises = rise > kLargestRise;
    if (many_were_halved(summary) || rises) {
      return std::to_string(summary.failed_attempts) + " attempts at steps failed and were halved" +
             (rises ? ", and energy rose by " + number_text(std::round(100 * rise)) + " %" : "") +
             "; " + remedy();
    }
  }
  if (recent_alternations_ > 0.5 * kMemory) {
    return "accelerations and multipliers alternate from step to step; " + remedy();
  }
  return std::nullopt;
}

}  // namespace liegrad::dae
