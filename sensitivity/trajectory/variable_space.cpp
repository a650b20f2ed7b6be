#include "liegrad/sensitivity/trajectory/variable_space.hpp"

#include <algorithm>

#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::sensitivity {

using dae::index;

void Grid::append(double h) {
  if (runs_.empty() || runs_.back().h != h) runs_.push_back({num_steps_, time(num_steps_), h});
  num_steps_ += 1;
}

const Grid::Run& Grid::run_of(long n) const {
  if (n >= runs_.back().first) return runs_.back();  // all steps of a run with fixed ones
  const auto after = std::upper_bound(runs_.begin(), runs_.end(), n,
                                      [](long step, const Run& run) { return step < run.first; });
  return *(after - 1);
}

double Grid::time(long n) const {
  if (runs_.empty()) return t_start_;
  const Run& run = run_of(n);
  return run.t + static_cast<double>(n - run.first) * run.h;
}

/// Whether step n is the last one of a run with fixed steps and makes up for the others: it is shorter, or longer by a
/// rest that would have been tiny.
bool Grid::is_rest(long n) const {
  if (n != num_steps() - 1) return false;
  const bool is_shorter =
      step(n) < first_step_ * (1 - 1e-9) && (n == 0 || step(n) < step(n - 1) * (1 - 1e-9));
  return is_shorter || step(n) > first_step_ * (1 + 1e-9);
}

Grid::Rates Grid::time_rates(long n) const {
  const double along = time(n) - t_start_;
  const bool fixed = n > 0 && is_rest(n - 1);
  return {along / (t_end_ - t_start_), fixed ? 0.0 : along / first_step_};
}

Grid::Rates Grid::step_rates(long n) const {
  return {step(n) / (t_end_ - t_start_), time_rates(n + 1).by_step - time_rates(n).by_step};
}

Grid::Rates Grid::first_step_rates() const { return {first_step_ / (t_end_ - t_start_), 1.0}; }

VariableSpace::VariableSpace(const dae::Model& model, const Variables& variables,
                             dae::Method method, Grid grid)
    : grid_(std::move(grid)),
      state_(model, method),
      outer_(model),
      model_(model.shared()),
      variables_(variables),
      moves_(variables.t_end || variables.step),
      dof_(model.dof()),
      num_parameters_(static_cast<int>(model.parameters().size())),
      num_controls_(static_cast<int>(model.controls().size())),
      q_(num_parameters_),
      v_(q_ + dof_),
      end_(v_ + dof_),
      step_(end_ + 1),
      controls_(step_ + 1) {
  choose_all();
}

void VariableSpace::set_grid(const Grid& grid) {
  const bool has_as_many = grid.num_steps() == grid_.num_steps();
  grid_ = grid;
  if (!has_as_many) choose_all();
}

void VariableSpace::choose(int position, std::string name) {
  chosen_.push_back(position);
  names_.push_back(std::move(name));
}

void VariableSpace::choose_initial(int first, const std::string& what) {
  const lie::GroupList& space = model_->configuration_space();
  for (int i = 0; i < space.size(); ++i) {
    for (int k = 0; k < space.group(i).dof(); ++k) {
      choose(first + space.dof_offset(i) + k,
             model_->nodes()[index(i)].name + "." + what + "[" + std::to_string(k + 1) + "]");
    }
  }
}

void VariableSpace::choose_all() {
  size_ = controls_ + static_cast<int>(grid_.num_steps() + 1) * num_controls_;
  chosen_.clear();
  names_.clear();
  for (const std::string& name : variables_.parameters) choose(model_->parameter_index(name), name);
  if (variables_.initial_configuration) choose_initial(q_, "q0");
  if (variables_.initial_velocity) choose_initial(v_, "v0");
  if (variables_.t_end) choose(end_, "t_end");
  if (variables_.step) choose(step_, "step");
  if (variables_.controls) {
    for (long n = 0; n <= grid_.num_steps(); ++n) {
      for (int i = 0; i < num_controls_; ++i) {
        choose(controls_ + static_cast<int>(n) * num_controls_ + i,
               model_->controls()[index(i)] + "@" + std::to_string(n));
      }
    }
  }
  if (variables_.single.empty() || grid_.num_steps() == 0) return;
  // Single variables of the kinds above, by their names.
  const std::size_t first = chosen_.size();
  choose_initial(q_, "q0");
  choose_initial(v_, "v0");
  for (long n = 0; n <= grid_.num_steps(); ++n) {
    for (int i = 0; i < num_controls_; ++i) {
      choose(controls_ + static_cast<int>(n) * num_controls_ + i,
             model_->controls()[index(i)] + "@" + std::to_string(n));
    }
  }
  const std::vector<std::string> names(names_.begin() + static_cast<std::ptrdiff_t>(first),
                                       names_.end());
  const std::vector<int> positions(chosen_.begin() + static_cast<std::ptrdiff_t>(first),
                                   chosen_.end());
  names_.resize(first);
  chosen_.resize(first);
  for (const std::string& name : variables_.single) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
      throw InvalidArgument("system '" + model_->name() + "': " +
                            dae::unknown_name_message("initial value or control", name, names));
    }
    choose(positions[static_cast<std::size_t>(found - names.begin())], name);
  }
}

VariableSpace::Place VariableSpace::place(int chosen) const {
  const int position = chosen_[index(chosen)];
  if (position < q_) return {Place::Kind::kParameter, position, 0};
  if (position < v_) return {Place::Kind::kPosition, position - q_, 0};
  if (position < end_) return {Place::Kind::kVelocity, position - v_, 0};
  if (position == end_) return {Place::Kind::kEnd, 0, 0};
  if (position == step_) return {Place::Kind::kStep, 0, 0};
  const int control = position - controls_;
  return {Place::Kind::kControl, control % num_controls_, control / num_controls_};
}

VariableSpace::Parts VariableSpace::parts(std::span<const double> direction) const {
  const auto part = [&](int first, int end) {
    return direction.subspan(index(first), index(end - first));
  };
  return {part(0, q_),
          part(q_, v_),
          part(v_, end_),
          part(controls_, size_),
          direction[index(end_)],
          direction[index(step_)]};
}

template <class F>
void VariableSpace::for_each_entry(long start, long end, const Grid::Rates& start_time,
                                   const Grid::Rates& end_time, const Grid::Rates& h, F&& f) const {
  for (int i = 0; i < num_controls_; ++i) {
    f(outer_.start_controls + i, controls_ + static_cast<int>(start) * num_controls_ + i, 1.0);
    if (end < 0) continue;
    f(outer_.end_controls + i, controls_ + static_cast<int>(end) * num_controls_ + i, 1.0);
  }
  for (const auto& [entry, rates] :
       {std::pair(outer_.start_time, start_time), std::pair(outer_.end_time, end_time),
        std::pair(outer_.h, h)}) {
    f(entry, end_, rates.by_end);
    f(entry, step_, rates.by_step);
  }
}

template <class F>
void VariableSpace::for_each_of_start(F&& f) const {
  for_each_entry(0, -1, {}, {}, grid_.first_step_rates(), f);
}
template <class F>
void VariableSpace::for_each_of_step(long n, F&& f) const {
  for_each_entry(n, n + 1, grid_.time_rates(n), grid_.time_rates(n + 1), grid_.step_rates(n), f);
}
template <class F>
void VariableSpace::for_each_of_change(long n, F&& f) const {
  // The ratio r of the new step to the old one has dr = r (dh'/h' - dh/h).
  const double before = n == 0 ? grid_.first_step() : grid_.step(n - 1), after = grid_.step(n);
  const Grid::Rates from = n == 0 ? grid_.first_step_rates() : grid_.step_rates(n - 1);
  const Grid::Rates to = grid_.step_rates(n);
  const auto ratio_rate = [&](double rate_to, double rate_from) {
    return (rate_to - after / before * rate_from) / before;
  };
  for_each_entry(n, -1, grid_.time_rates(n), {},
                 {ratio_rate(to.by_end, from.by_end), ratio_rate(to.by_step, from.by_step)}, f);
}

namespace {

/// to += factor · from for one entry of columns that stand side by side.
void add_entry(int columns, double factor, std::span<const double> from, int entry,
               std::span<double> to, int to_entry) {
  if (factor == 0) return;
  const double* const source = from.data() + entry * columns;
  double* const target = to.data() + to_entry * columns;
  for (int c = 0; c < columns; ++c) target[c] += factor * source[c];
}
void add_entries(int columns, int count, std::span<const double> from, int first,
                 std::span<double> to, int to_first) {
  add_entry(columns * count, 1, from.subspan(index(first * columns)), 0,
            to.subspan(index(to_first * columns)), 0);
}

}  // namespace

template <class Visit>
void VariableSpace::to_outer(int columns, std::span<const double> directions,
                             std::span<double> outer, const Visit& visit) const {
  std::copy_n(directions.begin(), columns * num_parameters_,
              outer.begin() + columns * outer_.parameters);
  std::fill(outer.begin() + columns * outer_.start_controls, outer.end(), 0.0);
  if (outer_is_constant()) return;
  visit([&](int entry, int position, double factor) {
    add_entry(columns, factor, directions, position, outer, entry);
  });
}
template <class Visit>
void VariableSpace::from_outer(int columns, std::span<const double> outer,
                               std::span<double> gradient, const Visit& visit) const {
  add_entries(columns, num_parameters_, outer, outer_.parameters, gradient, 0);
  if (outer_is_constant()) return;
  visit([&](int entry, int position, double factor) {
    add_entry(columns, factor, outer, entry, gradient, position);
  });
}

void VariableSpace::initial_state(int columns, std::span<const double> directions,
                                  std::span<double> state) const {
  std::fill(state.begin(), state.end(), 0.0);
  std::copy_n(directions.begin() + columns * q_, columns * 2 * dof_, state.begin());
}
void VariableSpace::add_initial_state(int columns, std::span<const double> state,
                                      std::span<double> gradient) const {
  add_entries(columns, 2 * dof_, state, 0, gradient, q_);
}

void VariableSpace::outer_of_start(int columns, std::span<const double> directions,
                                   std::span<double> outer) const {
  to_outer(columns, directions, outer, [this](auto&& f) { for_each_of_start(f); });
}
void VariableSpace::outer_of_step(long n, int columns, std::span<const double> directions,
                                  std::span<double> outer) const {
  to_outer(columns, directions, outer, [this, n](auto&& f) { for_each_of_step(n, f); });
}
void VariableSpace::outer_of_change(long n, int columns, std::span<const double> directions,
                                    std::span<double> outer) const {
  to_outer(columns, directions, outer, [this, n](auto&& f) { for_each_of_change(n, f); });
}
void VariableSpace::add_outer_of_start(int columns, std::span<const double> outer,
                                       std::span<double> gradient) const {
  from_outer(columns, outer, gradient, [this](auto&& f) { for_each_of_start(f); });
}
void VariableSpace::add_outer_of_step(long n, int columns, std::span<const double> outer,
                                      std::span<double> gradient) const {
  from_outer(columns, outer, gradient, [this, n](auto&& f) { for_each_of_step(n, f); });
}
void VariableSpace::add_outer_of_change(long n, int columns, std::span<const double> outer,
                                        std::span<double> gradient) const {
  from_outer(columns, outer, gradient, [this, n](auto&& f) { for_each_of_change(n, f); });
}

}  // namespace liegrad::sensitivity
