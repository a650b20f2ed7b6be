#include "liegrad/dae/static_equilibrium.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/dae/equations/assembly.hpp"
#include "liegrad/dae/equations/equation_scales.hpp"
#include "liegrad/dae/run/newton.hpp"
#include "liegrad/dae/system/element_check.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/text.hpp"
#include "liegrad/dae/system/turn.hpp"

namespace liegrad::dae {
namespace {

/// A correction that turns a node by more than this leaves the neighbourhood in which Newton converges.
constexpr double kLargestTurn = 1.5;
/// After so few iterations the next load step is twice as long.
constexpr int kEasyIterations = 6;
/// What is left of the load by rounding.
constexpr double kRoundedLoad = 1e-12;

/// An equation is solved when it is below so many units of rounding of its terms.
constexpr double kSolved = 16 * kRoundingTolerance;

/// What became of one load step.
enum class Outcome { kConverged, kDiverged, kSingular };

class EquilibriumSearch {
 public:
  EquilibriumSearch(const Model& system, const StaticOptions& options)
      : system_(system),
        options_(options),
        assembly_(system, Formulation::kIndex3, false, options.solver),
        scales_(assembly_) {
    if (!options.controls.empty())
      std::ranges::copy(options.controls, assembly_.controls().begin());
    State& state = result_.state;
    state.t = options.time;
    state.q = options.start.value_or(system.initial_configuration());
    state.v.assign(index(system.dof()), 0.0);
    state.v_dot = state.v;
    state.lambda.assign(index(system.num_multipliers()), 0.0);
    state.s.assign(index(system.num_algebraic()), 0.0);
    for (const double number : state.q) {
      if (!std::isfinite(number))
        throw InvalidArgument("the configuration to begin with is not finite");
    }
    ElementCheck(system).check(state.q, system.parameter_values(), assembly_.controls(), state.t);
  }

  StaticSolution run() {
    const State start = result_.state;
    evaluate(start);
    kept_.assign(assembly_.residual().begin(), assembly_.residual().end());
    require_finite();
    double step = 1.0 / options_.load_steps;
    Outcome outcome = Outcome::kConverged;
    while (result_.load < 1 && step >= options_.smallest_load_step) {
      // Rounding of a sum of equal parts leaves no part of its own.
      const double next = result_.load + step;
      const double target = next > 1 - kRoundedLoad ? 1.0 : next;
      State trial = result_.state;
      int iterations = 0;
      outcome = solve(trial, target, iterations);
      result_.newton_iterations += iterations;
      if (outcome != Outcome::kConverged) {
        ++result_.failed_steps;
        step = (target - result_.load) / 2;
        continue;
      }
      result_.state = trial;
      result_.load = target;
      ++result_.load_steps;
      if (options_.on_step) options_.on_step(target, trial);
      if (iterations <= kEasyIterations) step *= 2;
    }
    conclude(outcome);
    return std::move(result_);
  }

 private:
  void evaluate(const State& state) {
    assembly_.set_time(state.t);
    assembly_.set_configuration(state.q);
    assembly_.set_velocity(state.v);
    assembly_.set_acceleration(state.v_dot);
    std::ranges::copy(state.lambda, assembly_.multipliers().begin());
    std::ranges::copy(state.s, assembly_.algebraic().begin());
    assembly_.set_identity_maps();
    assembly_.coefficients() = {.c_a = 0, .k_q = 1};
    assembly_.evaluate(true);
  }
  void require_finite() {
    if (const std::string element = assembly_.nonfinite_element(); !element.empty()) {
      throw Error("element '" + element + "' returns a number that is not finite at the start");
    }
  }

  /// The largest residual of r - (1 - p) r₀ over what rounding leaves of it.
  double error(double target) {
    double largest = 0;
    const std::span<const double> residual = assembly_.residual();
    for (std::size_t i = 0; i < residual.size(); ++i) {
      right_[i] = -(residual[i] - (1 - target) * kept_[i]);
      const double size = std::max(tolerance_[i], std::numeric_limits<double>::min());
      // NaN becomes the largest.
      if (const double part = std::abs(right_[i]) / size; !(part <= largest)) largest = part;
    }
    return largest;
  }
  void measure(const State& state) {
    scales_.measure(state, std::nullopt);
    evaluate(state);
    measure_constraints(state);
    const int dof = system_.dof(), algebraic = assembly_.algebraic_offset();
    tolerance_.resize(kept_.size());
    right_.resize(kept_.size());
    for (int i = 0; i < assembly_.size(); ++i) {
      const double scale = i < dof         ? scales_.force()[index(i)]
                           : i < algebraic ? constraint_scales_[index(i - dof)]
                                           : scales_.force()[index(i - system_.num_multipliers())];
      // The part of r₀ that is kept has been rounded, too.
      tolerance_[index(i)] = kSolved * (scale + std::abs(kept_[index(i)]));
    }
  }
  /// Σ|B_ij| S_j with S_j = 1 for angles and the extent of the system for positions: a clamp at the origin has no
  /// distance from it, and a beam without rotary inertia no radius of gyration.
  void measure_constraints(const State& state) {
    const lie::GroupList& space = system_.configuration_space();
    std::vector<bool> is_angle(index(system_.dof()), false);
    double extent = 0;
    for (int i = 0; i < space.size(); ++i) {
      const lie::NodeGroup& group = space.group(i);
      const int angles = num_angles(group.kind), positions = group.dof() - angles;
      std::fill_n(is_angle.begin() + space.dof_offset(i), angles, true);
      const int end = space.coeff_offset(i) + group.num_coeffs();
      for (int k = end - positions; k < end; ++k) {
        extent = std::max(extent, std::abs(state.q[index(k)]));
      }
    }
    constraint_scales_.assign(state.lambda.size(), 0.0);
    const std::span<const double> values = assembly_.matrix().values();
    for (const auto& [row, column] : assembly_.pattern()) {
      const int constraint = row - assembly_.multiplier_offset();
      if (constraint < 0 || row >= assembly_.algebraic_offset() || column >= system_.dof())
        continue;
      constraint_scales_[index(constraint)] +=
          std::abs(values[index(assembly_.matrix().position(row, column))]) *
          (is_angle[index(column)] ? 1 : extent);
    }
  }

  Outcome solve(State& state, double target, int& iterations) {
    evaluate(state);
    measure(state);
    for (;; ++iterations) {
      result_.largest_residual = error(target);
      if (result_.largest_residual <= 1) return Outcome::kConverged;
      if (iterations == options_.max_iterations || !std::isfinite(result_.largest_residual)) {
        return Outcome::kDiverged;
      }
      if (!assembly_.matrix().factorize()) {
        singular_ = assembly_.unknown_name(assembly_.matrix().singular_unknown());
        return Outcome::kSingular;
      }
      assembly_.matrix().solve(right_);
      if (!move(state)) return Outcome::kDiverged;
      evaluate(state);
      // Rounding grows with the loads: its scales are those of the configuration that is reached.
      if (iterations % 4 == 3) measure(state);
    }
  }
  /// q∘exp(w), λ + …, s + …; false when a node would turn too far.
  bool move(State& state) {
    const lie::GroupList& space = system_.configuration_space();
    for (int i = 0; i < space.size(); ++i) {
      for (int k = 0; k < num_angles(space.group(i).kind); ++k) {
        if (!(std::abs(right_[index(space.dof_offset(i) + k)]) <= kLargestTurn)) return false;
      }
    }
    std::vector<double> q(state.q.size());
    space.plus<double>(state.q, std::span<const double>(right_).first(index(system_.dof())), q);
    state.q = std::move(q);
    const auto add = [this](std::vector<double>& to, int first) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] += right_[index(first) + i];
    };
    add(state.lambda, assembly_.multiplier_offset());
    add(state.s, assembly_.algebraic_offset());
    return true;
  }

  void conclude(Outcome outcome) {
    result_.converged = result_.load >= 1;
    if (result_.converged) {
      result_.message = "equilibrium found";
      return;
    }
    result_.message =
        "no equilibrium was found beyond " + number_text(result_.load) + " of the load: ";
    if (outcome == Outcome::kSingular) {
      result_.message +=
          "nothing holds " + singular_ + ", where the system can move freely; hold it there";
      return;
    }
    result_.message += "Newton's method did not converge with steps of " +
                       number_text(options_.smallest_load_step);
    // An element that could not have started from there is the reason.
    const std::string validation_message = validation_message_where_it_ended();
    result_.message += validation_message.empty()
                           ? ", as where the load passes a maximum; change the load or the start"
                           : ", where " + validation_message;
  }
  std::string validation_message_where_it_ended() {
    try {
      ElementCheck(system_).check(result_.state.q, system_.parameter_values(), assembly_.controls(),
                                  result_.state.t);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "";
  }

  const Model& system_;
  const StaticOptions& options_;
  Assembly assembly_;
  EquationScales scales_;
  StaticSolution result_;
  std::vector<double> kept_, right_, tolerance_, constraint_scales_;
  std::string singular_;
};

}  // namespace

std::vector<std::string> StaticOptions::problems() const {
  std::vector<std::string> list;
  if (!std::isfinite(time)) list.push_back("the time is not finite");
  if (load_steps < 1) {
    list.push_back("there are " + std::to_string(load_steps) + " load steps; at least 1 is needed");
  }
  if (!(smallest_load_step > 0 && smallest_load_step < 1)) {
    list.push_back("the smallest load step is " + number_text(smallest_load_step) +
                   "; it must be between 0 and 1");
  }
  if (max_iterations < 1) {
    list.push_back("at most " + std::to_string(max_iterations) +
                   " iterations are allowed; at least 1 is needed");
  }
  return list;
}

StaticSolution find_equilibrium(const Model& system, const StaticOptions& options) {
  std::string text;
  for (const std::string& problem : options.problems())
    text += (text.empty() ? "" : "; ") + problem;
  if (!text.empty()) throw InvalidArgument(text);
  for (const Node& node : system.nodes()) {
    if (!node.first_order) continue;
    throw InvalidArgument("node '" + node.name +
                          "' is a first-order state, of which a static equilibrium is not defined");
  }
  if (!options.controls.empty() && options.controls.size() != system.controls().size()) {
    throw InvalidArgument("there are " + std::to_string(options.controls.size()) +
                          " values of controls; the system has " +
                          std::to_string(system.controls().size()));
  }
  if (system.dof() == 0) throw InvalidArgument("the system has no nodes that could move");
  return EquilibriumSearch(system, options).run();
}

}  // namespace liegrad::dae
