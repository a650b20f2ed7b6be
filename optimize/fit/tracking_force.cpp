#include "liegrad/optimize/fit/tracking_force.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "liegrad/dae/system/element_kind.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/lie/relative_rotation.hpp"
#include "liegrad/optimize/fit/measured_output.hpp"
#include "liegrad/optimize/fit/measured_path.hpp"

namespace liegrad::optimize {
namespace {

using dae::index;
using dae::Taped;

constexpr const char* kGain = "tracking force.gain";

/// gain Jᵀ (k (y_m - y) + d (ẏ_m - ẏ)), where J is that of a constraint y(q).
struct OutputTracking {
  std::shared_ptr<const dae::ElementModel> measured;
  std::shared_ptr<const dae::ConstraintTape> tape;
  Comparison comparison;
  /// What it is made of is made for one system only.
  bool operator==(const OutputTracking& other) const { return measured == other.measured; }

  int size() const { return measured->shape().constraints; }

  dae::ElementShape shape() const {
    dae::ElementShape shape = measured->shape();
    shape.type = "tracking_force";
    shape.constraints = 0;
    shape.parameters.push_back({"gain", 0, "J", "energy at a distance of a spread"});
    for (int i = 1; i <= size(); ++i) {
      const std::string number = std::to_string(i);
      shape.parameters.push_back({"k" + number, 1, "", "stiffness over the gain"});
      shape.parameters.push_back({"d" + number, 1, "", "damping over the gain"});
      for (const char* const name : {"on", "y", "rate"}) shape.controls.push_back(name + number);
    }
    return shape;
  }

  void residual(const dae::Motion<Taped>& at, dae::Balance<Taped>& balance) const {
    using CppAD::sin;
    const int own = static_cast<int>(measured->shape().parameters.size());
    const int nodes = static_cast<int>(measured->shape().nodes.size());
    dae::ConstraintTape::Point point;
    std::vector<Taped> velocity;
    for (int node = 0; node < nodes; ++node) {
      const std::vector<Taped> view = view_of(at, node);
      point.insert(point.end(), view.begin(), view.end());
      if (at.is_ground(node)) continue;
      const auto v = at.velocity_coordinates(node);
      velocity.insert(velocity.end(), v.data(), v.data() + v.size());
    }
    for (int i = 0; i < own; ++i) point.push_back(at.parameter(i));
    point.push_back(at.time());
    const std::vector<Taped> y = tape->coefficient(point, {}),
                             rate = tape->coefficient(point, {velocity});
    std::vector<Taped> pull;
    for (int i = 0; i < size(); ++i) {
      const Taped& on = at.control(3 * i);
      const Taped away = at.control(3 * i + 1) - y[index(i)];
      const Taped slower = at.control(3 * i + 2) - rate[index(i)];
      pull.push_back(on * at.parameter(own) *
                     (at.parameter(own + 1 + 2 * i) *
                          (comparison == Comparison::kAngle ? Taped(sin(away)) : away) +
                      at.parameter(own + 2 + 2 * i) * slower));
    }
    const std::vector<Taped> force = tape->force(point, pull);
    std::size_t next = 0;
    for (int node = 0; node < nodes; ++node) {
      for (int i = 0; i < at.group(node).dof(); ++i) balance.row(node, i) -= force[next++];
    }
  }
};

/// gain (k log(R̂ᵀR_m) + d (R̂ᵀR_m ω_m - ω)) as a torque.
struct OrientationTracking {
  dae::NodeRole role;
  bool operator==(const OrientationTracking&) const = default;

  dae::ElementShape shape() const {
    return {.type = "tracking_torque",
            .nodes = {{role}},
            .parameters = {{"gain", 0, "J", "energy at a distance of a spread"},
                           {"k", 1, "1", "stiffness over the gain"},
                           {"d", 1, "s", "damping over the gain"}},
            .controls = {"on", "w", "x", "y", "z", "omega1", "omega2", "omega3"}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    using V3 = lie::Vec<S, 3>;
    const lie::Vec<S, 4> q(at.control(1), at.control(2), at.control(3), at.control(4));
    const lie::Mat<S, 3> away = at.rotation(0).transpose() * lie::SO3<S>::from_coeffs(q).matrix();
    const V3 omega(at.control(5), at.control(6), at.control(7));
    const V3 slower = away * omega - at.omega(0);
    const V3 pull = at.parameter(1) * lie::rotation::logarithm<S>(away) + at.parameter(2) * slower;
    balance.apply_torque(0, at.control(0) * at.parameter(0) * pull);
  }
};

/// k and d for what was measured in all trials.
struct Stiffness {
  double k = 1, d = 1;
  Stiffness(const std::vector<Recording>& trials, const std::string& name) {
    double squares = 0, rates = 0, count = 0;
    for (const Recording& trial : trials) {
      for (const Series& series : trial.series) {
        if (series.name() != name || series.times.empty()) continue;
        const MeasuredPath path(series);
        squares += path.spread() * path.spread();
        rates += path.mean_rate() * path.mean_rate();
        count += 1;
      }
    }
    if (!(squares > 0) || !(rates > 0)) return;
    k = count / squares;
    d = 0.2 * k * std::sqrt(squares / rates);
  }
};

}  // namespace

TrackedSystem::TrackedSystem(const dae::System& system, const std::vector<Recording>& trials)
    : system_(system), num_own_controls_(system.controls().size()) {
  system_.add_parameter({kGain, 0, "J", "of forces that pull to the data"});
  std::map<std::string, Tracked> measured;
  for (const Recording& trial : trials) {
    for (const Series& series : trial.series) {
      Tracked& one = measured[series.output];
      one.output = series.output;
      one.comparison = series.comparison;
      if (std::ranges::find(one.components, series.component) == one.components.end()) {
        one.components.push_back(series.component);
      }
    }
  }
  std::string reasons;
  for (auto& [output, one] : measured) {
    std::ranges::sort(one.components);
    if (one.comparison == Comparison::kRotation) {
      add_orientation(one, trials);
    } else if (const std::string reason = add_output(one, trials); !reason.empty()) {
      reasons += (reasons.empty() ? "" : "; ") + reason;
    }
  }
  if (tracked_.empty()) {
    throw InvalidArgument("a tracking force needs measured positions, angles or orientations: " +
                          reasons + "; start by other means");
  }
}

void TrackedSystem::add_orientation(const Tracked& tracked, const std::vector<Recording>& trials) {
  const std::string node = tracked.output.substr(0, tracked.output.rfind('.'));
  const bool turns_only =
      system_.nodes()[index(system_.node_index(node))].group.kind == lie::GroupKind::kSO3;
  const Stiffness stiffness(trials, tracked.output);
  tracked_.push_back(tracked);
  tracked_.back().first_control = system_.controls().size();
  system_.add(
      "tracking torque on " + node,
      OrientationTracking{turns_only ? dae::NodeRole::kRotation : dae::NodeRole::kRigidBody},
      {node}, {.values = {{"k", stiffness.k}, {"d", stiffness.d}}, .bind = {{"gain", kGain}}});
}

std::string TrackedSystem::add_output(const Tracked& tracked,
                                      const std::vector<Recording>& trials) {
  try {
    const MeasuredOutput measured = measured_output(system_, tracked.output, tracked.components);
    dae::ElementOptions options{.bind = measured.bind};
    options.bind["gain"] = kGain;
    for (std::size_t i = 0; i < tracked.components.size(); ++i) {
      const Series series{tracked.output, tracked.components[i]};
      const Stiffness stiffness(trials, series.name());
      options.values["k" + std::to_string(i + 1)] = stiffness.k;
      options.values["d" + std::to_string(i + 1)] = stiffness.d;
    }
    const auto tape = std::make_shared<const dae::ConstraintTape>(*measured.model, measured.groups);
    const std::size_t first_control = system_.controls().size();
    system_.add("tracking force of " + tracked.output,
                OutputTracking{measured.model, tape, tracked.comparison}, measured.nodes, options);
    tracked_.push_back(tracked);
    tracked_.back().first_control = first_control;
    return "";
  } catch (const InvalidArgument& error) {
    return "'" + tracked.output + "' cannot be pulled: " + error.what();
  }
}

void TrackedSystem::set_gain(double gain) { system_.set_parameter(kGain, gain); }

dae::ControlLaw TrackedSystem::controls(const Recording& to, const dae::ControlLaw& own) const {
  struct Place {
    MeasuredPath path;
    std::size_t first;
    std::size_t width, size;
  };
  std::vector<Place> places;
  for (const Tracked& tracked : tracked_) {
    for (const Series& series : to.series) {
      if (series.output != tracked.output || series.times.empty()) continue;
      const auto component = std::ranges::find(tracked.components, series.component);
      places.push_back({MeasuredPath(series),
                        tracked.first_control +
                            3 * static_cast<std::size_t>(component - tracked.components.begin()),
                        index(series.width()), index(series.residual_size())});
    }
  }
  return [places, own, count = num_own_controls_](double t, std::span<double> controls) {
    if (own) own(t, controls.first(count));
    for (const Place& place : places) {
      controls[place.first] = 1;
      place.path.at(t, controls.subspan(place.first + 1, place.width),
                    controls.subspan(place.first + 1 + place.width, place.size));
    }
  };
}

}  // namespace liegrad::optimize
