// All modes agree for steps that change, other parameters and variants of the method, other ways to solve its
// equations, other starts, and other objectives; see agreement.hpp.

#include "agreement.hpp"
#include "closed_loop_model.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/forces/actuators.hpp"
#include "liegrad/elements/joints/revolute_joint.hpp"
#include "liegrad/models/models.hpp"

namespace liegrad::testing {
namespace {

constexpr Formulation kFormulations[] = {Formulation::kIndex3, Formulation::kIndex2,
                                         Formulation::kStabilized};
const lie::NodeGroup kBodyGroups[] = {lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()};

TEST(Agreement, HoldsWhenALastStepIsShorter) {
  Seen seen;
  for (const lie::NodeGroup& group : kBodyGroups) {
    for (const Formulation formulation : kFormulations) {
      Problem problem(models::make_model("heavy_top", group), 0.01, 0.0937);
      problem.read_all(0.0912);
      problem.options.integrate.alpha.formulation = formulation;
      problem.options.integrate.alpha.start = StartingValues::kCorrected;
      expect_agreement(problem, "a shorter last step", seen);
    }
  }
  // A step that is longer than the run.
  Problem problem(models::make_model("pendulum"), 0.03, 0.02);
  problem.read_all(0.013);
  expect_agreement(problem, "one step", seen);
  seen.print("shorter last step");
}

TEST(Agreement, HoldsOnTheStepsThatErrorControlChose) {
  Seen seen;
  for (const lie::NodeGroup& group : kBodyGroups) {
    for (const Formulation formulation : kFormulations) {
      dae::System system = models::make_model("heavy_top", group);
      system.set_parameter("top.omega2", 20);
      Problem problem(std::move(system), 1, 0.4);
      problem.read_all(0.13);
      problem.options.integrate.adaptive = dae::AdaptiveOptions{
          .tolerance = {.relative = 1e-2, .absolute = 1e-3}, .initial_step = 4e-3};
      problem.options.integrate.alpha.formulation = formulation;
      problem.options.variables.step = false;
      expect_agreement(problem, "adaptive steps", seen);
      const dae::IntegrateSummary& summary = problem.by(Mode::kAdjoint).simulation;
      EXPECT_GE(summary.largest_step, 1.5 * summary.smallest_step);
      EXPECT_GE(summary.steps, 10);
    }
  }
  seen.print("adaptive");
}

TEST(Agreement, HoldsForUpdatedLagrangianMethods) {
  Seen seen;
  for (const lie::NodeGroup& group : kBodyGroups) {
    for (const auto variant :
         {dae::AlphaVariant::kUpdatedLagrangianExp, dae::AlphaVariant::kUpdatedLagrangianCrv}) {
      // Conformal rotation vectors are coordinates of rotations only.
      const bool crv = variant == dae::AlphaVariant::kUpdatedLagrangianCrv;
      if (crv && group.kind == lie::GroupKind::kSE3) continue;
      for (const auto start : {StartingValues::kClassical, StartingValues::kCorrected}) {
        Problem problem(models::make_model("heavy_top", group), 0.01, 0.1);
        problem.read_all(0.043);
        problem.options.integrate.alpha.variant = variant;
        problem.options.integrate.alpha.start = start;
        expect_agreement(problem, "updated Lagrangian", seen);
      }
    }
  }
  seen.print("updated Lagrangian");
}

TEST(Agreement, HoldsForOtherParametersOfTheMethod) {
  Seen seen;
  for (const AlphaParameters& parameters :
       {AlphaParameters::hht(-0.1), AlphaParameters::hht(-1.0 / 3), AlphaParameters::newmark(),
        AlphaParameters::from_spectral_radius(0), AlphaParameters::from_spectral_radius(1)}) {
    for (const double sigma : {0.0, 0.4}) {
      Problem problem(models::make_model("heavy_top", lie::NodeGroup::se3()), 0.01, 0.1);
      problem.read_all(0.043);
      problem.options.integrate.alpha.method = {parameters, sigma};
      problem.options.integrate.alpha.start = StartingValues::kCorrected;
      expect_agreement(problem, "other parameters", seen);
    }
  }
  seen.print("other parameters");
}

TEST(Agreement, DoesNotDependOnHowTheEquationsOfStepsAreSolved) {
  for (const auto& make : {+[] { return models::make_model("heavy_top"); },
                           +[] { return planar_four_bar(lie::NodeGroup::se2()); }}) {
    Problem problem(make(), 0.01, 0.1);
    problem.read_all(0.043);
    dae::AlphaOptions& alpha = problem.options.integrate.alpha;
    alpha.formulation = Formulation::kStabilized;
    const Derivatives full = problem.by(Mode::kAdjoint);
    const Scaled scaled(problem, full);
    const auto expect_same = [&](const char* what) {
      for (const Mode mode : {Mode::kAdjoint, Mode::kForward}) {
        const Derivatives other = problem.by(mode);
        const Scaled::Worst worst = scaled.difference(full.jacobian, other.jacobian);
        EXPECT_LE(worst.value, kTolerance) << what << ", " << worst.where;
      }
    };
    for (const auto kind : {dae::NewtonKind::kModified, dae::NewtonKind::kSimplified}) {
      alpha.newton.kind = kind;
      expect_same("Newton's method");
    }
    alpha.newton = {};
    expect_same("a correction left out");
    alpha.newton.line_search = false;
    alpha.guess = dae::FirstGuess::kZeroMultiplier;
    expect_same("a bad guess");
    for (const auto solver : {dae::LinearSolverKind::kDense, dae::LinearSolverKind::kSparse}) {
      alpha.solver = solver;
      expect_same("another linear solver");
    }
    problem.options.integrate.threads = 2;
    expect_same("two threads");
  }
}

TEST(Agreement, HoldsForInitialValuesInPlaceOfThoseOfTheSystem) {
  Seen seen;
  for (const lie::NodeGroup& group : kBodyGroups) {
    Problem problem(models::make_model("heavy_top", group), 0.01, 0.1);
    problem.read_all(0.043);
    // As the top is after some steps, on the constraints.
    const dae::State state = dae::integrate(problem.system, problem.options.integrate).final;
    dae::Consistency consistency(problem.system, {.project = true},
                                 dae::LinearSolverKind::kAutomatic);
    const dae::State start = consistency.initial_state(0, {}, {state.q, state.v});
    problem.options.integrate.initial = {start.q, start.v};
    expect_agreement(problem, "other initial values", seen);
    // The initial function, and with it the angular velocity that it reads, has no say.
    const Derivatives result = problem.by(Mode::kAdjoint);
    EXPECT_EQ(result.ineffective,
              (std::vector<std::string>{"top.omega1", "top.omega2", "top.omega3"}));
  }
  seen.print("other initial values");
}

TEST(Agreement, HoldsForControlsThatFollowALaw) {
  Seen seen;
  dae::System system = models::make_model("heavy_top", lie::NodeGroup::se3());
  system.add("motor", elements::ActuatorTorque{}, {"top"});
  Problem problem(std::move(system), 0.01, 0.1);
  problem.read_all(0.043);
  problem.options.variables.controls = true;
  problem.options.integrate.controls = [](double t, std::span<double> u) {
    u[0] = 30 * std::sin(20 * t);
    u[1] = 10 * t;
    u[2] = -7;
  };
  for (const Formulation formulation : kFormulations) {
    problem.options.integrate.alpha.formulation = formulation;
    problem.options.integrate.alpha.start = StartingValues::kCorrected;
    // They keep their values when the ends of the steps move.
    expect_agreement(problem, "a control law", seen);
  }
  seen.print("control law");
}

/// A rod along x with revolute joints about z: in space three constraints of a planar loop are redundant.
void add_spatial_rod(dae::System& system, const std::string& name, double x, double y, double angle,
                     double length) {
  system.add_node(name, lie::NodeGroup::so3xr3());
  system.set_initial_configuration(name, {std::cos(angle / 2), 0, 0, std::sin(angle / 2), x, y, 0});
  system.add(name, elements::RigidBody{}, {name},
             {.values = {{"m", 1}, {"J1", 0.1}, {"J2", 0.2}, {"J3", 0.25}, {"gravity2", -9.81}}});
  system.add_frame(name + ".start", name, {.position = {-length / 2, 0, 0}});
  system.add_frame(name + ".end", name, {.position = {length / 2, 0, 0}});
}

TEST(Agreement, HoldsForMotionsUnderRedundantConstraints) {
  // A parallelogram of cranks and a coupler.
  dae::System system("parallelogram");
  const double angle = -0.6, c = std::cos(angle), s = std::sin(angle);
  add_spatial_rod(system, "left", c / 2, s / 2, angle, 1);
  add_spatial_rod(system, "right", 2 + c / 2, s / 2, angle, 1);
  add_spatial_rod(system, "coupler", 1 + c, s, 0, 2);
  system.add_frame("pivot", "ground", {.position = {2, 0, 0}});
  const elements::RevoluteJoint joint;
  system.add("A", joint, {"ground", "left.start"});
  system.add("B", joint, {"left.end", "coupler.start"});
  system.add("C", joint, {"coupler.end", "right.end"});
  system.add("D", joint, {"pivot", "right.start"});
  Problem problem(std::move(system), 0.02, 0.2);
  problem.options.integrate.alpha.consistency.allow_redundant = true;
  // Parameters that keep the loop closed in its plane.
  problem.options.variables = {.parameters = {"left.m", "left.J3", "left.gravity2", "right.m",
                                              "right.J3", "coupler.m", "coupler.J3", "pivot.X1"},
                               .t_end = true,
                               .step = true};
  for (const char* const column : {"left.x.1", "right.x.2", "left.omega.3", "coupler.u.1"}) {
    problem.read(column);
    problem.read(column, 0.13);
  }
  // Forces in the plane; others are those of least norm.
  for (const char* const column : {"A.lambda.1", "B.lambda.2", "D.lambda.1"}) problem.read(column);
  Seen seen;
  for (const Formulation formulation : {Formulation::kIndex3, Formulation::kStabilized}) {
    problem.options.integrate.alpha.formulation = formulation;
    expect_agreement(problem, "redundant constraints", seen);
  }
  seen.print("redundant constraints");
}

/// Kinetic energy of the turn about the third axis, and a product of a force and a parameter.
struct TwoNumbers {
  template <class S>
  std::vector<S> operator()(const sensitivity::Snapshot<S>& at) const {
    const S omega = at.velocity("top")(2);
    return {at.parameter("top.J3") * omega * omega,
            at.multipliers("fixed_point")(1) * at.parameter("top.X2") * at.time()};
  }
};

TEST(Agreement, HoldsForFunctionsAndForSumsAndIntegrals) {
  using sensitivity::When;
  Seen seen;
  for (const double t_end : {0.1, 0.0937}) {
    Problem problem(models::make_model("heavy_top", lie::NodeGroup::se3()), 0.01, t_end);
    problem.objective.add(TwoNumbers{}, When::kAtEnd);
    problem.objective.add(TwoNumbers{}, When::kAtTime, 0.043);
    problem.objective.add(TwoNumbers{}, When::kSum);
    problem.objective.add(TwoNumbers{}, When::kIntegral);
    problem.objective.add_output("top.x.1", 0);
    expect_agreement(problem, "functions", seen);
  }
  seen.print("functions");
}

}  // namespace
}  // namespace liegrad::testing
