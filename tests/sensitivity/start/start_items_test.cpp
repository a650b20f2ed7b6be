// What an objective reads at the start of a run, of a system with controls: every mode sees the controls of the
// start while the derivative of the start is made.

#include <gtest/gtest.h>

#include <cmath>

#include "liegrad/dae/system/element.hpp"
#include "liegrad/sensitivity/user_function.hpp"
#include "sensitivity/agreement.hpp"

namespace liegrad::testing {
namespace {

using sensitivity::When;

/// A mass that four controls push, by products of them: a derivative is wrong if the value of any is.
struct Pushed {
  dae::ElementShape shape() const {
    return {.type = "pushed",
            .nodes = {{dae::NodeRole::kCoordinates, 2}},
            .parameters = {{"m", 2}, {"gain", 1.5}},
            .controls = {"a", "b", "c", "d"},
            .outputs = {{"power", 1, "of the controls"}}};
  }
  template <class S>
  lie::Vec<S, 2> force(const dae::Motion<S>& at) const {
    return at.parameter(1) * lie::Vec<S, 2>(at.control(0) * at.control(1),
                                            at.control(2) * at.control(3) + at.coordinates(0)(0));
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    const lie::Vec<S, 2> f = force(at);
    for (int i = 0; i < 2; ++i) {
      balance.row(0, i) += at.parameter(0) * at.acceleration_coordinates(0)(i) - f(i);
    }
  }
  template <class S>
  lie::Vec<S, 1> outputs(const dae::Motion<S>& at) const {
    const lie::Vec<S, 2> f = force(at);
    return lie::Vec<S, 1>(
        S(f(0) * at.velocity_coordinates(0)(0) + f(1) * at.velocity_coordinates(0)(1)));
  }
};

/// The same number as the output of the element, as a user's function.
struct Power {
  template <class S>
  S operator()(const sensitivity::Snapshot<S>& at) const {
    const S a = at.control("mass.a") * at.control("mass.b");
    const S b = at.control("mass.c") * at.control("mass.d") + at.coordinates("x")(0);
    return at.parameter("mass.gain") * (a * at.velocity("x")(0) + b * at.velocity("x")(1));
  }
};

dae::System pushed_mass() {
  dae::System system("pushed");
  system.add_node("x", lie::NodeGroup::rn(2));
  system.add("mass", Pushed{}, {"x"});
  system.set_initial_configuration("x", {0.3, -0.2});
  system.set_initial_velocity("x", {1.1, 0.7});
  return system;
}

void control(double t, std::span<double> u) {
  for (std::size_t i = 0; i < u.size(); ++i) {
    u[i] = 1.3 + 0.4 * static_cast<double>(i) + std::sin(t + static_cast<double>(i));
  }
}

class StartItems : public ::testing::TestWithParam<dae::Method> {};

TEST_P(StartItems, HaveTheControlsOfTheStartInEveryMode) {
  const double h = 0.05, t_start = 0.4;
  Problem problem(pushed_mass(), h, t_start + 8 * h);
  problem.options.integrate.t_start = t_start;
  problem.options.integrate.method = GetParam();
  problem.options.integrate.controls = control;
  // Differences move the controls of stages inside a step as well, which derivatives keep.
  problem.options.variables.controls = GetParam() == dae::Method::kAlpha;
  problem.objective.add(Power{}, When::kSum);
  problem.objective.add(Power{}, When::kAtTime, t_start);
  problem.objective.add_output("mass.power", t_start);
  Seen seen;
  expect_agreement(problem, "controls at the start", seen);

  // At the start nothing has moved yet: the derivative by the gain is the power without it.
  const Derivatives forward = problem.by(Mode::kForward);
  double u[4];
  control(t_start, u);
  const double exact = u[0] * u[1] * 1.1 + (u[2] * u[3] + 0.3) * 0.7;
  for (const Eigen::Index item : {1, 2}) EXPECT_NEAR(forward.jacobian(item, 1), exact, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Methods, StartItems,
                         ::testing::Values(dae::Method::kAlpha, dae::Method::kMuntheKaas),
                         [](const auto& one) {
                           return one.param == dae::Method::kAlpha ? "Alpha" : "MuntheKaas";
                         });

}  // namespace
}  // namespace liegrad::testing
