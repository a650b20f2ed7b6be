// Derivatives of long runs do not depend on how their states came about: kept, restored from memory or from disk
// and recomputed from there, or found by other iterations from other guesses.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/models/models.hpp"
#include "liegrad/sensitivity/differentiate.hpp"

namespace liegrad::testing {
namespace {

using dae::Formulation;
using sensitivity::CheckpointOptions;
using sensitivity::Derivatives;
using sensitivity::DifferentiateOptions;
using sensitivity::Mode;
using sensitivity::Objective;

constexpr Formulation kFormulations[] = {Formulation::kIndex3, Formulation::kIndex2,
                                         Formulation::kStabilized};

/// A run, its gradient and a product of its Hessian with relative changes of the parameters.
struct LongRun {
  LongRun(const std::string& model, const lie::NodeGroup& group,
          const std::vector<std::string>& outputs, std::vector<std::string> parameters, double step,
          long steps)
      : system(models::make_model(model, group)), objective(system) {
    for (const std::string& output : outputs) objective.add_output(output);
    options.integrate = dae::alpha_steps(step);
    options.integrate.t_end = static_cast<double>(steps) * step;
    options.integrate.keep_samples = false;
    options.variables.parameters = std::move(parameters);
    for (const std::string& name : options.variables.parameters) {
      sizes.push_back(std::abs(system.parameter(name)));
    }
  }
  LongRun(const LongRun&) = delete;  // the objective refers to the system
  LongRun& operator=(const LongRun&) = delete;

  void ask_for_hessian_product() { options.second_order.emplace().directions = {sizes}; }
  Derivatives derivatives() const { return differentiate(objective, options); }
  Derivatives derivatives(const CheckpointOptions& checkpoints) {
    options.checkpoints = checkpoints;
    Derivatives result = derivatives();
    options.checkpoints = {};
    return result;
  }

  dae::System system;
  Objective objective;
  DifferentiateOptions options;
  std::vector<double> sizes;
};

/// Largest differences in rows of derivatives, each relative to the largest entry of its row, all times the sizes of
/// parameters.
struct Differences {
  double of_motion = 0;  ///< positions and velocities
  double of_forces = 0;  ///< multipliers, and what is made of them

  void print(const std::string& name) const {
    std::printf("%s: motion %.1e, forces %.1e\n", name.c_str(), of_motion, of_forces);
  }
};
Differences difference(const LongRun& run, const Derivatives& a, const Derivatives& b) {
  const Eigen::Map<const Eigen::VectorXd> sizes(run.sizes.data(), std::ssize(run.sizes));
  Differences result;
  const auto compare = [&](const Eigen::VectorXd& x, const Eigen::VectorXd& y, double& worst) {
    const double size = x.cwiseProduct(sizes).cwiseAbs().maxCoeff();
    EXPECT_GT(size, 0);
    const double relative = (x - y).cwiseProduct(sizes).cwiseAbs().maxCoeff() / size;
    if (!(relative <= worst)) worst = relative;  // keeps NaN
  };
  for (Eigen::Index i = 0; i < a.jacobian.rows(); ++i) {
    const std::string& name = a.value_names[static_cast<std::size_t>(i)];
    const bool is_force = name.find("lambda") != name.npos;
    compare(a.jacobian.row(i), b.jacobian.row(i), is_force ? result.of_forces : result.of_motion);
  }
  for (Eigen::Index j = 0; j < a.hessian_products.cols(); ++j) {
    compare(a.hessian_products.col(j), b.hessian_products.col(j), result.of_forces);
  }
  return result;
}

const std::vector<std::string> kOfTop = {"top.x.1", "top.x.3", "top.omega.1",
                                         "fixed_point.lambda.2"};
const std::vector<std::string> kTopParameters = {"top.m", "top.J1", "top.J3", "top.omega2",
                                                 "top.omega3"};

// Memory.

/// Recomputed states differ from those of the first run by rounding, which the motion amplifies with the time and the
/// derivatives by as much again.
constexpr double kMemoryTolerance = 1e-7;

std::string name_of(Formulation formulation) {
  switch (formulation) {
    case Formulation::kIndex3: return "index 3";
    case Formulation::kIndex2: return "index 2";
    default: return "stabilised";
  }
}
void expect_within(double tolerance, const Differences& found, const std::string& name) {
  found.print(name);
  EXPECT_LE(found.of_motion, tolerance) << name;
  EXPECT_LE(found.of_forces, tolerance) << name;
}

std::string scratch() { return std::filesystem::temp_directory_path().string(); }

TEST(LimitedMemory, DoesNotChangeTheGradientOfALongRun) {
  for (const Formulation formulation : kFormulations) {
    LongRun run("heavy_top", lie::NodeGroup::so3xr3(), kOfTop, kTopParameters, 1e-4, 100'000);
    run.options.integrate.alpha.formulation = formulation;
    const Derivatives all = run.derivatives();
    EXPECT_EQ(all.recomputed_steps, 0);
    for (const CheckpointOptions& checkpoints :
         {CheckpointOptions{.megabytes = 0.3},
          CheckpointOptions{.megabytes = 0.3, .directory = scratch()}}) {
      const Derivatives few = run.derivatives(checkpoints);
      expect_within(kMemoryTolerance, difference(run, all, few), name_of(formulation));
      EXPECT_GT(few.recomputed_steps, 90'000);
      EXPECT_LE(few.recomputed_steps, 100'000);
    }
  }
}

TEST(LimitedMemory, DoesNotChangeProductsOfTheHessian) {
  for (const Formulation formulation : kFormulations) {
    LongRun run("heavy_top", lie::NodeGroup::se3(), kOfTop, kTopParameters, 5e-4, 5'000);
    run.options.integrate.alpha.formulation = formulation;
    run.ask_for_hessian_product();
    const Derivatives all = run.derivatives();
    ASSERT_EQ(all.hessian_products.cols(), 1);
    // So few states that steps are made many times.
    for (const CheckpointOptions& checkpoints :
         {CheckpointOptions{.megabytes = 0.01},
          CheckpointOptions{.megabytes = 0.01, .directory = scratch()}}) {
      const Derivatives few = run.derivatives(checkpoints);
      expect_within(kMemoryTolerance, difference(run, all, few), name_of(formulation));
      EXPECT_GT(few.recomputed_steps, 5'000);
    }
  }
}

TEST(LimitedMemory, DoesNotChangeDerivativesOnAdaptiveSteps) {
  for (const Formulation formulation : kFormulations) {
    LongRun run("heavy_top", lie::NodeGroup::so3xr3(), kOfTop, kTopParameters, 1, 1);
    run.options.integrate.adaptive =
        dae::AdaptiveOptions{.tolerance = {.relative = 1e-2, .absolute = 1e-3}};
    run.options.integrate.alpha.formulation = formulation;
    run.ask_for_hessian_product();
    const Derivatives all = run.derivatives();
    const Derivatives few = run.derivatives({.megabytes = 0.01});
    const dae::IntegrateSummary& made = all.simulation;
    EXPECT_GT(made.largest_step, 1.5 * made.smallest_step);
    EXPECT_GT(few.recomputed_steps, made.steps / 2);
    const Differences found = difference(run, all, few);
    found.print(name_of(formulation) + ", " + std::to_string(made.steps) + " adaptive steps");
    EXPECT_LE(found.of_motion, kMemoryTolerance);
    // Index 3: rounding ε of positions leaves ε/h in velocities across the constraints, which a longer step
    // multiplies by the square of the ratio, and multipliers have that over the step.
    const double ratio = made.largest_step / made.smallest_step;
    const double rounding = std::numeric_limits<double>::epsilon() / made.smallest_step * ratio *
                            ratio / made.largest_step;
    const bool is_index3 = formulation == Formulation::kIndex3;
    if (is_index3) std::printf("rounding %.1e\n", rounding);
    EXPECT_LE(found.of_forces, is_index3 ? 10 * rounding : kMemoryTolerance);
  }
}

TEST(LimitedMemory, DoesNotChangeDerivativesWithKeptMatrices) {
  // The second run starts with matrices that the first did not have there.
  LongRun run("heavy_top", lie::NodeGroup::so3xr3(), kOfTop, kTopParameters, 5e-4, 5'000);
  for (const auto kind : {dae::NewtonKind::kModified, dae::NewtonKind::kSimplified}) {
    run.options.integrate.alpha.newton.kind = kind;
    expect_within(kMemoryTolerance,
                  difference(run, run.derivatives(), run.derivatives({.megabytes = 0.01})),
                  "Newton " + std::to_string(static_cast<int>(kind)));
  }
}

// Iterations.

/// What the equations of steps leave to choose has no say in derivatives.
constexpr double kIterationTolerance = 1e-9;
/// Index 3: rounding ε of positions is ε/(βh²) in accelerations and multipliers, 7e-10 for steps of a millisecond, and
/// some of it adds up.
constexpr double kIterationToleranceOfForces = 1e-8;

void expect_same_whatever_the_iteration(LongRun& run, const std::string& name) {
  dae::AlphaOptions& alpha = run.options.integrate.alpha;
  const dae::AlphaOptions before = alpha;
  const Derivatives full = run.derivatives();
  Differences worst;
  const auto expect_same = [&](const char* what) {
    const Differences found = difference(run, full, run.derivatives());
    EXPECT_LE(found.of_motion, kIterationTolerance) << name << ", " << what;
    EXPECT_LE(found.of_forces, before.formulation == Formulation::kIndex3
                                   ? kIterationToleranceOfForces
                                   : kIterationTolerance)
        << name << ", " << what;
    worst.of_motion = std::max(worst.of_motion, found.of_motion);
    worst.of_forces = std::max(worst.of_forces, found.of_forces);
    alpha = before;
  };
  alpha.newton.kind = dae::NewtonKind::kModified;
  expect_same("modified");
  alpha.newton.kind = dae::NewtonKind::kSimplified;
  expect_same("simplified");
  alpha.guess = dae::FirstGuess::kConstantA;
  expect_same("constant a");
  alpha.guess = dae::FirstGuess::kZeroMultiplier;
  expect_same("zero multiplier");
  alpha.newton.kind = dae::NewtonKind::kModified;
  alpha.guess = dae::FirstGuess::kZeroMultiplier;
  expect_same("both");
  alpha.newton.relative_tolerance = 1e-6;
  expect_same("a wide tolerance");
  alpha.newton.residual_tolerance = 1e-3;
  expect_same("a tolerance of residuals");
  worst.print(name + ", " + name_of(before.formulation));
}

TEST(DerivativesOfLongRuns, DoNotDependOnHowStepsOfTheTopAreSolved) {
  for (const Formulation formulation : kFormulations) {
    LongRun run("heavy_top", lie::NodeGroup::so3xr3(), kOfTop, kTopParameters, 1e-3, 1'000);
    run.options.integrate.alpha.formulation = formulation;
    expect_same_whatever_the_iteration(run, "heavy_top");
  }
}

TEST(DerivativesOfLongRuns, DoNotDependOnHowStepsOfTheSliderCrankAreSolved) {
  for (const Formulation formulation : kFormulations) {
    LongRun run("slider_crank_3d", lie::NodeGroup::se3(),
                {"slider.s", "crank.theta", "rod.x.3", "rod.omega.2", "universal.lambda.4"},
                {"crank.m", "rod.m", "rod.J1", "slider.m"}, 2e-3, 1'000);
    run.options.integrate.alpha.formulation = formulation;
    expect_same_whatever_the_iteration(run, "slider_crank_3d");
  }
}

TEST(DerivativesOfLongRuns, DoNotDependOnHowStepsOfTheRotorAreSolved) {
  for (const auto& group : {lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()}) {
    LongRun run("rotor", group, {"rotor.x.2", "rotor.x.3", "rotor.omega.2", "left.p.2"},
                {"rotor.m", "rotor.J1", "rotor.J2", "rotor.omega0", "left.bearing.k2"}, 4.3e-5,
                2'000);
    expect_same_whatever_the_iteration(run, "rotor");
  }
}

}  // namespace
}  // namespace liegrad::testing
