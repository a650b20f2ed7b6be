#include "repeat_rows.hpp"

#include <string>
#include <thread>
#include <vector>

#include "liegrad/models/models.hpp"
#include "liegrad/sensitivity/sensitivity.hpp"

#include "measure.hpp"

namespace liegrad::bench {
namespace {

using sensitivity::Mode;

/// Positions at equally spaced times by some variables, forward.
struct Study {
  dae::System system;
  sensitivity::DifferentiateOptions how;
  std::vector<std::string> columns;
  int num_times;

  sensitivity::Objective objective() const {
    sensitivity::Objective result(system);
    std::vector<double> times;
    for (int i = 1; i <= num_times; ++i) {
      times.push_back(how.integrate.t_end * i / num_times);
    }
    result.add_outputs(columns, times);
    return result;
  }
};

sensitivity::DifferentiateOptions forward(int steps) {
  sensitivity::DifferentiateOptions how;
  how.integrate = dae::alpha_steps();
  how.integrate.t_end = 1e-3 * steps;
  how.integrate.keep_samples = false;
  how.mode = Mode::kForward;
  return how;
}

Study free_body() {
  Study study{models::make_model("free_body"), forward(20), {}, 20};
  study.how.variables.initial_configuration = study.how.variables.initial_velocity = true;
  study.columns = {"body.x[1]", "body.x[2]", "body.x[3]"};
  return study;
}

Study heavy_top() {
  Study study{models::make_model("heavy_top"), forward(100), {}, 20};
  study.how.variables.parameters = {"top.m",      "top.J1",     "top.J2",    "top.J3",
                                    "top.omega1", "top.omega2", "top.omega3"};
  study.columns = {"top.x[1]", "top.x[2]", "top.x[3]"};
  return study;
}

/// The same with the default method, at the tolerance of fits.
Study heavy_top_by_radau() {
  Study study = heavy_top();
  study.how.integrate.method = dae::Method::kRadau;
  study.how.integrate.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = 1e-8}};
  return study;
}

void add_study(const std::string& name, const Study& study, double bar, std::vector<Row>& rows) {
  dae::Simulator simulator(study.system, study.how.integrate);
  sensitivity::Sensitivity sensitivity(study.objective(), study.how);
  const std::vector<double> times =
      times_in_turn({[&] { simulator.run(); }, [&] { sensitivity.evaluate(); }});
  rows.push_back({"repeat." + name + ".run_microseconds", 1e6 * times[0], "us"});
  rows.push_back({"repeat." + name + ".jacobian_over_run", times[1] / times[0], "ratio", bar});
}

/// The gradient of an adaptive index-3 run over the run itself.
void add_adaptive(std::vector<Row>& rows) {
  const dae::System system = models::make_model("heavy_top");
  sensitivity::DifferentiateOptions how;
  how.integrate = dae::alpha_steps();
  how.integrate.t_end = 0.1;
  how.integrate.keep_samples = false;
  how.integrate.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = 1e-4}};
  how.variables.parameters = {"top.m"};
  sensitivity::Objective objective(system);
  objective.add_output("top.x[3]");
  dae::Simulator simulator(system, how.integrate);
  sensitivity::Sensitivity sensitivity(objective, how);
  const std::vector<double> times =
      times_in_turn({[&] { simulator.run(); }, [&] { sensitivity.evaluate(); }});
  rows.push_back({"repeat.heavy_top.adaptive_gradient_over_run", times[1] / times[0], "ratio", 5});
}

/// Two trials one after the other over both at once.
void add_threads(std::vector<Row>& rows) {
  Study study = heavy_top();
  study.how.integrate.t_end = 2;
  const sensitivity::Objective objective = study.objective();
  sensitivity::Sensitivity one(objective, study.how), other(objective, study.how);
  const std::vector<double> times = times_in_turn({[&] {
                                                     one.evaluate();
                                                     other.evaluate();
                                                   },
                                                   [&] {
                                                     std::thread second([&] { other.evaluate(); });
                                                     one.evaluate();
                                                     second.join();
                                                   }});
  rows.push_back({"repeat.heavy_top.two_threads_speedup", times[0] / times[1], "x", 1.8});
}

}  // namespace

std::vector<Row> repeat_rows() {
  std::vector<Row> rows;
  add_study("free_body", free_body(), 6, rows);
  add_study("heavy_top", heavy_top(), 5, rows);
  add_study("heavy_top.radau3", heavy_top_by_radau(), 5, rows);
  add_adaptive(rows);
  add_threads(rows);
  return rows;
}

}  // namespace liegrad::bench
