// One simulator, many runs: each is what integrate() gives, to the last bit, and a second one allocates nothing.

#include "liegrad/dae/simulator.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/forces/actuators.hpp"
#include "liegrad/models/models.hpp"

#include "support/allocations.hpp"

namespace liegrad {
namespace {

dae::IntegrateOptions some_steps() {
  dae::IntegrateOptions options = dae::alpha_steps();
  options.step = 1e-3;
  options.t_end = 0.02;
  return options;
}

void expect_same(const dae::Solution& a, const dae::Solution& b) {
  ASSERT_EQ(a.samples.size(), b.samples.size());
  for (std::size_t i = 0; i < a.samples.size(); ++i) {
    EXPECT_EQ(a.samples[i].t, b.samples[i].t);
    EXPECT_EQ(a.samples[i].q, b.samples[i].q) << i;
    EXPECT_EQ(a.samples[i].v, b.samples[i].v) << i;
    EXPECT_EQ(a.samples[i].lambda, b.samples[i].lambda) << i;
  }
  EXPECT_EQ(a.final.q, b.final.q);
  EXPECT_EQ(a.summary.steps, b.summary.steps);
  EXPECT_EQ(a.summary.newton_iterations, b.summary.newton_iterations);
  EXPECT_EQ(a.summary.trusted, b.summary.trusted);
  EXPECT_EQ(a.summary.warnings, b.summary.warnings);
}

/// Values of a model in which a parameter has another one.
dae::RunValues values_with(const dae::Model& model, const std::string& name, double factor) {
  dae::RunValues values{.parameters = model.parameter_values()};
  values.parameters[static_cast<std::size_t>(model.parameter_index(name))] *= factor;
  return values;
}

struct Case {
  const char* model;
  const char* parameter;
  std::function<void(dae::IntegrateOptions&)> change;
};

std::vector<Case> cases() {
  using dae::Formulation;
  const auto formulation = [](Formulation which) {
    return [which](dae::IntegrateOptions& options) { options.alpha.formulation = which; };
  };
  return {{"heavy_top", "top.m", formulation(Formulation::kIndex3)},
          {"heavy_top", "top.m", formulation(Formulation::kIndex2)},
          {"heavy_top", "top.J1", formulation(Formulation::kStabilized)},
          {"chain", "rod.m", formulation(Formulation::kIndex3)},
          {"heavy_top", "top.m",
           [](dae::IntegrateOptions& options) {
             options.alpha.newton.kind = dae::NewtonKind::kModified;
             options.alpha.start = dae::StartingValues::kCorrected;
           }},
          {"heavy_top", "top.m",
           [](dae::IntegrateOptions& options) {
             options.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = 1e-4}};
           }},
          {"pendulum", "mass.m",
           [](dae::IntegrateOptions& options) { options.sample_interval = 3.3e-3; }},
          {"spinning_top", "top.m",
           [](dae::IntegrateOptions& options) {
             options.method = dae::Method::kMuntheKaas;
             options.tableau = dae::rk4();
           }},
          {"spinning_top", "top.m", [](dae::IntegrateOptions& options) {
             options.method = dae::Method::kMuntheKaas;
             options.tableau = dae::gauss_2();
           }}};
}

TEST(Simulator, GivesWhatIntegrateGivesWhateverRanBefore) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.model);
    dae::System system = models::make_model(one.model);
    dae::IntegrateOptions options = some_steps();
    one.change(options);
    dae::Simulator simulator(*system.build(), options);
    const dae::RunValues heavier = values_with(system, one.parameter, 1.25);
    const dae::Solution first = simulator.run();
    const dae::Solution other = simulator.run(heavier);
    expect_same(simulator.run(), first);
    expect_same(first, dae::integrate(system, options));
    system.set_parameter(one.parameter, 1.25 * system.parameter(one.parameter));
    expect_same(other, dae::integrate(system, options));
    const auto reaction = [](const dae::Solution& one_run) {
      return one_run.final.lambda.empty() ? one_run.final.v : one_run.final.lambda;
    };
    EXPECT_NE(reaction(other), reaction(first)) << "the parameter has no effect";
  }
}

TEST(Simulator, TakesInitialValuesTimesAndControlsOfARun) {
  dae::System system("thruster");
  system.add_node("body", lie::NodeGroup::so3xr3());
  system.add("body", elements::RigidBody{}, {"body"});
  system.add("force", elements::ActuatorForce{}, {"body"});
  dae::IntegrateOptions options = some_steps();
  dae::Simulator simulator(system, options);
  const dae::Solution at_rest = simulator.run();

  dae::RunValues values;
  values.initial = dae::InitialValues{{1, 0, 0, 0, 5, 6, 7}, {0, 0, 3, 1, 0, 0}};
  values.t_start = 1;
  values.t_end = 1.03;
  values.controls = [](double t, std::span<double> controls) { controls[0] = t; };
  const dae::Solution moved = simulator.run(values);
  options.initial = values.initial;
  options.t_start = 1;
  options.t_end = 1.03;
  options.controls = values.controls;
  expect_same(moved, dae::integrate(system, options));
  expect_same(simulator.run(), at_rest);
}

/// Steps that another run found: it is made again, and a run of other values has the same steps.
TEST(Simulator, MakesGivenStepsAndFollowsAnotherTolerance) {
  const dae::System system = models::make_model("heavy_top");
  dae::IntegrateOptions options;
  options.t_end = 0.1;
  for (const dae::Method method : {dae::Method::kRadau, dae::Method::kMuntheKaas}) {
    options.method = method;
    options.tableau = dae::dormand_prince_54();
    options.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = 1e-7}};
    const dae::Solution fine = dae::integrate(system, options);
    options.adaptive->tolerance.relative = 1e-4;
    dae::RunValues values;
    options.on_step = [&values](const dae::MethodState& state) {
      values.steps.push_back(state.step);
      return true;
    };
    const dae::Solution found = dae::integrate(system, options);
    options.on_step = {};
    ASSERT_GT(values.steps.size(), 5u);
    ASSERT_GT(fine.summary.steps, found.summary.steps);

    dae::Simulator simulator(system, options);
    const dae::Solution again = simulator.run(values);
    EXPECT_EQ(again.summary.steps, found.summary.steps);
    for (std::size_t i = 0; i < found.final.q.size(); ++i) {
      // Stages of Radau methods are solved to a part of the tolerance.
      EXPECT_NEAR(again.final.q[i], found.final.q[i], method == dae::Method::kRadau ? 1e-7 : 0);
    }
    dae::RunValues faster = values_with(system, "top.omega2", 1.5);
    const long of_its_own = simulator.run(faster).summary.steps;
    faster.steps = values.steps;
    EXPECT_EQ(simulator.run(faster).summary.steps, found.summary.steps);
    EXPECT_GT(of_its_own, found.summary.steps);

    EXPECT_EQ(simulator.run({.tolerance = dae::ErrorTolerance{.relative = 1e-7}}).final.q,
              fine.final.q);
    EXPECT_EQ(simulator.run().final.q, found.final.q);
  }
}

TEST(Simulator, AllocatesNothingInASecondRun) {
  for (const Case& one : cases()) {
    const dae::System system = models::make_model(one.model);
    dae::IntegrateOptions options = some_steps();
    one.change(options);
    // The number of adaptive steps differs; corrected starts take a few vectors, once a run.
    if (options.adaptive || options.alpha.start != dae::StartingValues::kClassical) continue;
    SCOPED_TRACE(one.model);
    dae::Simulator simulator(system, options);
    const dae::RunValues heavier = values_with(system, one.parameter, 1.01);
    simulator.run();
    simulator.run(heavier);
    const int before = test::allocations;
    simulator.run(heavier);
    EXPECT_EQ(test::allocations - before, 0);
  }
}

template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(Simulator, SaysWhatIsWrongWithValues) {
  dae::System system = models::make_model("pendulum");
  dae::Simulator simulator(system, some_steps());
  dae::RunValues values{.parameters = {1}};
  EXPECT_EQ(message_of([&] { simulator.run(values); }),
            "a run of 'pendulum' was given 1 values of parameters; there are " +
                std::to_string(system.parameters().size()));
  values.parameters = system.parameter_values();
  values.parameters[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(message_of([&] { simulator.run(values); }), "the value of parameter '" +
                                                            system.parameters()[0].name +
                                                            "' is not finite; give it a number");
  values = {.steps = {0.01, -0.01}};
  EXPECT_EQ(message_of([&] { simulator.run(values); }),
            "a run was given a step of length -0.01; steps must be positive");
  values.steps = {0.01, 0.02};
  EXPECT_EQ(message_of([&] { simulator.run(values); }),
            "a run was given steps that last 0.03 in all; from its start to its end it takes 0.02");
  values = {};
  values.t_end = -1;
  EXPECT_NE(message_of([&] { simulator.run(values); }), "");
  EXPECT_TRUE(simulator.run().summary.is_complete());
  system.set_parameter("mass.g", 1);
  EXPECT_EQ(message_of([&] { simulator.run(); }),
            "system 'pendulum' was changed after this simulator was made from it; make new ones, "
            "or make them from System::build(), which keeps the model as it was");
}

TEST(Simulator, AsksElementsInEveryRun) {
  const dae::System system = models::make_model("heavy_top");
  dae::Simulator simulator(system, some_steps());
  simulator.run();
  EXPECT_NE(message_of([&] { simulator.run(values_with(system, "top.m", -1)); }), "");
  EXPECT_TRUE(simulator.run().summary.is_complete());
}

}  // namespace
}  // namespace liegrad
