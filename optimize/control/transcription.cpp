#include "liegrad/control/transcription.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::control {
namespace {

/// Of a step; shorter ones lose their digits.
constexpr double kSmallestShare = 1e-9;

using ad::Taped;
using dae::ElementFunction;
using dae::index;
using sensitivity::MotionPlaces;
using sensitivity::StepTerms;

void check_mesh(const Problem& problem, const std::vector<double>& mesh) {
  const auto refuse = [&](const std::string& sentence) {
    throw InvalidArgument("problem '" + problem.name() + "': the mesh " + sentence);
  };
  if (mesh.front() != 0 || mesh.back() != 1) {
    refuse("holds shares of the horizon, from 0 at its start to 1 at its end");
  }
  for (std::size_t n = 1; n < mesh.size(); ++n) {
    if (mesh[n] - mesh[n - 1] >= kSmallestShare) continue;
    refuse("does not ascend from point " + std::to_string(n - 1) + " to point " +
           std::to_string(n) + "; a step is at least " + "1e-9 of the horizon");
  }
}

void check_radau(const Problem& problem, const TranscriptionOptions& options) {
  const auto refuse = [&](const std::string& sentence) {
    throw InvalidArgument("problem '" + problem.name() + "': " + sentence);
  };
  if (options.radau_stages != 2 && options.radau_stages != 3) {
    refuse("a Radau step has 2 or 3 stages, not " + std::to_string(options.radau_stages));
  }
  if (options.method) {
    refuse("Radau steps and a generalized-alpha method are two ways; choose one");
  }
  if (options.kind != TranscriptionKind::kSimultaneous) {
    refuse("Radau steps need the simultaneous transcription; shooting knows generalized-alpha");
  }
}

TranscriptionOptions completed(const Problem& problem, TranscriptionOptions options) {
  if (!problem.periodic().empty() && options.kind != TranscriptionKind::kSimultaneous) {
    throw InvalidArgument("problem '" + problem.name() +
                          "': periodic nodes need the simultaneous transcription, since shooting "
                          "begins with given values");
  }
  if (!options.mesh.empty()) {
    options.steps = static_cast<int>(options.mesh.size()) - 1;
    check_mesh(problem, options.mesh);
  }
  if (options.steps < 2) {
    throw InvalidArgument("problem '" + problem.name() + "': " + std::to_string(options.steps) +
                          " steps are too few; a horizon has at least 2");
  }
  if (options.constant_controls && options.radau_stages == 0) {
    throw InvalidArgument("problem '" + problem.name() +
                          "': constant controls need Radau steps; generalized-alpha reads controls "
                          "at the end of a step, where constant ones are of first order");
  }
  if (options.radau_stages != 0) {
    check_radau(problem, options);
    options.formulation = dae::Formulation::kStabilized;
    return options;
  }
  if (!options.method) {
    options.method = dae::AlphaMethod{};
    if (problem.system().num_multipliers() == 0) {
      options.method->parameters = dae::AlphaParameters::newmark();
    }
  }
  return options;
}

/// Methods with a ≠ v̇ carry an a that belongs to a time within a step.
bool rescales(const TranscriptionOptions& options) {
  if (options.mesh.empty() || options.radau_stages > 0) return false;
  return options.method->parameters.alpha_m != 0 || options.method->parameters.alpha_f != 0;
}

/// x - y.
ad::Recording difference() {
  using Tapes = std::span<const Taped>;
  return ad::record({.name = "difference", .variables = 2},
                    [](Tapes x, Tapes) { return std::vector<Taped>{x[0] - x[1]}; });
}
/// a* - v̇ - r (a - v̇): a_n belongs to a time that is a share of the step away from t_n. The next step, of another length
/// r h, starts from what a is at the same share of itself.
ad::Recording rescaling() {
  using Tapes = std::span<const Taped>;
  return ad::record({.name = "rescaled_a", .variables = 4}, [](Tapes x, Tapes) {
    return std::vector<Taped>{x[0] - x[1] - x[3] * (x[2] - x[1])};
  });
}
/// t - T n/N.
ad::Recording time_relation() {
  using Tapes = std::span<const Taped>;
  return ad::record({.name = "grid_time", .variables = 3},
                    [](Tapes x, Tapes) { return std::vector<Taped>{x[0] - x[1] * x[2]}; });
}

}  // namespace

Transcription::Transcription(const Problem& problem, const TranscriptionOptions& options,
                             const PhaseStart& start, const StopRequest& stop)
    : problem_(problem),
      options_(completed(problem, options)),
      start_(start),
      point_functions_(problem.system()),
      functions_(problem, point_functions_, has_stages()),
      layout_(
          problem, options_.steps,
          {.is_stabilized = options_.formulation == dae::Formulation::kStabilized && !has_stages(),
           .has_times = problem.has_free_horizon() && functions_.read_time,
           .rescales = rescales(options_),
           .stages = options_.radau_stages,
           .constant_controls = options_.constant_controls}),
      rows_(problem, functions_, options_.formulation, layout_, start_.new_constraints),
      motion_(problem.system()),
      sum_(layout_.num_variables, rows_.size),
      terms_(std::make_unique<sensitivity::TermList>(sum_, options.backend)) {
  place_points();
  add_terms();
  set_row_bounds();
  set_guess(stop);
  set_references();
  set_variable_bounds();
  first_references_ = references_;
  first_stage_references_ = stage_references_;
  first_guess_ = guess_;
}

/// Numbers behind the unknowns: views and θ̄ of each point, what all steps read, parameters that are not free.
void Transcription::place_points() {
  const dae::Model& system = problem_.system();
  sensitivity::Placing placing(system, layout_.num_variables);
  const auto take = [&placing](int count) { return placing.take(count); };
  // One length of all steps, or one for each.
  const int fraction = take(options_.mesh.empty() ? 1 : layout_.num_steps);
  const int method_numbers =
      take(has_stages() ? sensitivity::RadauTerms::num_method_numbers(system, options_.radau_stages)
                        : sensitivity::kNumMethodNumbers);
  horizon_ = layout_.horizon >= 0 ? layout_.horizon : take(1);

  std::vector<int> parameters;
  int next_free = layout_.parameters;
  for (int i = 0; i < static_cast<int>(system.parameters().size()); ++i) {
    parameters.push_back(problem_.free_parameters().contains(i) ? next_free++ : take(1));
  }
  placing.set_parameters(parameters);
  for (int n = 0; n <= layout_.num_steps; ++n) {
    const auto at = [this, n](int part) { return layout_.at(n, part); };
    const int time = layout_.has_times ? at(layout_.time) : take(1);
    points_.push_back(placing.motion({.q = at(layout_.q),
                                      .v = at(layout_.v),
                                      .v_dot = at(layout_.v_dot),
                                      .lambda = at(layout_.lambda),
                                      .s = at(layout_.s),
                                      .controls = at(layout_.controls),
                                      .time = time}));
  }
  if (has_stages()) place_stages(fraction, method_numbers, placing);
  for (int n = 0; n < layout_.num_steps && !has_stages(); ++n) {
    steps_.push_back({.start = points_[index(n)],
                      .end = points_[index(n + 1)],
                      .start_a = layout_.at(n, n == 0 ? layout_.a : layout_.start_a),
                      .end_a = layout_.at(n + 1, layout_.a),
                      .stabilizer = layout_.at(n + 1, layout_.stabilizer),
                      .horizon = horizon_,
                      .fraction = options_.mesh.empty() ? fraction : fraction + n,
                      .base = take(system.dof()),
                      .method = method_numbers});
  }
  // What is read besides: shares of the horizon for times that are unknown, ratios of steps.
  shares_ = take(layout_.has_times ? layout_.num_steps + 1 : 0);
  ratios_ = take(layout_.rescales ? layout_.num_steps + 1 : 0);
  numbers_.assign(index(placing.size()), 0.0);
  for (int n = 0; n <= layout_.num_steps; ++n) {
    if (layout_.has_times) numbers_[index(shares_ + n)] = share(n);
    if (layout_.rescales && n > 0) numbers_[index(ratios_ + n)] = step_ratio(n);
    if (n > 0 && !options_.mesh.empty()) numbers_[index(fraction + n - 1)] = step_share(n);
  }
  if (options_.mesh.empty()) numbers_[index(fraction)] = 1.0 / layout_.num_steps;
  if (!has_stages()) {
    sensitivity::set_method_numbers(method(), std::span(numbers_).subspan(index(method_numbers)));
  }
  numbers_[index(horizon_)] = problem_.horizon();
  const std::vector<double> values = system.parameter_values();
  for (std::size_t i = 0; i < values.size(); ++i) numbers_[index(parameters[i])] = values[i];
  for (int n = 0; n <= layout_.num_steps; ++n) {
    numbers_[index(points_[index(n)].motion[index(motion_.time)])] = problem_.horizon() * share(n);
  }
  if (has_stages()) set_stage_numbers();
}

/// Φ = 0 and dΦ/dt = 0 at the start, of the elements that are named.
void Transcription::add_start_constraints(sensitivity::ElementTerms& elements) {
  const dae::Model& system = problem_.system();
  int row = rows_.start_constraints;
  for (const int i : start_.new_constraints) {
    const dae::PlacedElement& element = system.elements()[index(i)];
    const int count = 2 * system.kind_of(element).shape().constraints;
    elements.add_element(ElementFunction::kConstraints, {}, element, points_.front(),
                         ad::range(row, count));
    row += count;
  }
}

void Transcription::add_terms() {
  sensitivity::ElementTerms elements(problem_.system(), *terms_);
  const MotionPlaces& start = points_.front();
  elements.add_elements(ElementFunction::kStep, {.position = false, .velocity = false}, start,
                        rows_.start_motion);
  elements.add_elements(ElementFunction::kAcceleration, {}, start, rows_.start_acceleration);
  add_start_constraints(elements);
  const ad::Recording equality = difference();
  // Both ends count from the same reference, so that equal δ are equal configurations.
  const int num_periodic = static_cast<int>(problem_.periodic().size());
  for (int k = 0; k < 2 * num_periodic; ++k) {
    const int dof = problem_.periodic()[index(k % num_periodic)];
    const int offset = (k < num_periodic ? layout_.q : layout_.v) + dof;
    const int shared = layout_.periodic + k;
    terms_->add(equality, std::array{layout_.at(0, offset), shared},
                std::array{rows_.start_periodic + k});
    terms_->add(equality, std::array{layout_.at(layout_.num_steps, offset), shared},
                std::array{rows_.end_periodic + k});
  }
  int row_of_control = rows_.start_controls;
  for (std::size_t k = 0; layout_.constant_controls && k < problem_.control_bounds().size(); ++k) {
    if (problem_.control_bounds()[k].is_point()) continue;
    const int control = layout_.controls + static_cast<int>(k);
    terms_->add(equality, std::array{control, layout_.at(1, control)},
                std::array{row_of_control++});
  }
  if (has_stages()) {
    add_radau_steps();
  } else {
    add_alpha_steps(equality);
  }
  const ad::Recording time = time_relation();
  for (int n = 1; n <= layout_.num_steps && layout_.has_times; ++n) {
    const int row = rows_.step_to(n) + rows_.times;
    terms_->add(time, std::array{layout_.at(n, layout_.time), horizon_, shares_ + n},
                std::array{row});
    for (int i = 0; i + 1 < options_.radau_stages; ++i) {
      terms_->add(time,
                  std::array{layout_.at(n, layout_.stages[index(i)].time), horizon_,
                             stage_share_place(n, i)},
                  std::array{row + 1 + i});
    }
  }

  const std::vector<int> end = point_functions_.numbers(points_.back());
  for (const ad::Recording& f : functions_.end_costs) terms_->add(f, end, std::array{rows_.cost});
  const auto add_constraints = [&](const std::vector<ad::Recording>& list,
                                   const std::vector<int>& numbers, int row) {
    for (const ad::Recording& f : list) {
      terms_->add(f, numbers, ad::range(row, f.num_outputs()));
      row += f.num_outputs();
    }
  };
  for (int n = 0; n <= layout_.num_steps; ++n) {
    add_constraints(functions_.path_constraints, point_functions_.numbers(points_[index(n)]),
                    rows_.path_at(n));
  }
  add_constraints(functions_.end_constraints, end, rows_.end);
}

void Transcription::add_alpha_steps(const ad::Recording& equality) {
  const int dof = problem_.system().dof();
  StepTerms steps(problem_.system(), options_.formulation, dae::sigma_form(method().sigma),
                  *terms_);
  for (int i = 0; i < dof; ++i) {
    terms_->add(equality, std::array{layout_.a + i, layout_.v_dot + i},
                std::array{rows_.start_a + i});
  }
  const ad::Recording rescaled = rescaling();
  for (int n = 1; n <= layout_.num_steps; ++n) {
    const sensitivity::StepPlaces& step = steps_[index(n - 1)];
    steps.add_step(step, rows_.step_to(n));
    for (int i = 0; layout_.rescales && i < dof; ++i) {
      terms_->add(rescaled,
                  std::array{layout_.at(n, layout_.start_a + i), layout_.at(n, layout_.v_dot + i),
                             layout_.at(n, layout_.a + i), ratios_ + n},
                  std::array{rows_.step_to(n) + rows_.rescaled + i});
    }
    std::vector<int> numbers = point_functions_.numbers(step.start);
    const std::vector<int> end = point_functions_.numbers(step.end);
    numbers.insert(numbers.end(), end.begin(), end.end());
    numbers.insert(numbers.end(), {step.horizon, step.fraction});
    for (const ad::Recording& f : functions_.running_costs) {
      terms_->add(f, numbers, std::array{rows_.cost});
    }
  }
}

void Transcription::list_kernels(ad::KernelList& list) const {
  terms_->list_kernels(
      std::array{ad::ResultKind::kValue, ad::ResultKind::kSparseJacobian, ad::ResultKind::kHessian},
      list);
}

double Transcription::horizon(std::span<const double> x) const {
  return layout_.horizon >= 0 ? x[index(layout_.horizon)] : problem_.horizon();
}

GridState Transcription::state(std::span<const double> x, int point) const {
  const dae::Model& system = problem_.system();
  const auto part = [&](int offset, int count) {
    const std::span<const double> list = x.subspan(index(layout_.at(point, offset)), index(count));
    return std::vector<double>(list.begin(), list.end());
  };
  GridState state;
  state.t = horizon(x) * share(point);
  state.q.resize(index(system.configuration_space().num_coeffs()));
  system.configuration_space().plus<double>(references_[index(point)],
                                            part(layout_.q, system.dof()), state.q);
  state.v = part(layout_.v, system.dof());
  state.v_dot = part(layout_.v_dot, system.dof());
  state.a = part(layout_.a, system.dof());
  state.lambda = part(layout_.lambda, system.num_multipliers());
  state.s = part(layout_.s, system.num_algebraic());
  return state;
}

std::span<const double> Transcription::controls(std::span<const double> x, int point) const {
  return x.subspan(index(layout_.at(point, layout_.controls)), problem_.system().controls().size());
}

double Transcription::cost_of(std::span<const double> parameters,
                              std::span<const dae::State> states,
                              const std::function<void(double, std::span<double>)>& controls) {
  const dae::Model& system = problem_.system();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    numbers_[index(points_.front().motion[index(motion_.parameters) + i])] = parameters[i];
  }
  numbers_[index(horizon_)] = states.back().t - states.front().t;
  for (int n = 0; n <= layout_.num_steps; ++n) {
    const dae::State& state = states[index(n)];
    const std::vector<int>& places = points_[index(n)].motion;
    const auto put = [&](int first, const std::vector<double>& list) {
      for (std::size_t i = 0; i < list.size(); ++i) {
        numbers_[index(places[index(first) + i])] = list[i];
      }
    };
    std::vector<double> delta(index(system.dof())), u(system.controls().size());
    system.configuration_space().minus<double>(state.q, references_[index(n)], delta);
    controls(state.t, u);
    put(motion_.q, delta);
    put(motion_.v, state.v);
    put(motion_.v_dot, state.v_dot);
    put(motion_.lambda, state.lambda);
    put(motion_.s, state.s);
    put(motion_.controls, u);
    put(motion_.time, {state.t});
  }
  std::vector<double> values(index(rows_.size), 0.0);
  sum_.values(numbers_, values);
  return values[index(rows_.cost)];
}

std::vector<double> Transcription::parameters(std::span<const double> x) const {
  std::vector<double> values = problem_.system().parameter_values();
  int next = layout_.parameters;
  for (const auto& [parameter, bounds] : problem_.free_parameters()) {
    values[index(parameter)] = x[index(next++)];
  }
  return values;
}

}  // namespace liegrad::control
