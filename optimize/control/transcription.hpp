#pragma once

#include <Eigen/Core>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "liegrad/control/grid_layout.hpp"
#include "liegrad/control/problem_functions.hpp"
#include "liegrad/control/row_layout.hpp"
#include "liegrad/control/solution.hpp"
#include "liegrad/control/stop_request.hpp"
#include "liegrad/control/transcription_options.hpp"
#include "liegrad/dae/state.hpp"
#include "liegrad/sensitivity/step/radau_terms.hpp"

namespace liegrad::control {

/// How a problem follows another one, see PhasedProblem.
struct PhaseStart {
  bool is_linked = false;      ///< the start is found, not given
  bool end_is_linked = false;  ///< another phase follows
  /// Coordinates that are those of the initial values all the same.
  std::vector<bool> given_positions = {}, given_velocities = {};
  /// Where the search begins; empty: the initial configuration of the system.
  std::vector<double> guess = {};
  /// Elements whose constraints hold at the start because they are asked for there: nothing before satisfies them.
  std::vector<int> new_constraints = {};
};

/// An optimal control problem as a nonlinear program: the step equations of all steps are constraints, and the unknowns
/// are the motion and the controls at all grid points, q_n = q̄_n∘exp(δ_n) about a reference that can be moved.
///
/// Rows: the cost, then the equations of the start (those of motion, d²Φ/dt² = 0 and a_0 = v̇_0: a method's memory that
/// were free would be a control that costs nothing), the steps, times where they are unknown, path constraints and those
/// at the end. Controls are linear in time between grid points.
class Transcription {
 public:
  /// Of the problem as it is now. A request to stop leaves the guess as far as it came. Throws InvalidArgument.
  Transcription(const Problem& problem, const TranscriptionOptions& options,
                const PhaseStart& start = {}, const StopRequest& stop = {});

  const Problem& problem() const { return problem_; }
  bool start_is_linked() const { return start_.is_linked; }
  const TranscriptionOptions& options() const { return options_; }
  /// Whether steps are those of Radau IIA.
  bool has_stages() const { return options_.radau_stages > 0; }
  /// The generalized-α method that is used otherwise.
  const dae::AlphaMethod& method() const { return *options_.method; }
  const GridLayout& layout() const { return layout_; }
  int num_variables() const { return layout_.num_variables; }
  const RowLayout& rows() const { return rows_; }
  int num_rows() const { return rows_.size; }
  /// The time of a point as a share of the horizon.
  double share(int point) const {
    return options_.mesh.empty() ? static_cast<double>(point) / layout_.num_steps
                                 : options_.mesh[static_cast<std::size_t>(point)];
  }
  /// The length of the step that leads to a point, likewise.
  double step_share(int point) const { return share(point) - share(point - 1); }
  /// h_{n+1}/h_n at a point between two steps; 1 at the last one.
  double step_ratio(int point) const {
    return point < layout_.num_steps ? step_share(point + 1) / step_share(point) : 1.0;
  }

  /// A function of the point and the numbers behind it, see sensitivity::TermList.
  sensitivity::KernelSum& sum() { return sum_; }
  /// The unknowns come first.
  std::vector<double>& numbers() { return numbers_; }
  const std::vector<Interval>& variable_bounds() const { return variable_bounds_; }
  /// Of the rows; that of the cost has none.
  const std::vector<Interval>& row_bounds() const { return row_bounds_; }
  /// Factors of the rows: positions of constraints are divided by a step, as in Newton's iteration.
  const std::vector<double>& row_scales() const { return row_scales_; }
  const std::vector<double>& guess() const { return guess_; }

  /// Back to the guess of the problem and its reference.
  void start_from_guess();
  /// Makes the motion of a solution the guess, interpolated where its grid is another, and the reference. True if it has
  /// the same unknowns and rows. Throws InvalidArgument if it is one of another system.
  bool start_from(const Solution& solution);

  /// Moves the reference to q̄_n∘exp(δ_n) and sets δ_n = 0, where it may move: δ_N of coordinates fixed one by one counts
  /// from the target.
  void recentre(std::vector<double>& x);
  /// Moves the reference of a point, but for nodes in R^n, whose bounds count from it; set_references() follows.
  void set_reference(int point, std::span<const double> q);
  /// Moves the reference of one node at a point, and the unknowns with it, so that the configuration stays;
  /// set_references() follows.
  void move_reference(int point, int node, std::span<const double> q, std::vector<double>& x);
  /// Where the unknowns and numbers of a point stand.
  const sensitivity::MotionPlaces& places(int point) const {
    return points_[static_cast<std::size_t>(point)];
  }
  const PointFunctions& point_functions() const { return point_functions_; }
  const std::vector<double>& reference(int point) const {
    return references_[static_cast<std::size_t>(point)];
  }
  /// Makes the numbers that depend on references.
  void set_references();
  /// The same, and the bounds that count from references.
  void use_references();
  /// The largest angle of a δ_n that turns.
  double largest_turn(std::span<const double> x) const;

  double horizon(std::span<const double> x) const;
  /// The motion at a point.
  GridState state(std::span<const double> x, int point) const;
  /// That of a stage of the Radau step that leads to a point, with η.
  StageState stage_state(std::span<const double> x, int point, int stage) const;
  std::span<const double> controls(std::span<const double> x, int point) const;
  /// Values of all parameters of the system.
  std::vector<double> parameters(std::span<const double> x) const;
  /// The cost of a motion with given controls, one state for each grid point.
  double cost_of(std::span<const double> parameters, std::span<const dae::State> states,
                 const std::function<void(double t, std::span<double> u)>& controls);
  /// ∂/∂h_n of the Lagrangian for the length of each step, at the point in numbers().
  std::vector<double> step_length_derivatives(std::span<const double> multipliers) const;
  /// Derivatives of one step by the unknowns of its start and then of its end: of the Lagrangian twice, with what is
  /// asked of the end, and of its equations once. The horizon and parameters are taken as given.
  struct StepModel {
    Eigen::MatrixXd hessian, jacobian;
  };
  /// At the point in numbers(), step by step.
  std::vector<StepModel> step_models(std::span<const double> multipliers) const;
  /// What an unknown or a row is, and when.
  std::string variable_name(int variable) const;
  std::string row_name(int row) const;

  /// Adds the kernels that a solution needs to those compiled when a program is built.
  void list_kernels(ad::KernelList& list) const;

 private:
  void place_points();
  void add_terms();
  void set_row_bounds();
  void set_variable_bounds();
  void set_guess(const StopRequest& stop);
  void guess_reactions(const StopRequest& stop);
  void add_start_constraints(sensitivity::ElementTerms& elements);
  void add_alpha_steps(const ad::Recording& equality);
  // Of Radau steps, see radau_stages.cpp.
  void place_stages(int fraction, int method, sensitivity::Placing& placing);
  void set_stage_numbers();
  void add_radau_steps();
  void add_radau_step(const sensitivity::RadauPlaces& places, int quadrature, int point,
                      sensitivity::RadauTerms& steps, sensitivity::TermList& terms) const;
  void add_stage_controls();
  void set_stage_scales();
  void guess_stages();
  void start_stages_from(const Solution& solution, bool same);
  void set_stage_references();
  void recentre_stages(std::vector<double>& x);
  std::string stage_variable_name(int offset) const;
  std::string step_row_name(int offset) const;
  /// c of u_i = (1-c) u_n + c u_{n+1} at a stage.
  double control_share(int stage) const;
  /// The time of a stage as a share of the horizon, and where it stands.
  double stage_share(int point, int stage) const;
  int stage_share_place(int point, int stage) const {
    return stage_shares_ + (point - 1) * (options_.radau_stages - 1) + stage;
  }
  bool keeps_end_reference() const;
  bool is_fixed_at_end(int node) const;
  std::string periodic_name(int k) const;
  /// What periodic nodes have in common, from the start of the guess.
  void share_periodic();
  bool has_times_of(const Solution& solution) const;
  bool has_stages_of(const Solution& solution) const;
  std::vector<double> guessed_configuration(double fraction) const;

  Problem problem_;
  TranscriptionOptions options_;
  PhaseStart start_;
  PointFunctions point_functions_;
  ProblemFunctions functions_;
  GridLayout layout_;
  RowLayout rows_;
  sensitivity::MotionLayout motion_;
  sensitivity::KernelSum sum_;
  std::unique_ptr<sensitivity::TermList> terms_;
  std::vector<sensitivity::MotionPlaces> points_;
  std::vector<sensitivity::StepPlaces> steps_;
  std::vector<sensitivity::RadauPlaces> radau_steps_;  ///< in place of these
  std::optional<dae::RadauCoefficients> radau_;
  std::vector<double> stabilizer_weights_;  ///< W of Radau steps
  int horizon_ = 0, shares_ = 0, ratios_ = 0;
  int quadrature_ = 0, abscissae_ = 0, stage_shares_ = 0;
  std::vector<double> numbers_, guess_, row_scales_;
  std::vector<Interval> variable_bounds_, row_bounds_;
  std::vector<std::vector<double>> references_;  ///< q̄_n
  std::vector<std::vector<double>> first_references_;
  /// Those of the stages of Radau steps, step by step, without the last one.
  std::vector<std::vector<std::vector<double>>> stage_references_, first_stage_references_;
  std::vector<double> first_guess_;
};

}  // namespace liegrad::control
