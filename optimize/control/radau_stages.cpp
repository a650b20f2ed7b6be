// The stages of Radau steps in a transcription: their unknowns stand at the point that a step leads to.

#include <algorithm>

#include "liegrad/control/transcription.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::control {
namespace {

using ad::Taped;
using dae::index;
using sensitivity::MotionPlaces;
using sensitivity::RadauPlaces;

/// u_i - (1-c) u_n - c u_{n+1}.
ad::Recording linear_control() {
  using Tapes = std::span<const Taped>;
  return ad::record({.name = "stage_control", .variables = 4}, [](Tapes x, Tapes) {
    return std::vector<Taped>{x[0] - x[1] - x[3] * (x[2] - x[1])};
  });
}

}  // namespace

double Transcription::control_share(int stage) const {
  return options_.constant_controls ? 1 : radau_->c(stage);
}

double Transcription::stage_share(int point, int stage) const {
  return share(point - 1) + radau_->c(stage) * step_share(point);
}

void Transcription::place_stages(int fraction, int method, sensitivity::Placing& placing) {
  radau_.emplace(options_.radau_stages);
  for (int n = 1; n <= layout_.num_steps; ++n) {
    RadauPlaces& step = radau_steps_.emplace_back();
    step.start = points_[index(n - 1)];
    step.horizon = horizon_;
    step.fraction = options_.mesh.empty() ? fraction : fraction + n - 1;
    step.method = method;
    const MotionPlaces& end = points_[index(n)];
    for (const GridLayout::Stage& at : layout_.stages) {
      const bool is_end = &at == &layout_.stages.back();
      int time = end.motion[index(motion_.time)];
      if (!is_end) time = layout_.has_times ? layout_.at(n, at.time) : placing.take(1);
      step.stages.push_back(placing.motion({.q = layout_.at(n, at.q),
                                            .v = layout_.at(n, at.v),
                                            .v_dot = layout_.at(n, at.v_dot),
                                            .lambda = layout_.at(n, at.lambda),
                                            .s = layout_.at(n, at.s),
                                            .controls = layout_.at(n, at.controls),
                                            .time = time},
                                           is_end ? end.views : placing.views()));
      step.stabilizers.push_back(layout_.at(n, at.stabilizer));
      step.bases.push_back(placing.velocities());
    }
  }
  quadrature_ = placing.take(options_.radau_stages);
  abscissae_ = placing.take(options_.radau_stages);
  stage_shares_ =
      placing.take(layout_.has_times ? layout_.num_steps * (options_.radau_stages - 1) : 0);
}

void Transcription::set_stage_numbers() {
  const int last = options_.radau_stages - 1;
  for (int i = 0; i <= last; ++i) {
    numbers_[index(quadrature_ + i)] = radau_->a(last, i);  // b is the last row of A
    numbers_[index(abscissae_ + i)] = control_share(i);
  }
  for (int n = 1; n <= layout_.num_steps; ++n) {
    for (int i = 0; i < last; ++i) {
      const MotionPlaces& stage = radau_steps_[index(n - 1)].stages[index(i)];
      numbers_[index(stage.motion[index(motion_.time)])] = problem_.horizon() * stage_share(n, i);
      if (layout_.has_times) numbers_[index(stage_share_place(n, i))] = stage_share(n, i);
    }
  }
}

/// The equations of a step and its cost, by the quadrature of the collocation, which has the order of the method.
void Transcription::add_radau_step(const RadauPlaces& places, int quadrature, int point,
                                   sensitivity::RadauTerms& steps,
                                   sensitivity::TermList& terms) const {
  steps.add_stages(places, rows_.step_to(point));
  for (int i = 0; i < options_.radau_stages; ++i) {
    std::vector<int> numbers = point_functions_.numbers(places.stages[index(i)]);
    numbers.insert(numbers.end(), {places.horizon, places.fraction, quadrature + i});
    for (const ad::Recording& f : functions_.running_costs) {
      terms.add(f, numbers, std::array{rows_.cost});
    }
  }
}

void Transcription::add_radau_steps() {
  sensitivity::RadauTerms steps(problem_.system(), options_.radau_stages, *terms_);
  steps.set_method_numbers(std::span(numbers_).subspan(index(radau_steps_.front().method)));
  stabilizer_weights_.assign(steps.weights().begin(), steps.weights().end());
  const bool has_accelerations = problem_.system().num_multipliers() > 0;
  for (int n = 1; n <= layout_.num_steps; ++n) {
    add_radau_step(radau_steps_[index(n - 1)], quadrature_, n, steps, *terms_);
    if (has_accelerations) {
      steps.add_accelerations(points_[index(n)], rows_.step_to(n) + rows_.accelerations);
    }
  }
  add_stage_controls();
}

void Transcription::add_stage_controls() {
  const ad::Recording linear = linear_control();
  const int count = static_cast<int>(problem_.system().controls().size());
  for (int n = 1; n <= layout_.num_steps; ++n) {
    int row = rows_.step_to(n) + rows_.stage_controls;
    for (int i = 0; i + 1 < options_.radau_stages; ++i) {
      for (int k = 0; k < count; ++k) {
        terms_->add(linear,
                    std::array{layout_.at(n, layout_.stages[index(i)].controls + k),
                               layout_.at(n - 1, layout_.controls + k),
                               layout_.at(n, layout_.controls + k), abscissae_ + i},
                    std::array{row++});
      }
    }
  }
}

/// Relations of positions are multiplied by W, which they were divided by.
void Transcription::set_stage_scales() {
  for (int n = 1; n <= layout_.num_steps; ++n) {
    const double h = problem_.horizon() * step_share(n);
    for (int i = 0; i < options_.radau_stages; ++i) {
      const int first = rows_.step_to(n) + i * rows_.stage_size;
      for (std::size_t k = 0; k < stabilizer_weights_.size(); ++k) {
        row_scales_[index(first) + k] = stabilizer_weights_[k];
      }
      for (int k = rows_.elements.position; k < rows_.elements.velocity; ++k) {
        row_scales_[index(first + rows_.equations + k)] = 1 / h;
      }
    }
  }
}

/// Configurations between those of the points, velocities and reactions of the point before.
void Transcription::guess_stages() {
  const dae::Model& system = problem_.system();
  const int last = options_.radau_stages - 1;
  for (int n = 1; n <= layout_.num_steps; ++n) {
    std::vector<std::vector<double>>& references = stage_references_.emplace_back();
    const auto copy = [&](int from_point, int from, int count, int to) {
      std::copy_n(guess_.begin() + layout_.at(from_point, from), count,
                  guess_.begin() + layout_.at(n, to));
    };
    for (int i = 0; i <= last; ++i) {
      const GridLayout::Stage& at = layout_.stages[index(i)];
      copy(n - 1, layout_.lambda, system.num_multipliers(), at.lambda);
      copy(n - 1, layout_.s, system.num_algebraic(), at.s);
      if (i == last) break;
      references.push_back(guessed_configuration(stage_share(n, i)));
      copy(n - 1, layout_.v, system.dof(), at.v);
      copy(n, layout_.controls, static_cast<int>(system.controls().size()), at.controls);
      if (layout_.has_times) {
        guess_[index(layout_.at(n, at.time))] = problem_.horizon() * stage_share(n, i);
      }
    }
  }
}

void Transcription::set_stage_references() {
  const lie::GroupList& space = problem_.system().configuration_space();
  const std::span<double> numbers(numbers_);
  for (std::size_t n = 0; n < radau_steps_.size(); ++n) {
    const RadauPlaces& step = radau_steps_[n];
    const auto set_base = [&](std::size_t i, const std::vector<double>& q) {
      space.minus<double>(q, references_[n],
                          numbers.subspan(index(step.bases[i]), index(space.dof())));
    };
    for (std::size_t i = 0; i < stage_references_[n].size(); ++i) {
      sensitivity::set_views(space, stage_references_[n][i], step.stages[i].views, numbers);
      set_base(i, stage_references_[n][i]);
    }
    set_base(stage_references_[n].size(), references_[n + 1]);
  }
}

void Transcription::recentre_stages(std::vector<double>& x) {
  const lie::GroupList& space = problem_.system().configuration_space();
  for (std::size_t n = 0; n < stage_references_.size(); ++n) {
    for (std::size_t i = 0; i < stage_references_[n].size(); ++i) {
      const std::span<double> delta = std::span(x).subspan(
          index(layout_.at(static_cast<int>(n) + 1, layout_.stages[i].q)), index(space.dof()));
      const std::vector<double> q = stage_references_[n][i];
      space.plus<double>(q, delta, stage_references_[n][i]);
      std::fill(delta.begin(), delta.end(), 0.0);
    }
  }
}

StageState Transcription::stage_state(std::span<const double> x, int point, int stage) const {
  const dae::Model& system = problem_.system();
  const GridLayout::Stage& at = layout_.stages[index(stage)];
  const auto part = [&](int offset, int count) {
    const std::span<const double> list = x.subspan(index(layout_.at(point, offset)), index(count));
    return std::vector<double>(list.begin(), list.end());
  };
  const bool is_last = stage + 1 == options_.radau_stages;
  const std::vector<double>& reference =
      is_last ? references_[index(point)] : stage_references_[index(point - 1)][index(stage)];
  StageState state;
  state.t = horizon(x) * stage_share(point, stage);
  state.step = horizon(x) * step_share(point);
  state.q.resize(index(system.configuration_space().num_coeffs()));
  system.configuration_space().plus<double>(reference, part(at.q, system.dof()), state.q);
  state.v = part(at.v, system.dof());
  state.v_dot = part(at.v_dot, system.dof());
  state.lambda = part(at.lambda, system.num_multipliers());
  state.s = part(at.s, system.num_algebraic());
  state.eta = part(at.stabilizer, system.num_multipliers());
  for (double& eta : state.eta) eta /= state.step;
  return state;
}

std::string Transcription::stage_variable_name(int offset) const {
  const dae::Model& system = problem_.system();
  const int dof = system.dof(), multipliers = system.num_multipliers();
  for (std::size_t i = 0; i < layout_.stages.size(); ++i) {
    const GridLayout::Stage& at = layout_.stages[i];
    const auto name = [&]() -> std::string {
      const auto is_of = [offset](int first, int count) {
        return offset >= first && offset < first + count;
      };
      if (is_of(at.q, dof)) return "position, " + system.coordinate_name(offset - at.q);
      if (is_of(at.v, dof)) return "velocity, " + system.coordinate_name(offset - at.v);
      if (is_of(at.v_dot, dof)) return "acceleration, " + system.coordinate_name(offset - at.v_dot);
      if (is_of(at.lambda, multipliers)) {
        return "multiplier, " + system.constraint_name(offset - at.lambda);
      }
      if (is_of(at.s, system.num_algebraic())) return system.algebraic_name(offset - at.s);
      if (is_of(at.stabilizer, multipliers)) {
        return "stabilising multiplier, " + system.constraint_name(offset - at.stabilizer);
      }
      if (is_of(at.controls, static_cast<int>(system.controls().size()))) {
        return "control " + system.controls()[index(offset - at.controls)];
      }
      return layout_.has_times && offset == at.time ? "time" : "";
    }();
    if (!name.empty()) return name + " of stage " + std::to_string(i + 1);
  }
  return "stage";
}

}  // namespace liegrad::control
