#include "studies/energy_balance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "liegrad/dae/start/consistency.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/outputs.hpp"
#include "liegrad/lie/group_list.hpp"

namespace liegrad::app {
namespace {

/// Power that counts, relative to what would change the kinetic energy by itself in the time of the motion.
constexpr double kTolerance = 1e-6;
/// How far the motion is followed to either side for the difference, relative to its own time.
constexpr double kFollowed = 1e-4;

/// The same everywhere; as large as the initial velocities, or 1 at rest.
std::vector<double> pseudo_random_velocity(const dae::System& system) {
  const double largest = dae::max_of(system.initial_velocity());
  std::mt19937 generator;  // NOLINT(cert-msc32-c,cert-msc51-cpp)
  std::vector<double> velocity;
  for (int i = 0; i < system.dof(); ++i) {
    const double part = 2 * static_cast<double>(generator()) / std::mt19937::max() - 1;
    velocity.push_back(part * (largest > 0 ? largest : 1));
  }
  return velocity;
}

class EnergyAlong {
 public:
  explicit EnergyAlong(const dae::System& system)
      : system_(system), outputs_(system), controls_(system.controls().size(), 0.0) {
    values_.resize(dae::index(outputs_.size()));
  }
  bool is_defined() const { return outputs_.has_energy(); }

  /// Energy, or its kinetic part, at the time t + dt of the motion through a state.
  double at(const dae::State& state, double dt, const char* name = "energy") {
    dae::State moved = state;
    moved.t += dt;
    std::vector<double> way = state.v;
    for (double& entry : way) entry *= dt;
    system_.configuration_space().plus<double>(state.q, way, moved.q);
    for (std::size_t i = 0; i < moved.v.size(); ++i) moved.v[i] += dt * state.v_dot[i];
    outputs_.evaluate(moved, controls_, values_);
    return values_[dae::index(outputs_.offset(name))];
  }

 private:
  const dae::System& system_;
  dae::Outputs outputs_;
  std::vector<double> controls_, values_;
};

bool is_kept(EnergyAlong& energy, const dae::State& state) {
  const double v = dae::max_of(state.v), v_dot = dae::max_of(state.v_dot);
  if (v == 0) return true;
  const double rate = std::max(v, v_dot / v);
  const double dt = kFollowed / rate;
  const double power = (energy.at(state, dt) - energy.at(state, -dt)) / (2 * dt);
  const double rounding =
      100 * std::numeric_limits<double>::epsilon() * std::abs(energy.at(state, 0)) / dt;
  const double kinetic = energy.at(state, 0, "energy.kinetic");
  return std::abs(power) <= kTolerance * rate * kinetic + rounding;
}

}  // namespace

bool keeps_energy(const dae::System& system, const dae::IntegrateOptions& options) {
  EnergyAlong energy(system);
  if (!energy.is_defined()) return false;
  dae::ConsistencyOptions projecting = options.alpha.consistency;
  projecting.project = true;
  dae::Consistency consistency(system, projecting, options.alpha.solver);
  const std::vector<double> controls(system.controls().size(), 0.0);
  const dae::InitialValues values{system.initial_configuration(), pseudo_random_velocity(system)};
  try {
    for (const double part : {0.0, 0.5, 1.0}) {
      const double t = options.t_start + part * (options.t_end - options.t_start);
      if (!is_kept(energy, consistency.initial_state(t, controls, values))) return false;
    }
  } catch (const Error&) {  // a constraint that moves away from the initial configuration
    return false;
  }
  return true;
}

}  // namespace liegrad::app
