// Bounds of the unknowns and rows of a transcription, where the search begins, and the reference that it counts from.

#include <algorithm>
#include <cmath>

#include "liegrad/control/transcription.hpp"
#include "liegrad/dae/start/consistency.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::control {
namespace {

using dae::index;

Interval point_interval(double x) { return {x, x}; }
Interval shifted(const Interval& interval, double by) {
  return {interval.lower + by, interval.upper + by};
}
Interval intersection(const Interval& a, const Interval& b) {
  return {std::max(a.lower, b.lower), std::min(a.upper, b.upper)};
}

}  // namespace

void Transcription::set_row_bounds() {
  row_bounds_.assign(index(rows_.size), point_interval(0));
  row_scales_.assign(index(rows_.size), 1.0);
  row_bounds_[index(rows_.cost)] = {};
  if (has_stages()) set_stage_scales();
  for (int n = 1; n <= layout_.num_steps && !has_stages(); ++n) {
    const double h = problem_.horizon() * step_share(n);
    const int first = rows_.step_to(n) + rows_.equations;
    for (int i = rows_.elements.position; i < rows_.elements.velocity; ++i) {
      row_scales_[index(first + i)] = 1 / h;
    }
  }
  const auto put = [this](const std::vector<ad::Recording>& functions,
                          const std::vector<Problem::Constraint>& constraints, int row) {
    for (std::size_t k = 0; k < functions.size(); ++k) {
      for (int i = 0; i < functions[k].num_outputs(); ++i) {
        row_bounds_[index(row++)] = constraints[k].interval;
      }
    }
  };
  for (int n = 0; n <= layout_.num_steps; ++n) {
    put(functions_.path_constraints, problem_.path_constraints(), rows_.path_at(n));
  }
  put(functions_.end_constraints, problem_.end_constraints(), rows_.end);
}

/// The guess of the problem; without one, the geodesic from the start to what is fixed at the end.
std::vector<double> Transcription::guessed_configuration(double fraction) const {
  const lie::GroupList& space = problem_.system().configuration_space();
  const std::vector<double> initial = problem_.system().initial_configuration();
  const std::vector<double> start = start_.guess.empty() ? initial : start_.guess;
  const auto copy_node = [&](const std::vector<double>& from, int node, std::vector<double>& to) {
    const int first = space.coeff_offset(node);
    std::copy_n(from.begin() + first, space.group(node).num_coeffs(), to.begin() + first);
  };
  // What is not fixed at the end stays where it starts.
  std::vector<double> end = start;
  for (int node = 0; node < space.size(); ++node) {
    if (is_fixed_at_end(node)) copy_node(problem_.end_configuration(), node, end);
  }
  // Ends that are found are guessed like all else.
  const bool is_guessed =
      (fraction > 0 || start_.is_linked) && (fraction < 1 || start_.end_is_linked);
  if (!problem_.guess() || !is_guessed) {
    std::vector<double> q(index(space.num_coeffs()));
    space.interpolate<double>(start, end, fraction, q);
    return q;
  }
  std::vector<double> q = problem_.guess()(fraction);
  if (static_cast<int>(q.size()) != space.num_coeffs()) {
    throw InvalidArgument("problem '" + problem_.name() + "': its guess returns " +
                          std::to_string(q.size()) + " coefficients; the configuration has " +
                          std::to_string(space.num_coeffs()));
  }
  for (int node = 0; node < space.size(); ++node) {
    if (fraction == 1 && is_fixed_at_end(node)) copy_node(end, node, q);
    if (fraction == 0 && space.group(node).dof() > 0 &&
        start_.given_positions[index(space.dof_offset(node))]) {
      copy_node(initial, node, q);
    }
  }
  return q;
}

bool Transcription::is_fixed_at_end(int node) const {
  const lie::GroupList& space = problem_.system().configuration_space();
  const auto first = problem_.end_position_fixed().begin() + space.dof_offset(node);
  return std::find(first, first + space.group(node).dof(), true) != first + space.group(node).dof();
}

void Transcription::set_guess(const StopRequest& stop) {
  const dae::Model& system = problem_.system();
  const lie::GroupList& space = system.configuration_space();
  guess_.assign(index(layout_.num_variables), 0.0);
  for (int n = 0; n <= layout_.num_steps; ++n) {
    references_.push_back(guessed_configuration(share(n)));
    std::copy(problem_.control_guess().begin(), problem_.control_guess().end(),
              guess_.begin() + layout_.at(n, layout_.controls));
    if (layout_.has_times) {
      guess_[index(layout_.at(n, layout_.time))] = problem_.horizon() * share(n);
    }
  }
  // Velocities that lead from one reference to the next.
  for (int n = 0; n < layout_.num_steps; ++n) {
    const std::span<double> v =
        std::span(guess_).subspan(index(layout_.at(n, layout_.v)), index(system.dof()));
    space.minus<double>(references_[index(n + 1)], references_[index(n)], v);
    for (double& x : v) x /= problem_.horizon() * step_share(n + 1);
  }
  guess_reactions(stop);
  if (has_stages()) guess_stages();
  share_periodic();
  if (layout_.horizon >= 0) guess_[index(layout_.horizon)] = problem_.horizon();
  int next = layout_.parameters;
  for (const auto& [parameter, bounds] : problem_.free_parameters()) {
    guess_[index(next++)] = system.parameter_values()[index(parameter)];
  }
}

void Transcription::share_periodic() {
  int next = layout_.periodic;
  for (const int offset : {layout_.q, layout_.v}) {
    for (const int dof : problem_.periodic()) guess_[index(next++)] = guess_[index(offset + dof)];
  }
}

/// λ and s that belong to the guessed positions, velocities and controls. Without reactions the first linearisation of a
/// system with joints may not see that its controls move all of it. Accelerations stay zero: a guess that satisfies the
/// equations of motion but no relation of a step is so little violated that IPOPT takes short steps only.
void Transcription::guess_reactions(const StopRequest& stop) {
  const dae::Model& system = problem_.system();
  if (system.num_multipliers() == 0) return;
  dae::Consistency consistency(system, {.allow_redundant = true, .check_elements = false},
                               dae::LinearSolverKind::kAutomatic);
  std::copy(problem_.control_guess().begin(), problem_.control_guess().end(),
            consistency.controls().begin());
  const auto part = [this](int n, int offset, int count) {
    return std::span(guess_).subspan(index(layout_.at(n, offset)), index(count));
  };
  const auto resized = [](int count) { return std::vector<double>(index(count), 0.0); };
  for (int n = 0; n <= layout_.num_steps && !stop.is_made(); ++n) {
    const std::span<const double> v = part(n, layout_.v, system.dof());
    dae::State state;
    state.t = problem_.horizon() * share(n);
    state.q = references_[index(n)];
    state.v.assign(v.begin(), v.end());
    state.v_dot = resized(system.dof());
    state.lambda = resized(system.num_multipliers());
    state.s = resized(system.num_algebraic());
    try {
      consistency.set_accelerations(state);
    } catch (const Error&) {
      continue;  // a guess where the matrix is singular stays without
    }
    std::copy(state.lambda.begin(), state.lambda.end(),
              part(n, layout_.lambda, system.num_multipliers()).begin());
    std::copy(state.s.begin(), state.s.end(), part(n, layout_.s, system.num_algebraic()).begin());
  }
}

void Transcription::set_references() {
  const lie::GroupList& space = problem_.system().configuration_space();
  const std::span<double> numbers(numbers_);
  for (std::size_t n = 0; n < points_.size(); ++n) {
    sensitivity::set_views(space, references_[n], points_[n].views, numbers);
  }
  if (has_stages()) set_stage_references();
  for (std::size_t n = 0; n < steps_.size(); ++n) {
    space.minus<double>(references_[n + 1], references_[n],
                        numbers.subspan(index(steps_[n].base), index(space.dof())));
  }
}

void Transcription::use_references() {
  set_references();
  set_variable_bounds();
}

void Transcription::set_variable_bounds() {
  const dae::Model& system = problem_.system();
  variable_bounds_.assign(index(layout_.num_variables), {});
  const auto narrow = [this](int variable, const Interval& interval) {
    Interval& bounds = variable_bounds_[index(variable)];
    bounds = intersection(bounds, interval);
  };
  const std::vector<double> v_0 = system.initial_velocity();
  const lie::GroupList& space = system.configuration_space();
  const int last = layout_.num_steps;
  std::vector<int> coefficient(index(system.dof()), 0);  // of a velocity in R^n
  for (int i = 0; i < space.size(); ++i) {
    for (int k = 0; k < space.group(i).dof(); ++k) {
      coefficient[index(space.dof_offset(i) + k)] = space.coeff_offset(i) + k;
    }
  }
  for (int n = 0; n <= last; ++n) {
    const auto& bounds = problem_.control_bounds();
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      narrow(layout_.at(n, layout_.controls) + static_cast<int>(i), bounds[i]);
    }
    if (n == 0 && !start_.is_linked) continue;
    for (const auto& [dof, interval] : problem_.velocity_bounds()) {
      narrow(layout_.at(n, layout_.v) + dof, interval);
    }
    for (const auto& [dof, interval] : problem_.coordinate_bounds()) {
      const double q = references_[index(n)][index(coefficient[index(dof)])];
      narrow(layout_.at(n, layout_.q) + dof, shifted(interval, -q));
    }
  }
  std::vector<bool> is_periodic(index(system.dof()), false);
  for (const int dof : problem_.periodic()) is_periodic[index(dof)] = true;
  for (int i = 0; i < system.dof(); ++i) {
    const bool is_given = !is_periodic[index(i)] && !start_.is_linked;
    if (is_given || (start_.is_linked && start_.given_positions[index(i)])) {
      narrow(layout_.q + i, point_interval(0));
    }
    if (is_given || (start_.is_linked && start_.given_velocities[index(i)])) {
      narrow(layout_.v + i, point_interval(v_0[index(i)]));
    }
    if (problem_.end_position_fixed()[index(i)]) {
      narrow(layout_.at(last, layout_.q) + i, point_interval(0));
    }
    const double v_end = problem_.end_velocity()[index(i)];
    if (!std::isnan(v_end)) narrow(layout_.at(last, layout_.v) + i, point_interval(v_end));
  }
  for (int i = layout_.stabilizer; i < layout_.controls; ++i) narrow(i, point_interval(0));
  // No step leads to the start.
  for (int i = layout_.first_stage; i < layout_.width; ++i) narrow(i, point_interval(0));
  // The first step starts from a_0 itself.
  for (int i = 0; layout_.rescales && i < system.dof(); ++i) {
    narrow(layout_.start_a + i, point_interval(0));
  }
  if (layout_.has_times) narrow(layout_.time, point_interval(0));
  if (layout_.horizon >= 0) narrow(layout_.horizon, problem_.horizon_bounds());
  int next = layout_.parameters;
  for (const auto& [parameter, interval] : problem_.free_parameters()) narrow(next++, interval);
  for (int i = 0; i < layout_.num_variables; ++i) {
    Interval& bounds = variable_bounds_[index(i)];
    if (bounds.lower > bounds.upper) {
      throw InvalidArgument("problem '" + problem_.name() +
                            "': what is fixed is outside its bounds, " + variable_name(i));
    }
    guess_[index(i)] = std::clamp(guess_[index(i)], bounds.lower, bounds.upper);
  }
}

double Transcription::largest_turn(std::span<const double> x) const {
  const lie::GroupList& space = problem_.system().configuration_space();
  double largest = 0;
  const auto measure = [&](int delta) {
    for (int i = 0; i < space.size(); ++i) {
      if (dae::is_linear(space.group(i)) || space.group(i).kind == lie::GroupKind::kSO2) continue;
      const int turning = space.group(i).kind == lie::GroupKind::kSE2 ? 1 : 3;
      double square = 0;
      for (int k = 0; k < turning; ++k) {
        const double number = x[index(delta + space.dof_offset(i) + k)];
        square += number * number;
      }
      largest = std::max(largest, std::sqrt(square));
    }
  };
  for (int n = 0; n <= layout_.num_steps; ++n) {
    measure(layout_.at(n, layout_.q));
    for (const GridLayout::Stage& stage : layout_.stages) measure(layout_.at(n, stage.q));
  }
  return largest;
}

void Transcription::set_reference(int point, std::span<const double> q) {
  const lie::GroupList& space = problem_.system().configuration_space();
  for (int i = 0; i < space.size(); ++i) {
    if (dae::is_linear(space.group(i))) continue;
    const int first = space.coeff_offset(i);
    std::copy_n(q.begin() + first, space.group(i).num_coeffs(),
                references_[index(point)].begin() + first);
  }
}

void Transcription::move_reference(int point, int node, std::span<const double> q,
                                   std::vector<double>& x) {
  const lie::GroupList& space = problem_.system().configuration_space();
  std::vector<double>& reference = references_[index(point)];
  const std::span<double> delta =
      std::span(x).subspan(index(layout_.at(point, layout_.q)), index(space.dof()));
  std::vector<double> at(reference.size()), moved(index(space.dof()));
  space.plus<double>(reference, delta, at);
  std::copy_n(q.begin(), space.group(node).num_coeffs(),
              reference.begin() + space.coeff_offset(node));
  space.minus<double>(at, reference, moved);
  const auto first = moved.begin() + space.dof_offset(node);
  std::copy_n(first, space.group(node).dof(), delta.begin() + space.dof_offset(node));
}

/// The end counts from its target, wherever some of its coordinates are fixed, and from the start of what is periodic.
bool Transcription::keeps_end_reference() const {
  if (!problem_.periodic().empty()) return true;
  const std::vector<bool>& fixed = problem_.end_position_fixed();
  return std::find(fixed.begin(), fixed.end(), true) != fixed.end();
}

void Transcription::recentre(std::vector<double>& x) {
  const lie::GroupList& space = problem_.system().configuration_space();
  for (int n = 1; n <= layout_.num_steps - (keeps_end_reference() ? 1 : 0); ++n) {
    const std::span<double> delta =
        std::span(x).subspan(index(layout_.at(n, layout_.q)), index(space.dof()));
    std::vector<double> q = references_[index(n)];
    space.plus<double>(q, delta, references_[index(n)]);
    std::fill(delta.begin(), delta.end(), 0.0);
  }
  if (has_stages()) recentre_stages(x);
  use_references();
}

/// δ, then v.
std::string Transcription::periodic_name(int k) const {
  const std::vector<int>& periodic = problem_.periodic();
  const int count = static_cast<int>(periodic.size());
  return (k < count ? "periodic position, " : "periodic velocity, ") +
         problem_.system().coordinate_name(periodic[index(k % count)]);
}

std::string Transcription::variable_name(int variable) const {
  if (variable == layout_.horizon) return "the horizon";
  const dae::Model& system = problem_.system();
  if (variable >= layout_.periodic && variable < layout_.parameters) {
    return periodic_name(variable - layout_.periodic);
  }
  if (variable >= layout_.parameters) {
    auto free = problem_.free_parameters().begin();
    std::advance(free, variable - layout_.parameters);
    return "parameter " + system.parameters()[index(free->first)].name;
  }
  const int offset = variable % layout_.width, point = variable / layout_.width;
  const auto name = [&]() -> std::string {
    if (offset < layout_.v) return "position, " + system.coordinate_name(offset);
    if (offset < layout_.v_dot) return "velocity, " + system.coordinate_name(offset - layout_.v);
    if (offset >= layout_.first_stage) return stage_variable_name(offset);
    if (offset < layout_.v_dot + system.dof())
      return "acceleration, " + system.coordinate_name(offset - layout_.v_dot);
    if (offset < layout_.lambda) return "a, " + system.coordinate_name(offset - layout_.a);
    if (offset < layout_.s) return "multiplier, " + system.constraint_name(offset - layout_.lambda);
    if (offset < layout_.stabilizer) return system.algebraic_name(offset - layout_.s);
    if (offset < layout_.controls) {
      return "stabilising multiplier, " + system.constraint_name(offset - layout_.stabilizer);
    }
    if (offset < layout_.time)
      return "control " + system.controls()[index(offset - layout_.controls)];
    if (layout_.rescales && offset >= layout_.start_a) {
      return "a of the next step, " + system.coordinate_name(offset - layout_.start_a);
    }
    return "time";
  };
  return name() + " at point " + std::to_string(point);
}

std::string Transcription::row_name(int row) const {
  const dae::Model& system = problem_.system();
  const auto constraint_name = [](const std::vector<ad::Recording>& functions,
                                  const std::vector<Problem::Constraint>& constraints, int i) {
    std::size_t k = 0;
    while (k + 1 < functions.size() && i >= functions[k].num_outputs()) {
      i -= functions[k++].num_outputs();
    }
    std::string text = constraints[k].name;
    if (functions[k].num_outputs() > 1) text.append("[").append(std::to_string(i + 1)).append("]");
    return text;
  };
  if (row == rows_.cost) return "the cost";
  if (row < rows_.start_end) {
    if (row >= rows_.start_controls) return "control of the first step at point 0";
    if (row >= rows_.start_periodic)
      return periodic_name(row - rows_.start_periodic) + " at point 0";
    if (row >= rows_.start_constraints) return "constraint at point 0";
    if (row >= rows_.start_a) {
      return "starting value of a, " + system.coordinate_name(row - rows_.start_a);
    }
    if (row >= rows_.start_acceleration) {
      return "acceleration of constraint " +
             system.constraint_name(row - rows_.start_acceleration) + " at point 0";
    }
    return "equation of motion at point 0";
  }
  if (row >= rows_.end_periodic) return periodic_name(row - rows_.end_periodic) + " at the end";
  if (row >= rows_.end) {
    return constraint_name(functions_.end_constraints, problem_.end_constraints(),
                           row - rows_.end) +
           " at the end";
  }
  if (row >= rows_.path_at(0)) {
    return constraint_name(functions_.path_constraints, problem_.path_constraints(),
                           row - rows_.path_at(0)) +
           " at point 0";
  }
  const int point = (row - rows_.start_end) / rows_.point_size + 1;
  const int offset = row - rows_.step_to(point);
  const std::string name = offset >= rows_.path
                               ? constraint_name(functions_.path_constraints,
                                                 problem_.path_constraints(), offset - rows_.path)
                               : step_row_name(offset);
  return name + " at point " + std::to_string(point);
}

/// Of what belongs to a step and its end.
std::string Transcription::step_row_name(int offset) const {
  const dae::Model& system = problem_.system();
  const int dof = system.dof();
  if (offset >= rows_.times) return "time";
  if (offset >= rows_.stage_controls) {
    const int count = static_cast<int>(system.controls().size());
    return "control " + system.controls()[index((offset - rows_.stage_controls) % count)] +
           " of a stage";
  }
  if (offset >= rows_.accelerations) return "acceleration";
  if (offset >= rows_.rescaled) {
    return "a of the next step, " + system.coordinate_name(offset - rows_.rescaled);
  }
  const std::string stage =
      has_stages() ? " of stage " + std::to_string(offset / rows_.stage_size + 1) : "";
  const int equation = offset % rows_.stage_size - rows_.equations;
  if (equation < 0) {
    return "step relation, " + system.coordinate_name(offset % rows_.stage_size % dof) + stage;
  }
  if (equation < rows_.elements.algebraic) {
    return "equation of motion, " + system.coordinate_name(equation) + stage;
  }
  if (equation < rows_.elements.position) {
    return "algebraic equation, " + system.algebraic_name(equation - dof) + stage;
  }
  const int m = system.num_multipliers();
  return "constraint " + system.constraint_name((equation - rows_.elements.position) % m) + stage;
}

}  // namespace liegrad::control
