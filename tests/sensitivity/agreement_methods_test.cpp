// All modes agree for steps that change, other parameters and variants of the method, other ways to solve its
// equations, other starts, and other objectives; see agreement.hpp.

#include <limits>

#include "agreement.hpp"
#include "closed_loop_model.hpp"
#include "liegrad/dae/start/consistency.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/forces/actuators.hpp"
#include "liegrad/elements/joints/revolute_joint.hpp"
#include "liegrad/models/models.hpp"
#include "liegrad/sensitivity/user_function.hpp"

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
          .tolerance = {.relative = 0.3, .absolute = 0.03}, .initial_step = 4e-3};
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

/// Steps from the default first one, 5e-6 to 3e-5, to those that the tolerance asks for, 1e-2.
struct AdaptiveRun {
  std::string name;
  dae::System system;
  double t_end;
};
std::vector<AdaptiveRun> adaptive_runs() {
  return {{"chain", models::make_model("chain", {.bodies = 3}), 0.3},
          {"slider_crank", models::make_model("slider_crank"), 0.05}};
}
void prepare_adaptive(Problem& problem, Formulation formulation, double initial_step) {
  problem.read_all(0.4 * problem.options.integrate.t_end);
  problem.options.integrate.adaptive = dae::AdaptiveOptions{
      .tolerance = {.relative = 3e-3, .absolute = 3e-4}, .initial_step = initial_step};
  problem.options.integrate.alpha.formulation = formulation;
  problem.options.variables.step = false;
}

TEST(Agreement, HoldsOnStepsThatGrowByOrdersOfMagnitude) {
  for (AdaptiveRun& run : adaptive_runs()) {
    Seen seen;
    for (const Formulation formulation : kFormulations) {
      Problem problem(run.system, 1, run.t_end);
      const bool is_index3 = formulation == Formulation::kIndex3;
      // For shorter first steps see below.
      prepare_adaptive(problem, formulation, is_index3 ? 2e-3 : 1e-4);
      // Accelerations and multipliers of both simulations differ by rounding of positions over h², some 1e-9, and their
      // derivatives by as much.
      if (is_index3) problem.tape_tolerance = 3e-8;
      problem.options.variables.initial_configuration = false;
      const int number = static_cast<int>(formulation);
      expect_agreement(problem, run.name + ", formulation " + std::to_string(number), seen,
                       3 * number);
    }
    seen.print("growing steps of " + run.name);
  }
}

TEST(Agreement, IsLimitedInIndex3ByRoundingThatGrowingStepsAmplify) {
  // Rounding ε of positions leaves ε/h in the velocities across the constraints, in tangents and adjoints as in the
  // motion itself, and a change of the step by r multiplies these by r². From h to H that makes ε/h (H/h)², and
  // multipliers and accelerations have as much over H. Shorter first steps show it: what is wrong in a formula
  // would not depend on them, rounding grows with their third power. Other formulations do not rescale velocities.
  for (AdaptiveRun& run : adaptive_runs()) {
    double before = 0;
    for (const double initial_step : {1e-3, 1e-4}) {
      Problem problem(run.system, 1, run.t_end);
      prepare_adaptive(problem, Formulation::kIndex3, initial_step);
      const Derivatives forward = problem.by(Mode::kForward), adjoint = problem.by(Mode::kAdjoint);
      const double h = forward.simulation.smallest_step,
                   ratio = forward.simulation.largest_step / h;
      const double of_velocity = std::numeric_limits<double>::epsilon() / h * ratio * ratio;
      const double of_forces = of_velocity / forward.simulation.largest_step;
      const Scaled::Worst worst =
          Scaled(problem, forward).difference(forward.jacobian, adjoint.jacobian);
      std::printf("%s from h = %.1e: %.1e, expected %.1e, %s\n", run.name.c_str(), h, worst.value,
                  of_forces, worst.where.c_str());
      EXPECT_LE(worst.value, std::max(kTolerance, of_forces));
      EXPECT_GE(worst.value, before);
      before = worst.value;
    }
    for (const Formulation formulation : {Formulation::kIndex2, Formulation::kStabilized}) {
      Problem problem(run.system, 1, run.t_end);
      prepare_adaptive(problem, formulation, 0);
      const Derivatives forward = problem.by(Mode::kForward), adjoint = problem.by(Mode::kAdjoint);
      const Scaled::Worst worst =
          Scaled(problem, forward).difference(forward.jacobian, adjoint.jacobian);
      std::printf("%s, not of index 3: %.1e\n", run.name.c_str(), worst.value);
      EXPECT_LE(worst.value, kTolerance) << worst.where;
    }
  }
}

TEST(Agreement, HoldsForUpdatedLagrangianMethods) {
  Seen seen;
  for (const lie::NodeGroup& group : kBodyGroups) {
    for (const auto variant :
         {dae::AlphaVariant::kUpdatedLagrangianExp, dae::AlphaVariant::kUpdatedLagrangianCrv}) {
      // Conformal rotation vectors are coordinates of rotations only.
      const bool crv = variant == dae::AlphaVariant::kUpdatedLagrangianCrv;
      if (crv && group.kind == lie::GroupKind::kSE3) continue;
      for (const auto start : {StartingValues::kClassical, StartingValues::kCorrected,
                               StartingValues::kCorrectedDifference}) {
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

TEST(Agreement, HoldsForClassicalMethodsInAllFormulations) {
  Seen seen;
  int number = 0;
  for (const AlphaParameters& parameters :
       {AlphaParameters::hht(-0.2), AlphaParameters::newmark()}) {
    for (const Formulation formulation : {Formulation::kIndex2, Formulation::kStabilized}) {
      for (const double sigma : {0.0, 1.0}) {
        Problem problem(models::make_model("heavy_top", lie::NodeGroup::se3()), 0.01, 0.1);
        problem.read_all(0.043);
        problem.options.integrate.alpha.method = {parameters, sigma};
        problem.options.integrate.alpha.formulation = formulation;
        expect_agreement(problem, "a classical method", seen, number++);
      }
    }
  }
  seen.print("classical methods");
}

TEST(Agreement, HoldsForMuntheKaasMethods) {
  struct Example {
    std::string model;
    lie::NodeGroup group;
    double step;
  };
  for (const Example& example : {Example{"spinning_top", lie::NodeGroup::so3xr3(), 5e-3},
                                 {"torsional_ball", lie::NodeGroup::so3xr3(), 0.05},
                                 {"free_body", lie::NodeGroup::se3(), 0.02},
                                 {"rotor", lie::NodeGroup::so3xr3(), 4.3e-5},
                                 {"rotor", lie::NodeGroup::se3(), 4.3e-5}}) {
    Seen seen;
    int number = 0;
    for (const dae::ButcherTableau& tableau :
         {dae::rk4(), dae::dormand_prince_54(), dae::butcher_6(), dae::gauss_2(),
          dae::radau_iia_2()}) {
      for (const bool is_adaptive : {false, true}) {
        if (is_adaptive && !tableau.b_embedded) continue;
        Problem problem(models::make_model(example.model, example.group), example.step,
                        12 * example.step);
        // It does not move along its axis, nor turn any faster.
        if (example.model == "rotor") {
          for (const char* const column : {"rotor.x.2", "rotor.x.3", "rotor.q.1", "rotor.q.3",
                                           "rotor.omega.2", "left.p.2", "energy"}) {
            problem.read(column);
            problem.read(column, 5.3 * example.step);
          }
        } else {
          problem.read_all(5.3 * example.step);
        }
        problem.options.integrate.method = dae::Method::kMuntheKaas;
        problem.options.integrate.tableau = tableau;
        if (is_adaptive) {
          problem.options.integrate.adaptive =
              dae::AdaptiveOptions{.tolerance = {.relative = 1e-5, .absolute = 1e-6}};
          problem.options.variables.step = false;
        }
        expect_agreement(problem, example.model + ", " + tableau.name, seen, number++);
      }
    }
    seen.print("Munthe-Kaas, " + example.model);
  }
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
