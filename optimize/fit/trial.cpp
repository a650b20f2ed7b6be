#include "liegrad/optimize/fit/trial.hpp"

#include <algorithm>
#include <utility>

#include "liegrad/dae/start/consistency.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/sensitivity/sensitivity.hpp"

namespace liegrad::optimize {
namespace {

/// Of error control that the options leave open: changes of the steps from one iteration to the next are then no more
/// than this in the residuals, which a search takes for smooth.
constexpr double kTolerance = 1e-8;

}  // namespace

class Trial::Implementation {
 public:
  Implementation(const dae::System& system, const Recording& recording,
                 const std::vector<std::string>& parameters, const dae::IntegrateOptions& run,
                 sensitivity::Mode mode, const Margins& margins)
      : system_(system), recording_(recording) {
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
      num_values_ += static_cast<int>(series.values.size());
    }
  }

  void predict(std::span<const double> parameters, std::span<const double> delays,
               const PredictionParts& parts, Prediction& prediction) {
    values_.parameters.assign(parameters.begin(), parameters.end());
    prepare(delays);
    if (parts.jacobian && !options_.variables.parameters.empty()) {
      const sensitivity::Derivatives& derivatives = workspace_->evaluate(values_);
      prediction.values = derivatives.values;
      prediction.jacobian = derivatives.jacobian;
    } else {
      prediction.values = workspace_->run(values_).values;
      prediction.jacobian.resize(num_values_, 0);
    }
    if (parts.rates) find_rates(delays, prediction);
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

  dae::System system_;
  Recording recording_;
  int num_values_ = 0;
  sensitivity::DifferentiateOptions options_;

 private:
  /// Outputs of all series, that much later than their samples less the delays.
  sensitivity::Objective objective(std::span<const double> delays, double shift) const {
    sensitivity::Objective objective(system_);
    for (std::size_t k = 0; k < recording_.series.size(); ++k) {
      std::vector<double> times = recording_.series[k].times;
      if (times.empty()) continue;
      for (double& t : times) {
        t = std::clamp(t - delays[k] + shift, options_.integrate.t_start, options_.integrate.t_end);
      }
      objective.add_outputs(recording_.series[k].columns(), times);
    }
    return objective;
  }

  /// The workspace is made once, and again when delays move the samples.
  void prepare(std::span<const double> delays) {
    if (workspace_ && std::equal(delays.begin(), delays.end(), delays_.begin(), delays_.end())) {
      return;
    }
    delays_.assign(delays.begin(), delays.end());
    workspace_ = std::make_unique<sensitivity::Sensitivity>(objective(delays, 0), options_);
  }

  /// Central differences of the dense output, a polynomial in time.
  void find_rates(std::span<const double> delays, Prediction& prediction) {
    const double duration = options_.integrate.t_end - options_.integrate.t_start;
    const double shift = options_.integrate.adaptive
                             ? 1e-6 * duration
                             : 1e-3 * std::min(options_.integrate.step, duration);
    const auto shifted = [&](double by) {
      sensitivity::Sensitivity runs(objective(delays, by), options_);
      Eigen::VectorXd values = runs.run(values_).values;
      align_quaternions(prediction.values, values);
      return values;
    };
    prediction.rates = (shifted(shift) - shifted(-shift)) / (2 * shift);
  }
  /// Of both quaternions of a rotation the one that is near that of the prediction.
  void align_quaternions(const Eigen::VectorXd& values, Eigen::VectorXd& other) const {
    Eigen::Index place = 0;
    for (const Series& series : recording_.series) {
      for (std::size_t i = 0; i < series.times.size(); ++i, place += series.width()) {
        if (series.comparison != Comparison::kRotation) continue;
        if (values.segment<4>(place).dot(other.segment<4>(place)) < 0) {
          other.segment<4>(place) *= -1;
        }
      }
    }
  }

  dae::RunValues values_;
  std::vector<double> delays_;
  std::unique_ptr<sensitivity::Sensitivity> workspace_;
};

Trial::Trial(const dae::System& system, const Recording& recording,
             const std::vector<std::string>& parameters, const dae::IntegrateOptions& run,
             sensitivity::Mode mode, const Margins& margins)
    : implementation_(
          std::make_unique<Implementation>(system, recording, parameters, run, mode, margins)) {}
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

}  // namespace liegrad::optimize
