// Munthe-Kaas methods: equal to the classical ones where the group commutes, of their order elsewhere.

#include "liegrad/dae/runge_kutta/munthe_kaas.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/system/small_rotation.hpp"
#include "liegrad/models/models.hpp"
#include "support/allocations.hpp"

namespace liegrad::dae {
namespace {

const std::vector<ButcherTableau>& all_tableaus() {
  static const std::vector<ButcherTableau> tableaus = {rk4(), dormand_prince_54(), butcher_6(),
                                                       gauss_2(), radau_iia_2()};
  return tableaus;
}

IntegrateOptions options_for(const ButcherTableau& tableau, double step, double t_end) {
  IntegrateOptions options = dae::alpha_steps();
  options.method = Method::kMuntheKaas;
  options.tableau = tableau;
  options.step = step;
  options.t_end = t_end;
  options.keep_samples = false;
  return options;
}

State run(const System& system, const ButcherTableau& tableau, double step, double t_end) {
  const Solution solution = integrate(system, options_for(tableau, step, t_end));
  EXPECT_TRUE(solution.summary.is_complete()) << solution.summary.message;
  return solution.final;
}

struct Difference {
  double q, v;
};

Difference difference(const System& system, const State& a, const State& b) {
  std::vector<double> delta(a.v.size());
  system.configuration_space().minus<double>(a.q, b.q, delta);
  Difference result{};
  for (std::size_t i = 0; i < delta.size(); ++i) {
    result.q = std::hypot(result.q, delta[i]);
    result.v = std::hypot(result.v, a.v[i] - b.v[i]);
  }
  return result;
}

State initial_state(const System& system) {
  Consistency consistency(system, {}, LinearSolverKind::kAutomatic);
  return consistency.initial_state(0, std::vector<double>(system.controls().size()));
}

/// Angle and angular velocity of m α'' + d α' + k α = 0 after one step of a classical method: the
/// stages solve the linear equations (I - hA⊗L) k = (L y, …, L y).
Eigen::Vector2d classical_step(const ButcherTableau& tableau, const Eigen::Matrix2d& l,
                               const Eigen::Vector2d& y, double h) {
  const Eigen::Index s = tableau.b.size();
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Identity(2 * s, 2 * s);
  Eigen::VectorXd right(2 * s);
  for (Eigen::Index i = 0; i < s; ++i) {
    right.segment<2>(2 * i) = l * y;
    for (Eigen::Index j = 0; j < s; ++j) {
      matrix.block<2, 2>(2 * i, 2 * j) -= h * tableau.a(i, j) * l;
    }
  }
  const Eigen::VectorXd k = matrix.partialPivLu().solve(right);
  Eigen::Vector2d end = y;
  for (Eigen::Index i = 0; i < s; ++i) end += h * tableau.b(i) * k.segment<2>(2 * i);
  return end;
}

TEST(MuntheKaas, IsTheClassicalMethodWhereTheBallTurnsAboutOneAxis) {
  const Eigen::Vector3d axis = Eigen::Vector3d(1, 2, -2) / 3;
  System system = models::make_model("torsional_ball");
  const double alpha = 0.5, rate = 1.3;
  system.set_parameter("ball.alpha0", alpha);
  for (int i = 0; i < 3; ++i) {
    system.set_parameter("ball.n" + std::to_string(i + 1), axis(i));
    system.set_parameter("ball.omega" + std::to_string(i + 1), rate * axis(i));
  }
  Eigen::Matrix2d l;
  l << 0, 1, -system.parameter("ball.k") / system.parameter("ball.m"),
      -system.parameter("ball.d") / system.parameter("ball.m");
  for (const ButcherTableau& tableau : all_tableaus()) {
    Eigen::Vector2d y(alpha, rate);
    const double h = 0.05;
    const auto stepper = make_munthe_kaas(system, tableau, {});
    stepper->start(initial_state(system), h);
    for (int n = 0; n < 40; ++n) {
      ASSERT_TRUE(stepper->step(h, (n + 1) * h).success) << stepper->report().message;
      stepper->accept();
      y = classical_step(tableau, l, y, h);
      const State& state = stepper->state();
      const auto rotation =
          lie::SO3<double>::from_coeffs(Eigen::Map<const Eigen::Vector4d>(state.q.data()));
      EXPECT_LT((rotation.log() - y(0) * axis).norm(), 1e-12) << tableau.name << " " << n;
      EXPECT_LT((Eigen::Map<const Eigen::Vector3d>(state.v.data()) - y(1) * axis).norm(), 1e-12)
          << tableau.name << " " << n;
    }
  }
}

/// Steps at which the order shows: small enough to be asymptotic, errors well above rounding.
struct OrderCase {
  std::string system;
  double t_end;
  std::vector<int> steps;  ///< in the interval, of the methods in the order of all_tableaus()
};

/// log2 of the ratio of errors of n and 2n steps.
Difference measured_order(const System& system, const ButcherTableau& tableau,
                          const State& reference, double t_end, int n) {
  const Difference coarse = difference(system, run(system, tableau, t_end / n, t_end), reference);
  const Difference fine =
      difference(system, run(system, tableau, t_end / (2 * n), t_end), reference);
  return {std::log2(coarse.q / fine.q), std::log2(coarse.v / fine.v)};
}

class MuntheKaasOrder : public testing::TestWithParam<OrderCase> {};

TEST_P(MuntheKaasOrder, IsThatOfTheTableauInPositionsAndVelocities) {
  const OrderCase& c = GetParam();
  const System system = models::make_model(c.system);
  const State reference = run(system, butcher_6(), c.t_end / 8000, c.t_end);
  for (std::size_t i = 0; i < all_tableaus().size(); ++i) {
    const ButcherTableau& tableau = all_tableaus()[i];
    const Difference order = measured_order(system, tableau, reference, c.t_end, c.steps[i]);
    EXPECT_NEAR(order.q, tableau.order, 0.15) << tableau.name;
    EXPECT_NEAR(order.v, tableau.order, 0.15) << tableau.name;
    RecordProperty(tableau.name, std::to_string(order.q) + " " + std::to_string(order.v));
  }
}

TEST_P(MuntheKaasOrder, IsLostWhenACoefficientIsWrong) {
  const OrderCase& c = GetParam();
  const System system = models::make_model(c.system);
  const State reference = run(system, butcher_6(), c.t_end / 8000, c.t_end);
  for (std::size_t i = 0; i < all_tableaus().size(); ++i) {
    // Row sums are kept, so that problems() finds nothing.
    ButcherTableau tableau = all_tableaus()[i];
    const Eigen::Index last = tableau.a.rows() - 1;
    tableau.a(last, 0) += 0.01;
    tableau.a(last, last == 1 ? 1 : last - 1) -= 0.01;
    tableau.b(0) += 0.01;
    tableau.b(last) -= 0.01;
    const Difference order = measured_order(system, tableau, reference, c.t_end, c.steps[i]);
    EXPECT_LT(std::min(order.q, order.v), tableau.order - 0.5) << tableau.name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, MuntheKaasOrder,
                         testing::Values(OrderCase{"torsional_ball", 2, {80, 160, 80, 40, 80}},
                                         OrderCase{"spinning_top", 0.1, {160, 80, 80, 320, 640}}),
                         [](const auto& each) { return each.param.system; });

TEST(MuntheKaas, HasTheRotationThatTheConstrainedTopApproaches) {
  const System top = models::make_model("heavy_top"), spinning = models::make_model("spinning_top");
  const double t_end = 0.1;
  const State reference = run(spinning, butcher_6(), t_end / 4000, t_end);
  std::vector<double> errors;
  for (const int n : {400, 800, 1600}) {
    IntegrateOptions options = dae::alpha_steps();
    options.step = t_end / n;
    options.t_end = t_end;
    options.keep_samples = false;
    const Solution solution = integrate(top, options);
    ASSERT_TRUE(solution.summary.is_complete()) << solution.summary.message;
    const auto rotation = [](const State& state) {
      return lie::SO3<double>::from_coeffs(Eigen::Map<const Eigen::Vector4d>(state.q.data()));
    };
    errors.push_back((rotation(reference).inverse() * rotation(solution.final)).log().norm());
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.1);
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 2, 0.1);
}

TEST(MuntheKaas, KeepsTheErrorNearTheToleranceWithAdaptiveSteps) {
  for (const char* const name : {"torsional_ball", "spinning_top"}) {
    const System system = models::make_model(name);
    const double t_end = name == std::string("torsional_ball") ? 5 : 0.2;
    const State reference = run(system, butcher_6(), t_end / 10000, t_end);
    for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
      IntegrateOptions options = options_for(dormand_prince_54(), 0, t_end);
      options.adaptive = AdaptiveOptions{.tolerance = {tolerance, tolerance}};
      const Solution solution = integrate(system, options);
      ASSERT_TRUE(solution.summary.is_complete()) << solution.summary.message;
      const Difference error = difference(system, solution.final, reference);
      const double steps = static_cast<double>(solution.summary.steps);
      EXPECT_LT(error.q, 30 * tolerance) << name << " " << tolerance;
      EXPECT_GT(error.q, 1e-3 * tolerance) << name << " " << tolerance;
      EXPECT_GT(steps, 5) << name;
    }
  }
}

TEST(MuntheKaas, ReusesTheLastStageAsTheFirst) {
  const System system = models::make_model("spinning_top");
  for (const auto& [tableau, evaluations] :
       {std::pair(rk4(), 4), std::pair(dormand_prince_54(), 6), std::pair(butcher_6(), 7)}) {
    const auto stepper = make_munthe_kaas(system, tableau, {});
    stepper->start(initial_state(system), 1e-3);
    EXPECT_EQ(stepper->step(1e-3, 1e-3).residuals, evaluations) << tableau.name;
  }
}

TEST(MuntheKaas, KeepsTheAccelerationThatBelongsToTheState) {
  const System system = models::make_model("spinning_top");
  for (const ButcherTableau& tableau : all_tableaus()) {
    State end = run(system, tableau, 1e-3, 0.01);
    const std::vector<double> v_dot = end.v_dot;
    Consistency consistency(system, {}, LinearSolverKind::kAutomatic);
    consistency.set_accelerations(end);
    for (std::size_t i = 0; i < v_dot.size(); ++i) {
      EXPECT_NEAR(v_dot[i], end.v_dot[i], 1e-8 * 150) << tableau.name;
    }
  }
}

TEST(MuntheKaas, GaussKeepsTheEnergyOfAnUndampedBall) {
  System system = models::make_model("torsional_ball");
  system.set_parameter("ball.d", 0);
  const auto largest_change = [&](const ButcherTableau& tableau, double step) {
    Assembly assembly(system, Formulation::kIndex3, false, LinearSolverKind::kAutomatic);
    std::vector<double> outputs(static_cast<std::size_t>(system.num_element_outputs()));
    double first = 0, largest = 0;
    bool started = false;
    IntegrateOptions options = options_for(tableau, step, 20);
    options.on_step = [&](const State& state) {
      assembly.set_configuration(state.q);
      assembly.set_velocity(state.v);
      const auto observed = assembly.observe(outputs);
      const double energy = observed.kinetic + observed.potential;
      if (!started) first = energy, started = true;
      largest = std::max(largest, std::abs(energy - first));
      return true;
    };
    EXPECT_TRUE(integrate(system, options).summary.is_complete());
    return largest;
  };
  // On the group the method is not symmetric, but what it loses is of its order.
  const double coarse = largest_change(gauss_2(), 0.05), fine = largest_change(gauss_2(), 0.025);
  EXPECT_LT(coarse, 1e-8);
  EXPECT_LT(fine, coarse / 14);
  EXPECT_GT(largest_change(radau_iia_2(), 0.05), 1e-3);
  // About one axis the energy is a quadratic invariant of linear equations.
  system.set_parameter("ball.omega1", 0);
  system.set_parameter("ball.omega2", 0);
  EXPECT_LT(largest_change(gauss_2(), 0.05), 1e-12);
  EXPECT_GT(largest_change(rk4(), 0.05), 1e-4);
}

using MuntheKaasAllocation = test::Allocation;

TEST_F(MuntheKaasAllocation, DoesNotHappenInAStep) {
  for (const char* const name : {"spinning_top", "torsional_ball", "free_body"}) {
    const System system = models::make_model(name);
    for (const ButcherTableau& tableau : all_tableaus()) {
      const auto stepper = make_munthe_kaas(system, tableau, {});
      stepper->start(initial_state(system), 1e-3);
      for (int n = 0; n < 3; ++n) {
        EXPECT_EQ(test::allocations_of([&] {
                    stepper->step(1e-3, (n + 1) * 1e-3);
                    stepper->accept();
                  }),
                  0)
            << name << " " << tableau.name;
        EXPECT_TRUE(stepper->report().success);
      }
    }
  }
}

/// Both groups of rigid bodies describe the same motion.
TEST(MuntheKaas, MovesAFreeBodyAlikeOnBothGroups) {
  const double t_end = 0.5;
  const System product = models::make_model("free_body", lie::NodeGroup::so3xr3());
  const System rigid = models::make_model("free_body", lie::NodeGroup::se3());
  for (const ButcherTableau& tableau : all_tableaus()) {
    const State a = run(product, tableau, t_end / 2000, t_end);
    const State b = run(rigid, tableau, t_end / 2000, t_end);
    for (std::size_t i = 0; i < a.q.size(); ++i) EXPECT_NEAR(a.q[i], b.q[i], 1e-7) << tableau.name;
  }
}

/// Inertia x of a coordinate x: singular at x = 0.
struct VanishingMass {
  ElementShape shape() const {
    return {.type = "vanishing_mass", .nodes = {{NodeRole::kCoordinates, 1}}};
  }
  template <class S>
  void residual(const Motion<S>& at, Balance<S>& balance) const {
    balance.row(0, 0) += at.coordinates(0)(0) * at.acceleration_coordinates(0)(0);
  }
};

/// √x: not a number for x < 0.
struct RootForce {
  ElementShape shape() const {
    return {.type = "root_force", .nodes = {{NodeRole::kCoordinates, 1}}};
  }
  template <class S>
  void residual(const Motion<S>& at, Balance<S>& balance) const {
    using std::sqrt;
    balance.row(0, 0) += at.acceleration_coordinates(0)(0) + sqrt(at.coordinates(0)(0));
  }
};

template <class E>
System falling(const E& element, double start) {
  System system("falling");
  system.add_node("point", lie::NodeGroup::rn(1));
  system.add("force", element, {"point"});
  system.set_initial_configuration("point", {start});
  system.set_initial_velocity("point", {-1});
  return system;
}

TEST(MuntheKaas, SaysWhereTheMassIsSingular) {
  // A stage of RK4 with h = 1 and v̇ = 0 is exactly at x = 0.
  const System system = falling(VanishingMass{}, 0.5);
  const auto stepper = make_munthe_kaas(system, rk4(), {});
  stepper->start(initial_state(system), 1);
  const StepReport& report = stepper->step(1, 1);
  EXPECT_FALSE(report.success);
  EXPECT_EQ(report.failure, NewtonFailure::kSingularMatrix);
  EXPECT_NE(report.message.find("the mass matrix is singular at"), std::string::npos)
      << report.message;
  EXPECT_NE(report.message.find("point"), std::string::npos) << report.message;
}

TEST(MuntheKaas, NamesTheElementThatIsNotFinite) {
  const System system = falling(RootForce{}, 0.4);
  for (const ButcherTableau& tableau : all_tableaus()) {
    const auto stepper = make_munthe_kaas(system, tableau, {});
    stepper->start(initial_state(system), 1);
    const StepReport& report = stepper->step(1, 1);
    EXPECT_FALSE(report.success);
    EXPECT_EQ(report.failure, NewtonFailure::kNonFinite) << tableau.name;
    EXPECT_EQ(report.message, "element 'force' returns a number that is not finite")
        << tableau.name;
  }
  const Solution solution = integrate(system, options_for(rk4(), 0.1, 2));
  EXPECT_EQ(solution.summary.termination, Termination::kNonFinite);
  EXPECT_NE(solution.summary.message.find("element 'force'"), std::string::npos);
}

TEST(MuntheKaas, SaysThatNewtonDoesNotConverge) {
  const System system = models::make_model("torsional_ball");
  NewtonOptions newton;
  newton.max_iterations = 1;
  const auto stepper = make_munthe_kaas(system, gauss_2(), newton);
  stepper->start(initial_state(system), 0.5);
  const StepReport& report = stepper->step(0.5, 0.5);
  EXPECT_EQ(report.failure, NewtonFailure::kDiverged);
  EXPECT_EQ(report.message, "Newton's iteration does not converge in 1 iterations");
}

/// With an exact matrix few iterations suffice even for long steps; and a kept one gives the same.
TEST(MuntheKaas, ConvergesQuadratically) {
  const System system = models::make_model("spinning_top");
  NewtonOptions newton;
  newton.max_iterations = 6;
  const auto stepper = make_munthe_kaas(system, gauss_2(), newton);
  const double h = 2e-3;
  stepper->start(initial_state(system), h);
  for (int n = 0; n < 50; ++n) {
    ASSERT_TRUE(stepper->step(h, (n + 1) * h).success) << stepper->report().message;
    stepper->accept();
  }
  newton = {};
  newton.kind = NewtonKind::kModified;
  const auto kept = make_munthe_kaas(system, gauss_2(), newton);
  kept->start(initial_state(system), h);
  for (int n = 0; n < 50; ++n) {
    ASSERT_TRUE(kept->step(h, (n + 1) * h).success) << kept->report().message;
    kept->accept();
  }
  const Difference between = difference(system, stepper->state(), kept->state());
  EXPECT_LT(between.q, 1e-10);
  EXPECT_LT(between.v, 1e-8);
}

TEST(MuntheKaas, RefusesConstraintsWithImplicitTableaus) {
  const System system = models::make_model("heavy_top");
  EXPECT_THROW(make_munthe_kaas(system, gauss_2(), {}), InvalidArgument);
}

TEST(SmallRotation, AgreesWithTheSeriesOfTheGroups) {
  constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();
  for (int i = 0; i <= 64; ++i) {
    const double x = SmallRotation::kLargest * i / 64;
    const SmallRotation small(x);
    const auto c = lie::rotation::stumpff_of<2, double>(lie::Vec<double, 3>(std::sqrt(x), 0, 0));
    EXPECT_NEAR(small.c1, c(1), kRounding);
    EXPECT_NEAR(small.c2, c(2), kRounding);
    EXPECT_NEAR(small.d, lie::rotation::inverse_coefficient<double>(x), kRounding);
  }
}

}  // namespace
}  // namespace liegrad::dae
