#include "liegrad/optimize/fit/false_effects.hpp"

#include <cmath>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/text.hpp"

namespace liegrad::optimize {
namespace {

using dae::index;
using dae::number_text;
using Eigen::Index;

/// Of the largest: effects that are larger are not those of errors.
constexpr double kSmallEffect = 1e-3;
/// Of an effect, how much of it may change with finer runs.
constexpr double kMostChange = 0.5;

/// Runs with half the step or a tenth of the tolerance.
FitOptions with_finer_runs(const FitOptions& options) {
  FitOptions finer = options;
  if (finer.run.adaptive) {
    finer.run.adaptive->tolerance.relative /= 10;
    finer.run.adaptive->tolerance.absolute /= 10;
  } else {
    finer.run.step /= 2;
  }
  return finer;
}

/// The first of the directions, which are in the order of their effects, whose effect is small.
Index first_small(const Eigen::VectorXd& effects) {
  Index k = 0;
  while (k < effects.size() && effects(k) > kSmallEffect * effects(0)) ++k;
  return k;
}

/// The unknowns that a direction moves, each in units of its own effect.
std::string names_in(const FitEngine& engine, const Information& information, Index direction) {
  constexpr double kMuch = 0.1;
  const Eigen::VectorXd parts =
      information.factor.col(direction).cwiseProduct(information.scale).cwiseAbs();
  std::vector<std::string> names;
  for (Index i = 0; i < parts.size(); ++i) {
    if (parts(i) < kMuch * parts.maxCoeff()) continue;
    names.push_back(engine.unknowns().list()[index(static_cast<int>(i))].name);
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return text;
}

}  // namespace

std::vector<std::string> false_effects(const FitProblem& problem, const FitOptions& options,
                                       FitEngine& engine, const Eigen::VectorXd& x,
                                       const FitStatistics& statistics) {
  const bool has_given_steps = options.run.adaptive || options.run.step > 0;
  const Information& information = statistics.information;
  const Index first = first_small(information.effects);
  const Index count = information.effects.size() - first;
  if (!has_given_steps || engine.residuals().has_nodes() || count == 0) return {};
  Eigen::VectorXd changes = Eigen::VectorXd::Zero(count), wholes = changes;
  try {
    FitEngine finer(problem, with_finer_runs(options));
    finer.noise() = engine.noise();
    for (int trial = 0; trial < engine.unknowns().num_trials(); ++trial) {
      const TrialResiduals there = finer.weighted(trial, x, true);
      const Unknowns& unknowns = engine.unknowns();
      Eigen::MatrixXd local(unknowns.num_local(trial), count);
      for (int j = 0; j < unknowns.num_local(trial); ++j) {
        local.row(j) = information.factor.row(unknowns.global(trial, j)).tail(count);
      }
      const Eigen::MatrixXd before = statistics.spreads[index(trial)].rightCols(count);
      changes += (there.jacobian * local - before).colwise().squaredNorm().transpose();
      wholes += before.colwise().squaredNorm().transpose();
    }
  } catch (const Error&) {
    return {};  // a tolerance below rounding
  }
  std::vector<std::string> sentences;
  for (Index k = 0; k < count; ++k) {
    const double change = std::sqrt(changes(k)), whole = std::sqrt(wholes(k));
    if (change < kMostChange * whole) continue;
    sentences.push_back(
        "what data seem to tell about a combination of " +
        names_in(engine, information, first + k) + " is the error of integration: with " +
        (options.run.adaptive ? "a tenth of the tolerance" : "half the step") +
        " its effect changes by " + number_text(100 * change / whole, 2) +
        " %; these intervals are too narrow; give finer steps, or leave their choice to the fit");
  }
  return sentences;
}

}  // namespace liegrad::optimize
