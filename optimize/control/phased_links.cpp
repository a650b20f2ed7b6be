// The rows behind those of all phases: what joins two of them, and what all share.

#include <map>

#include "liegrad/ad/kernel_spec.hpp"
#include "liegrad/control/border_stage.hpp"
#include "liegrad/control/phased_program.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/lie/error.hpp"
#include "liegrad/sensitivity/step/term_list.hpp"

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

}  // namespace

void PhasedProgram::add_links(ad::Backend backend) {
  int next = num_variables();
  for (const Phase& phase : phases_) {
    first_numbers_.push_back(next);
    next += static_cast<int>(phase.transcription->numbers().size());
  }
  link_numbers_.assign(index(next), 0.0);

  std::vector<LinkTerm> list;
  const ad::Recording equality = difference();
  for (int k = 1; k < problem_.size(); ++k) join_ends(k, equality, list);
  share_parameters(equality, list);
  bound_whole_time(list);
  for (int k = 1; k < problem_.size(); ++k) add_conditions(k, list);

  links_ = std::make_unique<sensitivity::KernelSum>(num_variables(),
                                                    static_cast<int>(link_rows_.size()));
  sensitivity::TermList terms(*links_, backend);
  for (const auto& [function, numbers, row] : list) {
    terms.add(function, numbers, ad::range(row, function.num_outputs()));
  }
  link_values_.resize(link_rows_.size());
}

void PhasedProgram::join_ends(int k, const ad::Recording& equality, std::vector<LinkTerm>& list) {
  const Link& link = problem_.link(k);
  const Phase &before = phases_[index(k - 1)], &after = phases_[index(k)];
  const GridLayout &from = before.transcription->layout(), &to = after.transcription->layout();
  const dae::Model& system = problem_.phase(k).problem.system();
  const auto join = [&](const std::string& what, const std::vector<Link::Pair>& pairs, int old,
                        int own, auto&& name) {
    for (const Link::Pair& pair : pairs) {
      list.push_back({equality,
                      {after.first_variable + to.at(0, own + pair.after),
                       before.first_variable + from.at(from.num_steps, old + pair.before)},
                      add_row(what + name(pair.after), after.first_stage, k, {0, 0})});
    }
  };
  const auto coordinate = [&](int dof) { return system.coordinate_name(dof); };
  join("link of positions, ", link.positions(), from.q, to.q, coordinate);
  join("link of velocities, ", link.velocities(), from.v, to.v, coordinate);
  join("link of control ", link.controls(), from.controls, to.controls,
       [&](int i) { return system.controls()[index(i)]; });
}

/// Free parameters of the same name are those of the first phase that has them.
void PhasedProgram::share_parameters(const ad::Recording& equality, std::vector<LinkTerm>& list) {
  std::map<std::string, int> known;
  for (int k = 0; k < problem_.size(); ++k) {
    const Problem& problem = problem_.phase(k).problem;
    int variable =
        phases_[index(k)].first_variable + phases_[index(k)].transcription->layout().parameters;
    for (const auto& [parameter, bounds] : problem.free_parameters()) {
      const std::string& name = problem.system().parameters()[index(parameter)].name;
      const auto [found, is_new] = known.emplace(name, variable);
      if (!is_new) {
        list.push_back({equality,
                        {variable, found->second},
                        add_row("parameter " + name, kBorderStage, k, {0, 0})});
      }
      ++variable;
    }
  }
}

void PhasedProgram::bound_whole_time(std::vector<LinkTerm>& list) {
  if (!problem_.has_total_time()) return;
  std::vector<int> horizons;
  double fixed_time = 0;
  for (const Phase& phase : phases_) {
    const int horizon = phase.transcription->layout().horizon;
    if (horizon >= 0) horizons.push_back(phase.first_variable + horizon);
    if (horizon < 0) fixed_time += phase.transcription->problem().horizon();
  }
  if (horizons.empty()) {
    throw InvalidArgument("problem '" + problem_.name() +
                          "': its whole time has bounds, but no phase has a free horizon");
  }
  const Interval& time = problem_.total_time();
  const int row = add_row("the whole time", kBorderStage, problem_.size() - 1,
                          {time.lower - fixed_time, time.upper - fixed_time});
  list.push_back({sum_of(static_cast<int>(horizons.size())), horizons, row});
}

/// Functions of the motion at the end of one phase and at the start of the next.
void PhasedProgram::add_conditions(int k, std::vector<LinkTerm>& list) {
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
    const ad::Recording function = ad::record(
        {.name = "link_condition", .variables = static_cast<int>(at.size()), .at = at},
        [&](Tapes all, Tapes) {
          return condition.function(end.snapshot(all.first(index(end.num_inputs()))),
                                    start.snapshot(all.subspan(index(end.num_inputs()))));
        });
    list.push_back({function, numbers, static_cast<int>(link_rows_.size())});
    const int count = function.num_outputs();
    for (int i = 0; i < count; ++i) {
      add_row(condition.name + (count > 1 ? "[" + std::to_string(i + 1) + "]" : ""),
              after.first_stage, k, condition.interval);
    }
  }
}

}  // namespace liegrad::control
