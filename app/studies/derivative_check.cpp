#include "studies/derivative_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::app {
namespace {

/// Both are exact but for rounding, which a run of some hundred steps amplifies.
constexpr double kExactTolerance = 1e-9;
constexpr double kDifferenceTolerance = 1e-6;
constexpr double kEstimates = 10;
/// Rounding of multipliers, in units of ε over the square of the step in seconds.
constexpr double kMultiplierRounding = 1000;
/// Of the largest effect on outputs of the same kind, such as positions of other nodes: an output with less stands still
/// but for rounding, which the tolerance of this allows tens of ε of theirs.
constexpr double kStandsStill = 1e-5;

/// Of a row of the Jacobian; of variables whose values are known, if there are such.
double largest_effect(const Eigen::MatrixXd& jacobian, Eigen::Index row,
                      std::span<const TypicalValue> typical) {
  const bool all_guessed = std::all_of(typical.begin(), typical.end(),
                                       [](const TypicalValue& one) { return one.is_guess; });
  double largest = 0;
  for (std::size_t j = 0; j < typical.size(); ++j) {
    if (typical[j].is_guess && !all_guessed) continue;
    largest =
        std::max(largest, std::abs(jacobian(row, static_cast<Eigen::Index>(j))) * typical[j].value);
  }
  return largest;
}

/// "x" of the output "tip.x".
std::string kind_of(const std::string& output) { return output.substr(output.rfind('.') + 1); }

/// The scales of all derivatives of some outputs, given the rows of their components.
std::vector<double> scales_of(const Eigen::MatrixXd& jacobian, std::span<const Eigen::Index> rows,
                              std::span<const TypicalValue> typical) {
  double effect = 0;
  for (const Eigen::Index row : rows) {
    effect = std::max(effect, largest_effect(jacobian, row, typical));
  }
  std::vector<double> scales;
  for (std::size_t j = 0; j < typical.size(); ++j) {
    scales.push_back(effect / typical[j].value);
    for (const Eigen::Index row : rows) {
      if (!typical[j].is_guess) break;
      scales[j] = std::max(scales[j], std::abs(jacobian(row, static_cast<Eigen::Index>(j))));
    }
  }
  return scales;
}

/// How much larger than others the tolerances of an output are.
double loosening(const ChosenOutput& output, double h) {
  const double rounding =
      kMultiplierRounding * std::numeric_limits<double>::epsilon() / (h * h * kExactTolerance);
  return output.is_multiplier() ? std::max(1.0, rounding) : 1;
}

Verdict verdict_of(const CheckedDerivative& d, double looser) {
  if (!(std::abs(d.forward - d.adjoint) <= looser * kExactTolerance * d.scale)) {
    return Verdict::kDisagrees;
  }
  if (!d.failure.empty()) return Verdict::kNoDifference;
  const double limit = std::max(kEstimates * d.estimate, looser * kDifferenceTolerance * d.scale);
  if (!(std::abs(d.difference - d.adjoint) <= limit)) return Verdict::kDisagrees;
  if (d.estimate > d.scale) return Verdict::kNoDifference;
  return d.adjoint == 0 && d.forward == 0 ? Verdict::kZero : Verdict::kAgrees;
}

}  // namespace

double CheckedDerivative::relative(double deviation) const {
  return deviation == 0 ? 0 : std::abs(deviation) / scale;
}

std::vector<CheckedDerivative> compare(const std::vector<ChosenOutput>& outputs,
                                       const ThreeWays& found,
                                       std::span<const TypicalValue> typical) {
  std::map<std::string, std::vector<Eigen::Index>> rows, rows_of_kind;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    rows[outputs[i].output].push_back(static_cast<Eigen::Index>(i));
    rows_of_kind[kind_of(outputs[i].output)].push_back(static_cast<Eigen::Index>(i));
  }
  std::map<std::string, std::vector<double>> scales;
  for (const auto& [output, own_rows] : rows) {
    std::vector<double>& own = scales[output];
    own = scales_of(found.adjoint.jacobian, own_rows, typical);
    const std::vector<double> of_kind =
        scales_of(found.adjoint.jacobian, rows_of_kind[kind_of(output)], typical);
    for (std::size_t j = 0; j < own.size(); ++j) {
      own[j] = std::max(own[j], kStandsStill * of_kind[j]);
    }
  }
  std::vector<CheckedDerivative> list;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const double looser = loosening(outputs[i], found.adjoint.simulation.smallest_step);
    for (std::size_t j = 0; j < typical.size(); ++j) {
      const auto of = [i, j](const Eigen::MatrixXd& matrix) {
        return matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      };
      CheckedDerivative derivative{.output = outputs[i].name,
                                   .variable = found.adjoint.variable_names[j],
                                   .adjoint = of(found.adjoint.jacobian),
                                   .forward = of(found.forward.jacobian),
                                   .difference = of(found.difference.jacobian),
                                   .estimate = of(found.difference.jacobian_error),
                                   .scale = scales[outputs[i].output][j]};
      const auto failed = found.difference.not_found.find(static_cast<Eigen::Index>(j));
      if (failed != found.difference.not_found.end()) derivative.failure = failed->second;
      derivative.verdict = verdict_of(derivative, looser);
      if (derivative.verdict == Verdict::kNoDifference && derivative.failure.empty()) {
        derivative.failure = "its own estimate is larger than the derivative";
      }
      list.push_back(derivative);
    }
  }
  return list;
}

std::vector<TypicalValue> typical_values(const dae::System& system,
                                         const sensitivity::DifferentiateOptions& options,
                                         const std::vector<std::string>& variables) {
  const std::vector<std::string>& parameters = options.variables.parameters;
  std::vector<TypicalValue> values;
  for (std::size_t j = 0; j < variables.size(); ++j) {
    if (j < parameters.size()) {
      values.push_back(sensitivity::typical_value(system, system.parameter_index(parameters[j])));
    } else if (variables[j] == "t_end") {
      values.push_back({options.integrate.t_end - options.integrate.t_start, false});
    } else if (variables[j] == "step") {
      values.push_back({options.integrate.step, false});
    } else {
      values.emplace_back();
    }
  }
  return values;
}

}  // namespace liegrad::app
