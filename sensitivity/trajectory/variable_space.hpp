#pragma once

#include <span>
#include <string>
#include <vector>

#include "liegrad/sensitivity/differentiate.hpp"
#include "liegrad/sensitivity/step/motion_layout.hpp"

namespace liegrad::sensitivity {

/// When the ends of the steps of a run were, and how they move with the end of the run and with the step.
class Grid {
 public:
  Grid() = default;
  /// The start of a run, its end, and the step with which the method was started.
  Grid(double t_start, double t_end, double first_step) { begin(t_start, t_end, first_step); }

  /// Starts anew, in the memory that is there.
  void begin(double t_start, double t_end, double first_step) {
    t_start_ = t_start;
    t_end_ = t_end;
    first_step_ = first_step;
    num_steps_ = 0;
    runs_.clear();
  }
  /// The next step. Equal ones take no further memory.
  void append(double h);
  long num_steps() const { return num_steps_; }
  double first_step() const { return first_step_; }
  double step(long n) const { return run_of(n).h; }
  double time(long n) const;

  /// Derivatives by the end of the run, which stretches everything, and by the length of fixed steps, which
  /// a last shorter one makes up for.
  struct Rates {
    double by_end, by_step;
  };
  Rates time_rates(long n) const;
  Rates step_rates(long n) const;
  Rates first_step_rates() const;

 private:
  /// Equal steps from step `first` on, which starts at t.
  struct Run {
    long first;
    double t, h;
  };
  const Run& run_of(long n) const;
  bool is_rest(long n) const;

  double t_start_ = 0, t_end_ = 0, first_step_ = 0;
  long num_steps_ = 0;
  std::vector<Run> runs_;
};

/// All that a trajectory depends on as one vector: parameters, initial values, end and step, controls at the
/// ends of the steps; which of it was chosen; and how it enters each step.
class VariableSpace {
 public:
  VariableSpace(const dae::Model& model, const Variables& variables, dae::Method method, Grid grid);
  /// Of another run. Allocates nothing for as many steps.
  void set_grid(const Grid& grid);

  int size() const { return size_; }
  const StateLayout& state_layout() const { return state_; }
  const OuterLayout& outer_layout() const { return outer_; }
  const Grid& grid() const { return grid_; }
  /// Positions of the chosen variables, and their names.
  const std::vector<int>& chosen() const { return chosen_; }
  const std::vector<std::string>& names() const { return names_; }

  // Parts of a direction, which hold for `columns` directions side by side.

  void initial_state(int columns, std::span<const double> directions,
                     std::span<double> state) const;
  /// Whether what follows for the start, the steps and their changes is the same.
  bool outer_is_constant() const { return !moves_ && num_controls_ == 0; }
  void outer_of_start(int columns, std::span<const double> directions,
                      std::span<double> outer) const;
  void outer_of_step(long n, int columns, std::span<const double> directions,
                     std::span<double> outer) const;
  /// Of the change of step before step n: the ratio of the steps stands in the place of h.
  void outer_of_change(long n, int columns, std::span<const double> directions,
                       std::span<double> outer) const;

  // Their transposes: gradients with respect to a part are added to that with respect to all.

  void add_initial_state(int columns, std::span<const double> state,
                         std::span<double> gradient) const;
  void add_outer_of_start(int columns, std::span<const double> outer,
                          std::span<double> gradient) const;
  void add_outer_of_step(long n, int columns, std::span<const double> outer,
                         std::span<double> gradient) const;
  void add_outer_of_change(long n, int columns, std::span<const double> outer,
                           std::span<double> gradient) const;

  /// The parts of one direction.
  struct Parts {
    std::span<const double> parameters, q, v, controls;  ///< controls: end after end of the steps
    double end, step;
  };
  Parts parts(std::span<const double> direction) const;

  /// Of a chosen variable: what is perturbed for a difference.
  struct Place {
    enum class Kind { kParameter, kPosition, kVelocity, kEnd, kStep, kControl } kind;
    int index;
    long step;  ///< of a control
  };
  Place place(int chosen) const;

 private:
  /// The entries of an outer vector that a direction determines: f(entry, position, factor).
  template <class F>
  void for_each_entry(long start, long end, const Grid::Rates& start_time,
                      const Grid::Rates& end_time, const Grid::Rates& h, F&& f) const;
  template <class F>
  void for_each_of_start(F&& f) const;
  template <class F>
  void for_each_of_step(long n, F&& f) const;
  template <class F>
  void for_each_of_change(long n, F&& f) const;
  template <class Visit>
  void to_outer(int columns, std::span<const double> directions, std::span<double> outer,
                const Visit& visit) const;
  template <class Visit>
  void from_outer(int columns, std::span<const double> outer, std::span<double> gradient,
                  const Visit& visit) const;

  Grid grid_;
  StateLayout state_;
  OuterLayout outer_;
  void choose_all();
  void choose(int position, std::string name);
  void choose_initial(int first, const std::string& what);

  std::shared_ptr<const dae::Model> model_;
  Variables variables_;
  /// Whether the grid moves with a chosen variable; if not, directions along its end and step are zero and gradients with
  /// respect to these are left out.
  bool moves_;
  int dof_, num_parameters_, num_controls_;
  int q_, v_, end_, step_, controls_, size_;
  std::vector<int> chosen_;
  std::vector<std::string> names_;
};

}  // namespace liegrad::sensitivity
