#include "liegrad/optimize/fit/trial.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "liegrad/dae/start/consistency.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/optimize/fit/initial_chart.hpp"
#include "liegrad/optimize/fit/whole_state.hpp"
#include "liegrad/sensitivity/sensitivity.hpp"

namespace liegrad::optimize {
namespace {

/// Of error control that the options leave open: changes of the steps from one iteration to the next are then no more
/// than this in the residuals, which a search takes for smooth.
constexpr double kTolerance = 1e-8;

}  // namespace

using dae::index;
using Eigen::Index;

class Trial::Implementation {
 public:
  Implementation(const dae::System& system, const Recording& recording,
                 const std::vector<std::string>& parameters, const dae::IntegrateOptions& run,
                 sensitivity::Mode mode, const Margins& margins, double piece,
                 const InitialCoordinates& initial)
      : system_(system), recording_(recording), whole_state_(system) {
    options_.integrate = run;
    if (recording.controls) options_.integrate.controls = recording.controls;
    if (!run.adaptive && run.step == 0) {
      options_.integrate.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = kTolerance}};
    }
    if (const auto& adaptive = options_.integrate.adaptive) {
      const dae::ErrorTolerance& given = adaptive->tolerance;
      if (given.absolute == 0 && !given.multipliers) given_tolerance_ = given.relative;
    }
    options_.integrate.t_start =
        recording.run_start.value_or(recording.first_time()) - margins.before;
    options_.integrate.t_end = recording.run_end.value_or(recording.last_time()) + margins.after;
    options_.integrate.keep_samples = false;
    options_.integrate.on_step = [this, given = run.on_step](const dae::MethodState& state) {
      if (measured_ != nullptr) {
        measured_->times.push_back(state.t - limits_.front());
        if (measured_->is_complete()) return false;
      }
      return !given || given(state);
    };
    options_.integrate.alpha.consistency.check_elements = false;
    options_.mode = mode;
    options_.variables.parameters = parameters;
    num_initial_ = static_cast<int>(initial.names().size());
    if (num_initial_ > 0) {
      chart_ =
          std::make_unique<InitialChart>(system_, initial, run.alpha.consistency, run.alpha.solver);
    }
    for (const Series& series : recording_.series) {
      first_values_.push_back(num_values_);
      num_values_ += static_cast<int>(series.values.size());
    }
    options_.rates =
        margins.before > 0 || margins.after > 0;  // of samples whose delays are unknown
    group_series();
    const double duration = options_.integrate.t_end - options_.integrate.t_start;
    const int count = piece > 0 ? std::max(1, static_cast<int>(std::lround(duration / piece))) : 1;
    for (int k = 0; k <= count; ++k) {
      limits_.push_back(k == count ? options_.integrate.t_end
                                   : options_.integrate.t_start + k * duration / count);
    }
    pieces_.resize(index(count));
    continuity_.resize(index(count));
    pieces_of_.resize(recording_.series.size());
  }

  void predict(const TrialInputs& inputs, std::span<const double> delays,
               const PredictionParts& parts, Prediction& prediction) {
    const std::span<const double> parameters = inputs.parameters;
    prepare(delays);
    clear(parts.jacobian, prediction);
    if (parts.rates) prediction.rates.setZero(num_values_);
    const bool starts_nodes = nodes_.size() + 1 < pieces_.size();
    if (starts_nodes) nodes_.resize(pieces_.size() - 1);
    for (int k = 0; k < num_pieces(); ++k) {
      run_piece(k, k > 0 ? &nodes_[index(k - 1)] : first_state(inputs), parameters, parts,
                prediction);
      Continuity& continuity = continuity_[index(k)];
      if (parts.jacobian && num_pieces() > 1) find_continuity(k, continuity);
      if (k + 1 == num_pieces()) break;
      const dae::InitialValues end = end_of(k, parameters);
      dae::InitialValues& next = nodes_[index(k)];
      if (starts_nodes) next = end;
      continuity.gap = whole_state_.difference(next, end);
    }
  }

  void predict_piece(int k, const dae::InitialValues& node, std::span<const double> parameters,
                     std::span<const double> delays, bool with_jacobian, Prediction& prediction) {
    prepare(delays);
    clear(with_jacobian, prediction);
    run_piece(k, &node, parameters, {.jacobian = with_jacobian, .rates = false}, prediction);
  }

  void run_first_piece(const TrialInputs& inputs, std::span<const double> delays) {
    prepare(delays);
    Prediction prediction;
    clear(false, prediction);
    run_piece(0, first_state(inputs), inputs.parameters, {.jacobian = false, .rates = false},
              prediction);
  }

  dae::InitialValues end_of(int k, std::span<const double> parameters) {
    const Piece& piece = pieces_[index(k)];
    return carried(whole_state_.state(piece.end), limits_[index(k + 1)], parameters);
  }

  dae::InitialValues moved(int k, const dae::InitialValues& node, const Eigen::VectorXd& by,
                           std::span<const double> parameters) {
    return carried(whole_state_.moved(node, by), limits_[index(k)], parameters);
  }

  void hold_steps(Steps of) {
    holds_steps_ = options_.integrate.adaptive.has_value();
    for (Piece& piece : pieces_) {
      piece.held_steps.clear();
      if (holds_steps_ && of == Steps::kLast) {
        piece.held_steps = piece.workspace->steps_of_last_run();
      }
    }
  }

  void set_tolerance(double tolerance) {
    tolerance_ = tolerance;
    holds_steps_ = false;
    for (Piece& piece : pieces_) {
      piece.held_steps.clear();
      piece.has_run = piece.has_run && piece.values.steps.empty();
    }
  }

  std::vector<double> step_times(const TrialInputs& inputs, std::span<const double> delays,
                                 double tolerance, long most_steps) {
    prepare(delays);
    Prediction prediction;
    clear(false, prediction);
    MeasuredSteps measured{.most = static_cast<std::size_t>(most_steps), .times = {}};
    measured_ = &measured;
    bool is_whole = true;
    try {
      run_piece(0, first_state(inputs), inputs.parameters, {.tolerance = tolerance}, prediction);
    } catch (const Error&) {
      is_whole = false;
    }
    measured_ = nullptr;
    if (!is_whole && !measured.is_complete()) throw Error("the run could not go on");
    return measured.times;
  }

  void check(const TrialInputs& inputs) { start(inputs, true); }

  dae::InitialValues start(const TrialInputs& inputs, bool check_elements) {
    if (!checking_) {
      dae::ConsistencyOptions options = options_.integrate.alpha.consistency;
      options.check_elements = true;
      checking_.emplace(system_, options, options_.integrate.alpha.solver);
      options.check_elements = false;
      starting_.emplace(checking_->assembly(), options);
    }
    dae::Consistency& consistency = check_elements ? *checking_ : *starting_;
    consistency.set_parameters(inputs.parameters);
    const double t = options_.integrate.t_start;
    const dae::InitialValues* const from = first_state(inputs);
    const dae::State state = from != nullptr ? consistency.initial_state(t, controls_at(t), *from)
                                             : consistency.initial_state(t, controls_at(t));
    return {state.q, state.v};
  }

  int num_pieces() const { return static_cast<int>(pieces_.size()); }
  int node_size() const { return num_pieces() > 1 ? whole_state_.size() : 0; }

  dae::System system_;
  Recording recording_;
  int num_values_ = 0;
  sensitivity::DifferentiateOptions options_;
  std::vector<dae::InitialValues> nodes_;
  std::vector<Continuity> continuity_;
  std::vector<std::vector<int>> pieces_of_;  ///< by series and sample
  bool holds_steps_ = false;
  std::optional<double> tolerance_;  ///< in place of that of the options
  std::optional<double>
      given_tolerance_;  ///< that of the options, where they have a relative one alone

 private:
  /// A run whose steps are measured ends when it has made the most that were asked for.
  struct MeasuredSteps {
    std::size_t most = 0;
    std::vector<double> times;  ///< at the ends of steps, from the start
    bool is_complete() const { return times.size() == most; }
  };

  struct Piece {
    std::unique_ptr<sensitivity::Sensitivity> workspace;
    dae::RunValues values;
    bool has_run = false;                  ///< with these values, to its end
    std::optional<double> tolerance = {};  ///< of that run, where it was not that of the options
    std::vector<double> held_steps = {};   ///< of all its runs, once there was one
    /// Of its values in the prediction; then come WholeState at its start, where the chart needs it, and at its end.
    std::vector<int> places;
    Eigen::VectorXd end;         ///< outputs of WholeState at its end
    Eigen::MatrixXd end_slopes;  ///< their derivatives, of the last run that had them
  };

  std::vector<double> controls_at(double t) const {
    std::vector<double> controls(system_.controls().size(), 0.0);
    if (options_.integrate.controls) options_.integrate.controls(t, controls);
    return controls;
  }

  int num_parameters() const { return static_cast<int>(options_.variables.parameters.size()); }

  int num_shared_columns() const { return num_parameters() + num_initial_; }

  void clear(bool with_jacobian, Prediction& prediction) const {
    prediction.values.setZero(num_values_);
    prediction.jacobian.setZero(num_values_,
                                with_jacobian ? num_shared_columns() + node_size() : 0);
  }

  /// Where the first piece starts; null: from the initial values of the system.
  const dae::InitialValues* first_state(const TrialInputs& inputs) {
    if (!chart_) return nullptr;
    return &chart_->state(inputs.initial, limits_.front(), inputs.parameters);
  }
  bool reads_start(int k) const { return k == 0 && chart_ && chart_->needs_start(); }

  /// The piece that a time lies in; a time between two belongs to the first of them.
  int piece_at(double t) const {
    const auto found = std::lower_bound(limits_.begin() + 1, limits_.end() - 1, t);
    return static_cast<int>(found - limits_.begin()) - 1;
  }

  /// Series that are always read at the same times are read together: what a run has to find out at a time, it then
  /// finds once. Delays belong to outputs.
  void group_series() {
    const std::vector<Series>& all = recording_.series;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto found = std::ranges::find_if(groups_, [&](const std::vector<std::size_t>& group) {
        const Series& first = all[group.front()];
        return first.times == all[i].times && (!options_.rates || first.output == all[i].output);
      });
      (found == groups_.end() ? groups_.emplace_back() : *found).push_back(i);
    }
  }

  /// f(group, times) for all groups that have samples in a piece: when they were taken, less the delays.
  template <class F>
  void for_each_group(int k, std::span<const double> delays, F&& f) const {
    for (const std::vector<std::size_t>& group : groups_) {
      const std::size_t first = group.front();
      const std::vector<double>& taken = recording_.series[first].times;
      std::vector<double> times;
      for (std::size_t sample = 0; sample < taken.size(); ++sample) {
        if (pieces_of_[first][sample] != k) continue;
        times.push_back(clamped(k, taken[sample] - delays[first]));
      }
      if (!times.empty()) f(group, times);
    }
  }

  /// Outputs at the samples of a piece less their delays, then the state where it is needed.
  sensitivity::Objective objective(int k, std::span<const double> delays) const {
    sensitivity::Objective objective(system_);
    for_each_group(k, delays, [&](const auto& group, const std::vector<double>& times) {
      std::vector<std::string> columns;
      for (const std::size_t i : group) {
        for (const std::string& column : recording_.series[i].columns()) columns.push_back(column);
      }
      objective.add_outputs(columns, times);
    });
    if (reads_start(k)) objective.add_outputs(whole_state_.columns(), {limits_.front()});
    if (num_pieces() > 1) {
      objective.add_outputs(whole_state_.columns(), {limits_[index(k + 1)]});
    }
    return objective;
  }
  double clamped(int k, double t) const {
    return std::clamp(t, limits_[index(k)], limits_[index(k + 1)]);
  }

  sensitivity::DifferentiateOptions options_of(int k) const {
    sensitivity::DifferentiateOptions options = options_;
    options.integrate.t_start = limits_[index(k)];
    options.integrate.t_end = limits_[index(k + 1)];
    options.variables.initial_configuration = options.variables.initial_velocity = k > 0;
    if (k == 0 && chart_) options.variables.single = chart_->variables();
    return options;
  }

  /// Where the values of a piece stand in the prediction.
  std::vector<int> places_of(int k) const {
    std::vector<int> places;
    for (const std::vector<std::size_t>& group : groups_) {
      const std::vector<int>& pieces = pieces_of_[group.front()];
      for (std::size_t sample = 0; sample < pieces.size(); ++sample) {
        if (pieces[sample] != k) continue;
        for (const std::size_t i : group) {
          const int width = recording_.series[i].width();
          const int first = first_values_[i] + static_cast<int>(sample) * width;
          for (int c = 0; c < width; ++c) places.push_back(first + c);
        }
      }
    }
    return places;
  }

  /// Workspaces are made once, and again when delays move samples from one piece to another.
  void prepare(std::span<const double> delays) {
    if (pieces_.front().workspace &&
        std::equal(delays.begin(), delays.end(), delays_.begin(), delays_.end())) {
      return;
    }
    delays_.assign(delays.begin(), delays.end());
    for (std::size_t i = 0; i < recording_.series.size(); ++i) {
      pieces_of_[i].clear();
      for (const double t : recording_.series[i].times) {
        pieces_of_[i].push_back(piece_at(t - delays[i]));
      }
    }
    for (int k = 0; k < num_pieces(); ++k) {
      Piece& piece = pieces_[index(k)];
      piece.has_run = false;
      std::vector<int> places = places_of(k);
      if (!piece.workspace || places != piece.places) {
        piece.places = std::move(places);
        piece.workspace =
            std::make_unique<sensitivity::Sensitivity>(objective(k, delays), options_of(k));
        continue;
      }
      int item = 0;
      for_each_group(k, delays, [&](const auto&, const std::vector<double>& times) {
        piece.workspace->set_times(item++, times);
      });
    }
  }

  void run_piece(int k, const dae::InitialValues* node, std::span<const double> parameters,
                 const PredictionParts& parts, Prediction& prediction) {
    Piece& piece = pieces_[index(k)];
    // A search asks for values first and for derivatives there when it likes them; what a check with finer steps found is
    // what the search begins with where these become its own.
    std::optional<double> tolerance = parts.tolerance ? parts.tolerance : tolerance_;
    if (tolerance == given_tolerance_) tolerance.reset();
    const bool is_same = piece.has_run && piece.tolerance == tolerance &&
                         std::ranges::equal(parameters, piece.values.parameters) &&
                         (node == nullptr || (node->q == piece.values.initial->q &&
                                              node->v == piece.values.initial->v));
    piece.has_run = false;
    piece.values.steps.clear();
    if (!parts.tolerance) piece.values.steps = piece.held_steps;
    piece.tolerance = tolerance;
    piece.values.tolerance.reset();
    if (tolerance) piece.values.tolerance = dae::ErrorTolerance{.relative = *tolerance};
    if (!is_same) {
      piece.values.parameters.assign(parameters.begin(), parameters.end());
      if (node != nullptr) piece.values.initial = *node;
    }
    const bool has_variables = num_shared_columns() > 0 || k > 0;
    const bool has_jacobian = parts.jacobian && has_variables;
    const sensitivity::Derivatives& found = !has_jacobian ? piece.workspace->run(piece.values)
                                            : is_same ? piece.workspace->derivatives_of_last_run()
                                                      : piece.workspace->evaluate(piece.values);
    piece.has_run = true;
    if (holds_steps_ && !parts.tolerance && piece.held_steps.empty()) {
      piece.held_steps = piece.workspace->steps_of_last_run();
    }
    const Index samples = std::ssize(piece.places);
    const Index start = reads_start(k) ? std::ssize(whole_state_.columns()) : 0;
    if (has_jacobian && k == 0 && chart_) {
      const Eigen::MatrixXd slopes =
          start > 0 ? whole_state_.perturbations(found.values.segment(samples, start),
                                                 found.jacobian.middleRows(samples, start))
                    : Eigen::MatrixXd();
      chart_->change_columns(slopes, num_parameters(), found.jacobian, by_coordinates_);
    }
    const Eigen::MatrixXd& jacobian = k == 0 && chart_ ? by_coordinates_ : found.jacobian;
    // Later pieces do not depend on initial values: columns of parameters, none, and those of the node.
    const Index parameters_of = k == 0 ? num_shared_columns() : num_parameters();
    const Index nodes = has_jacobian ? jacobian.cols() - parameters_of : 0;
    prediction.values(piece.places) = found.values.head(samples);
    if (parts.rates) prediction.rates(piece.places) = found.rates.head(samples);
    for (Index j = 0; j < parameters_of + nodes && has_jacobian; ++j) {
      const Index column = j < parameters_of ? j : num_shared_columns() + j - parameters_of;
      prediction.jacobian.col(column)(piece.places) = jacobian.col(j).head(samples);
    }
    const Index end = num_pieces() > 1 ? std::ssize(whole_state_.columns()) : 0;
    piece.end = found.values.segment(samples + start, end);
    if (has_jacobian) piece.end_slopes = jacobian.middleRows(samples + start, end);
  }

  void find_continuity(int k, Continuity& continuity) const {
    const Piece& piece = pieces_[index(k)];
    const Eigen::MatrixXd slopes = num_shared_columns() > 0 || k > 0
                                       ? whole_state_.perturbations(piece.end, piece.end_slopes)
                                       : Eigen::MatrixXd(whole_state_.size(), 0);
    const Index parameters_of = k == 0 ? num_shared_columns() : num_parameters();
    continuity.by_parameters.setZero(whole_state_.size(), num_shared_columns());
    continuity.by_parameters.leftCols(parameters_of) = slopes.leftCols(parameters_of);
    continuity.by_node = slopes.rightCols(slopes.cols() - parameters_of);
  }

  /// The nearest state on the constraints.
  dae::InitialValues carried(const dae::InitialValues& state, double t,
                             std::span<const double> parameters) {
    if (!consistency_) {
      dae::ConsistencyOptions options = options_.integrate.alpha.consistency;
      options.project = true;
      consistency_ =
          std::make_unique<dae::Consistency>(system_, options, options_.integrate.alpha.solver);
    }
    consistency_->set_parameters(parameters);
    const dae::State found = consistency_->initial_state(t, controls_at(t), state);
    return {found.q, found.v};
  }

  MeasuredSteps* measured_ = nullptr;  ///< by the run under way, if by any
  WholeState whole_state_;
  std::vector<double> limits_;  ///< times of all ends of pieces
  std::vector<Piece> pieces_;
  std::vector<int> first_values_;                 ///< by series
  std::vector<std::vector<std::size_t>> groups_;  ///< of series that are read at the same times
  std::vector<double> delays_;
  std::unique_ptr<dae::Consistency> consistency_;  ///< carries states to the constraints
  /// With elements checked, and unchecked in the same assembly.
  std::optional<dae::Consistency> checking_, starting_;
  int num_initial_ = 0;
  std::unique_ptr<InitialChart> chart_;
  Eigen::MatrixXd by_coordinates_;
};

Trial::Trial(const dae::System& system, const Recording& recording,
             const std::vector<std::string>& parameters, const dae::IntegrateOptions& run,
             sensitivity::Mode mode, const Margins& margins, double piece,
             const InitialCoordinates& initial)
    : implementation_(std::make_unique<Implementation>(system, recording, parameters, run, mode,
                                                       margins, piece, initial)) {}
Trial::~Trial() = default;
Trial::Trial(Trial&&) noexcept = default;
Trial& Trial::operator=(Trial&&) noexcept = default;

const Recording& Trial::recording() const { return implementation_->recording_; }
int Trial::num_values() const { return implementation_->num_values_; }
double Trial::t_start() const { return implementation_->options_.integrate.t_start; }
double Trial::t_end() const { return implementation_->options_.integrate.t_end; }

void Trial::predict(const TrialInputs& inputs, std::span<const double> delays,
                    const PredictionParts& parts, Prediction& prediction) {
  implementation_->predict(inputs, delays, parts, prediction);
}

void Trial::hold_steps(Steps of) { implementation_->hold_steps(of); }
bool Trial::holds_steps() const { return implementation_->holds_steps_; }
void Trial::set_tolerance(double tolerance) { implementation_->set_tolerance(tolerance); }
std::vector<double> Trial::step_times(const TrialInputs& inputs, std::span<const double> delays,
                                      double tolerance, long most_steps) {
  return implementation_->step_times(inputs, delays, tolerance, most_steps);
}
void Trial::check(const TrialInputs& inputs) { implementation_->check(inputs); }
dae::InitialValues Trial::start(const TrialInputs& inputs) {
  return implementation_->start(inputs, false);
}

int Trial::num_pieces() const { return implementation_->num_pieces(); }
int Trial::node_size() const { return implementation_->node_size(); }
const std::vector<int>& Trial::pieces_of(int series) const {
  return implementation_->pieces_of_[index(series)];
}
const std::vector<dae::InitialValues>& Trial::nodes() const { return implementation_->nodes_; }
void Trial::set_nodes(std::vector<dae::InitialValues> nodes) {
  implementation_->nodes_ = std::move(nodes);
}
dae::InitialValues Trial::moved(int piece, const dae::InitialValues& node,
                                const Eigen::VectorXd& by, std::span<const double> parameters) {
  return implementation_->moved(piece, node, by, parameters);
}
const std::vector<Continuity>& Trial::continuity() const { return implementation_->continuity_; }
void Trial::predict_piece(int piece, const dae::InitialValues& node,
                          std::span<const double> parameters, std::span<const double> delays,
                          bool with_jacobian, Prediction& prediction) {
  implementation_->predict_piece(piece, node, parameters, delays, with_jacobian, prediction);
}
void Trial::run_first_piece(const TrialInputs& inputs, std::span<const double> delays) {
  implementation_->run_first_piece(inputs, delays);
}
dae::InitialValues Trial::end_of(int piece, std::span<const double> parameters) {
  return implementation_->end_of(piece, parameters);
}

}  // namespace liegrad::optimize
