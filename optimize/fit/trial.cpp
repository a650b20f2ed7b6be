#include "liegrad/optimize/fit/trial.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "liegrad/dae/start/consistency.hpp"
#include "liegrad/dae/system/numbers.hpp"
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
                 sensitivity::Mode mode, const Margins& margins, double piece)
      : system_(system), recording_(recording), whole_state_(system) {
    options_.integrate = run;
    if (!run.adaptive && run.step == 0) {
      options_.integrate.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = kTolerance}};
    }
    options_.integrate.t_start =
        recording.run_start.value_or(recording.first_time()) - margins.before;
    options_.integrate.t_end = recording.run_end.value_or(recording.last_time()) + margins.after;
    options_.integrate.keep_samples = false;
    options_.integrate.alpha.consistency.check_elements = false;
    options_.mode = mode;
    options_.variables.parameters = parameters;
    for (const Series& series : recording_.series) {
      first_values_.push_back(num_values_);
      num_values_ += static_cast<int>(series.values.size());
    }
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

  void predict(std::span<const double> parameters, std::span<const double> delays,
               const PredictionParts& parts, Prediction& prediction) {
    if (parts.rates && !options_.rates) {
      options_.rates = true;
      for (Piece& piece : pieces_) piece.workspace.reset();
    }
    prepare(delays);
    clear(parts.jacobian, prediction);
    if (parts.rates) prediction.rates.setZero(num_values_);
    const bool starts_nodes = nodes_.size() + 1 < pieces_.size();
    if (starts_nodes) nodes_.resize(pieces_.size() - 1);
    for (int k = 0; k < num_pieces(); ++k) {
      run_piece(k, k > 0 ? &nodes_[index(k - 1)] : nullptr, parameters, parts.jacobian, prediction);
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
    run_piece(k, &node, parameters, with_jacobian, prediction);
  }

  void run_first_piece(std::span<const double> parameters, std::span<const double> delays) {
    prepare(delays);
    Prediction prediction;
    clear(false, prediction);
    run_piece(0, nullptr, parameters, false, prediction);
  }

  dae::InitialValues end_of(int k, std::span<const double> parameters) {
    const Piece& piece = pieces_[index(k)];
    return carried(whole_state_.state(piece.end), limits_[index(k + 1)], parameters);
  }

  dae::InitialValues moved(int k, const dae::InitialValues& node, const Eigen::VectorXd& by,
                           std::span<const double> parameters) {
    return carried(whole_state_.moved(node, by), limits_[index(k)], parameters);
  }

  void check(std::span<const double> parameters) {
    dae::System system = system_;
    const std::vector<dae::ParameterSpec> specs = system.parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (specs[i].value != parameters[i]) system.set_parameter(specs[i].name, parameters[i]);
    }
    dae::ConsistencyOptions options = options_.integrate.alpha.consistency;
    options.check_elements = true;
    dae::Consistency consistency(system, options, options_.integrate.alpha.solver);
    consistency.initial_state(options_.integrate.t_start,
                              std::vector<double>(system.controls().size(), 0.0));
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

 private:
  struct Piece {
    std::unique_ptr<sensitivity::Sensitivity> workspace;
    dae::RunValues values;
    std::vector<int> places;     ///< of its values in the prediction, before those of its end
    Eigen::VectorXd end;         ///< outputs of WholeState at its end
    Eigen::MatrixXd end_slopes;  ///< their derivatives, of the last run that had them
  };

  int num_parameters() const { return static_cast<int>(options_.variables.parameters.size()); }

  void clear(bool with_jacobian, Prediction& prediction) const {
    prediction.values.setZero(num_values_);
    prediction.jacobian.setZero(num_values_, with_jacobian ? num_parameters() + node_size() : 0);
  }

  /// The piece that a time lies in; a time between two belongs to the first of them.
  int piece_at(double t) const {
    const auto found = std::lower_bound(limits_.begin() + 1, limits_.end() - 1, t);
    return static_cast<int>(found - limits_.begin()) - 1;
  }

  /// f(series, times) for all series that have samples in a piece: when they were taken, less the delays.
  template <class F>
  void for_each_series(int k, std::span<const double> delays, F&& f) const {
    for (std::size_t i = 0; i < recording_.series.size(); ++i) {
      const Series& series = recording_.series[i];
      std::vector<double> times;
      for (std::size_t sample = 0; sample < series.times.size(); ++sample) {
        if (pieces_of_[i][sample] != k) continue;
        times.push_back(clamped(k, series.times[sample] - delays[i]));
      }
      if (!times.empty()) f(series, times);
    }
  }

  /// Outputs of the samples of a piece, and the state at its end.
  sensitivity::Objective objective(int k, std::span<const double> delays) const {
    sensitivity::Objective objective(system_);
    for_each_series(k, delays, [&](const Series& series, const std::vector<double>& times) {
      objective.add_outputs(series.columns(), times);
    });
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
    return options;
  }

  /// Where the values of a piece stand in the prediction.
  std::vector<int> places_of(int k) const {
    std::vector<int> places;
    for (std::size_t i = 0; i < recording_.series.size(); ++i) {
      const Series& series = recording_.series[i];
      for (std::size_t sample = 0; sample < series.times.size(); ++sample) {
        if (pieces_of_[i][sample] != k) continue;
        for (int c = 0; c < series.width(); ++c) {
          places.push_back(first_values_[i] + static_cast<int>(sample) * series.width() + c);
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
      std::vector<int> places = places_of(k);
      if (!piece.workspace || places != piece.places) {
        piece.places = std::move(places);
        piece.workspace =
            std::make_unique<sensitivity::Sensitivity>(objective(k, delays), options_of(k));
        continue;
      }
      int item = 0;
      for_each_series(k, delays, [&](const Series&, const std::vector<double>& times) {
        piece.workspace->set_times(item++, times);
      });
    }
  }

  void run_piece(int k, const dae::InitialValues* node, std::span<const double> parameters,
                 bool with_jacobian, Prediction& prediction) {
    Piece& piece = pieces_[index(k)];
    piece.values.parameters.assign(parameters.begin(), parameters.end());
    if (node != nullptr) piece.values.initial = *node;
    const bool has_variables = num_parameters() > 0 || k > 0;
    const sensitivity::Derivatives& found = with_jacobian && has_variables
                                                ? piece.workspace->evaluate(piece.values)
                                                : piece.workspace->run(piece.values);
    const Index samples = std::ssize(piece.places), columns = found.jacobian.cols();
    const bool has_jacobian = with_jacobian && has_variables;
    for (Index i = 0; i < samples; ++i) {
      const int place = piece.places[static_cast<std::size_t>(i)];
      prediction.values(place) = found.values(i);
      if (options_.rates && prediction.rates.size() > 0) prediction.rates(place) = found.rates(i);
      if (has_jacobian) prediction.jacobian.row(place).head(columns) = found.jacobian.row(i);
    }
    piece.end = found.values.tail(found.values.size() - samples);
    if (has_jacobian) piece.end_slopes = found.jacobian.bottomRows(piece.end.size());
  }

  void find_continuity(int k, Continuity& continuity) const {
    const Piece& piece = pieces_[index(k)];
    const Eigen::MatrixXd slopes = num_parameters() > 0 || k > 0
                                       ? whole_state_.perturbations(piece.end, piece.end_slopes)
                                       : Eigen::MatrixXd(whole_state_.size(), 0);
    continuity.by_parameters = slopes.leftCols(num_parameters());
    continuity.by_node = slopes.rightCols(slopes.cols() - num_parameters());
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
    const std::vector<double> controls(system_.controls().size(), 0.0);
    const dae::State found = consistency_->initial_state(t, controls, state);
    return {found.q, found.v};
  }

  WholeState whole_state_;
  std::vector<double> limits_;  ///< times of all ends of pieces
  std::vector<Piece> pieces_;
  std::vector<int> first_values_;  ///< by series
  std::vector<double> delays_;
  std::unique_ptr<dae::Consistency> consistency_;
};

Trial::Trial(const dae::System& system, const Recording& recording,
             const std::vector<std::string>& parameters, const dae::IntegrateOptions& run,
             sensitivity::Mode mode, const Margins& margins, double piece)
    : implementation_(std::make_unique<Implementation>(system, recording, parameters, run, mode,
                                                       margins, piece)) {}
Trial::~Trial() = default;
Trial::Trial(Trial&&) noexcept = default;
Trial& Trial::operator=(Trial&&) noexcept = default;

const Recording& Trial::recording() const { return implementation_->recording_; }
int Trial::num_values() const { return implementation_->num_values_; }
double Trial::t_start() const { return implementation_->options_.integrate.t_start; }
double Trial::t_end() const { return implementation_->options_.integrate.t_end; }

void Trial::predict(std::span<const double> parameters, std::span<const double> delays,
                    const PredictionParts& parts, Prediction& prediction) {
  implementation_->predict(parameters, delays, parts, prediction);
}

void Trial::check(std::span<const double> parameters) { implementation_->check(parameters); }

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
void Trial::run_first_piece(std::span<const double> parameters, std::span<const double> delays) {
  implementation_->run_first_piece(parameters, delays);
}
dae::InitialValues Trial::end_of(int piece, std::span<const double> parameters) {
  return implementation_->end_of(piece, parameters);
}

}  // namespace liegrad::optimize
