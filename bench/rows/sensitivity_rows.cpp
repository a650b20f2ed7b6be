// What derivatives of whole trajectories cost, in units of the simulation with full Newton.
//
// "over_simulation" is what a derivative costs besides the simulation of which it is the derivative, which one has
// anyway; "total_over_simulation" is the whole call, its own simulation included. "per_parameter_over_simulation" is what
// one more parameter adds to an evaluation whose workspace is there: the slope between few of them and many.
// "single_call.per_parameter_over_simulation" is what differentiate() costs besides its simulation, set-up, start and the
// matrices of all steps included, divided by the number of parameters.

#include "sensitivity_rows.hpp"

#include <algorithm>
#include <ctime>
#include <functional>
#include <optional>
#include <string>

#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/joints/spherical_joint.hpp"
#include "liegrad/models/models.hpp"
#include "liegrad/sensitivity/sensitivity.hpp"
#include "liegrad/sensitivity/trajectory/checkpoints.hpp"

#include "measure.hpp"
#include "memory.hpp"
#include "steps.hpp"

namespace liegrad::bench {
namespace {

constexpr int kBodies = 100;
/// The least of so many runs counts.
constexpr int kRounds = 5;
constexpr int kVisitsBetweenLooks = 1000;

/// The chain of the models, with parameters of its own for every rod and every joint.
dae::System individual_chain() {
  constexpr double kLength = 1.0 / kBodies, kMass = 1.0 / kBodies, kRadius = 0.01;
  constexpr double kAlong = kMass * kRadius * kRadius / 2;
  constexpr double kAcross = kMass * (3 * kRadius * kRadius + kLength * kLength) / 12;
  dae::System system("individual_chain");
  std::string previous = "ground";
  for (int i = 1; i <= kBodies; ++i) {
    const std::string name = "rod" + std::to_string(i);
    system.add_node(name, lie::NodeGroup::so3xr3());
    system.set_initial_configuration(name, {1, 0, 0, 0, (i - 0.5) * kLength, 0, 0});
    system.add(name, elements::RigidBody{}, {name},
               {.values = {{"m", kMass}, {"J1", kAlong}, {"J2", kAcross}, {"J3", kAcross}}});
    system.add("joint" + std::to_string(i), elements::SphericalJoint{}, {previous, name},
               {.values = {{"a.X1", i == 1 ? 0 : kLength / 2}, {"b.X1", -kLength / 2}}});
    previous = name;
  }
  return system;
}

/// A system with an objective, and what its derivatives take.
struct Study {
  dae::System system;
  std::string output;
  double t_end;
  dae::IntegrateOptions integrate = alpha();

  sensitivity::DifferentiateOptions options(int parameters) const {
    sensitivity::DifferentiateOptions result;
    result.integrate = integrate;
    result.integrate.t_end = t_end;
    for (const dae::ParameterSpec& parameter : system.parameters()) {
      if (std::ssize(result.variables.parameters) == parameters) break;
      result.variables.parameters.push_back(parameter.name);
    }
    return result;
  }
  /// Seconds of the processor for a simulation without derivatives.
  double simulate() const {
    dae::IntegrateOptions run = options(0).integrate;
    run.keep_samples = false;
    const std::clock_t start = std::clock();
    if (!dae::integrate(system, run).summary.is_complete()) throw Error("a run did not end");
    return seconds_since(start);
  }
  /// What a derivative takes: seconds of the processor beside its own simulation and with it, and memory.
  struct Cost {
    double beside = 0, total = 0, megabytes = 0;
    Eigen::MatrixXd gradient = {};
  };
  Cost differentiate(sensitivity::DifferentiateOptions how) const {
    sensitivity::Objective objective(system);
    objective.add_output(output);
    Cost cost;
    const double megabytes_before = heap_megabytes();
    const auto look = [&cost, megabytes_before] {
      cost.megabytes = std::max(cost.megabytes, heap_megabytes() - megabytes_before);
    };
    // The derivative begins when the simulation has ended, and looking at the heap at each step would cost.
    const std::clock_t start = std::clock();
    std::clock_t end_of_run = start;
    how.integrate.on_step = [&](const dae::State& state) {
      if (state.t >= t_end * (1 - 1e-9)) end_of_run = std::clock();
      return true;
    };
    how.on_progress = [&look, visits = 0](double part) mutable {
      if (visits++ % kVisitsBetweenLooks == 0 || part >= 1) look();
    };
    cost.gradient = sensitivity::differentiate(objective, how).jacobian;
    cost.total = seconds_since(start);
    cost.beside = seconds_since(end_of_run);
    return cost;
  }

  static double seconds_since(std::clock_t start) {
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  }
};

Study chain_study() { return {individual_chain(), "rod100.x[3]", 0.2}; }
Study top_study() { return {models::make_model("heavy_top"), "top.x[3]", 1}; }
/// With the default method, at the tolerance of fits.
Study radau_study() {
  Study study = top_study();
  study.integrate.method = dae::Method::kRadau;
  study.integrate.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = 1e-8}};
  return study;
}

/// Rows of one kind of derivative: what it takes beside the simulation and in total, divided by so many variables as
/// the unit says, in turn with the simulation; and its memory.
void add_rows(const Study& study, const std::string& name, const std::string& unit,
              double variables, const sensitivity::DifferentiateOptions& how,
              std::optional<double> bar, std::vector<Row>& rows) {
  double beside = 1e300, megabytes = 0;
  const std::vector<double> least = least_in_turn({[&] { return study.simulate(); },
                                                   [&] {
                                                     const Study::Cost cost =
                                                         study.differentiate(how);
                                                     beside = std::min(beside, cost.beside);
                                                     megabytes = cost.megabytes;
                                                     return cost.total;
                                                   }},
                                                  kRounds);
  rows.push_back({name + unit + "over_simulation", beside / least[0] / variables, "ratio", bar});
  rows.push_back({name + unit + "total_over_simulation", least[1] / least[0] / variables, "ratio"});
  rows.push_back({name + "megabytes", megabytes, "MB"});
}

/// What a further column of tangents adds to an evaluation, from few variables to many.
void add_slope(const Study& study, const std::string& name,
               const sensitivity::DifferentiateOptions& few,
               const sensitivity::DifferentiateOptions& many, double bar, std::vector<Row>& rows) {
  sensitivity::Objective objective(study.system);
  objective.add_output(study.output);
  dae::IntegrateOptions run = study.options(0).integrate;
  run.keep_samples = false;
  dae::Simulator simulator(study.system, run);
  const auto forward = [&](sensitivity::DifferentiateOptions how) {
    how.mode = sensitivity::Mode::kForward;
    how.integrate.keep_samples = false;
    return sensitivity::Sensitivity(objective, how);
  };
  sensitivity::Sensitivity with_few = forward(few), with_many = forward(many);
  const auto columns = [](sensitivity::Sensitivity& sensitivity) {
    return static_cast<double>(sensitivity.evaluate().jacobian.cols());
  };
  const double further = columns(with_many) - columns(with_few);
  const std::vector<double> times = times_in_turn(
      {[&] { simulator.run(); }, [&] { with_few.evaluate(); }, [&] { with_many.evaluate(); }},
      kRounds);
  rows.push_back({name + "per_parameter_over_simulation",
                  (times[2] - times[1]) / further / times[0], "ratio", bar});
}

/// A million steps with few states kept, over the same with all of them.
void add_million_steps(Study top, std::vector<Row>& rows) {
  top.t_end = 1000;
  const sensitivity::DifferentiateOptions kept = top.options(7);
  sensitivity::DifferentiateOptions limited = kept;
  limited.checkpoints.megabytes = 10;
  const Study::Cost with_few = top.differentiate(limited), with_all = top.differentiate(kept);
  const double largest = with_all.gradient.cwiseAbs().maxCoeff();
  const double difference = (with_few.gradient - with_all.gradient).cwiseAbs().maxCoeff();
  const std::string name = "adjoint.heavy_top.million_steps.";
  rows.push_back({name + "megabytes", with_few.megabytes, "MB", 20});
  rows.push_back({name + "limited_over_kept", with_few.total / with_all.total, "ratio", 2.5});
  rows.push_back({name + "limited_from_kept", difference / largest, "1"});
}

}  // namespace

std::vector<Row> adjoint_rows() {
  std::vector<Row> rows;
  const Study chain = chain_study();
  for (const int parameters : {10, 100, 1000}) {
    add_rows(chain, "adjoint.chain_100.parameters_" + std::to_string(parameters) + ".", "", 1,
             chain.options(parameters), parameters == 1000 ? 1.0 : 1.5, rows);
  }
  rows.push_back({"adjoint.chain_100.growth", rows[6].value / rows[0].value, "ratio", 1.2});
  std::size_t bytes = 0;
  dae::IntegrateOptions run = chain.options(0).integrate;
  run.on_start = [&bytes](const dae::MethodState& state, double) {
    bytes = sensitivity::StateStore::bytes_per_state(state);
  };
  dae::integrate(chain.system, run);
  rows.push_back({"adjoint.chain_100.kilobytes_per_step", 1e-3 * static_cast<double>(bytes), "kB"});

  const Study top = top_study();
  add_rows(top, "adjoint.heavy_top.", "", 1, top.options(7), 1.2, rows);
  const Study radau = radau_study();
  add_rows(radau, "adjoint.heavy_top.radau3.", "", 1, radau.options(7), 2, rows);

  add_million_steps(top, rows);
  return rows;
}

std::vector<Row> forward_rows() {
  std::vector<Row> rows;
  const Study chain = chain_study(), top = top_study();
  sensitivity::DifferentiateOptions forward = chain.options(10);
  forward.mode = sensitivity::Mode::kForward;
  add_rows(chain, "forward.chain_100.single_call.", "per_parameter_", 10, forward, {}, rows);
  add_slope(chain, "forward.chain_100.", chain.options(10), chain.options(50), 0.2, rows);
  // A central difference is two runs of systems with another parameter.
  const std::vector<double> least =
      least_in_turn({[&] { return chain.simulate(); },
                     [&] {
                       double seconds = 0;
                       for (const double side : {1.0, -1.0}) {
                         Study moved = chain;
                         moved.system.set_parameter("rod50.m", (1 + 1e-6 * side) / kBodies);
                         seconds += moved.simulate();
                       }
                       return seconds;
                     }},
                    kRounds);
  rows.push_back(
      {"forward.chain_100.central_difference_over_simulation", least[1] / least[0], "ratio"});
  forward = top.options(7);
  forward.mode = sensitivity::Mode::kForward;
  add_rows(top, "forward.heavy_top.single_call.", "per_parameter_", 7, forward, {}, rows);
  sensitivity::DifferentiateOptions many = forward;
  many.variables.initial_velocity = many.variables.initial_configuration = true;
  add_slope(top, "forward.heavy_top.", forward, many, 0.2, rows);
  return rows;
}

std::vector<Row> hessian_vector_rows() {
  std::vector<Row> rows;
  const Study chain = chain_study();
  sensitivity::DifferentiateOptions product = chain.options(10);
  product.second_order =
      sensitivity::SecondOrder{.weights = {}, .directions = {std::vector<double>(10, 1.0)}};
  add_rows(chain, "hessian_vector.chain_100.", "", 1, product, 3, rows);
  return rows;
}

}  // namespace liegrad::bench
