// The same mechanism in millimetres and in kilometres, at the origin and far from it, at rest and spinning: the same
// motion in its own units, with as many iterations.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/frame_along.hpp"
#include "liegrad/elements/joints/fixed_joint.hpp"
#include "liegrad/elements/joints/revolute_joint.hpp"
#include "liegrad/elements/joints/universal_joint.hpp"
#include "liegrad/models/models.hpp"

namespace liegrad::testing {
namespace {

using dae::Formulation;
using dae::NewtonKind;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// A brick on a tilted hinge, of density 1000 and of a given size; times are counted in √(size/g).
struct Pendulum {
  double size = 1;      ///< in metres
  double distance = 0;  ///< of the hinge from the origin, in sizes
  bool spins = true;
  lie::NodeGroup group = lie::NodeGroup::so3xr3();

  double time() const { return std::sqrt(size / 9.81); }

  dae::System system() const {
    const double m = 1000 * size * size * size, l = size;
    const std::array<double, 3> axis = {1, 2, 3};
    const lie::Vec<double, 3> hinge(distance * l, -0.5 * distance * l, 0.25 * distance * l);
    const lie::Vec<double, 3> lever(0.3 * l, -0.2 * l, -0.5 * l);  // from the hinge to the centre
    const lie::Vec<double, 3> direction = lie::Vec<double, 3>(1, 2, 3).normalized();
    const lie::Vec<double, 3> omega = (spins ? 2 / time() : 0.0) * direction;
    const lie::Vec<double, 3> u = lie::rotation::cross<double>(omega, lever);
    dae::System system("pendulum");
    system.add_node("body", group);
    system.add("body", elements::RigidBody{}, {"body"},
               {.values = {{"m", m},
                           {"J1", 0.1 * m * l * l},
                           {"J2", 0.2 * m * l * l},
                           {"J3", 0.15 * m * l * l}}});
    system.add_frame("A", "ground", elements::frame_along({hinge(0), hinge(1), hinge(2)}, axis));
    system.add_frame("body.A", "body",
                     elements::frame_along({-lever(0), -lever(1), -lever(2)}, axis));
    system.add("hinge", elements::RevoluteJoint{}, {"A", "body.A"});
    const lie::Vec<double, 3> x = hinge + lever;
    system.set_initial_configuration("body", {1, 0, 0, 0, x(0), x(1), x(2)});
    system.set_initial_velocity("body", {omega(0), omega(1), omega(2), u(0), u(1), u(2)});
    return system;
  }
};

struct Swing {
  double iterations = 0;  ///< a step
  std::vector<double>
      motion;  ///< quaternion, position less the initial one, and velocities, in units of the pendulum
};

Swing swing(const Pendulum& pendulum, dae::IntegrateOptions options) {
  options.step = 0.01 * pendulum.time();
  options.t_end = 2 * pendulum.time();
  options.keep_samples = false;
  const dae::System system = pendulum.system();
  const dae::Solution solution = dae::integrate(system, options);
  EXPECT_TRUE(solution.summary.is_complete()) << solution.summary.message;
  EXPECT_EQ(solution.summary.failed_attempts, 0);
  Swing swing;
  swing.iterations = static_cast<double>(solution.summary.newton_iterations) /
                     static_cast<double>(solution.summary.steps);
  const std::vector<double> start = system.initial_configuration();
  for (std::size_t i = 0; i < 7; ++i) {
    const double q = solution.final.q[i];
    const double sign = std::copysign(1.0, solution.final.q[0]);
    swing.motion.push_back(i < 4 ? sign * q : (q - start[i]) / pendulum.size);
  }
  for (std::size_t i = 0; i < 6; ++i) {
    const double unit = (i < 3 ? 1 : pendulum.size) / pendulum.time();
    swing.motion.push_back(solution.final.v[i] / unit);
  }
  return swing;
}

Swing swing(const Pendulum& pendulum, Formulation formulation, NewtonKind kind) {
  dae::IntegrateOptions options = dae::alpha_steps();
  options.alpha.formulation = formulation;
  options.alpha.newton.kind = kind;
  return swing(pendulum, options);
}

void expect_same_motion(const Swing& swing, const Swing& reference, double tolerance) {
  ASSERT_EQ(swing.motion.size(), reference.motion.size());
  for (std::size_t i = 0; i < swing.motion.size(); ++i) {
    EXPECT_NEAR(swing.motion[i], reference.motion[i], tolerance) << i;
  }
}

template <class F>
void for_each_way(std::initializer_list<Formulation> formulations, F&& f) {
  for (const auto& group : {lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()}) {
    for (const bool spins : {false, true}) {
      for (const auto formulation : formulations) {
        for (const auto kind :
             {NewtonKind::kFull, NewtonKind::kModified, NewtonKind::kSimplified}) {
          SCOPED_TRACE("spins " + std::to_string(spins) + ", formulation " +
                       std::to_string(static_cast<int>(formulation)) + ", Newton " +
                       std::to_string(static_cast<int>(kind)));
          f(Pendulum{.spins = spins, .group = group}, formulation, kind);
        }
      }
    }
  }
}

TEST(ScaleInvariance, GivesTheSameMotionInAllSizes) {
  for_each_way({Formulation::kIndex3, Formulation::kIndex2},
               [](const Pendulum& of_one_metre, Formulation formulation, NewtonKind kind) {
                 const Swing reference = swing(of_one_metre, formulation, kind);
                 for (const double size : {1e-4, 1e-2, 1e2, 1e4}) {
                   SCOPED_TRACE(size);
                   Pendulum pendulum = of_one_metre;
                   pendulum.size = size;
                   const Swing scaled = swing(pendulum, formulation, kind);
                   expect_same_motion(scaled, reference, 1e-9);
                   EXPECT_NEAR(scaled.iterations, reference.iterations, 1);
                 }
               });
}

TEST(ScaleInvariance, IsThatOfTheMethodWhenStabilised) {
  // [ArnoldCardonaBruels2015, Eq. (56b)] adds B(q_n)ᵀη to velocities, radians and metres alike: the method itself depends
  // on the unit of length, within its error; with levers of kilometres its equations are nearly dependent.
  for_each_way({Formulation::kStabilized},
               [](const Pendulum& of_one_metre, Formulation formulation, NewtonKind kind) {
                 const Swing reference = swing(of_one_metre, formulation, kind);
                 for (const double size : {1e-4, 1e-2, 1e2, 1e4}) {
                   SCOPED_TRACE(size);
                   Pendulum pendulum = of_one_metre;
                   pendulum.size = size;
                   const Swing scaled = swing(pendulum, formulation, kind);
                   expect_same_motion(scaled, reference, 1e-4);
                   EXPECT_NEAR(scaled.iterations, reference.iterations, 3);
                 }
               });
}

TEST(ScaleInvariance, DoesNotDependOnTheOrigin) {
  // Rounding of positions is what it is: 1e6 ε of them, over h in velocities, in each of 200 steps.
  // First guesses feel it, and a simplified matrix takes longest to make up for that.
  constexpr double kTolerance = 200 * 1e6 * kEpsilon / 0.01;
  for_each_way({Formulation::kIndex3, Formulation::kIndex2, Formulation::kStabilized},
               [](const Pendulum& near, Formulation formulation, NewtonKind kind) {
                 Pendulum far = near;
                 far.distance = 1e6;
                 const Swing reference = swing(near, formulation, kind);
                 const Swing moved = swing(far, formulation, kind);
                 expect_same_motion(moved, reference, kTolerance);
                 EXPECT_NEAR(moved.iterations, reference.iterations,
                             kind == NewtonKind::kSimplified ? 1.5 : 1);
               });
}

TEST(ScaleInvariance, HoldsForRadauMethodsAlthoughTheyAreStabilised) {
  // Their B(q_n)ᵀη is weighted by inertias: sizes change them by powers of two at most, far below their error.
  constexpr double kTolerance = 200 * 1e6 * kEpsilon / 0.01;
  for (const auto& group : {lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()}) {
    for (const bool spins : {false, true}) {
      for (const auto newton : {dae::RadauNewton::kFull, dae::RadauNewton::kSimplified}) {
        dae::IntegrateOptions options = dae::alpha_steps();
        options.method = dae::Method::kRadau;
        options.radau.newton = newton;
        const Pendulum of_one_metre{.spins = spins, .group = group};
        const Swing reference = swing(of_one_metre, options);
        for (const double size : {1e-4, 1e-2, 1e2, 1e4}) {
          SCOPED_TRACE(size);
          Pendulum pendulum = of_one_metre;
          pendulum.size = size;
          const Swing scaled = swing(pendulum, options);
          expect_same_motion(scaled, reference, 1e-9);
          EXPECT_NEAR(scaled.iterations, reference.iterations, 1);
        }
        Pendulum far = of_one_metre;
        far.distance = 1e6;
        expect_same_motion(swing(far, options), reference, kTolerance);
      }
    }
  }
}

TEST(ScaleInvariance, RunsBodiesWhoseJointIsTheirCentreAtTheOrigin) {
  for (const auto& group : {lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()}) {
    for (const auto formulation :
         {Formulation::kIndex3, Formulation::kIndex2, Formulation::kStabilized}) {
      for (const bool is_universal : {true, false}) {
        dae::System system("gyroscope");
        system.add_node("body", group);
        system.add("body", elements::RigidBody{}, {"body"},
                   {.values = {{"J1", 1}, {"J2", 2}, {"J3", 2.5}}});
        system.add_frame("A", "ground", elements::frame_along({0, 0, 0}, {1, 2, 3}));
        system.add_frame("body.A", "body", elements::frame_along({0, 0, 0}, {1, 2, 3}));
        if (is_universal) {
          system.add("joint", elements::UniversalJoint{}, {"A", "body.A"});
        } else {
          system.add("joint", elements::RevoluteJoint{}, {"A", "body.A"});
          system.set_initial_velocity("body", {1, 2, 3, 0, 0, 0});
        }
        dae::IntegrateOptions options = dae::alpha_steps();
        options.alpha.formulation = formulation;
        options.t_end = 0.1;
        const dae::Solution solution = dae::integrate(system, options);
        ASSERT_TRUE(solution.summary.is_complete()) << solution.summary.message;
        EXPECT_EQ(solution.summary.failed_attempts, 0);
        EXPECT_LE(static_cast<double>(solution.summary.newton_iterations), 2.2 * 100);
      }
    }
  }
}

TEST(ScaleInvariance, RunsATopWhoseCentreIsItsFixedPointAtTheOrigin) {
  for (const auto formulation :
       {Formulation::kIndex3, Formulation::kIndex2, Formulation::kStabilized}) {
    dae::System system = models::make_model("heavy_top");
    system.set_parameter("top.X2", 0);
    system.set_initial_configuration("top", {1, 0, 0, 0, 0, 0, 0});
    system.set_initial_velocity("top", {0, 150, -4.61538, 0, 0, 0});
    dae::IntegrateOptions options = dae::alpha_steps();
    options.alpha.formulation = formulation;
    const dae::Solution solution = dae::integrate(system, options);
    ASSERT_TRUE(solution.summary.is_complete()) << solution.summary.message;
    EXPECT_EQ(solution.summary.failed_attempts, 0);
  }
}

TEST(Rest, IsKeptByAFixedBodyWithTurnedFrames) {
  for (const auto& group : {lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()}) {
    for (const auto formulation :
         {Formulation::kIndex3, Formulation::kIndex2, Formulation::kStabilized}) {
      for (const double h : {1e-2, 1e-3}) {
        dae::System system("fixed");
        system.add_node("body", group);
        system.add("body", elements::RigidBody{}, {"body"},
                   {.values = {{"J1", 0.3}, {"J2", 0.4}, {"J3", 0.5}}});
        system.add_frame(
            "A", "ground",
            elements::frame_with_axes({0.3, -1.7, 0.4}, {0.2, 0.9, -0.3}, {1, 0.3, 2}));
        system.add_frame(
            "body.A", "body",
            elements::frame_with_axes({0.3, -1.7, 0.4}, {0.2, 0.9, -0.3}, {1, 0.3, 2}));
        system.add("weld", elements::FixedJoint{}, {"A", "body.A"});
        dae::IntegrateOptions options = dae::alpha_steps();
        options.alpha.formulation = formulation;
        options.step = h;
        const dae::Solution solution = dae::integrate(system, options);
        ASSERT_TRUE(solution.summary.is_complete()) << solution.summary.message;
        EXPECT_EQ(solution.summary.failed_attempts, 0);
        EXPECT_LE(static_cast<double>(solution.summary.newton_iterations),
                  1.5 * static_cast<double>(solution.summary.steps));
        for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(solution.final.v[i], 0, 1e-10);
      }
    }
  }
}

}  // namespace
}  // namespace liegrad::testing
