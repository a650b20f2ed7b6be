#include "derivative_check.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "liegrad/dae/numbers.hpp"

namespace liegrad::app {
namespace {

/// Both are exact but for rounding, which a run of some hundred steps amplifies.
constexpr double kExactTolerance = 1e-9;
constexpr double kDifferenceTolerance = 1e-6;
constexpr double kEstimates = 10;

/// By output, so that a component that is zero but for rounding is held against the others.
std::map<std::string, double> scales_of(const std::vector<ChosenOutput>& outputs,
                                        const Eigen::MatrixXd& jacobian,
                                        std::span<const double> typical) {
  std::map<std::string, double> scales;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    double& scale = scales[outputs[i].output];
    for (std::size_t j = 0; j < typical.size(); ++j) {
      const double derivative =
          jacobian(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      scale = std::max(scale, std::abs(derivative * typical[j]));
    }
  }
  return scales;
}

Verdict verdict_of(const CheckedDerivative& d) {
  const double limit = std::max(kEstimates * d.estimate, kDifferenceTolerance * d.scale);
  const bool agrees = std::abs(d.forward - d.adjoint) <= kExactTolerance * d.scale &&
                      std::abs(d.difference - d.adjoint) <= limit;
  if (!agrees) return Verdict::kDisagrees;
  return d.adjoint == 0 && d.forward == 0 ? Verdict::kZero : Verdict::kAgrees;
}

}  // namespace

double CheckedDerivative::relative(double deviation) const {
  return deviation == 0 ? 0 : std::abs(deviation) / scale;
}

std::vector<CheckedDerivative> compare(const std::vector<ChosenOutput>& outputs,
                                       const ThreeWays& found, std::span<const double> typical) {
  const std::map<std::string, double> scales = scales_of(outputs, found.adjoint.jacobian, typical);
  std::vector<CheckedDerivative> list;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
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
                                   .scale = scales.at(outputs[i].output) / typical[j]};
      derivative.verdict = verdict_of(derivative);
      list.push_back(derivative);
    }
  }
  return list;
}

std::vector<double> typical_values(const dae::System& system,
                                   const sensitivity::DifferentiateOptions& options,
                                   const std::vector<std::string>& variables) {
  const std::vector<std::string>& parameters = options.variables.parameters;
  std::vector<double> values;
  for (std::size_t j = 0; j < variables.size(); ++j) {
    double value = 1;
    if (j < parameters.size()) {
      value = system.parameter(parameters[j]);
    } else if (variables[j] == "t_end") {
      value = options.integrate.t_end - options.integrate.t_start;
    } else if (variables[j] == "step") {
      value = options.integrate.step;
    }
    values.push_back(value == 0 ? 1 : std::abs(value));
  }
  return values;
}

}  // namespace liegrad::app
