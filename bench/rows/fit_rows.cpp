#include "fit_rows.hpp"

#include <cmath>
#include <ctime>
#include <random>
#include <string>

#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/joints/spherical_joint.hpp"
#include "liegrad/models/models.hpp"
#include "liegrad/optimize/fit/engine.hpp"
#include "liegrad/optimize/fit/fit.hpp"
#include "liegrad/sensitivity/sensitivity.hpp"

#include "measure.hpp"

namespace liegrad::bench {
namespace {

using optimize::FitEngine;
using optimize::LeastSquaresSummary;

constexpr double kInterval = 0.01, kEnd = 0.5, kNoise = 1e-4;

dae::IntegrateOptions steps_of(double h) {
  dae::IntegrateOptions options = dae::alpha_steps(h);
  options.t_end = kEnd;
  return options;
}

/// Outputs of a run with steps ten times finer than those of the fits, with noise.
optimize::Recording measured(const dae::System& system, const std::vector<std::string>& names,
                             dae::IntegrateOptions fine = steps_of(1e-4)) {
  fine.sample_interval = kInterval;
  const dae::Solution solution = dae::integrate(system, fine);
  dae::Outputs outputs(system);
  std::vector<double> all(static_cast<std::size_t>(outputs.size()));
  optimize::Recording recording{system.name(), {}, {}, {}};
  for (const std::string& output : names) {
    for (int i = 1; i <= 3; ++i) {
      recording.series.push_back(optimize::series_of(system, output, i));
    }
  }
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, kNoise);
  for (const dae::State& state : solution.samples) {
    outputs.evaluate(state, {}, all);
    for (optimize::Series& series : recording.series) {
      series.times.push_back(state.t);
      series.values.push_back(all[static_cast<std::size_t>(outputs.column(series.name()))] +
                              noise(random));
    }
  }
  return recording;
}

/// Positions and angular velocities of a slow top.
optimize::FitProblem ten_unknowns() {
  dae::System system = models::make_model("heavy_top");
  system.set_parameter("top.omega2", 15);
  system.set_parameter("top.omega3", -0.461538);
  optimize::FitProblem problem{system, {measured(system, {"top.x", "top.omega"})}};
  problem.free = {"top.J1", "top.J2",     "top.J3",     "top.X1",     "top.X2",
                  "top.X3", "top.omega1", "top.omega2", "top.omega3", "gravity3"};
  problem.start = {{"top.J1", 0.21}, {"top.J2", 0.5}, {"top.X2", 1.05}, {"gravity3", -9.5}};
  return problem;
}

/// Masses and inertias of all rods of a hanging chain that is set in motion, each known beforehand to a tenth.
optimize::FitProblem forty_unknowns() {
  dae::System system("chain");
  std::vector<std::string> names;
  for (int i = 1; i <= 10; ++i) {
    const std::string rod = "rod" + std::to_string(i), above = "rod" + std::to_string(i - 1);
    system.add_node(rod, lie::NodeGroup::so3xr3());
    system.add(rod, elements::RigidBody{}, {rod},
               {.values = {{"m", 0.5}, {"J1", 0.01}, {"J2", 0.015}, {"J3", 0.012}}});
    system.add("joint" + std::to_string(i), elements::SphericalJoint{},
               {i == 1 ? "ground" : above, rod},
               {.values = {{"a.X3", i == 1 ? 0 : -0.25}, {"b.X3", 0.25}}});
    system.set_initial_configuration(rod, {1, 0, 0, 0, 0, 0, 0.25 - 0.5 * i});
    // All turn as one body, with a spin of each about its own axis.
    system.set_initial_velocity(
        rod, {1, 0.5, 2.0 + 0.3 * i, 0.5 * (0.25 - 0.5 * i), -(0.25 - 0.5 * i), 0});
    for (const char* const name : {".m", ".J1", ".J2", ".J3"}) names.push_back(rod + name);
  }
  std::vector<std::string> outputs;
  for (int i = 1; i <= 10; ++i) {
    outputs.push_back("rod" + std::to_string(i) + ".x");
    outputs.push_back("rod" + std::to_string(i) + ".omega");
  }
  optimize::FitProblem problem{system, {measured(system, outputs)}};
  problem.free = names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double value = system.parameter(names[i]);
    problem.prior[names[i]] = {value, 0.1 * value};
    problem.start[names[i]] = value * (i % 2 == 0 ? 1.05 : 0.95);
  }
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
  for (int i = 0; i < size; ++i) {
    const auto& prior = engine.unknowns().list()[static_cast<std::size_t>(i)].prior;
    if (!prior) continue;
    const auto known = [prior, i](const Eigen::VectorXd& at, Eigen::VectorXd& residuals,
                                  Eigen::MatrixXd* jacobian) {
      residuals = Eigen::VectorXd::Constant(1, (at(i) - prior->value) / prior->std);
      if (jacobian == nullptr) return true;
      *jacobian = Eigen::MatrixXd::Zero(1, at.size());
      (*jacobian)(0, i) = 1 / prior->std;
      return true;
    };
    problem.blocks.push_back({problem.parts, 1, known});
  }
  return optimize::minimise(problem, engine.options().solver, x);
}

/// Searches from the same start to the same optimum, in turn.
std::vector<Row> compared(const std::string& name, const optimize::FitProblem& problem, double bar,
                          int times) {
  optimize::FitOptions options;
  options.run = steps_of(1e-3);
  options.jacobian = sensitivity::Mode::kForward;
  FitEngine engine(problem, options);
  engine.noise().assign(engine.noise().size(), kNoise);
  Eigen::VectorXd exact, differences;
  search(engine, true, exact);  // makes all that is made once

  const long runs_before = engine.residuals().num_runs();
  const long differentiated_before = engine.residuals().num_differentiated_runs();
  const LeastSquaresSummary found = search(engine, true, exact);
  const long differentiated = engine.residuals().num_differentiated_runs() - differentiated_before;
  const long alone = engine.residuals().num_runs() - runs_before - differentiated;

  // The runs themselves, without a fit around them: one for the values, and derivatives of those that were liked.
  optimize::Trial trial(problem.system, problem.trials.front(), engine.unknowns().parameters(),
                        options.run, sensitivity::Mode::kForward, {});
  const optimize::TrialInputs inputs =
      engine.unknowns().inputs(0, engine.unknowns().local(0, exact));
  const std::vector<double> delays(problem.trials.front().series.size(), 0.0);
  optimize::Prediction prediction;
  double cost_of_differences = 0;
  const std::vector<double> least =
      least_in_turn({[&] { return processor_seconds([&] { search(engine, true, exact); }); },
                     [&] {
                       return processor_seconds(
                           [&] { cost_of_differences = search(engine, false, differences).cost; });
                     },
                     [&] {
                       return processor_seconds([&] {
                         for (long i = 0; i < std::max(alone, differentiated); ++i) {
                           if (i < alone) trial.predict(inputs, delays, {}, prediction);
                           if (i < differentiated) {
                             trial.predict(inputs, delays, {.jacobian = true}, prediction);
                           }
                         }
                       });
                     }},
                    times);
  return {{name + ".speedup_over_differences", least[1] / least[0], "x", bar},
          {name + ".cost_of_differences_less_1", cost_of_differences / found.cost - 1, "1", 1e-6},
          {name + ".overhead", 100 * (least[0] - least[2]) / least[0], "%", 20.0}};
}

/// The slow top of a fit by other programs: distance of the centre of mass and gravity, from positions at 100 Hz over a
/// second with noise of 0.1 mm, from starts that are a tenth off. All of optimize::fit() with its defaults: first runs
/// in new workspaces, search, intervals, autocorrelation of residuals, findings.
std::vector<Row> whole_fit() {
  dae::System system = models::make_model("heavy_top");
  system.set_parameter("top.omega2", 1.5);
  system.set_parameter("top.omega3", -0.0461538);
  dae::IntegrateOptions fine;
  fine.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = 1e-11}};
  fine.t_end = 1;
  optimize::FitProblem problem{system, {measured(system, {"top.x"}, fine)}};
  problem.free = {"top.X2", "gravity3"};
  problem.start = {{"top.X2", 0.9}, {"gravity3", -9}};
  problem.lower = {{"top.X2", 0.5}, {"gravity3", -15}};
  problem.upper = {{"top.X2", 1.5}, {"gravity3", -5}};
  optimize::FitResult result;
  const std::vector<double> least = least_in_turn(
      {[&] { return processor_seconds([&] { result = optimize::fit(problem, {}); }); }}, 5);
  const auto pull = [&result](const char* name, double truth) {
    return (result[name].value - truth) / result[name].std;
  };
  const double worst = std::max(std::abs(pull("top.X2", 1)), std::abs(pull("gravity3", -9.81)));
  return {{"fit.slow_top.milliseconds", 1e3 * least[0], "ms", std::nullopt},
          {"fit.slow_top.error_over_deviation", worst, "1", 4.0}};
}

}  // namespace

std::vector<Row> fit_rows() {
  std::vector<Row> rows = compared("fit.heavy_top", ten_unknowns(), 5.0, 5);
  for (const Row& row : compared("fit.chain_10", forty_unknowns(), 10.0, 2)) rows.push_back(row);
  for (const Row& row : whole_fit()) rows.push_back(row);
  return rows;
}

}  // namespace liegrad::bench
