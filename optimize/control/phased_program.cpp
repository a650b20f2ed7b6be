#include "liegrad/control/phased_program.hpp"

#include <algorithm>

#include "liegrad/control/border_stage.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::control {
namespace {

using dae::index;

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
  find_patterns();
  gather_guess();
}

void PhasedProgram::gather_guess() {
  guess_.clear();
  for (const Phase& phase : phases_) {
    const std::vector<double>& guess = phase.transcription->guess();
    guess_.insert(guess_.end(), guess.begin(), guess.end());
  }
  align_references(guess_);
}

bool PhasedProgram::start_from(std::span<const Solution> phases) {
  if (phases.size() != phases_.size()) {
    throw InvalidArgument("problem '" + problem_.name() + "': the solution to start from has " +
                          std::to_string(phases.size()) + " phases, not " +
                          std::to_string(phases_.size()));
  }
  bool same = true;
  for (std::size_t k = 0; k < phases.size(); ++k) {
    same = phases_[k].transcription->start_from(phases[k]) && same;
  }
  gather_guess();
  return same;
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
      // The end of the phase before, as far as it is known.
      const Transcription& before = *phases_.back().transcription;
      start.guess = link.start_behind(before.reference(before.layout().num_steps));
    }
    Phase& phase = phases_.emplace_back();
    phase.transcription = std::make_unique<Transcription>(given.problem, own, start, stop);
    phase.nlp = std::make_unique<Nlp>(*phase.transcription);
    phase.first_variable = num_variables();
    phase.first_row = num_constraints();
    phase.first_stage = stage;
    stage += phase.transcription->layout().num_steps + 1;
    add_stages(phase);
  }
  first_link_row_ = num_constraints();
}

void PhasedProgram::add_stages(const Phase& phase) {
  for (int i = 0; i < phase.nlp->num_variables(); ++i) {
    const int stage = phase.nlp->variable_stage(i);
    shape_.variable_stages.push_back(stage == kBorderStage ? stage : phase.first_stage + stage);
  }
  for (int i = 0; i < phase.nlp->num_constraints(); ++i) {
    shape_.constraint_stages.push_back(phase.first_stage + phase.nlp->constraint_stage(i));
  }
  shape_.has_joints = shape_.has_joints || phase.nlp->has_joints();
  shape_.front_order = phase.nlp->front_order();
}

void PhasedProgram::find_patterns() {
  for (const Phase& phase : phases_) {
    for (const auto& [row, column] : phase.nlp->jacobian_pattern()) {
      shape_.jacobian_pattern.emplace_back(phase.first_row + row, phase.first_variable + column);
    }
    for (const auto& [row, column] : phase.nlp->hessian_pattern()) {
      shape_.hessian_pattern.emplace_back(phase.first_variable + row,
                                          phase.first_variable + column);
    }
  }
  for (const auto& [row, column] : links_->jacobian_pattern()) {
    shape_.jacobian_pattern.emplace_back(first_link_row_ + row, column);
  }
  const ad::Pattern& more = links_->hessian_pattern();
  shape_.hessian_pattern.insert(shape_.hessian_pattern.end(), more.begin(), more.end());
}

int PhasedProgram::add_row(const std::string& name, int stage, int phase, const Interval& bounds) {
  link_rows_.push_back({name, phase});
  shape_.constraint_stages.push_back(stage);
  link_bounds_.push_back(bounds);
  return static_cast<int>(link_rows_.size()) - 1;
}

int PhasedProgram::link_number(int phase, int number) const {
  const Phase& at = phases_[index(phase)];
  return number < at.nlp->num_variables() ? at.first_variable + number
                                          : first_numbers_[index(phase)] + number;
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

}  // namespace liegrad::control
