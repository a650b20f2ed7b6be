#include "liegrad/sensitivity/sensitivity.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "liegrad/dae/linear/panels.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/text.hpp"
#include "liegrad/sensitivity/check/difference_runs.hpp"
#include "liegrad/sensitivity/step/columns.hpp"
#include "liegrad/sensitivity/trajectory/sweeps.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::index;
using Vector = std::vector<double>;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

bool grid_moves(const Variables& variables) { return variables.t_end || variables.step; }

}  // namespace

class Sensitivity::Workspace {
 public:
  Workspace(const Objective& objective, const DifferentiateOptions& options, dae::Runs runs)
      : objective_(objective),
        options_(options),
        reader_(objective_, options.integrate, grid_moves(options.variables)),
        trajectory_(objective.model(), options.integrate, options.checkpoints, runs,
                    options.second_order ? Order::kSecond : Order::kFirst),
        space_(objective.model(), options.variables, options.integrate.resolved().method, Grid()),
        sweeps_(trajectory_, reader_, space_, objective.size()),
        default_parameters_(objective.model().parameter_values()) {
    if (options_.on_progress) {
      trajectory_.set_on_visited([this] { tell_progress(1); });
    }
  }

  const Objective& objective() const { return objective_; }

  void set_times(int item, std::span<const double> times) {
    objective_.set_times(item, times);
    reader_.set_times(item, times);
    has_names_ = false;
  }

  Vector steps_of_last_run() const {
    const Grid& grid = trajectory_.grid();
    Vector steps(index(static_cast<int>(grid.num_steps())));
    for (std::size_t n = 0; n < steps.size(); ++n) steps[n] = grid.step(static_cast<long>(n));
    return steps;
  }

  /// The run and the values.
  const Derivatives& run(const dae::RunValues& values) {
    const auto start = Clock::now();
    if (!std::exchange(has_names_, true)) name_values();
    values_.assign(index(objective_.size()), 0.0);
    if (options_.rates) result_.rates.setZero(objective_.size());
    reader_.set_run(values.parameters.empty() ? default_parameters_ : values.parameters,
                    dae::RunTimes(values.t_start.value_or(options_.integrate.t_start),
                                  values.t_end.value_or(options_.integrate.t_end)),
                    values.controls ? values.controls : options_.integrate.controls);
    const auto visit = [this](long n, const StepMade& step, bool is_last) {
      if (n < 0) return reader_.read_start(step, values_);
      reader_.read_step(step, is_last, values_);
      if (options_.rates) reader_.read_rates(step, n == 0, is_last, all(result_.rates));
    };
    trajectory_.run(values, std::cref(visit));
    run_values_ = &values;
    space_.set_grid(trajectory_.grid());
    result_.values = Eigen::Map<const Eigen::VectorXd>(values_.data(), objective_.size());
    result_.simulation = trajectory_.summary();
    result_.simulation_seconds = seconds_since(start);
    result_.derivative_seconds = 0;
    result_.recomputed_steps = 0;
    if (result_.variable_names.size() != space_.names().size()) {
      result_.variable_names = space_.names();
    }
    return result_;
  }

  const Derivatives& evaluate(const dae::RunValues& values) {
    run(values);
    return derivatives_of_last_run();
  }

  const Derivatives& derivatives_of_last_run() {
    check_directions();
    const auto start = Clock::now();
    visits_ = 0;
    const Eigen::Index variables = std::ssize(space_.chosen());
    result_.jacobian.resize(objective_.size(), variables);
    result_.not_found.clear();
    switch (options_.mode) {
      case Mode::kForward: forward(); break;
      case Mode::kAdjoint:
        if (!has_gradient_from_second_order()) backward();
        break;
      case Mode::kDifference: differences(); break;
    }
    if (options_.second_order) second_order(*options_.second_order);
    check_finite();
    result_.ineffective.clear();
    for (Eigen::Index j = 0; j < variables; ++j) {
      if ((result_.jacobian.col(j).array() != 0).any()) continue;
      result_.ineffective.push_back(name_of(j));
    }
    result_.derivative_seconds = seconds_since(start);
    result_.recomputed_steps = trajectory_.recomputed_steps();
    return result_;
  }

  Derivatives take() { return std::move(result_); }

 private:
  void name_values() {
    result_.value_names.resize(index(objective_.size()));
    for (int i = 0; i < objective_.size(); ++i) {
      result_.value_names[index(i)] = objective_.name(i);
    }
  }

  void check_directions() const {
    if (!options_.second_order) return;
    for (const Vector& direction : options_.second_order->directions) {
      if (direction.size() == space_.chosen().size()) continue;
      throw InvalidArgument("a direction of second derivatives has " +
                            std::to_string(direction.size()) + " numbers; there are " +
                            std::to_string(space_.chosen().size()) + " variables");
    }
  }

  /// The sweep that multiplies with the Hessian finds the gradient on its way.
  bool has_gradient_from_second_order() const {
    return options_.second_order && objective_.size() == 1 &&
           options_.second_order->weights.empty();
  }

  std::size_t num_hessian_products() const {
    if (!options_.second_order) return 0;
    const std::size_t directions = options_.second_order->directions.size();
    return directions > 0 ? directions : space_.chosen().size();
  }

  /// Counted in visits of steps: a product with the Hessian visits all of them twice. The differences by one
  /// variable count as one sweep.
  double work() const {
    const std::size_t products = num_hessian_products();
    std::size_t sweeps = 2 * products;
    if (options_.mode == Mode::kDifference) {
      sweeps += space_.chosen().size();
    } else if (options_.mode == Mode::kForward || !has_gradient_from_second_order()) {
      sweeps += 1;
    }
    return static_cast<double>(sweeps) * visits_of_sweep();
  }
  double visits_of_sweep() const { return static_cast<double>(trajectory_.grid().num_steps() + 1); }
  void tell_progress(double visits) {
    visits_ += visits;
    if (options_.on_progress) options_.on_progress(visits_ / work());
  }

  void check_finite() const {
    for (Eigen::Index i = 0; i < result_.jacobian.rows(); ++i) {
      for (Eigen::Index j = 0; j < result_.jacobian.cols(); ++j) {
        if (std::isfinite(result_.jacobian(i, j)) || result_.not_found.contains(j)) continue;
        throw Error("the derivative of '" + objective_.name(static_cast<int>(i)) +
                    "' with respect to '" + name_of(j) + "' is not a finite number");
      }
    }
    const bool is_whole = options_.second_order && options_.second_order->directions.empty();
    for (Eigen::Index j = 0; j < result_.hessian_products.cols(); ++j) {
      for (Eigen::Index i = 0; i < result_.hessian_products.rows(); ++i) {
        if (std::isfinite(result_.hessian_products(i, j))) continue;
        throw Error(
            "the second derivative with respect to '" + name_of(i) + "' and " +
            (is_whole ? "'" + name_of(j) + "'" : "along direction " + std::to_string(j + 1)) +
            " is not a finite number");
      }
    }
  }
  const std::string& name_of(Eigen::Index variable) const {
    return space_.names()[static_cast<std::size_t>(variable)];
  }

  void forward() {
    const int chosen = static_cast<int>(space_.chosen().size());
    const int columns = dae::panels::filled_columns(chosen);
    if (directions_.size() != index(columns * space_.size())) set_unit_directions(columns);
    const Vector& values = sweeps_.forward(columns, directions_);
    result_.jacobian = Columns(values.data(), objective_.size(), columns).leftCols(chosen);
  }

  /// Unit vectors of the chosen variables, side by side; further columns are zero.
  void set_unit_directions(int columns) {
    directions_.assign(index(space_.size() * columns), 0.0);
    for (std::size_t c = 0; c < space_.chosen().size(); ++c) {
      directions_[index(space_.chosen()[c] * columns) + c] = 1;
    }
  }

  void backward() {
    const int count = objective_.size(), columns = dae::panels::filled_columns(count);
    if (weights_.empty()) {
      weights_.assign(index(count * columns), 0.0);
      for (int i = 0; i < count; ++i) weights_[index(i * columns + i)] = 1;
    }
    const Vector& gradients = sweeps_.backward(columns, weights_);
    for (std::size_t j = 0; j < space_.chosen().size(); ++j) {
      const double* const of_variable = gradients.data() + space_.chosen()[j] * columns;
      for (int i = 0; i < count; ++i) {
        result_.jacobian(i, static_cast<Eigen::Index>(j)) = of_variable[i];
      }
    }
  }

  void differences() {
    DifferenceRuns runs(objective_, options_with(*run_values_), space_, trajectory_.given_values(),
                        trajectory_.parameters(), grid_moves(options_.variables));
    runs.set_on_step([this] { tell_progress(0); });
    result_.jacobian_error.resize(result_.jacobian.rows(), result_.jacobian.cols());
    for (int j = 0; j < result_.jacobian.cols(); ++j) {
      try {
        const Difference difference = runs.derivative(j, options_.difference_step);
        for (int i = 0; i < objective_.size(); ++i) {
          result_.jacobian(i, j) = difference.value[index(i)];
          result_.jacobian_error(i, j) = difference.error[index(i)];
        }
      } catch (const Error& error) {
        if (!options_.skip_failed_differences) {
          throw Error("there is no difference by '" + name_of(j) + "': " + error.what());
        }
        result_.jacobian.col(j).setConstant(std::numeric_limits<double>::quiet_NaN());
        result_.jacobian_error.col(j).setConstant(std::numeric_limits<double>::infinity());
        result_.not_found[j] = error.what();
      }
      tell_progress(visits_of_sweep());
    }
  }

  void second_order(const SecondOrder& wanted) {
    second_weights_ = wanted.weights;
    if (second_weights_.empty()) second_weights_.assign(index(objective_.size()), 1.0);
    const std::size_t variables = space_.chosen().size();
    const std::size_t products = num_hessian_products();
    result_.hessian_products.resize(static_cast<Eigen::Index>(variables),
                                    static_cast<Eigen::Index>(products));
    for (std::size_t j = 0; j < products; ++j) {
      direction_.assign(index(space_.size()), 0.0);
      for (std::size_t i = 0; i < variables; ++i) {
        direction_[index(space_.chosen()[i])] =
            wanted.directions.empty() ? (i == j ? 1.0 : 0.0) : wanted.directions[j][i];
      }
      const Sweeps::Second second = sweeps_.second(second_weights_, direction_);
      const bool has_gradient = options_.mode == Mode::kAdjoint && has_gradient_from_second_order();
      for (std::size_t i = 0; i < variables; ++i) {
        const auto row = static_cast<Eigen::Index>(i);
        const std::size_t position = index(space_.chosen()[i]);
        result_.hessian_products(row, static_cast<Eigen::Index>(j)) = second.product[position];
        if (has_gradient) result_.jacobian(0, row) = second.gradient[position];
      }
    }
  }

  /// The options with which integrate() would make the run.
  dae::IntegrateOptions options_with(const dae::RunValues& values) const {
    dae::IntegrateOptions run = options_.integrate;
    run.t_start = values.t_start.value_or(run.t_start);
    run.t_end = values.t_end.value_or(run.t_end);
    if (values.controls) run.controls = values.controls;
    if (values.initial) run.initial = values.initial;
    return run;
  }

  Objective objective_;
  DifferentiateOptions options_;
  ObjectiveReader reader_;
  Trajectory trajectory_;
  VariableSpace space_;
  Sweeps sweeps_;
  std::vector<double> default_parameters_;
  const dae::RunValues* run_values_ = nullptr;  ///< of the last run
  Vector values_, directions_, weights_, second_weights_, direction_;
  double visits_ = 0;
  bool has_names_ = false;
  Derivatives result_;
};

Sensitivity::Sensitivity(const Objective& objective, const DifferentiateOptions& options,
                         dae::Runs runs) {
  objective.model().check_current("this objective was");
  const std::vector<std::string> problems = options.problems(objective);
  if (!problems.empty()) {
    std::string all;
    for (const std::string& problem : problems) all += (all.empty() ? "" : "; ") + problem;
    throw InvalidArgument(all);
  }
  workspace_ = std::make_unique<Workspace>(objective, options, runs);
}
Sensitivity::~Sensitivity() = default;
Sensitivity::Sensitivity(Sensitivity&&) noexcept = default;
Sensitivity& Sensitivity::operator=(Sensitivity&&) noexcept = default;

const Objective& Sensitivity::objective() const { return workspace_->objective(); }
void Sensitivity::set_times(int item, std::span<const double> times) {
  workspace_->set_times(item, times);
}
std::vector<double> Sensitivity::steps_of_last_run() const {
  return workspace_->steps_of_last_run();
}
const Derivatives& Sensitivity::run(const dae::RunValues& values) {
  return workspace_->run(values);
}
const Derivatives& Sensitivity::evaluate(const dae::RunValues& values) & {
  return workspace_->evaluate(values);
}
const Derivatives& Sensitivity::derivatives_of_last_run() {
  return workspace_->derivatives_of_last_run();
}
Derivatives Sensitivity::evaluate(const dae::RunValues& values) && {
  workspace_->evaluate(values);
  return workspace_->take();
}

}  // namespace liegrad::sensitivity
