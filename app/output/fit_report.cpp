#include "output/fit_report.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "liegrad/optimize/fit/report.hpp"
#include "liegrad/sensitivity/mode_name.hpp"
#include "output/number_text.hpp"
#include "output/output_file.hpp"

namespace liegrad::app {
namespace {

using nlohmann::ordered_json;
using optimize::Estimate;
using optimize::FittedSeries;
using optimize::FittedTrial;
using optimize::Judgement;
using optimize::OutputFit;

/// JSON has no infinity.
ordered_json number(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
}
ordered_json interval(const optimize::Interval& one) {
  return {number(one.lower), number(one.upper)};
}

ordered_json rows_of(const Eigen::MatrixXd& matrix) {
  ordered_json rows = ordered_json::array();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    rows.push_back(ordered_json::array());
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) rows.back().push_back(number(matrix(i, j)));
  }
  return rows;
}

ordered_json residuals_of(const Judgement& judgement) {
  if (!judgement.message.empty()) return {{"message", judgement.message}};
  ordered_json by_output = ordered_json::object();
  for (const OutputFit& output : judgement.outputs) by_output[output.output] = output.residual_rms;
  return {{"residual_rms", by_output}};
}

ordered_json judgements(const std::vector<Judgement>& list) {
  ordered_json object = ordered_json::object();
  for (const Judgement& one : list) object[one.name] = residuals_of(one);
  return object;
}

/// "arm1.rate0@3" → "arm1.rate0", 3.
std::pair<std::string, int> name_and_trial(const std::string& name) {
  const std::size_t at = name.rfind('@');
  if (at == std::string::npos) return {name, 0};
  return {name.substr(0, at), std::stoi(name.substr(at + 1))};
}

bool is_of_sensor(const std::string& name) {
  const auto has = [&name](const char* part) {
    const std::size_t place = name.rfind(part);
    return place != std::string::npos && place > 0;
  };
  return has(".offset") || has(".gain") || has(".delay");
}

/// "top.q0[1]" or "top.v0[1]".
bool is_initial_value(const std::string& name) {
  return name.find(".q0[") != std::string::npos || name.find(".v0[") != std::string::npos;
}

/// What the run of a trial starts from, node by node.
ordered_json start_of(const FittedTrial& trial, const std::vector<dae::Node>& nodes) {
  ordered_json object = {{"t", trial.t_start}};
  std::ptrdiff_t coefficient = 0, dof = 0;
  for (const dae::Node& node : nodes) {
    const auto part = [](const std::vector<double>& of, std::ptrdiff_t first, int size) {
      return std::vector<double>(of.begin() + first, of.begin() + first + size);
    };
    object[node.name] = {{"q", part(trial.start.q, coefficient, node.group.num_coeffs())},
                         {"v", part(trial.start.v, dof, node.group.dof())}};
    coefficient += node.group.num_coeffs();
    dof += node.group.dof();
  }
  return object;
}

}  // namespace

ordered_json FitReport::json() const {
  ordered_json parameters = ordered_json::object(), rms = ordered_json::object(),
               noise = ordered_json::object(), outputs = ordered_json::object();
  std::vector<std::string> names;
  for (const Estimate& one : result.parameters) {
    names.push_back(one.name);
    parameters[one.name] = {{"value", one.value},
                            {"std", number(one.std)},
                            {"ci95", interval(one.ci95)},
                            {"verdict", one.verdict},
                            {"start", one.start},
                            {"sandwich_std", number(one.sandwich_std)},
                            {"sandwich_ci95", interval(one.sandwich_ci95)}};
  }
  for (const OutputFit& one : result.outputs) {
    rms[one.output] = one.residual_rms;
    noise[one.output] = one.noise;
    outputs[one.output] = {{"samples", one.num_residuals},
                           {"noise_is_given", one.noise_is_given},
                           {"lag_one_correlation", one.lag_one_correlation},
                           {"correlated", one.is_correlated},
                           {"effective_samples", one.effective_samples}};
  }
  ordered_json undetermined = ordered_json::array();
  for (const optimize::Undetermined& one : result.undetermined) {
    undetermined.push_back(one.sentence);
  }
  ordered_json trials = ordered_json::array();
  for (const FittedTrial& trial : result.trials) trials.push_back(trial.name);
  ordered_json json = {
      {"command", "fit"},
      {"system", system},
      {"options", options},
      {"converged", result.converged},
      {"message", result.message},
      {"trials", trials},
      {"parameters", parameters},
      {"names", names},
      {"covariance", rows_of(result.covariance)},
      {"correlation", rows_of(result.correlation)},
      {"sandwich_covariance", rows_of(result.sandwich_covariance)},
      {"residual_rms", rms},
      {"noise", noise},
      {"outputs", outputs},
      {"unidentifiable", undetermined},
      {"findings", result.findings},
      {"iterations", result.iterations},
      {"pieces", result.num_pieces},
      {"largest_gap", result.largest_gap},
      {"noise_rounds", result.noise_rounds},
      {"evaluations", result.evaluations},
      {"differentiated_evaluations", result.differentiated_evaluations},
      {"failed_evaluations", result.failed_evaluations},
      {"cost", result.cost},
      {"gradient_norm", result.gradient_norm},
      {"samples", result.num_residuals},
      {"rank", result.rank},
      {"jacobian", name_of(result.jacobian_used)},
      {"log_likelihood", result.log_likelihood},
      {"aic", result.aic},
      {"aicc", number(result.aicc)},
      {"bic", result.bic},
      {"integration_shift",
       result.integration_shift ? ordered_json(*result.integration_shift) : nullptr},
      {"holdout", judgements(holdout)}};
  if (std::any_of(names.begin(), names.end(), is_initial_value)) {
    json["initial"] = ordered_json::array();
    for (const FittedTrial& trial : result.trials)
      json["initial"].push_back(start_of(trial, nodes));
  }
  if (!folds.empty()) json["folds"] = judgements(folds);
  if (!profiles.empty()) {
    json["profiles"] = ordered_json::object();
    for (const optimize::Profile& one : profiles) {
      ordered_json points = ordered_json::array();
      for (const optimize::ProfilePoint& point : one.points) {
        points.push_back({point.value, point.cost});
      }
      json["profiles"][one.name] = {
          {"ci95", interval(one.ci95)}, {"verdict", one.verdict}, {"points", points}};
    }
  }
  if (starts) {
    json["optima"] = ordered_json::array();
    for (const optimize::Optimum& one : starts->optima) {
      ordered_json values = ordered_json::object();
      for (std::size_t i = 0; i < names.size(); ++i) {
        values[names[i]] = one.x(static_cast<Eigen::Index>(i));
      }
      json["optima"].push_back({{"cost", one.cost},
                                {"count", one.count},
                                {"converged", one.converged},
                                {"values", values}});
    }
    json["failed_starts"] = starts->failed;
    json["starts_read"] = starts->read;
  }
  json["wall_seconds"] = result.wall_seconds;
  json["evaluation_seconds"] = result.evaluation_seconds;
  return json;
}

void FitReport::print(bool verbose) const {
  fmt::print("{}: {} unknowns, {} measured numbers in {} trial{}\n", system,
             result.parameters.size(), result.num_residuals, result.trials.size(),
             result.trials.size() == 1 ? "" : "s");
  fmt::print("{}", optimize::estimates_report(result, verbose));
  for (const optimize::Profile& one : profiles) {
    const double std = result[one.name].std;
    fmt::print("  profile of {}: {} to {}, {}\n", one.name,
               optimize::end_of_interval(one.ci95.lower, std),
               optimize::end_of_interval(one.ci95.upper, std), one.verdict);
  }
  for (const auto* list : {&holdout, &folds}) {
    for (const Judgement& one : *list) {
      fmt::print("  {} {}:", list == &holdout ? "held out" : "left out", one.name);
      for (const OutputFit& output : one.outputs) {
        fmt::print(" {} {:.4g}", output.output, output.residual_rms);
      }
      fmt::print("{}\n", one.message);
    }
  }
  if (starts) {
    for (const optimize::Optimum& one : starts->optima) {
      fmt::print("  optimum with cost {:.6g}, found from {} start{}{}\n", one.cost, one.count,
                 one.count == 1 ? "" : "s", one.converged ? "" : ", not converged");
    }
  }
  fmt::print("{}{}\n", optimize::findings_report(result), optimize::brief_report(result));
}

void FitReport::write_table(const std::string& name) const {
  OutputFile file(name);
  file.write("trial,t,output,measured,fitted,residual,band95_lower,band95_upper\n");
  for (std::size_t k = 0; k < result.trials.size(); ++k) {
    for (const FittedSeries& series : result.trials[k].series) {
      const std::size_t width = static_cast<std::size_t>(series.measured.width());
      const std::size_t size = static_cast<std::size_t>(series.measured.residual_size());
      const std::vector<std::string> columns = series.measured.columns();
      for (std::size_t i = 0; i < series.measured.times.size(); ++i) {
        for (std::size_t c = 0; c < width; ++c) {
          const double fitted = series.computed[i * width + c];
          file.write(fmt::format("{},{:.17g},{},{:.17g},{:.17g},", k + 1, series.measured.times[i],
                                 columns[c], series.measured.values[i * width + c], fitted));
          // Residuals and bands of orientations are those of rotation vectors: the first three rows have them.
          if (c >= size) {
            file.write(",,\n");
            continue;
          }
          const double half = 1.959963984540054 * series.band[i * size + c];
          const double middle = size == width ? fitted : 0;
          file.write(fmt::format("{:.9g},{:.9g},{:.9g}\n", series.residuals[i * size + c],
                                 middle - half, middle + half));
        }
      }
    }
  }
  file.close();
}

void FitReport::write_values(const std::string& name) const {
  ordered_json set = ordered_json::object(), sensors = ordered_json::object(),
               initial = ordered_json::object(), trials = ordered_json::array();
  for (const FittedTrial& trial : result.trials) {
    trials.push_back({{"data", trial.name}, {"set", ordered_json::object()}});
  }
  for (const Estimate& one : result.parameters) {
    const auto [plain, trial] = name_and_trial(one.name);
    if (is_of_sensor(plain)) {
      sensors[one.name] = one.value;
    } else if (is_initial_value(plain)) {
      initial[one.name] = one.value;
    } else if (trial == 0 || result.trials.size() == 1) {
      set[plain] = one.value;
    } else {
      trials[static_cast<std::size_t>(trial - 1)]["set"][plain] = one.value;
    }
  }
  ordered_json json = {{"system", system}, {"set", set}, {"sensors", sensors}, {"trials", trials}};
  if (!initial.empty()) json["initial"] = initial;
  OutputFile file(name);
  file.write(json.dump(2) + '\n');
  file.close();
}

}  // namespace liegrad::app
