#include "liegrad/optimize/fit/engine.hpp"

#include <cmath>
#include <limits>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/optimize/fit/active_bounds.hpp"
#include "liegrad/optimize/fit/multiple_shooting.hpp"

namespace liegrad::optimize {
namespace {

using dae::index;

/// Tangents cost about as much as unknowns, adjoints as values.
sensitivity::Mode cheaper_mode(const FitProblem& problem, const Unknowns& unknowns) {
  long values = 0;
  for (const Recording& recording : problem.trials) {
    for (const Series& series : recording.series) values += std::ssize(series.values);
  }
  const long own = std::ssize(unknowns.parameters()) + std::ssize(unknowns.initial().names());
  const long parameters = own * std::ssize(problem.trials);
  return parameters <= values ? sensitivity::Mode::kForward : sensitivity::Mode::kAdjoint;
}

}  // namespace

FitEngine::FitEngine(const FitProblem& problem, const FitOptions& options)
    : options_(options),
      unknowns_(problem),
      admissible_(problem, unknowns_),
      mode_(options.jacobian.value_or(cheaper_mode(problem, unknowns_))),
      residuals_(problem, unknowns_, options.run, mode_, options.piece) {
  noise_.assign(residuals_.outputs().size(), 1.0);
}

void FitEngine::set_tolerance(double tolerance) {
  options_.run.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = tolerance}};
  residuals_.set_tolerance(tolerance);
}

double FitEngine::least_effect() const {
  // Derivatives of runs are as exact as these, and errors of a run are some times those of a step.
  constexpr double kErrorOfRuns = 10;
  return options_.run.adaptive ? kErrorOfRuns * options_.run.adaptive->tolerance.relative : 0;
}

TrialResiduals FitEngine::evaluate(int trial, const Eigen::VectorXd& x, bool with_jacobian) {
  TrialResiduals result;
  residuals_.evaluate(trial, unknowns_.local(trial, x), with_jacobian, result);
  return result;
}

TrialResiduals FitEngine::weighted(int trial, const Eigen::VectorXd& x, bool with_jacobian) {
  TrialResiduals result = evaluate(trial, x, with_jacobian);
  weigh(residuals_.recording(trial), residuals_.outputs_of(trial), noise_, options_.loss, result);
  return result;
}

double FitEngine::cost(const Eigen::VectorXd& x) {
  double sum = 0;
  try {
    for (int trial = 0; trial < unknowns_.num_trials(); ++trial) {
      sum += 0.5 * weighted(trial, x, false).values.squaredNorm();
    }
  } catch (const Error&) {
    return std::numeric_limits<double>::infinity();
  }
  for (int i = 0; i < unknowns_.size(); ++i) {
    if (const auto& prior = unknowns_.list()[index(i)].prior) {
      const double r = (x(i) - prior->value) / prior->std;
      sum += 0.5 * r * r;
    }
  }
  return std::isfinite(sum) ? sum : std::numeric_limits<double>::infinity();
}

LeastSquaresProblem FitEngine::least_squares(const std::vector<int>& fixed) {
  LeastSquaresProblem problem;
  problem.lower = unknowns_.lower();
  admissible_.set_lower(problem.lower);
  problem.upper = unknowns_.upper();
  problem.fixed = fixed;
  const Range shared = {0, unknowns_.num_shared()};
  problem.parts.push_back(shared);
  for (int trial = 0; trial < unknowns_.num_trials(); ++trial) {
    const Range own = {unknowns_.first_own(trial), unknowns_.num_own(trial)};
    problem.parts.push_back(own);
    ResidualBlock block;
    if (shared.size > 0) block.parts.push_back(shared);
    if (own.size > 0) block.parts.push_back(own);
    block.rows = residuals_.num_residuals(trial);
    block.evaluate = [this, trial](const Eigen::VectorXd& coordinates, Eigen::VectorXd& r,
                                   Eigen::MatrixXd* jacobian) {
      TrialResiduals result;
      Eigen::VectorXd local = coordinates;
      admissible_.to_unknowns(local);
      try {
        residuals_.evaluate(trial, local, jacobian != nullptr, result);
      } catch (const Error& error) {
        failed_ += 1;
        last_failure_ = error.what();
        return false;
      }
      weigh(residuals_.recording(trial), residuals_.outputs_of(trial), noise_, options_.loss,
            result);
      r.swap(result.values);
      if (jacobian == nullptr) return true;
      jacobian->swap(result.jacobian);
      admissible_.change_columns(local, *jacobian);
      return true;
    };
    problem.blocks.push_back(block);
  }
  for (int i = 0; i < unknowns_.size(); ++i) {
    const auto& prior = unknowns_.list()[index(i)].prior;
    if (!prior) continue;
    // A part of x is in a block as a whole.
    Range part = shared;
    for (const Range& one : problem.parts) {
      if (i >= one.first && i < one.first + one.size) part = one;
    }
    const int place = i - part.first;
    problem.blocks.push_back({{part},
                              1,
                              [prior, place](const Eigen::VectorXd& local, Eigen::VectorXd& r,
                                             Eigen::MatrixXd* jacobian) {
                                r.resize(1);
                                r(0) = (local(place) - prior->value) / prior->std;
                                if (jacobian == nullptr) return true;
                                *jacobian = Eigen::MatrixXd::Zero(1, local.size());
                                (*jacobian)(0, place) = 1 / prior->std;
                                return true;
                              }});
  }
  return problem;
}

LeastSquaresSummary FitEngine::minimise(Eigen::VectorXd& x, const std::vector<int>& fixed,
                                        const LeastSquaresOptions* options) {
  const LeastSquaresOptions& how = options != nullptr ? *options : options_.solver;
  if (residuals_.has_nodes()) return minimise_with_nodes(*this, how, fixed, x);
  const LeastSquaresProblem problem = least_squares(fixed);
  admissible_.to_coordinates(x);
  const LeastSquaresSummary summary = minimise_within_bounds(problem, how, x);
  admissible_.to_unknowns(x);
  return summary;
}

}  // namespace liegrad::optimize
