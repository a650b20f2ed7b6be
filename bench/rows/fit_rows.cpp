#include "fit_rows.hpp"

#include <cmath>
#include <ctime>
#include <random>
#include <string>

#include "liegrad/models/models.hpp"
#include "liegrad/optimize/fit/engine.hpp"
#include "liegrad/sensitivity/sensitivity.hpp"

#include "measure.hpp"

namespace liegrad::bench {
namespace {

using optimize::FitEngine;
using optimize::LeastSquaresSummary;

constexpr double kInterval = 0.01, kEnd = 0.5;

dae::IntegrateOptions steps_of(double h) {
  dae::IntegrateOptions options = dae::alpha_steps(h);
  options.t_end = kEnd;
  return options;
}

/// Positions and angular velocities of a slow top with noise, from steps that are ten times finer.
optimize::FitProblem ten_unknowns() {
  dae::System system = models::make_model("heavy_top");
  system.set_parameter("top.omega2", 15);
  system.set_parameter("top.omega3", -0.461538);
  dae::IntegrateOptions fine = steps_of(1e-4);
  fine.sample_interval = kInterval;
  const dae::Solution solution = dae::integrate(system, fine);
  dae::Outputs outputs(system);
  std::vector<double> all(static_cast<std::size_t>(outputs.size()));
  optimize::Recording recording{"top", {}, {}, {}};
  for (const char* const output : {"top.x", "top.omega"}) {
    for (int i = 1; i <= 3; ++i) {
      recording.series.push_back(optimize::series_of(system, output, i));
    }
  }
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, 1e-4);
  for (const dae::State& state : solution.samples) {
    outputs.evaluate(state, {}, all);
    for (optimize::Series& series : recording.series) {
      series.times.push_back(state.t);
      series.values.push_back(all[static_cast<std::size_t>(outputs.column(series.name()))] +
                              noise(random));
    }
  }
  optimize::FitProblem problem{system, {recording}};
  problem.free = {"top.J1", "top.J2",     "top.J3",     "top.X1",     "top.X2",
                  "top.X3", "top.omega1", "top.omega2", "top.omega3", "gravity3"};
  problem.start = {{"top.J1", 0.21}, {"top.J2", 0.5}, {"top.X2", 1.05}, {"gravity3", -9.5}};
  return problem;
}

/// Others may compute on the machine as well.
template <class F>
double processor_seconds(const F& f) {
  const std::clock_t start = std::clock();
  f();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

/// The search alone, by exact derivatives or by central differences of the same runs.
LeastSquaresSummary search(FitEngine& engine, bool is_exact, Eigen::VectorXd& x) {
  x = engine.unknowns().start();
  if (is_exact) return engine.minimise(x);
  const int size = engine.unknowns().size();
  optimize::LeastSquaresProblem problem;
  problem.parts = {{0, size}};
  problem.lower = engine.unknowns().lower();
  problem.upper = engine.unknowns().upper();
  const auto evaluate = [&engine](const Eigen::VectorXd& at, Eigen::VectorXd& residuals,
                                  Eigen::MatrixXd* jacobian) {
    residuals = engine.weighted(0, at, false).values;
    if (jacobian == nullptr) return true;
    jacobian->resize(residuals.size(), at.size());
    for (Eigen::Index j = 0; j < at.size(); ++j) {
      const double h = 1e-5 * std::max(std::abs(at(j)), 0.1);
      Eigen::VectorXd above = at, below = at;
      above(j) += h;
      below(j) -= h;
      jacobian->col(j) =
          (engine.weighted(0, above, false).values - engine.weighted(0, below, false).values) /
          (2 * h);
    }
    return true;
  };
  problem.blocks = {{problem.parts, engine.residuals().num_residuals(0), evaluate}};
  return optimize::minimise(problem, engine.options().solver, x);
}

}  // namespace

std::vector<Row> fit_rows() {
  const optimize::FitProblem problem = ten_unknowns();
  optimize::FitOptions options;
  options.run = steps_of(1e-3);
  options.jacobian = sensitivity::Mode::kForward;
  FitEngine engine(problem, options);
  engine.noise() = {1e-4, 1e-4};
  Eigen::VectorXd exact, differences;
  search(engine, true, exact);  // makes all that is made once

  const long runs_before = engine.residuals().num_runs();
  const long differentiated_before = engine.residuals().num_differentiated_runs();
  search(engine, true, exact);
  const long differentiated = engine.residuals().num_differentiated_runs() - differentiated_before;
  const long alone = engine.residuals().num_runs() - runs_before - differentiated;

  // The runs themselves, without a fit around them.
  optimize::Trial trial(problem.system, problem.trials.front(), engine.unknowns().parameters(),
                        options.run, sensitivity::Mode::kForward, {});
  const std::vector<double> parameters =
      engine.unknowns().parameter_values(0, engine.unknowns().local(0, exact));
  const std::vector<double> delays(problem.trials.front().series.size(), 0.0);
  optimize::Prediction prediction;
  double cost_of_differences = 0;
  const LeastSquaresSummary found = search(engine, true, exact);
  const std::vector<double> least =
      least_in_turn({[&] { return processor_seconds([&] { search(engine, true, exact); }); },
                     [&] {
                       return processor_seconds(
                           [&] { cost_of_differences = search(engine, false, differences).cost; });
                     },
                     [&] {
                       return processor_seconds([&] {
                         for (long i = 0; i < alone; ++i)
                           trial.predict(parameters, delays, {}, prediction);
                         for (long i = 0; i < differentiated; ++i) {
                           trial.predict(parameters, delays, {.jacobian = true}, prediction);
                         }
                       });
                     }},
                    5);
  return {
      {"fit.heavy_top.exact_over_differences", least[1] / least[0], "x", 5.0},
      {"fit.heavy_top.cost_of_differences_less_1", cost_of_differences / found.cost - 1, "1", 1e-6},
      {"fit.overhead", 100 * (least[0] - least[2]) / least[0], "%", 20.0}};
}

}  // namespace liegrad::bench
