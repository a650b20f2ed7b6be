// What differentiate() promises beside the numbers: exact zeros, and sentences for what cannot be done.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "liegrad/dae/system/element.hpp"
#include "liegrad/elements/bodies/point_mass.hpp"
#include "liegrad/elements/planar/pendulum.hpp"
#include "liegrad/lie/error.hpp"
#include "liegrad/models/models.hpp"
#include "liegrad/sensitivity/differentiate.hpp"
#include "liegrad/sensitivity/user_function.hpp"

namespace liegrad::testing {
namespace {

using sensitivity::Derivatives;
using sensitivity::differentiate;
using sensitivity::DifferentiateOptions;
using sensitivity::Mode;
using sensitivity::Objective;
using sensitivity::When;

DifferentiateOptions by_parameters(const dae::System& system, double step, double t_end) {
  DifferentiateOptions options;
  options.integrate = dae::alpha_steps();
  options.integrate.step = step;
  options.integrate.t_end = t_end;
  for (const dae::ParameterSpec& parameter : system.parameters()) {
    options.variables.parameters.push_back(parameter.name);
  }
  return options;
}

/// Two pendulums that do not know of each other, and a parameter that nothing reads.
dae::System strangers() {
  dae::System system("strangers");
  system.add_parameter({"forgotten", 7});
  for (const std::string name : {"one", "two"}) {
    system.add_node(name, lie::NodeGroup::rn(2));
    system.add(name, elements::PlanarPointMass{}, {name}, {.values = {{"m", 2}}});
    system.add(name + ".rod", elements::PlanarRod{}, {name});
    system.set_initial_configuration(name, {0.6, -0.8});
    system.set_initial_velocity(name, {0.4, 0.3});
  }
  return system;
}

TEST(Derivatives, AreExactlyZeroForWhatHasNoInfluence) {
  const dae::System system = strangers();
  Objective objective(system);
  for (const char* const column : {"one.x.1", "one.u.2", "one.rod.lambda"}) {
    objective.add_output(column);
    objective.add_output(column, 0.053);
  }
  // The initial position is given, whatever the mass.
  objective.add_output("two.x.1", 0);
  DifferentiateOptions options = by_parameters(system, 0.01, 0.1);
  options.variables.initial_velocity = true;
  for (const auto formulation :
       {dae::Formulation::kIndex3, dae::Formulation::kIndex2, dae::Formulation::kStabilized}) {
    options.integrate.alpha.formulation = formulation;
    options.integrate.alpha.start = dae::StartingValues::kCorrected;
    for (const Mode mode : {Mode::kForward, Mode::kAdjoint}) {
      options.mode = mode;
      const Derivatives result = differentiate(objective, options);
      const Eigen::Index last = result.jacobian.rows() - 1;
      for (Eigen::Index j = 0; j < result.jacobian.cols(); ++j) {
        const std::string& name = result.variable_names[static_cast<std::size_t>(j)];
        const auto of_one = result.jacobian.col(j).head(last);
        if (name.starts_with("one")) {
          EXPECT_EQ(result.jacobian(last, j), 0) << name;
        } else {
          EXPECT_TRUE((of_one.array() == 0).all()) << name << ": " << of_one.transpose();
        }
      }
      // A mass matters to forces only, a length and gravity to everything.
      for (const char* const name : {"one.m", "one.g", "one.rod.l"}) {
        const Eigen::Index j = system.parameter_index(name);
        EXPECT_NE(result.jacobian(4, j), 0) << name;
      }
      // Those of the other pendulum, but for the length of its rod, by which its start is projected.
      const std::vector<std::string> expected = {"forgotten", "two.m", "two.g", "two.v0[1]",
                                                 "two.v0[2]"};
      EXPECT_EQ(result.ineffective, expected);
    }
  }
}

TEST(Derivatives, AreExactlyZeroAlsoByDifferences) {
  const dae::System system = strangers();
  Objective objective(system);
  objective.add_output("one.x.1");
  DifferentiateOptions options = by_parameters(system, 0.01, 0.1);
  const auto ineffective = [&](Mode mode) {
    options.mode = mode;
    return differentiate(objective, options).ineffective;
  };
  const std::vector<std::string> expected = ineffective(Mode::kAdjoint);
  EXPECT_EQ(std::count(expected.begin(), expected.end(), "forgotten"), 1);
  const std::vector<std::string> found = ineffective(Mode::kDifference);
  for (const std::string& name : expected) {
    EXPECT_EQ(std::count(found.begin(), found.end(), name), 1) << name;
  }
  EXPECT_EQ(std::count(found.begin(), found.end(), "one.g"), 0);
}

/// The motion at the ends of the steps of a run with steps of many lengths.
std::vector<dae::State> states_of(const dae::System& system, dae::IntegrateOptions options) {
  std::vector<dae::State> states;
  options.on_step = [&states](const dae::State& state) {
    states.push_back(state);
    return true;
  };
  dae::integrate(system, options);
  return states;
}

TEST(Derivatives, ReadATimeOnceWhereverItIsBetweenStepsOfUnequalLength) {
  const dae::System system = models::make_model("pendulum");
  DifferentiateOptions options = by_parameters(system, 0.01, 1);
  options.integrate.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = 1e-4}};
  const std::vector<dae::State> states = states_of(system, options.integrate);
  ASSERT_GT(states.size(), 10u);
  Objective objective(system);
  std::vector<double> expected;
  bool grows = false, shrinks = false;
  for (std::size_t n = 1; n + 1 < states.size(); ++n) {
    const double t = states[n].t;
    const double before = t - states[n - 1].t, after = states[n + 1].t - t;
    grows = grows || after > 1.01 * before;
    shrinks = shrinks || after < 0.99 * before;
    for (const double away : {-2e-9 * before, -0.5e-9 * (before + after), 0.0, 4e-16 * t,
                              1e-12 * after, 0.5e-9 * (before + after), 2e-9 * after}) {
      objective.add_output("mass.x[2]", t + away);
      expected.push_back(states[n].q[1] + away * states[n].v[1]);
    }
  }
  EXPECT_TRUE(grows || shrinks);
  for (const double t : {0.0, 1e-17, options.integrate.t_end}) {
    objective.add_output("mass.x[2]", t);
    expected.push_back(t < 0.5 ? system.initial_configuration()[1] : states.back().q[1]);
  }
  Derivatives by_mode[2];
  for (const Mode mode : {Mode::kForward, Mode::kAdjoint}) {
    options.mode = mode;
    const Derivatives result = differentiate(objective, options);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      // Of adaptive runs with all of Newton's iterations; a time that is missed or read twice is off by 1.
      EXPECT_NEAR(result.values(static_cast<Eigen::Index>(i)), expected[i], 1e-3) << i;
    }
    by_mode[mode == Mode::kForward] = result;
  }
  EXPECT_LT((by_mode[0].jacobian - by_mode[1].jacobian).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Derivatives, ByTheEndOfTheRunOfAValueAtThatTimeAreThoseOfAnEndThatIsNotPassed) {
  // With a shorter run the value lies beyond its end: the last step goes on.
  const dae::System system = models::make_model("pendulum");
  Objective objective(system);
  objective.add_output("mass.x[2]", 0.1);
  DifferentiateOptions options;
  options.integrate = dae::alpha_steps();
  options.integrate.step = 0.01;
  options.integrate.t_end = 0.1;
  options.variables.t_end = true;
  const double exact = differentiate(objective, options).jacobian(0, 0);
  options.mode = Mode::kDifference;
  const Derivatives found = differentiate(objective, options);
  EXPECT_NEAR(found.jacobian(0, 0), exact, 10 * found.jacobian_error(0, 0) + 1e-9);
  EXPECT_LT(found.jacobian_error(0, 0), 1e-6);
  EXPECT_LT(std::abs(exact), 1e-2);
}

TEST(Derivatives, NameVariablesAndValues) {
  const dae::System system = models::make_model("pendulum");
  Objective objective(system);
  objective.add_output("mass.x[2]");
  objective.add_output("rod.lambda", 0.05);
  DifferentiateOptions options = by_parameters(system, 0.01, 0.1);
  options.variables.initial_configuration = options.variables.initial_velocity = true;
  options.variables.t_end = options.variables.step = true;
  const Derivatives result = differentiate(objective, options);
  EXPECT_EQ(result.value_names, (std::vector<std::string>{"mass.x[2]", "rod.lambda"}));
  EXPECT_EQ(result.variable_names,
            (std::vector<std::string>{"mass.x0", "mass.m", "mass.g", "rod.l", "mass.q0[1]",
                                      "mass.q0[2]", "mass.v0[1]", "mass.v0[2]", "t_end", "step"}));
  EXPECT_EQ(result.jacobian.rows(), 2);
  EXPECT_EQ(result.jacobian.cols(), 10);
  EXPECT_EQ(result.simulation.steps, 10);
}

TEST(Derivatives, SayHowFarTheyAre) {
  const dae::System system = models::make_model("pendulum");
  Objective objective(system);
  objective.add_output("mass.x[2]");
  DifferentiateOptions options = by_parameters(system, 0.01, 0.1);
  std::vector<double> parts;
  options.on_progress = [&parts](double done) { parts.push_back(done); };
  const std::size_t visits = 10 + 1, variables = options.variables.parameters.size();
  const auto expect_parts = [&](std::size_t count) {
    parts.clear();
    differentiate(objective, options);
    ASSERT_EQ(parts.size(), count);
    EXPECT_TRUE(std::is_sorted(parts.begin(), parts.end()));
    EXPECT_DOUBLE_EQ(parts.back(), 1);
  };
  for (const double megabytes : {0.0, 0.001}) {
    options.checkpoints.megabytes = megabytes;
    options.mode = Mode::kForward;
    expect_parts(visits);
    options.mode = Mode::kAdjoint;
    expect_parts(visits);
    // The gradient comes with the Hessian.
    options.second_order.emplace();
    expect_parts(2 * variables * visits);
    options.mode = Mode::kForward;
    expect_parts((2 * variables + 1) * visits);
    options.second_order.reset();
  }
  // After each step of each run.
  options.mode = Mode::kDifference;
  parts.clear();
  differentiate(objective, options);
  EXPECT_GE(parts.size(), variables * (visits - 1));
  EXPECT_TRUE(std::is_sorted(parts.begin(), parts.end()));
  EXPECT_DOUBLE_EQ(parts.back(), 1);
}

// Mistakes.

template <class E>
std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Objective, SaysWhichOutputsThereAre) {
  const dae::System system = models::make_model("heavy_top");
  Objective objective(system);
  EXPECT_EQ(
      message_of<InvalidArgument>([&] { objective.add_output("top.y.1"); }),
      "system 'heavy_top': there is no output 'top.y.1'; did you mean 'top.x.1', 'top.q.1' or "
      "'top.u.1'?");
  EXPECT_NE(message_of<InvalidArgument>([&] {
              objective.add_output("residual.position");
            }).find("residual.position"),
            std::string::npos);
  EXPECT_EQ(objective.size(), 0);
}

class Mistakes : public ::testing::Test {
 protected:
  Mistakes() : system(models::make_model("heavy_top")), objective(system) {
    objective.add_output("top.x.1");
    options = by_parameters(system, 0.01, 0.1);
  }
  std::string message() {
    return message_of<InvalidArgument>([&] { differentiate(objective, options); });
  }

  dae::System system;
  Objective objective;
  DifferentiateOptions options;
};

TEST_F(Mistakes, AnEditAfterTheObjectiveWasMade) {
  const std::string sentence =
      "system 'heavy_top' was changed after this objective was made from it; make new ones, or "
      "make them from System::build(), which keeps the model as it was";
  system.set_parameter("top.m", 20);
  EXPECT_EQ(message(), sentence);
  Objective anew(system);
  anew.add_output("top.x.1");
  EXPECT_EQ(differentiate(anew, options).values.size(), 1);
  system.add_node("late", lie::NodeGroup::rn(3));
  system.add("late", elements::PointMass{}, {"late"});
  EXPECT_EQ(message_of<InvalidArgument>([&] { differentiate(anew, options); }), sentence);
}
TEST_F(Mistakes, ATimeOutsideOfTheRun) {
  objective.add_output("top.x.2", 0.2);
  EXPECT_EQ(message(), "'top.x.2' is asked for at t = 0.2, outside of the run from 0 to 0.1");
}
TEST_F(Mistakes, ATimeThatIsNotANumber) {
  objective.add_output("top.x.2", std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(message(), "'top.x.2' is asked for at t = nan, outside of the run from 0 to 0.1");
}
TEST_F(Mistakes, AnUnknownParameter) {
  options.variables.parameters = {"top.M"};
  EXPECT_NE(message().find("'top.M'; did you mean 'top.m'?"), std::string::npos) << message();
}
TEST_F(Mistakes, ControlsOfASystemWithoutAny) {
  options.variables.controls = true;
  EXPECT_EQ(message(), "'heavy_top' has no controls to differentiate by");
}
TEST_F(Mistakes, TheLengthOfAdaptiveSteps) {
  options.variables.step = true;
  options.integrate.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = 1e-4}};
  EXPECT_EQ(message(), "adaptive steps have no length to differentiate by; use fixed ones");
}
TEST_F(Mistakes, AnEventThatStopsTheRun) {
  options.integrate.events = {{.output = "top.x.1", .stop = true}};
  EXPECT_EQ(
      message(),
      "a run that stops at the event of 'top.x.1' cannot be differentiated; let it run to its "
      "end");
}
TEST_F(Mistakes, AnEmptyObjective) {
  const Objective nothing(system);
  EXPECT_EQ(message_of<InvalidArgument>([&] { differentiate(nothing, options); }),
            "the objective has no values; add an output or a function");
}

// Runs that do not reach their end.

TEST_F(Mistakes, AStepThatIsTooLong) {
  options.integrate.step = 1;
  options.integrate.t_end = 2;
  options.integrate.smallest_fraction = 1;
  const std::string said = message_of<Error>([&] { differentiate(objective, options); });
  EXPECT_EQ(said.find("derivatives need the whole run, which ended at t = 0 instead of 2: the step "
                      "from t = 0 to 1 failed: "),
            0u)
      << said;
}
TEST_F(Mistakes, ACallbackThatEndsTheRun) {
  options.integrate.on_step = [](const dae::State& state) { return state.t < 0.045; };
  EXPECT_EQ(message_of<Error>([&] { differentiate(objective, options); }),
            "derivatives need the whole run, which ended at t = 0.05 instead of 0.1");
}

/// A force that exists until t = 0.055.
struct EndingForce {
  dae::ElementShape shape() const {
    return {.type = "ending_force", .nodes = {{dae::NodeRole::kRigidBody}}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    using std::sqrt;
    balance.row(0, 0) += sqrt(S(0.055) - at.time());
  }
};

TEST_F(Mistakes, AnElementThatIsNotFinitePartWay) {
  system.add("ending", EndingForce{}, {"top"});
  objective = Objective(system);
  objective.add_output("top.x.1");
  for (const Mode mode : {Mode::kForward, Mode::kAdjoint, Mode::kDifference}) {
    options.mode = mode;
    const std::string said = message_of<Error>([&] { differentiate(objective, options); });
    EXPECT_EQ(said.find("derivatives need the whole run, which ended at t = 0.05 instead of 0.1"),
              0u)
        << said;
    EXPECT_NE(said.find("'ending'"), std::string::npos) << said;
  }
}

/// Not a number once the top has turned a little.
struct RootOfHeight {
  template <class S>
  S operator()(const sensitivity::Snapshot<S>& at) const {
    using std::sqrt;
    return sqrt(at.frame("top").position(1) - S(10));
  }
};
/// Finite, with a derivative that is not.
struct RootOfZero {
  template <class S>
  S operator()(const sensitivity::Snapshot<S>& at) const {
    using std::sqrt;
    return sqrt(at.parameter("top.X1") * at.time());
  }
};

TEST_F(Mistakes, AFunctionWithoutFiniteValueOrDerivative) {
  for (const Mode mode : {Mode::kForward, Mode::kAdjoint, Mode::kDifference}) {
    options.mode = mode;
    for (const When when : {When::kAtEnd, When::kSum, When::kIntegral}) {
      Objective without_value(system);
      without_value.add(RootOfHeight{}, when);
      std::string said = message_of<Error>([&] { differentiate(without_value, options); });
      EXPECT_NE(said.find("'function 1'"), std::string::npos) << said;
      EXPECT_NE(said.find("not a finite number"), std::string::npos) << said;
      if (mode == Mode::kDifference) continue;
      Objective without_derivative(system);
      without_derivative.add(RootOfZero{}, when);
      said = message_of<Error>([&] { differentiate(without_derivative, options); });
      EXPECT_EQ(said.find("the derivative of 'function 1' with respect to '"), 0u) << said;
      EXPECT_NE(said.find("is not a finite number"), std::string::npos) << said;
    }
  }
}

TEST_F(Mistakes, AFunctionWithoutValuesBesideItsOwn) {
  // Whatever the step, one of two runs for a difference has no value.
  options.variables.parameters = {"top.m", "top.X1"};
  Objective root(system);
  root.add(RootOfZero{}, When::kAtEnd);
  options.mode = Mode::kDifference;
  const std::string why = "the value of 'function 1' at t = 0.1 is not a finite number";
  EXPECT_EQ(message_of<Error>([&] { differentiate(root, options); }),
            "there is no difference by 'top.X1': " + why);
  options.skip_failed_differences = true;
  const Derivatives found = differentiate(root, options);
  ASSERT_EQ(found.not_found.size(), 1u);
  EXPECT_EQ(found.not_found.at(1), why);
  EXPECT_TRUE(std::isnan(found.jacobian(0, 1)));
  EXPECT_EQ(found.jacobian(0, 0), 0);
  EXPECT_EQ(found.ineffective, std::vector<std::string>{"top.m"});
}

/// With a second derivative at zero that is too large.
struct SteepParabola {
  template <class S>
  S operator()(const sensitivity::Snapshot<S>& at) const {
    const S y = S(1e200) * at.parameter("top.X1");
    return y * y;
  }
};

TEST_F(Mistakes, AFunctionWithoutFiniteSecondDerivative) {
  options.variables.parameters = {"top.m", "top.X1"};
  Objective parabola(system);
  parabola.add(SteepParabola{}, When::kAtEnd);
  options.second_order.emplace();
  EXPECT_EQ(message_of<Error>([&] { differentiate(parabola, options); }),
            "the second derivative with respect to 'top.X1' and 'top.X1' is not a finite number");
  options.second_order->directions = {{1.0, 0.0}, {0.0, 1.0}};
  EXPECT_EQ(message_of<Error>([&] { differentiate(parabola, options); }),
            "the second derivative with respect to 'top.X1' and along direction 2 is not a finite "
            "number");
}

TEST_F(Mistakes, WeightsAndDirectionsThatAreNotNumbers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  options.variables.parameters = {"top.m", "top.J1"};
  options.second_order = sensitivity::SecondOrder{.weights = {nan}, .directions = {}};
  EXPECT_EQ(message(), "weight 1 of second derivatives must be a finite number; it is nan");
  options.second_order =
      sensitivity::SecondOrder{.weights = {}, .directions = {{1.0, 2.0}, {0.0, infinity}}};
  EXPECT_EQ(message(), "number 2 of direction 2 of second derivatives must be finite; it is inf");
}

TEST_F(Mistakes, ADirectionOfAnotherLength) {
  options.variables.parameters = {"top.m", "top.J1"};
  options.second_order = sensitivity::SecondOrder{.weights = {}, .directions = {{1.0, 2.0, 3.0}}};
  EXPECT_EQ(message(), "a direction of second derivatives has 3 numbers; there are 2 variables");
}

}  // namespace
}  // namespace liegrad::testing
