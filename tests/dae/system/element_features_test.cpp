// What elements can be beyond bodies and joints: first-order and algebraic states, forces that depend on
// multipliers, controls, rheonomic constraints, mass that is singular but for the constraints.

#include <gtest/gtest.h>

#include <cmath>

#include <Eigen/Eigenvalues>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/system/element.hpp"
#include "liegrad/elements/planar/pendulum.hpp"

namespace liegrad::testing {
namespace {

using dae::Formulation;
using dae::NodeRole;

dae::IntegrateOptions with_step(double h, double t_end) {
  dae::IntegrateOptions options = dae::alpha_steps();
  options.step = h;
  options.t_end = t_end;
  options.alpha.start = dae::StartingValues::kCorrected;
  return options;
}

/// A unit mass, pushed by a first-order state c with ċ = -c/τ + x.
struct LaggedForce {
  dae::ElementShape shape() const {
    return {.type = "lagged_force",
            .nodes = {{NodeRole::kCoordinates, 1}, {NodeRole::kCoordinates, 1}},
            .parameters = {{"tau", 0.5, "s", "time constant"}}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    const S x = at.coordinates(0)(0), c = at.velocity_coordinates(1)(0);
    balance.row(0, 0) += at.acceleration_coordinates(0)(0) + S(4) * x + c;
    balance.row(1, 0) += at.acceleration_coordinates(1)(0) + c / at.parameter("tau") - x;
  }
};

TEST(FirstOrderStates, AreIntegratedWithSecondOrder) {
  dae::System system("lag");
  system.add_node("x", lie::NodeGroup::rn(1));
  system.add_first_order_state("c", 1);
  system.add("lag", LaggedForce{}, {"x", "c"});
  system.set_initial_configuration("x", {1});
  // The matrix exponential of the same linear system (x, ẋ, c).
  Eigen::Matrix3d a;
  a << 0, 1, 0, -4, 0, -1, 1, 0, -2;
  const Eigen::EigenSolver<Eigen::Matrix3d> eigen(a);
  const Eigen::Vector3cd weights =
      eigen.eigenvectors().lu().solve(Eigen::Vector3cd(1, 0, 0)).array() *
      (eigen.eigenvalues() * 2.0).array().exp();
  const Eigen::Vector3d exact = (eigen.eigenvectors() * weights).real();
  std::vector<double> errors;
  for (const double h : {0.02, 0.01, 0.005}) {
    const dae::State end = dae::integrate(system, with_step(h, 2)).final;
    errors.push_back(std::hypot(end.q[0] - exact(0), end.v[0] - exact(1), end.v[1] - exact(2)));
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.1);
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 2, 0.1);
}

/// A unit mass on a spring whose force s is the root of s + s³ = x.
struct ImplicitSpring {
  dae::ElementShape shape() const {
    return {.type = "implicit_spring", .nodes = {{NodeRole::kCoordinates, 1}}, .algebraic = 1};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    balance.row(0, 0) += at.acceleration_coordinates(0)(0) + at.algebraic(0);
  }
  template <class S>
  lie::Vec<S, 1> algebraic(const dae::Motion<S>& at) const {
    const S& s = at.algebraic(0);
    return lie::Vec<S, 1>(s + s * s * s - at.coordinates(0)(0));
  }
};

TEST(AlgebraicStates, SatisfyTheirEquationsAndKeepTheOrder) {
  dae::System system("spring");
  system.add_node("x", lie::NodeGroup::rn(1));
  system.add("spring", ImplicitSpring{}, {"x"});
  system.set_initial_configuration("x", {2});
  std::vector<double> ends;
  for (const double h : {0.02, 0.01, 0.005, 0.0025}) {
    const dae::Solution solution = dae::integrate(system, with_step(h, 3));
    for (const dae::State& state : solution.samples) {
      const double s = state.s[0];
      ASSERT_NEAR(s + s * s * s, state.q[0], 1e-11);
    }
    ends.push_back(solution.final.q[0]);
  }
  const double ratio = (ends[0] - ends[1]) / (ends[1] - ends[2]);
  EXPECT_NEAR(ratio, 4, 0.2);
  EXPECT_NEAR((ends[1] - ends[2]) / (ends[2] - ends[3]), 4, 0.1);
}

/// A block on a table y = 0, with friction μ|N| against its motion, N the force of the table: another
/// element reads its multiplier.
struct Table {
  dae::ElementShape shape() const {
    return {.type = "table", .nodes = {{NodeRole::kCoordinates, 2}}, .constraints = 1};
  }
  template <class S>
  lie::Vec<S, 1> constraint(const dae::Position<S>& at) const {
    return lie::Vec<S, 1>(S(at.coordinates(0)(1)));
  }
};
struct Friction {
  dae::ElementShape shape() const {
    return {.type = "friction",
            .nodes = {{NodeRole::kCoordinates, 2}},
            .parameters = {{"mu", 0.3, "1", "coefficient"}},
            .multipliers_read = 1};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    balance.row(0, 0) -= at.parameter("mu") * at.multiplier(0);
  }
};

TEST(ForcesThatDependOnMultipliers, DecelerateABlockAsTheyShould) {
  for (const auto formulation :
       {Formulation::kIndex3, Formulation::kIndex2, Formulation::kStabilized}) {
    dae::System system("block");
    system.add_node("block", lie::NodeGroup::rn(2));
    system.add("block", elements::PlanarPointMass{}, {"block"}, {.values = {{"m", 2}}});
    system.add("table", Table{}, {"block"});
    system.add("friction", Friction{}, {"block"}, {.reads_multipliers_of = {"table"}});
    system.set_initial_velocity("block", {5, 0});
    dae::IntegrateOptions options = with_step(0.01, 1);
    options.alpha.formulation = formulation;
    const dae::State end = dae::integrate(system, options).final;
    // λ is the weight with a minus, as Bᵀλ stands on the left.
    EXPECT_NEAR(end.lambda[0], -2 * 9.81, 1e-10);
    EXPECT_NEAR(end.v[0], 5 - 0.3 * 9.81, 1e-12);
    EXPECT_NEAR(end.q[0], 5 - 0.5 * 0.3 * 9.81, 1e-12);
  }
}

struct Thruster {
  dae::ElementShape shape() const {
    return {.type = "thruster", .nodes = {{NodeRole::kCoordinates, 1}}, .controls = {"force"}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    balance.row(0, 0) += at.acceleration_coordinates(0)(0) - at.control(0);
  }
};

TEST(Controls, ActAsForces) {
  dae::System system("thruster");
  system.add_node("x", lie::NodeGroup::rn(1));
  system.add("thruster", Thruster{}, {"x"});
  ASSERT_EQ(system.controls(), std::vector<std::string>{"thruster.force"});
  dae::IntegrateOptions options = with_step(1e-3, 2);
  options.controls = [](double t, std::span<double> u) { u[0] = std::cos(t); };
  const dae::State end = dae::integrate(system, options).final;
  EXPECT_NEAR(end.v[0], std::sin(2.0), 1e-6);
  EXPECT_NEAR(end.q[0], 1 - std::cos(2.0), 1e-6);
  // Stages of Runge–Kutta methods see the controls of their own times.
  options.method = dae::Method::kMuntheKaas;
  options.step = 0.02;
  const dae::State fine = dae::integrate(system, options).final;
  EXPECT_NEAR(fine.v[0], std::sin(2.0), 1e-9);
  EXPECT_NEAR(fine.q[0], 1 - std::cos(2.0), 1e-9);
}

/// Two coordinates tied together, x_1 = x_2 + sin t, of which only the first has mass.
struct Tie {
  dae::ElementShape shape() const {
    return {.type = "tie", .nodes = {{NodeRole::kCoordinates, 2}}, .constraints = 1};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    const auto x = at.coordinates(0);
    balance.row(0, 0) += at.acceleration_coordinates(0)(0);
    balance.row(0, 1) += S(9) * x(1);
  }
  template <class S>
  lie::Vec<S, 1> constraint(const dae::Position<S>& at) const {
    using std::sin;
    const auto x = at.coordinates(0);
    return lie::Vec<S, 1>(S(x(0) - x(1) - sin(at.time())));
  }
};

/// A unit mass under a force that is there from a time on: time is read by a comparison only.
struct SwitchedForce {
  dae::ElementShape shape() const {
    return {.type = "switched_force", .nodes = {{NodeRole::kCoordinates, 1}}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    balance.row(0, 0) +=
        at.acceleration_coordinates(0)(0) - lie::select_lt(at.time(), S(0.505), S(0), S(3));
  }
};

TEST(Switches, AreReadByStepsThoughNoDerivativeDependsOnThem) {
  dae::System system("switch");
  system.add_node("x", lie::NodeGroup::rn(1));
  system.add("mass", SwitchedForce{}, {"x"});
  EXPECT_EQ(dae::integrate(system, with_step(0.01, 0.5)).final.v[0], 0);
  // To the accuracy of the step that has the switch in it.
  EXPECT_NEAR(dae::integrate(system, with_step(0.01, 1)).final.v[0], 3 * 0.495, 3 * 0.01);
}

TEST(SemidefiniteMass, WorksWhereItIsDefiniteOnTheKernelOfB) {
  // ẍ_1 + 9 (x_1 - sin t) = 0, x_1(0) = 0, ẋ_1(0) = 2: x_1 = A sin 3t + 9/8 sin t.
  const double amplitude = (2 - 9.0 / 8) / 3;
  for (const auto formulation :
       {Formulation::kIndex3, Formulation::kIndex2, Formulation::kStabilized}) {
    std::vector<double> errors;
    for (const double h : {0.02, 0.01}) {
      dae::System system("tie");
      system.add_node("x", lie::NodeGroup::rn(2));
      system.add("tie", Tie{}, {"x"});
      system.set_initial_velocity("x", {2, 1});
      dae::IntegrateOptions options = with_step(h, 1);
      options.alpha.formulation = formulation;
      const dae::State end = dae::integrate(system, options).final;
      errors.push_back(std::abs(end.q[0] - amplitude * std::sin(3.0) - 9.0 / 8 * std::sin(1.0)));
    }
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.15);
  }
}

}  // namespace
}  // namespace liegrad::testing
