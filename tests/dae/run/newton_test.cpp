// Newton's iteration: scaling, kinds of matrices, line search, first guesses, memory.

#include <gtest/gtest.h>

#include "dae/heavy_top_runs.hpp"
#include "liegrad/dae/alpha/alpha_kinematics.hpp"
#include "liegrad/dae/alpha/alpha_memory.hpp"
#include "liegrad/dae/alpha/generalized_alpha.hpp"
#include "support/allocations.hpp"

namespace liegrad::testing {
namespace {

using dae::Formulation;
using dae::NewtonKind;

/// 2-norm condition number of the iteration matrix at the start of the top, in the unknowns (Δq, hλ, η)
/// of the paper.
double condition(const lie::NodeGroup& group, Formulation formulation, double h) {
  const dae::System system = models::make_model("heavy_top", group);
  const bool stabilized = formulation == Formulation::kStabilized;
  dae::MethodState state;
  dae::begin_alpha(dae::Consistency(system, {}, dae::LinearSolverKind::kDense).initial_state(0, {}),
                   stabilized, state);
  dae::Assembly assembly(system, formulation, false, dae::LinearSolverKind::kDense);
  dae::AlphaKinematics kinematics(system.configuration_space(),
                                  {dae::AlphaParameters::from_spectral_radius(0.9), 0.0},
                                  stabilized);
  std::copy(state.lambda.begin(), state.lambda.end(), assembly.multipliers().begin());
  kinematics.begin(state, h, assembly);
  kinematics.guess_acceleration(state.v_dot);
  kinematics.evaluate(assembly, true);
  assembly.evaluate(true);
  const int n = assembly.size();
  Eigen::MatrixXd matrix(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) matrix(i, j) = assembly.entry(i, j);
  }
  // w = Δq' + B(q_n)ᵀη' takes the matrix to (62).
  if (stabilized) {
    for (int j = 0; j < 3; ++j) {
      Eigen::Vector3d eta = Eigen::Vector3d::Unit(j);
      Eigen::VectorXd column = Eigen::VectorXd::Zero(6);
      assembly.stabilizer().add_product(1, {eta.data(), 3}, {column.data(), 6});
      matrix.col(9 + j) += matrix.leftCols(6) * column;
    }
  }
  const Eigen::VectorXd singular = matrix.jacobiSvd().singularValues();
  return singular(0) / singular(n - 1);
}

TEST(ScaledNewton, HasAConditionNumberThatDoesNotGrowForSmallSteps) {
  for (const auto& group : {lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()}) {
    for (const auto formulation : {Formulation::kIndex3, Formulation::kStabilized}) {
      const double reference = condition(group, formulation, 1e-3);
      for (const double h : {1e-4, 1e-5, 1e-6}) {
        const double ratio = condition(group, formulation, h) / reference;
        EXPECT_LT(ratio, 2) << h;
        EXPECT_GT(ratio, 0.5) << h;
      }
    }
  }
}

dae::Solution run_with(NewtonKind kind, dae::FirstGuess guess = dae::FirstGuess::kExtrapolated,
                       Formulation formulation = Formulation::kIndex3, double h = 1e-3) {
  TopRun run{.formulation = formulation, .h = h, .t_end = 0.3};
  dae::IntegrateOptions options = run.options();
  options.alpha.newton.kind = kind;
  options.alpha.newton.max_iterations = 60;
  options.alpha.guess = guess;
  return dae::integrate(models::make_model("heavy_top"), options);
}

void expect_same_motion(const dae::Solution& a, const dae::Solution& b) {
  ASSERT_TRUE(a.summary.is_complete()) << a.summary.message;
  ASSERT_TRUE(b.summary.is_complete()) << b.summary.message;
  ASSERT_EQ(a.samples.size(), b.samples.size());
  for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(a.final.q[i], b.final.q[i], 1e-9);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(a.final.v[i], b.final.v[i], 1e-7);
}

TEST(NewtonKinds, AllSolveTheSameEquations) {
  for (const auto formulation :
       {Formulation::kIndex3, Formulation::kIndex2, Formulation::kStabilized}) {
    const dae::Solution full =
        run_with(NewtonKind::kFull, dae::FirstGuess::kExtrapolated, formulation, 5e-4);
    for (const auto kind : {NewtonKind::kModified, NewtonKind::kSimplified}) {
      expect_same_motion(full, run_with(kind, dae::FirstGuess::kExtrapolated, formulation, 5e-4));
    }
  }
}

TEST(FirstGuesses, AllLeadToTheSameSolution) {
  const dae::Solution extrapolated = run_with(NewtonKind::kFull);
  for (const auto guess : {dae::FirstGuess::kConstantA, dae::FirstGuess::kZeroMultiplier}) {
    const dae::Solution other = run_with(NewtonKind::kFull, guess);
    expect_same_motion(extrapolated, other);
    EXPECT_GE(other.summary.newton_iterations, extrapolated.summary.newton_iterations);
  }
}

TEST(ModifiedNewton, KeepsItsMatrixWhereBIsConstant) {
  // On SE(3) mass and constraint matrix of the top are constant: a few matrices serve a whole run.
  TopRun run{.group = lie::NodeGroup::se3()};
  dae::IntegrateOptions options = run.options();
  options.alpha.newton.kind = NewtonKind::kModified;
  const auto summary = dae::integrate(models::make_model("heavy_top", run.group), options).summary;
  EXPECT_LE(summary.jacobian_evaluations, 20);
  EXPECT_EQ(summary.jacobian_evaluations, summary.factorizations);
}

/// A spring so stiff and curved that a full Newton step from afar overshoots: f = k atan(c x).
struct SaturatingSpring {
  dae::ElementShape shape() const {
    return {.type = "saturating_spring",
            .nodes = {{dae::NodeRole::kCoordinates, 1}},
            .parameters = {{"k", 1e6}, {"c", 50}}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    using std::atan;
    const S x = at.coordinates(0)(0);
    balance.row(0, 0) +=
        at.acceleration_coordinates(0)(0) + at.parameter(0) * atan(S(at.parameter(1) * x));
  }
};

TEST(LineSearch, SavesStepsThatFullCorrectionsLose) {
  dae::System system("spring");
  system.add_node("x", lie::NodeGroup::rn(1));
  system.add("spring", SaturatingSpring{}, {"x"});
  system.set_initial_configuration("x", {1});
  dae::IntegrateOptions options = dae::alpha_steps();
  options.step = 0.05;
  options.t_end = 0.5;
  options.alpha.guess = dae::FirstGuess::kConstantA;
  const auto with = dae::integrate(system, options).summary;
  options.alpha.newton.line_search = false;
  const auto without = dae::integrate(system, options).summary;
  EXPECT_TRUE(with.is_complete()) << with.message;
  EXPECT_LT(with.failed_attempts, without.failed_attempts);
}

TEST(ResidualTolerance, StopsTheIterationEarlier) {
  TopRun run{.t_end = 0.1};
  dae::IntegrateOptions options = run.options();
  options.alpha.newton.residual_tolerance = 1e-2;
  const auto loose = dae::integrate(models::make_model("heavy_top"), options).summary;
  EXPECT_LT(loose.newton_iterations, run.run().summary.newton_iterations);
}

TEST(AStep, AllocatesNothing) {
  for (const auto& group : {lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()}) {
    for (const auto formulation :
         {Formulation::kIndex3, Formulation::kIndex2, Formulation::kStabilized}) {
      for (const double sigma : {0.0, 0.6}) {
        for (const auto kind : {NewtonKind::kFull, NewtonKind::kModified}) {
          const dae::System system = models::make_model("heavy_top", group);
          dae::AlphaOptions options =
              TopRun{.group = group, .formulation = formulation, .sigma = sigma}.options().alpha;
          options.newton.kind = kind;
          dae::GeneralizedAlpha stepper(system, options);
          const double h = 1e-3;
          stepper.start(
              dae::Consistency(system, {}, dae::LinearSolverKind::kAutomatic).initial_state(0, {}),
              h);
          for (int n = 1; n <= 3; ++n) {
            ASSERT_TRUE(stepper.step(h, n * h).success);
            stepper.accept();
          }
          bool success = true;
          const int allocations = test::allocations_of([&] {
            for (int n = 4; n <= 60; ++n) {
              success = stepper.step(h, n * h).success && success;
              stepper.accept();
            }
          });
          EXPECT_TRUE(success);
          EXPECT_EQ(allocations, 0);
        }
      }
    }
  }
}

TEST(AVeryLongRun, KeepsTheQuaternionAndTheConstraints) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  const long steps = 100000;
#else
  const long steps = 10000000;
#endif
  dae::IntegrateOptions options = TopRun{}.options();
  options.t_end = static_cast<double>(steps) * options.step;
  options.keep_samples = false;
  double drift = 0;
  options.on_step = [&](const dae::State& state) {
    double square = 0;
    for (std::size_t i = 0; i < 4; ++i) square += state.q[i] * state.q[i];
    drift = std::max(drift, std::abs(std::sqrt(square) - 1));
    return true;
  };
  const auto summary = dae::integrate(models::make_model("heavy_top"), options).summary;
  EXPECT_TRUE(summary.is_complete()) << summary.message;
  EXPECT_EQ(summary.steps, steps);
  EXPECT_LE(drift, 1e-13);
  EXPECT_LE(summary.max_position_residual, 2e-14);
}

}  // namespace
}  // namespace liegrad::testing
