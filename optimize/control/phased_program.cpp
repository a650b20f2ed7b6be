#include "liegrad/control/phased_program.hpp"

#include <algorithm>

#include "liegrad/control/border_stage.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::control {
namespace {

using ad::Taped;
using dae::index;
using Tapes = std::span<const Taped>;

/// x - y.
ad::Recording difference() {
  return ad::record({.name = "difference", .variables = 2},
                    [](Tapes x, Tapes) { return std::vector<Taped>{x[0] - x[1]}; });
}

ad::Recording sum_of(int count) {
  return ad::record({.name = "sum", .variables = count}, [](Tapes x, Tapes) {
    Taped sum(0);
    for (const Taped& term : x) sum += term;
    return std::vector<Taped>{sum};
  });
}

/// The end of a phase as far as it is known: where the search begins for the next one.
std::vector<double> start_guess(const Link& link, const Transcription& before,
                                const dae::Model& after) {
  std::vector<double> q = after.initial_configuration();
  const std::vector<double>& end = before.reference(before.layout().num_steps);
  const lie::GroupList& from = before.problem().system().configuration_space();
  const lie::GroupList& to = after.configuration_space();
  for (const auto& [old, node] : link.nodes()) {
    std::copy_n(end.begin() + from.coeff_offset(old), to.group(node).num_coeffs(),
                q.begin() + to.coeff_offset(node));
  }
  return q;
}

}  // namespace

PhasedProgram::PhasedProgram(const PhasedProblem& problem, const TranscriptionOptions& options,
                             const StopRequest& stop)
    : problem_(problem) {
  if (problem.size() == 0) {
    throw InvalidArgument("problem '" + problem.name() + "' has no phases");
  }
  if (options.kind != TranscriptionKind::kSimultaneous) {
    throw InvalidArgument("problem '" + problem.name() +
                          "': phases need the simultaneous transcription");
  }
  add_phases(options, stop);
  add_links(options.backend);
  for (const Phase& phase : phases_) {
    const std::vector<double>& guess = phase.transcription->guess();
    guess_.insert(guess_.end(), guess.begin(), guess.end());
  }
  align_references(guess_);
}

void PhasedProgram::add_phases(const TranscriptionOptions& options, const StopRequest& stop) {
  int stage = 0;
  for (int k = 0; k < problem_.size(); ++k) {
    const PhasedProblem::Phase& given = problem_.phase(k);
    TranscriptionOptions own = options;
    own.steps = given.steps;
    own.mesh = given.mesh;
    PhaseStart start;
    start.end_is_linked = k + 1 < problem_.size();
    if (k > 0) {
      const Link& link = problem_.link(k);
      start.is_linked = true;
      start.given_positions = link.given_positions();
      start.given_velocities = link.given_velocities();
      start.new_constraints = link.new_constraints();
      start.guess = start_guess(link, *phases_.back().transcription, given.problem.system());
    }
    Phase& phase = phases_.emplace_back();
    phase.transcription = std::make_unique<Transcription>(given.problem, own, start, stop);
    phase.nlp = std::make_unique<Nlp>(*phase.transcription);
    phase.first_variable = num_variables_;
    phase.first_row = first_link_row_;
    phase.first_stage = stage;
    num_variables_ += phase.nlp->num_variables();
    first_link_row_ += phase.nlp->num_constraints();
    stage += phase.transcription->layout().num_steps + 1;
  }
}

int PhasedProgram::add_row(const std::string& name, int stage, int phase, const Interval& bounds) {
  link_rows_.push_back({name, stage, phase});
  link_bounds_.push_back(bounds);
  return static_cast<int>(link_rows_.size()) - 1;
}

int PhasedProgram::link_number(int phase, int number) const {
  const Phase& at = phases_[index(phase)];
  return number < at.nlp->num_variables() ? at.first_variable + number
                                          : first_numbers_[index(phase)] + number;
}

void PhasedProgram::add_links(ad::Backend backend) {
  int next = num_variables_;
  for (const Phase& phase : phases_) {
    first_numbers_.push_back(next);
    next += static_cast<int>(phase.transcription->numbers().size());
  }
  link_numbers_.assign(index(next), 0.0);

  // Terms are added when it is known how many rows there are.
  struct Equal {
    int x, y, row;
  };
  std::vector<Equal> equal;
  for (int k = 1; k < problem_.size(); ++k) {
    const Link& link = problem_.link(k);
    const Phase &before = phases_[index(k - 1)], &after = phases_[index(k)];
    const GridLayout &from = before.transcription->layout(), &to = after.transcription->layout();
    const dae::Model& system = problem_.phase(k).problem.system();
    const auto join = [&](const std::string& what, const std::vector<Link::Pair>& list, int old,
                          int own, auto&& name) {
      for (const Link::Pair& pair : list) {
        equal.push_back({after.first_variable + to.at(0, own + pair.after),
                         before.first_variable + from.at(from.num_steps, old + pair.before),
                         add_row(what + name(pair.after), after.first_stage, k, {0, 0})});
      }
    };
    const auto coordinate = [&](int dof) { return system.coordinate_name(dof); };
    join("link of positions, ", link.positions(), from.q, to.q, coordinate);
    join("link of velocities, ", link.velocities(), from.v, to.v, coordinate);
    join("link of control ", link.controls(), from.controls, to.controls,
         [&](int i) { return system.controls()[index(i)]; });
  }
  // Free parameters of the same name are those of the first phase that has them.
  std::map<std::string, int> known;
  for (int k = 0; k < problem_.size(); ++k) {
    const Problem& problem = problem_.phase(k).problem;
    int variable =
        phases_[index(k)].first_variable + phases_[index(k)].transcription->layout().parameters;
    for (const auto& [parameter, bounds] : problem.free_parameters()) {
      const std::string& name = problem.system().parameters()[index(parameter)].name;
      const auto [found, is_new] = known.emplace(name, variable);
      if (!is_new) {
        equal.push_back(
            {variable, found->second, add_row("parameter " + name, kBorderStage, k, {0, 0})});
      }
      ++variable;
    }
  }
  std::vector<int> horizons;
  double fixed_time = 0;
  for (const Phase& phase : phases_) {
    const int horizon = phase.transcription->layout().horizon;
    if (horizon >= 0) horizons.push_back(phase.first_variable + horizon);
    if (horizon < 0) fixed_time += phase.transcription->problem().horizon();
  }
  int time_row = -1;
  if (problem_.has_total_time()) {
    const Interval& time = problem_.total_time();
    if (horizons.empty()) {
      throw InvalidArgument("problem '" + problem_.name() +
                            "': its whole time has bounds, but no phase has a free horizon");
    }
    time_row = add_row("the whole time", kBorderStage, problem_.size() - 1,
                       {time.lower - fixed_time, time.upper - fixed_time});
  }
  struct Recorded {
    ad::Recording function;
    std::vector<int> numbers;
    int row;
  };
  std::vector<Recorded> conditions;
  for (int k = 1; k < problem_.size(); ++k) {
    const Phase &before = phases_[index(k - 1)], &after = phases_[index(k)];
    const PointFunctions& end = before.transcription->point_functions();
    const PointFunctions& start = after.transcription->point_functions();
    std::vector<int> numbers;
    for (const int i :
         end.numbers(before.transcription->places(before.transcription->layout().num_steps))) {
      numbers.push_back(link_number(k - 1, i));
    }
    for (const int i : start.numbers(after.transcription->places(0))) {
      numbers.push_back(link_number(k, i));
    }
    std::vector<double> at = end.record_point();
    const std::vector<double> more = start.record_point();
    at.insert(at.end(), more.begin(), more.end());
    for (const Link::Condition& condition : problem_.link(k).conditions()) {
      Recorded recorded{
          ad::record({.name = "link_condition", .variables = static_cast<int>(at.size()), .at = at},
                     [&](Tapes all, Tapes) {
                       return condition.function(
                           end.snapshot(all.first(index(end.num_inputs()))),
                           start.snapshot(all.subspan(index(end.num_inputs()))));
                     }),
          numbers, static_cast<int>(link_rows_.size())};
      const int count = recorded.function.num_outputs();
      for (int i = 0; i < count; ++i) {
        add_row(condition.name + (count > 1 ? "[" + std::to_string(i + 1) + "]" : ""),
                after.first_stage, k, condition.interval);
      }
      conditions.push_back(std::move(recorded));
    }
  }

  links_ =
      std::make_unique<sensitivity::KernelSum>(num_variables_, static_cast<int>(link_rows_.size()));
  sensitivity::TermList terms(*links_, backend);
  const ad::Recording equality = difference();
  for (const auto& [x, y, row] : equal) terms.add(equality, std::array{x, y}, std::array{row});
  if (time_row >= 0) {
    terms.add(sum_of(static_cast<int>(horizons.size())), horizons, std::array{time_row});
  }
  for (const auto& [function, numbers, row] : conditions) {
    terms.add(function, numbers, ad::range(row, function.num_outputs()));
  }
  link_values_.resize(link_rows_.size());

  for (const Phase& phase : phases_) {
    for (const auto& [row, column] : phase.nlp->jacobian_pattern()) {
      jacobian_pattern_.emplace_back(phase.first_row + row, phase.first_variable + column);
    }
    for (const auto& [row, column] : phase.nlp->hessian_pattern()) {
      hessian_pattern_.emplace_back(phase.first_variable + row, phase.first_variable + column);
    }
  }
  for (const auto& [row, column] : links_->jacobian_pattern()) {
    jacobian_pattern_.emplace_back(first_link_row_ + row, column);
  }
  const ad::Pattern& more = links_->hessian_pattern();
  hessian_pattern_.insert(hessian_pattern_.end(), more.begin(), more.end());
}

std::string PhasedProgram::link_row_name(int row) const {
  return link_rows_[index(row - first_link_row_)].name;
}
int PhasedProgram::link_row_phase(int row) const {
  return link_rows_[index(row - first_link_row_)].phase;
}

std::span<const double> PhasedProgram::variables_of(int phase, std::span<const double> x) const {
  const Phase& at = phases_[index(phase)];
  return x.subspan(index(at.first_variable), index(at.nlp->num_variables()));
}
std::span<const double> PhasedProgram::rows_of(int phase,
                                               std::span<const double> multipliers) const {
  const Phase& at = phases_[index(phase)];
  return multipliers.subspan(index(at.first_row), index(at.nlp->num_constraints()));
}

std::vector<double> PhasedProgram::guess() const { return guess_; }

double PhasedProgram::seconds() const {
  double sum = 0;
  for (const Phase& phase : phases_) sum += phase.nlp->seconds();
  return sum;
}

int PhasedProgram::phase_of_variable(int variable) const {
  int k = 0;
  while (k + 1 < static_cast<int>(phases_.size()) &&
         variable >= phases_[index(k + 1)].first_variable) {
    ++k;
  }
  return k;
}

int PhasedProgram::phase_of_row(int row) const {
  int k = 0;
  while (k + 1 < static_cast<int>(phases_.size()) && row >= phases_[index(k + 1)].first_row) ++k;
  return k;
}

Interval PhasedProgram::variable_interval(int variable) const {
  const Phase& phase = phases_[index(phase_of_variable(variable))];
  return phase.nlp->variable_interval(variable - phase.first_variable);
}

Interval PhasedProgram::constraint_interval(int constraint) const {
  if (constraint >= first_link_row_) return link_bounds_[index(constraint - first_link_row_)];
  const Phase& phase = phases_[index(phase_of_row(constraint))];
  return phase.nlp->constraint_interval(constraint - phase.first_row);
}

bool PhasedProgram::set_point(std::span<const double> x) {
  std::copy(x.begin(), x.end(), link_numbers_.begin());
  for (std::size_t k = 0; k < phases_.size(); ++k) {
    if (!phases_[k].nlp->set_point(variables_of(static_cast<int>(k), x))) return false;
    const std::vector<double>& numbers = phases_[k].transcription->numbers();
    std::copy(numbers.begin(), numbers.end(), link_numbers_.begin() + first_numbers_[k]);
  }
  return true;
}

double PhasedProgram::cost() {
  double sum = 0;
  for (const Phase& phase : phases_) sum += phase.nlp->cost();
  return sum;
}

void PhasedProgram::constraints(std::span<double> g) {
  for (const Phase& phase : phases_) {
    phase.nlp->constraints(g.subspan(index(phase.first_row), index(phase.nlp->num_constraints())));
  }
  const std::span<double> rows = g.subspan(index(first_link_row_), link_rows_.size());
  std::fill(rows.begin(), rows.end(), 0.0);
  links_->values(link_numbers_, rows);
}

void PhasedProgram::cost_gradient(std::span<double> gradient) {
  for (const Phase& phase : phases_) {
    phase.nlp->cost_gradient(
        gradient.subspan(index(phase.first_variable), index(phase.nlp->num_variables())));
  }
}

void PhasedProgram::jacobian(std::span<double> entries) {
  std::size_t first = 0;
  for (const Phase& phase : phases_) {
    const std::size_t count = phase.nlp->jacobian_pattern().size();
    phase.nlp->jacobian(entries.subspan(first, count));
    first += count;
  }
  const std::span<double> rest = entries.subspan(first, links_->jacobian_pattern().size());
  std::fill(rest.begin(), rest.end(), 0.0);
  links_->jacobian(link_numbers_, rest);
}

void PhasedProgram::hessian(double cost_factor, std::span<const double> multipliers,
                            std::span<double> entries) {
  std::size_t first = 0;
  for (std::size_t k = 0; k < phases_.size(); ++k) {
    const std::size_t count = phases_[k].nlp->hessian_pattern().size();
    phases_[k].nlp->hessian(cost_factor, rows_of(static_cast<int>(k), multipliers),
                            entries.subspan(first, count));
    first += count;
  }
  const std::span<double> rest = entries.subspan(first, links_->hessian_pattern().size());
  std::fill(rest.begin(), rest.end(), 0.0);
  links_->hessian(link_numbers_, multipliers.subspan(index(first_link_row_), link_rows_.size()),
                  rest);
}

double PhasedProgram::largest_turn(std::span<const double> x) const {
  double largest = 0;
  for (std::size_t k = 0; k < phases_.size(); ++k) {
    largest = std::max(
        largest, phases_[k].transcription->largest_turn(variables_of(static_cast<int>(k), x)));
  }
  return largest;
}

void PhasedProgram::align_references(std::vector<double>& x) {
  for (int k = 1; k < problem_.size(); ++k) {
    const Phase &before = phases_[index(k - 1)], &after = phases_[index(k)];
    const lie::GroupList& from = problem_.phase(k - 1).problem.system().configuration_space();
    const std::vector<double>& end =
        before.transcription->reference(before.transcription->layout().num_steps);
    const std::span<const double> given = variables_of(k, x);
    std::vector<double> own(given.begin(), given.end());
    for (const auto& [old, node] : problem_.link(k).nodes()) {
      after.transcription->move_reference(
          0, node, std::span(end).subspan(index(from.coeff_offset(old))), own);
    }
    after.transcription->use_references();
    std::copy(own.begin(), own.end(), x.begin() + after.first_variable);
  }
}

void PhasedProgram::recentre(std::vector<double>& x) {
  for (std::size_t k = 0; k < phases_.size(); ++k) {
    const std::span<const double> given = variables_of(static_cast<int>(k), x);
    std::vector<double> own(given.begin(), given.end());
    phases_[k].transcription->recentre(own);
    std::copy(own.begin(), own.end(), x.begin() + phases_[k].first_variable);
  }
  align_references(x);
}

int PhasedProgram::variable_stage(int variable) const {
  const Phase& phase = phases_[index(phase_of_variable(variable))];
  const int stage = phase.nlp->variable_stage(variable - phase.first_variable);
  return stage == kBorderStage ? stage : phase.first_stage + stage;
}

int PhasedProgram::constraint_stage(int constraint) const {
  if (constraint >= first_link_row_) return link_rows_[index(constraint - first_link_row_)].stage;
  const Phase& phase = phases_[index(phase_of_row(constraint))];
  return phase.first_stage + phase.nlp->constraint_stage(constraint - phase.first_row);
}

bool PhasedProgram::has_joints() const {
  return std::any_of(phases_.begin(), phases_.end(),
                     [](const Phase& phase) { return phase.nlp->has_joints(); });
}

}  // namespace liegrad::control
