#include "liegrad/optimize/fit/judging.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/optimize/fit/engine.hpp"
#include "liegrad/optimize/fit/start_values.hpp"

namespace liegrad::optimize {
namespace {

using dae::index;

/// The problem of one further trial, with all shared unknowns at their values.
FitProblem of_one_trial(const FitProblem& problem, const FitResult& result,
                        const Recording& trial) {
  const Unknowns unknowns(problem);
  FitProblem one{problem.system, {trial}};
  one.per_trial = problem.per_trial;
  one.ties = problem.ties;
  for (const SensorUnknown& sensor : problem.sensors) one.sensors.push_back(sensor);
  if (!unknowns.initial().is_empty()) one.initial = unknowns.initial().base();
  for (const std::string& name : problem.free) {
    // Shared initial values are no parameters: they stay unknowns, with what was found.
    const bool is_initial = InitialCoordinates::has_form(problem.system, name);
    if (is_initial) one.free.push_back(name);
    if (!is_initial) one.system.set_parameter(name, result[name].value);
  }
  for (const auto* settings : {&problem.start, &problem.lower, &problem.upper}) {
    auto& target = settings == &problem.start   ? one.start
                   : settings == &problem.lower ? one.lower
                                                : one.upper;
    for (const auto& [name, value] : *settings) {
      const bool is_for_all = std::any_of(
          unknowns.list().begin(), unknowns.list().end(), [&, &wanted = name](const auto& unknown) {
            return unknown.trial >= 0 && unknown.plain_name == wanted;
          });
      if (is_for_all) target[name] = value;
    }
  }
  for (const OutputFit& output : result.outputs) {
    const auto& series = trial.series;
    if (std::any_of(series.begin(), series.end(),
                    [&](const Series& s) { return s.output == output.output; })) {
      one.noise[output.output] = output.noise;
    }
  }
  return one;
}

}  // namespace

Judgement judge(const FitProblem& problem, const FitOptions& options, const FitResult& result,
                const Recording& trial) {
  Judgement judgement{trial.name, {}, {}};
  try {
    FitProblem one = of_one_trial(problem, result, trial);
    check_recording(one.trials.front());
    // Unknowns of sensors and initial values that trials share stay at their values, as tight priors would have them.
    std::vector<std::string> kept;
    for (const Estimate& estimate : result.parameters) {
      const bool is_kept = estimate.name.find('@') == std::string::npos &&
                           (InitialCoordinates::has_form(problem.system, estimate.name) ||
                            std::find(problem.free.begin(), problem.free.end(), estimate.name) ==
                                problem.free.end());
      if (is_kept) {
        one.start[estimate.name] = estimate.value;
        kept.push_back(estimate.name);
      }
    }
    if (one.per_trial.empty() && one.sensors.empty() && one.free.empty()) {
      // Nothing to be found: a run is enough. An unknown that is fixed stands for it.
      one.free = {problem.free.front()};
      kept = one.free;
    }
    const FitOptions own = with_runs_of(result, options);
    if (options.start_from_data) one = with_starts_from_data(one, own);
    FitEngine engine(one, own);
    for (std::size_t k = 0; k < engine.noise().size(); ++k) {
      engine.noise()[k] = one.noise.at(engine.residuals().outputs()[k]);
    }
    Eigen::VectorXd x = engine.unknowns().start();
    std::vector<int> fixed;
    for (int i = 0; i < engine.unknowns().size(); ++i) {
      const std::string& name = engine.unknowns().list()[index(i)].name;
      if (std::find(kept.begin(), kept.end(), name) != kept.end()) fixed.push_back(i);
    }
    if (std::ssize(fixed) < engine.unknowns().size()) engine.minimise(x, fixed);
    const TrialResiduals residuals = engine.evaluate(0, x, false);
    const std::vector<std::string>& names = engine.residuals().outputs();
    std::vector<double> sums(names.size(), 0.0);
    judgement.outputs.resize(names.size());
    for (Eigen::Index i = 0; i < residuals.values.size(); ++i) {
      const std::size_t k = index(engine.residuals().outputs_of(0)[static_cast<std::size_t>(i)]);
      sums[k] += residuals.values(i) * residuals.values(i);
      judgement.outputs[k].num_residuals += 1;
    }
    for (std::size_t k = 0; k < names.size(); ++k) {
      judgement.outputs[k].output = names[k];
      judgement.outputs[k].residual_rms = std::sqrt(sums[k] / judgement.outputs[k].num_residuals);
    }
  } catch (const InvalidArgument&) {
    throw;
  } catch (const Error& error) {
    judgement.message = error.what();
  }
  return judgement;
}

Judgement judge(const FitProblem& problem, const FitOptions& options, const FitResult& result,
                const std::string& name, const std::vector<Recording>& pieces) {
  Judgement all{name, {}, {}};
  for (const Recording& piece : pieces) {
    const Judgement one = judge(problem, options, result, piece);
    if (!one.message.empty()) return {name, {}, piece.name + ": " + one.message};
    for (const OutputFit& output : one.outputs) {
      auto found = std::ranges::find(all.outputs, output.output, &OutputFit::output);
      if (found == all.outputs.end()) {
        all.outputs.push_back(output);
        continue;
      }
      const double before = found->num_residuals, more = output.num_residuals;
      found->residual_rms = std::sqrt((before * found->residual_rms * found->residual_rms +
                                       more * output.residual_rms * output.residual_rms) /
                                      (before + more));
      found->num_residuals += output.num_residuals;
    }
  }
  return all;
}

void check_parts(const FitProblem& problem, int parts) {
  if (problem.trials.size() < 2) {
    throw InvalidArgument("trials can be left out where there are at least two; there is one");
  }
  if (parts < 2 || parts > std::ssize(problem.trials)) {
    throw InvalidArgument("trials cannot be left out in " + std::to_string(parts) +
                          " parts: there are " + std::to_string(problem.trials.size()) +
                          "; choose from 2 to that many");
  }
}

std::vector<Judgement> cross_validate(const FitProblem& problem, const FitOptions& options,
                                      int parts) {
  check_parts(problem, parts);
  std::vector<Judgement> list;
  for (int part = 0; part < parts; ++part) {
    FitProblem others = problem;
    others.trials.clear();
    std::vector<Recording> left_out;
    for (std::size_t i = 0; i < problem.trials.size(); ++i) {
      const bool is_out = static_cast<int>(i % index(parts)) == part;
      (is_out ? left_out : others.trials).push_back(problem.trials[i]);
    }
    const FitResult result = fit(others, options);
    for (const Recording& trial : left_out) list.push_back(judge(others, options, result, trial));
  }
  return list;
}

}  // namespace liegrad::optimize
