#pragma once

// Derivatives of whole runs by four means that share as little as possible: tangents, adjoints, the whole run
// as one tape of CppAD (taped/taped_run.hpp), and extrapolated differences of runs.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/sensitivity/differentiate.hpp"
#include "liegrad/sensitivity/trajectory/full_convergence.hpp"
#include "sensitivity/taped/taped_run.hpp"

namespace liegrad::testing {

using dae::AlphaParameters;
using dae::Formulation;
using dae::index;
using dae::StartingValues;
using sensitivity::Derivatives;
using sensitivity::differentiate;
using sensitivity::DifferentiateOptions;
using sensitivity::Mode;
using sensitivity::Objective;

/// Of exact derivatives, relative to the largest one of the same output.
inline constexpr double kTolerance = 1e-9;
/// Of differences, unless ten times the estimate of their error is more.
inline constexpr double kDifferenceTolerance = 1e-7;

/// A run, what is read from it, and what it is differentiated by.
struct Problem {
  Problem(dae::System problem_system, double step, double t_end)
      : system(std::move(problem_system)), objective(system) {
    options.integrate = dae::alpha_steps(step);
    options.integrate.t_end = t_end;
    options.integrate.keep_samples = false;
    // As differentiate() makes its run: adaptive steps, which the tape takes from integrate(), must be the same.
    options.integrate = sensitivity::with_full_convergence(options.integrate);
    for (const dae::ParameterSpec& parameter : system.parameters()) {
      options.variables.parameters.push_back(parameter.name);
    }
    options.variables.initial_configuration = options.variables.initial_velocity = true;
    options.variables.t_end = options.variables.step = true;
  }
  Problem(const Problem&) = delete;

  void read(const std::string& column, std::optional<double> t = {}) {
    objective.add_output(column, t);
    readings.push_back({column, t});
  }
  /// All columns at the end, and those of positions and multipliers at a time; residuals have no derivatives.
  void read_all(double t) {
    for (const std::string& column : dae::Outputs(system).column_names()) {
      if (column.starts_with("residual")) continue;
      read(column);
      if (column.find(".x.") != column.npos || column.find("lambda") != column.npos) {
        read(column, t);
      }
    }
  }

  Derivatives by(Mode mode) {
    options.mode = mode;
    return differentiate(objective, options);
  }
  bool can_be_taped() const {
    const bool is_alpha = options.integrate.method == dae::Method::kAlpha &&
                          options.integrate.alpha.variant == dae::AlphaVariant::kLieGroup;
    const bool is_munthe_kaas = options.integrate.method == dae::Method::kMuntheKaas &&
                                options.integrate.tableau.is_explicit();
    const bool is_radau = options.integrate.method == dae::Method::kRadau;
    return (is_alpha || is_munthe_kaas || is_radau) &&
           !options.integrate.alpha.consistency.allow_redundant &&
           readings.size() == objective.items().size();
  }
  TapedRun by_tape() const {
    const sensitivity::Variables& by = options.variables;
    return taped_run(system, options.integrate,
                     {by.parameters, by.initial_configuration, by.initial_velocity, by.t_end,
                      by.step, by.controls},
                     readings);
  }

  /// How far each variable may go: its own size, or 1.
  Eigen::VectorXd sizes(const Derivatives& of) const {
    Eigen::VectorXd result = Eigen::VectorXd::Ones(of.jacobian.cols());
    for (Eigen::Index j = 0; j < result.size(); ++j) {
      const std::string& name = of.variable_names[static_cast<std::size_t>(j)];
      if (j < std::ssize(options.variables.parameters)) {
        const double value = std::abs(system.parameter(name));
        if (value != 0) result(j) = value;
      } else if (name == "t_end") {
        result(j) = options.integrate.t_end;
      } else if (name == "step") {
        result(j) = options.integrate.step;
      }
    }
    return result;
  }

  dae::System system;
  Objective objective;
  std::vector<TapedReading> readings;
  DifferentiateOptions options;
  /// The tape is another simulation, whose states differ by rounding.
  double tape_tolerance = kTolerance;
};

/// Derivatives times the sizes of variables, relative to the largest of the same output.
class Scaled {
 public:
  Scaled(const Problem& problem, const Derivatives& reference)
      : names_(reference), sizes_(problem.sizes(reference)) {
    rows_ = (reference.jacobian * sizes_.asDiagonal()).cwiseAbs().rowwise().maxCoeff();
  }

  struct Worst {
    double value = 0;
    std::string where;
  };
  Worst difference(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) const {
    Worst worst;
    for (Eigen::Index i = 0; i < a.rows(); ++i) {
      for (Eigen::Index j = 0; j < a.cols(); ++j) {
        const double value = relative(a(i, j) - b(i, j), i, j);
        if (std::isnan(worst.value) || value <= worst.value) continue;
        char numbers[80];
        std::snprintf(numbers, sizeof numbers, ": %.15g and %.15g", a(i, j), b(i, j));
        worst = {value, names_.value_names[static_cast<std::size_t>(i)] + " by " +
                            names_.variable_names[static_cast<std::size_t>(j)] + numbers};
      }
    }
    return worst;
  }
  /// The part of a disagreement with differences, of some of the variables, that ten times the estimate of
  /// their error does not explain.
  Worst excess(const Eigen::MatrixXd& a, const Derivatives& differences) const {
    Eigen::MatrixXd unexplained = a;
    const std::vector<std::string>& names = names_.variable_names;
    for (Eigen::Index k = 0; k < differences.jacobian.cols(); ++k) {
      const auto found = std::find(names.begin(), names.end(),
                                   differences.variable_names[static_cast<std::size_t>(k)]);
      const Eigen::Index j = found - names.begin();
      for (Eigen::Index i = 0; i < a.rows(); ++i) {
        const double other = differences.jacobian(i, k);
        if (std::abs(a(i, j) - other) > 10 * differences.jacobian_error(i, k)) {
          unexplained(i, j) = other;
        }
      }
    }
    return difference(unexplained, a);
  }

 private:
  double relative(double value, Eigen::Index i, Eigen::Index j) const {
    const double scaled = std::abs(value) * sizes_(j);
    return scaled == 0 ? 0 : scaled / rows_(i);
  }

  const Derivatives& names_;
  Eigen::VectorXd sizes_, rows_;
};

/// What was seen of a problem over all its runs.
struct Seen {
  double adjoint = 0, tape = 0, differences = 0;
  void print(const std::string& name) const {
    std::printf("%s: adjoint %.1e, tape %.1e, differences %.1e\n", name.c_str(), adjoint, tape,
                differences);
  }
};

/// One of nine parts, which together are all of them.
inline sensitivity::Variables share_of_variables(const sensitivity::Variables& all, int number) {
  constexpr int kShares = 9;
  const int share = number % kShares;
  sensitivity::Variables some;
  for (std::size_t i = index(share); i < all.parameters.size(); i += kShares) {
    some.parameters.push_back(all.parameters[i]);
  }
  some.initial_configuration = all.initial_configuration && share == 1;
  some.initial_velocity = all.initial_velocity && share == 4;
  some.t_end = all.t_end && share == 7;
  some.step = all.step && share == 7;
  some.controls = all.controls && share == 8;
  return some;
}

/// Of all modes, and of the tape of the run where it can be taped. Differences take many runs, so that of many
/// combinations each `number` may have its share of the variables.
inline void expect_agreement(Problem& problem, const std::string& what, Seen& seen,
                             std::optional<int> number = {}) {
  const Derivatives forward = problem.by(Mode::kForward);
  const Scaled scaled(problem, forward);
  // A derivative that is zero would agree with anything that is zero.
  EXPECT_GT(forward.jacobian.cwiseAbs().maxCoeff(), 0) << what;
  const auto expect_small = [&](const Scaled::Worst& worst, double tolerance, const char* by,
                                double& most) {
    EXPECT_LE(worst.value, tolerance) << what << ", " << by << ", " << worst.where;
    most = std::max(most, worst.value);
  };
  const Derivatives adjoint = problem.by(Mode::kAdjoint);
  expect_small(scaled.difference(forward.jacobian, adjoint.jacobian), kTolerance, "adjoint",
               seen.adjoint);
  if (problem.can_be_taped()) {
    const TapedRun tape = problem.by_tape();
    expect_small(scaled.difference(forward.jacobian, tape.jacobian), problem.tape_tolerance, "tape",
                 seen.tape);
    EXPECT_LE((forward.values - tape.values).cwiseAbs().maxCoeff(),
              1e-8 * forward.values.cwiseAbs().maxCoeff())
        << what;
  }
  DifferentiateOptions share = problem.options;
  if (number) share.variables = share_of_variables(share.variables, *number);
  share.mode = Mode::kDifference;
  expect_small(scaled.excess(forward.jacobian, differentiate(problem.objective, share)),
               kDifferenceTolerance, "differences", seen.differences);
}

}  // namespace liegrad::testing
