#include "liegrad/optimize/fit/trial.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "liegrad/dae/numbers.hpp"
#include "liegrad/dae/run_times.hpp"
#include "liegrad/dae/text.hpp"
#include "liegrad/sensitivity/full_convergence.hpp"
#include "liegrad/sensitivity/named_outputs.hpp"

namespace liegrad::optimize {
namespace {

using dae::index;

/// One number to be read: an output column at a time, and where it goes.
struct Reading {
  double t = 0;
  std::string column;
  int place = 0;
};

}  // namespace

class Trial::Implementation {
 public:
  Implementation(const dae::System& system, const Recording& recording,
                 const std::vector<std::string>& parameters, const dae::IntegrateOptions& run,
                 sensitivity::Mode mode, const Margins& margins)
      : system_(system), recording_(recording), outputs_(system_) {
    options_.integrate = sensitivity::with_full_convergence(run);
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
    set_parameters(parameters);
    if (parts.jacobian && !options_.variables.parameters.empty()) {
      differentiate(delays, prediction);
    } else {
      prediction.values.resize(num_values_);
      prediction.jacobian.resize(num_values_, 0);
      run(readings(delays), prediction.values);
    }
    if (parts.rates) find_rates(delays, prediction);
  }

  void check(std::span<const double> parameters) {
    set_parameters(parameters);
    dae::ConsistencyOptions options = options_.integrate.alpha.consistency;
    options.check_elements = true;
    dae::Consistency consistency(system_, options, options_.integrate.alpha.solver);
    consistency.initial_state(options_.integrate.t_start,
                              std::vector<double>(system_.controls().size(), 0.0));
  }

  dae::System system_;
  Recording recording_;
  int num_values_ = 0;
  sensitivity::DifferentiateOptions options_;

 private:
  void set_parameters(std::span<const double> values) {
    const std::vector<dae::ParameterSpec>& specs = system_.parameters();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (specs[i].value != values[i]) system_.set_parameter(specs[i].name, values[i]);
    }
  }

  /// All samples; where a shift is given, only those of delayed series, that much later.
  std::vector<Reading> readings(std::span<const double> delays, double shift = 0) const {
    std::vector<Reading> list;
    int place = 0;
    for (std::size_t k = 0; k < recording_.series.size(); ++k) {
      const Series& series = recording_.series[k];
      const std::vector<std::string> columns = series.columns();
      for (const double sample : series.times) {
        const double t = std::clamp(sample - delays[k] + shift, options_.integrate.t_start,
                                    options_.integrate.t_end);
        for (const std::string& column : columns) list.push_back({t, column, place++});
      }
    }
    std::stable_sort(list.begin(), list.end(),
                     [](const Reading& a, const Reading& b) { return a.t < b.t; });
    return list;
  }

  /// Values without derivatives.
  void run(const std::vector<Reading>& list, Eigen::VectorXd& values) {
    const dae::RunTimes times(options_.integrate.t_start, options_.integrate.t_end);
    dae::IntegrateOptions options = options_.integrate;
    const std::vector<double> controls(system_.controls().size(), 0.0);
    std::vector<double> all(index(outputs_.size()));
    dae::DenseOutput dense(system_.configuration_space());
    dae::State last, between;
    auto next = list.begin();
    double evaluated = std::nan("");
    const auto read = [&](const dae::State& state) {
      if (evaluated != state.t) outputs_.evaluate(state, controls, all);
      evaluated = state.t;
      values(next->place) = all[index(column_of(next->column))];
      ++next;
    };
    options.on_start = [&](const dae::State& state, double) {
      last = state;
      while (next != list.end() && !times.is_after(next->t, state.t)) read(state);
    };
    options.on_step = [&](const dae::State& state) {
      dense.set_step(last, state);
      while (next != list.end() && !times.is_after(next->t, state.t)) {
        if (times.is_same(next->t, state.t)) {
          read(state);
          continue;
        }
        if (next->t != between.t || evaluated != next->t) dense.evaluate(next->t, between);
        read(between);
      }
      last = state;
      return true;
    };
    const dae::Solution solution = dae::integrate(system_, options);
    if (solution.summary.termination == dae::Termination::kReachedEnd && next == list.end()) return;
    throw Error("the run of " + recording_.name + " ended at t = " +
                dae::number_text(solution.final.t) + ": " + solution.summary.message);
  }

  int column_of(const std::string& name) {
    const auto [found, is_new] = columns_.try_emplace(name, 0);
    if (is_new) found->second = outputs_.column(name);
    return found->second;
  }

  /// All columns that are read at one time are one observable, which times with the same columns share.
  void differentiate(std::span<const double> delays, Prediction& prediction) {
    const std::vector<Reading> list = readings(delays);
    sensitivity::Objective objective(system_);
    std::vector<int> order;
    for (auto first = list.begin(); first != list.end();) {
      const auto last =
          std::find_if(first, list.end(), [&](const Reading& one) { return one.t != first->t; });
      std::vector<std::string> columns;
      for (auto i = first; i != last; ++i) {
        columns.push_back(i->column);
        order.push_back(i->place);
      }
      std::shared_ptr<sensitivity::Observable>& observable = observables_[columns];
      if (!observable) observable = sensitivity::named_outputs(system_, columns);
      objective.add_observable(recording_.name, observable, sensitivity::When::kAtTime, first->t);
      first = last;
    }
    const sensitivity::Derivatives derivatives = sensitivity::differentiate(objective, options_);
    prediction.values.resize(num_values_);
    prediction.jacobian.resize(num_values_, derivatives.jacobian.cols());
    for (std::size_t i = 0; i < order.size(); ++i) {
      prediction.values(order[i]) = derivatives.values(static_cast<Eigen::Index>(i));
      prediction.jacobian.row(order[i]) = derivatives.jacobian.row(static_cast<Eigen::Index>(i));
    }
  }

  /// Central differences of the dense output, a polynomial in time.
  void find_rates(std::span<const double> delays, Prediction& prediction) {
    const double duration = options_.integrate.t_end - options_.integrate.t_start;
    const double shift = 1e-3 * std::min(options_.integrate.step, duration);
    Eigen::VectorXd later(num_values_), earlier(num_values_);
    run(readings(delays, shift), later);
    run(readings(delays, -shift), earlier);
    align_quaternions(prediction.values, later);
    align_quaternions(prediction.values, earlier);
    prediction.rates = (later - earlier) / (2 * shift);
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

  dae::Outputs outputs_;
  std::map<std::string, int> columns_;
  std::map<std::vector<std::string>, std::shared_ptr<sensitivity::Observable>> observables_;
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
