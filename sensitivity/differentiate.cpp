#include "liegrad/sensitivity/differentiate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "liegrad/dae/numbers.hpp"
#include "liegrad/dae/text.hpp"
#include "liegrad/sensitivity/difference_runs.hpp"
#include "liegrad/sensitivity/sweeps.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::index;
using Vector = std::vector<double>;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

bool grid_moves(const Variables& variables) { return variables.t_end || variables.step; }

/// Unit vectors of the chosen variables, column after column.
Vector unit_directions(const VariableSpace& space) {
  const std::size_t size = index(space.size());
  Vector directions(size * space.chosen().size(), 0.0);
  for (std::size_t c = 0; c < space.chosen().size(); ++c) {
    directions[c * size + index(space.chosen()[c])] = 1;
  }
  return directions;
}

/// The chosen entries of a vector of the space.
Eigen::VectorXd chosen_part(const VariableSpace& space, std::span<const double> full) {
  Eigen::VectorXd result(std::ssize(space.chosen()));
  for (Eigen::Index i = 0; i < result.size(); ++i) {
    result(i) = full[index(space.chosen()[static_cast<std::size_t>(i)])];
  }
  return result;
}

class Differentiation {
 public:
  Differentiation(const Objective& objective, const DifferentiateOptions& options)
      : objective_(objective),
        options_(options),
        began_(Clock::now()),
        reader_(objective, dae::RunTimes(options.integrate.t_start, options.integrate.t_end),
                grid_moves(options.variables)),
        values_(index(objective.size()), 0.0),
        trajectory_(objective.system(), options.integrate, options.checkpoints,
                    [this](long n, const StepMade& step, bool is_last) {
                      if (n < 0) return reader_.read_start(step, values_);
                      reader_.read_step(step, is_last, values_);
                    }),
        space_(objective.system(), options.variables, trajectory_.grid()) {
    check_projection();
    check_directions();
    result_.values = Eigen::Map<const Eigen::VectorXd>(values_.data(), objective.size());
    result_.simulation = trajectory_.summary();
    result_.simulation_seconds = seconds_since(began_);
    result_.variable_names = space_.names();
    for (int i = 0; i < objective.size(); ++i) result_.value_names.push_back(objective.name(i));
  }

  Derivatives run() {
    const auto start = Clock::now();
    if (options_.on_progress) {
      trajectory_.set_on_visited([this] { tell_progress(1); });
    }
    const Eigen::Index variables = std::ssize(space_.chosen());
    result_.jacobian.resize(objective_.size(), variables);
    switch (options_.mode) {
      case Mode::kForward: forward(); break;
      case Mode::kAdjoint:
        if (!has_gradient_from_second_order()) backward();
        break;
      case Mode::kDifference: differences(); break;
    }
    if (options_.second_order) second_order(*options_.second_order);
    check_finite();
    for (Eigen::Index j = 0; j < variables; ++j) {
      if ((result_.jacobian.col(j).array() != 0).any()) continue;
      result_.ineffective.push_back(name_of(j));
    }
    result_.derivative_seconds = seconds_since(start);
    result_.recomputed_steps = trajectory_.recomputed_steps();
    return std::move(result_);
  }

 private:
  /// A projection by a finite distance is an iteration, whose end has no simple derivative.
  void check_projection() const {
    const double tolerance = 1e3 * options_.integrate.alpha.consistency.tolerance;
    const dae::ConsistencyReport& report = trajectory_.consistency();
    const double change = std::max(report.position_change, report.velocity_change);
    if (change <= tolerance) return;
    throw InvalidArgument(
        "the initial values were moved by " + dae::number_text(change) +
        " to satisfy the constraints; derivatives need initial values that satisfy "
        "them: take the projected ones");
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
    const int columns = static_cast<int>(space_.chosen().size());
    const Vector directions = unit_directions(space_);
    const Vector values =
        sweep_forward(trajectory_, reader_, space_, objective_.size(), columns, directions);
    result_.jacobian = Eigen::Map<const Eigen::MatrixXd>(values.data(), objective_.size(), columns);
  }

  void backward() {
    const int count = objective_.size();
    Vector weights(index(count * count), 0.0);
    for (int i = 0; i < count; ++i) weights[index(i * count + i)] = 1;
    const Vector gradients = sweep_backward(trajectory_, reader_, space_, count, weights);
    for (int i = 0; i < count; ++i) {
      result_.jacobian.row(i) = chosen_part(
          space_, std::span(gradients).subspan(index(i * space_.size()), index(space_.size())));
    }
  }

  void differences() {
    const dae::State& initial = trajectory_.initial_state();
    DifferenceRuns runs(objective_, options_.integrate, space_, {initial.q, initial.v},
                        grid_moves(options_.variables));
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
    reader_.set_parameters(objective_.system().parameter_values());
  }

  void second_order(const SecondOrder& wanted) {
    Vector weights = wanted.weights;
    if (weights.empty()) weights.assign(index(objective_.size()), 1.0);
    std::vector<Vector> directions = wanted.directions;
    const std::size_t variables = space_.chosen().size();
    for (std::size_t j = 0; j < variables && wanted.directions.empty(); ++j) {
      directions.emplace_back(variables, 0.0).at(j) = 1;
    }
    result_.hessian_products.resize(static_cast<Eigen::Index>(variables), std::ssize(directions));
    for (std::size_t j = 0; j < directions.size(); ++j) {
      Vector full(index(space_.size()), 0.0);
      for (std::size_t i = 0; i < variables; ++i)
        full[index(space_.chosen()[i])] = directions[j][i];
      const SecondDerivatives second = sweep_second(trajectory_, reader_, space_, weights, full);
      result_.hessian_products.col(static_cast<Eigen::Index>(j)) =
          chosen_part(space_, second.product);
      if (options_.mode == Mode::kAdjoint && has_gradient_from_second_order()) {
        result_.jacobian.row(0) = chosen_part(space_, second.gradient);
      }
    }
  }

  const Objective& objective_;
  const DifferentiateOptions& options_;
  Clock::time_point began_;
  ObjectiveReader reader_;
  Vector values_;
  Trajectory trajectory_;
  VariableSpace space_;
  double visits_ = 0;
  Derivatives result_;
};

}  // namespace

std::vector<std::string> DifferentiateOptions::problems(const Objective& objective) const {
  const dae::System& system = objective.system();
  std::vector<std::string> list = integrate.problems(system);
  const auto require = [&list](bool holds, const std::string& sentence) {
    if (!holds) list.push_back(sentence);
  };
  require(objective.size() > 0, "the objective has no values; add an output or a function");
  const dae::RunTimes times(integrate.t_start, integrate.t_end);
  for (const Objective::Item& item : objective.items()) {
    require(item.structure == system.structure_revision(),
            "system '" + system.name() + "' was changed after '" + item.name +
                "' was added to the objective; add it when all nodes, elements and parameters are "
                "there");
    require(item.when != When::kAtTime || times.contains(item.t),
            "'" + item.name + "' is asked for at t = " + dae::number_text(item.t) +
                ", outside of the run from " + dae::number_text(integrate.t_start) + " to " +
                dae::number_text(integrate.t_end));
  }
  for (const std::string& name : variables.parameters) {
    try {
      system.parameter_index(name);
    } catch (const InvalidArgument& error) {
      list.push_back(error.what());
    }
  }
  require(!variables.controls || !system.controls().empty(),
          "'" + system.name() + "' has no controls to differentiate by");
  require(!variables.step || !integrate.adaptive,
          "adaptive steps have no length to differentiate by; use fixed ones");
  for (const dae::EventOptions& event : integrate.events) {
    require(!event.stop, "a run that stops at the event of '" + event.output +
                             "' cannot be differentiated; let it run to its end");
  }
  if (second_order) {
    require(second_order->weights.empty() || std::ssize(second_order->weights) == objective.size(),
            "the objective has " + std::to_string(objective.size()) + " values, and " +
                std::to_string(second_order->weights.size()) + " weights");
    for (std::size_t i = 0; i < second_order->weights.size(); ++i) {
      const double weight = second_order->weights[i];
      require(std::isfinite(weight), "weight " + std::to_string(i + 1) +
                                         " of second derivatives must be a finite number; it is " +
                                         dae::number_text(weight));
    }
    for (std::size_t i = 0; i < second_order->directions.size(); ++i) {
      const Vector& direction = second_order->directions[i];
      const auto wrong = std::find_if_not(direction.begin(), direction.end(),
                                          [](double number) { return std::isfinite(number); });
      if (wrong == direction.end()) continue;
      list.push_back("number " + std::to_string(wrong - direction.begin() + 1) + " of direction " +
                     std::to_string(i + 1) + " of second derivatives must be finite; it is " +
                     dae::number_text(*wrong));
    }
  }
  require(std::isfinite(difference_step) && difference_step > 0,
          "the step of differences must be positive; it is " + dae::number_text(difference_step));
  return list;
}

Derivatives differentiate(const Objective& objective, const DifferentiateOptions& options) {
  const std::vector<std::string> problems = options.problems(objective);
  if (!problems.empty()) {
    std::string all;
    for (const std::string& problem : problems) all += (all.empty() ? "" : "; ") + problem;
    throw InvalidArgument(all);
  }
  return Differentiation(objective, options).run();
}

}  // namespace liegrad::sensitivity
