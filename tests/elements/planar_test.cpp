// Planar bodies, joints and forces: both groups from one text.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "constraint_checks.hpp"
#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/start/consistency.hpp"
#include "liegrad/elements/planar/pendulum.hpp"
#include "liegrad/elements/planar/planar_body.hpp"
#include "liegrad/elements/planar/planar_fixed_joint.hpp"
#include "liegrad/elements/planar/planar_point_on_line.hpp"
#include "liegrad/elements/planar/planar_prismatic_joint.hpp"
#include "liegrad/elements/planar/planar_revolute_joint.hpp"
#include "liegrad/elements/planar/planar_spring.hpp"
#include "liegrad/elements/planar/planar_torque.hpp"
#include "liegrad/elements/planar/planar_tracked_point.hpp"
#include "liegrad/elements/planar/slender_rod.hpp"
#include "liegrad/elements/planar/slider.hpp"

namespace liegrad::testing {
namespace {

using namespace elements;
using dae::Formulation;

constexpr double kG = 9.81;

bool is_pose(const lie::NodeGroup& group) { return group.kind == lie::GroupKind::kSE2; }

/// A planar body at a place.
void add_body(dae::System& system, const std::string& name, const lie::NodeGroup& group, double x,
              double y, double angle, const dae::ElementOptions& options = {}) {
  system.add_node(name, group);
  system.add(name, PlanarBody{}, {name}, options);
  if (is_pose(group)) {
    system.set_initial_configuration(name, {std::cos(angle), std::sin(angle), x, y});
  } else {
    system.set_initial_configuration(name, {x, y, angle});
  }
}
/// Velocities of its node, given in the inertial frame.
void set_motion(dae::System& system, const std::string& name, const lie::NodeGroup& group,
                double angle, double u1, double u2, double omega) {
  const double c = std::cos(angle), s = std::sin(angle);
  system.set_initial_velocity(name, is_pose(group)
                                        ? std::vector{omega, c * u1 + s * u2, c * u2 - s * u1}
                                        : std::vector{u1, u2, omega});
}

double angle_of(const dae::State& state, const lie::NodeGroup& group, std::size_t body) {
  return is_pose(group) ? std::atan2(state.q[4 * body + 1], state.q[4 * body])
                        : state.q[3 * body + 2];
}

const lie::NodeGroup kCoordinates = lie::NodeGroup::rn(3), kPose = lie::NodeGroup::se2();

dae::IntegrateOptions with_step(double h, double t_end) {
  dae::IntegrateOptions options = dae::alpha_steps();
  options.step = h;
  options.t_end = t_end;
  options.alpha.start = dae::StartingValues::kCorrected;
  return options;
}

// Joints.

/// Two bodies, or the ground and one body, on a joint whose frames are in general places.
template <class Joint>
void check_joint(const Joint& joint, int constraints, std::map<std::string, double> values) {
  for (const auto& group : {kCoordinates, kPose}) {
    SCOPED_TRACE(is_pose(group) ? "SE(2)" : "R^3");
    for (const bool grounded : {false, true}) {
      SCOPED_TRACE(grounded ? "on the ground" : "between bodies");
      dae::System system("joint");
      if (!grounded) add_body(system, "a", kCoordinates, 0.3, -0.2, 0.7);
      add_body(system, "b", group, -0.4, 0.5, 0.9);
      system.add("joint", joint, {grounded ? "ground" : "a", "b"}, {.values = values});
      ConstraintChecks(system).expect_all(system.dof() - constraints);
    }
  }
}

const std::map<std::string, double> kPoints = {
    {"a.X1", 0.3}, {"a.X2", -0.7}, {"b.X1", -0.4}, {"b.X2", 0.2}};
std::map<std::string, double> with_directions(const std::vector<std::string>& sides) {
  std::map<std::string, double> values = kPoints;
  for (const std::string& side : sides) {
    values[side + ".d1"] = side == "a" ? 2 : 0.6;
    values[side + ".d2"] = side == "a" ? 1 : 0.3;
  }
  return values;
}

TEST(PlanarRevoluteJoint, PassesAllChecks) { check_joint(PlanarRevoluteJoint{}, 2, kPoints); }
TEST(PlanarPointOnLine, PassesAllChecks) {
  check_joint(PlanarPointOnLine{}, 1, with_directions({"a"}));
}
TEST(PlanarPrismaticJoint, PassesAllChecks) {
  check_joint(PlanarPrismaticJoint{}, 2, with_directions({"a", "b"}));
}
TEST(PlanarFixedJoint, PassesAllChecks) {
  check_joint(PlanarFixedJoint{}, 3, with_directions({"a", "b"}));
}

TEST(PlanarRevoluteJoint, HoldsPointsOfThePlaneToo) {
  dae::System system("pin");
  add_body(system, "body", kPose, 0.1, 0.2, 0.3);
  system.add_node("point", lie::NodeGroup::rn(2));
  system.add("mass", PlanarPointMass{}, {"point"});
  system.add("pin", PlanarRevoluteJoint{}, {"point", "body"}, {.values = {{"b.X1", 0.5}}});
  ConstraintChecks(system).expect_all(3);
}

TEST(SlenderRod, HasJointsThatPassAllChecks) {
  for (const auto& group : {kCoordinates, kPose}) {
    dae::System system("rod");
    system.add_parameter({"rod.length", 0.8});
    system.add_node("rod", group);
    system.add("rod", PlanarSlenderRod{}, {"rod"}, {.bind = {{"l", "rod.length"}}});
    system.add_node("slider", lie::NodeGroup::rn(1));
    system.add("slider", Slider{}, {"slider"});
    system.add_node("point", lie::NodeGroup::rn(2));
    system.add("mass", PlanarPointMass{}, {"point"});
    system.add("pin", PlanarRodJoint{RodEnd::kStart}, {"point", "rod"},
               {.bind = {{"l", "rod.length"}}});
    system.add(
        "rail", PlanarRodOnSlider{RodEnd::kTip}, {"ground", "slider", "rod"},
        {.values = {{"a.X2", 0.1}, {"a.d1", 3}, {"a.d2", -4}}, .bind = {{"l", "rod.length"}}});
    ConstraintChecks(system).expect_all(2);
  }
}

TEST(PlanarPrismaticJoint, CarriesABodyDownASlope) {
  // The slope rises by the angle α; the frame of the body is off its centre, so that the normal force
  // there needs a torque beside it.
  const double alpha = 0.4, m = 2;
  const lie::Vec<double, 2> along(std::cos(alpha), std::sin(alpha)),
      normal(-std::sin(alpha), std::cos(alpha));
  for (const auto& group : {kCoordinates, kPose}) {
    dae::System system("slope");
    add_body(system, "body", group, 0, 0, alpha,
             {.values = {{"m", m}, {"J", 0.3}, {"gravity2", -kG}}});
    system.add("rail", PlanarPrismaticJoint{}, {"ground", "body"},
               {.values = {{"a.X1", along(0) - 0.2 * normal(0)},
                           {"a.X2", along(1) - 0.2 * normal(1)},
                           {"a.d1", 3 * along(0)},
                           {"a.d2", 3 * along(1)},
                           {"b.X1", 0.5},
                           {"b.X2", -0.2}}});
    for (const auto formulation :
         {Formulation::kIndex3, Formulation::kIndex2, Formulation::kStabilized}) {
      dae::IntegrateOptions options = with_step(0.01, 0.5);
      options.alpha.formulation = formulation;
      const dae::State end = dae::integrate(system, options).final;
      const double slid = -0.5 * kG * std::sin(alpha) * 0.25;
      const std::size_t x = is_pose(group) ? 2 : 0;
      EXPECT_NEAR(end.q[x], slid * along(0), 1e-12);
      EXPECT_NEAR(end.q[x + 1], slid * along(1), 1e-12);
      EXPECT_NEAR(angle_of(end, group, 0), alpha, 1e-12);
      const double force = m * kG * std::cos(alpha);
      EXPECT_NEAR(end.lambda[0], force, 1e-9);
      EXPECT_NEAR(end.lambda[1], -0.5 * force, 1e-9);
    }
  }
}

TEST(PlanarPointOnLine, CarriesABeadDownAWire) {
  const double alpha = 0.4;
  dae::System system("wire");
  system.add_node("bead", lie::NodeGroup::rn(2));
  system.add("bead", PlanarPointMass{}, {"bead"}, {.values = {{"m", 2}}});
  system.add("wire", PlanarPointOnLine{}, {"ground", "bead"},
             {.values = {{"a.d1", std::cos(alpha)}, {"a.d2", std::sin(alpha)}}});
  const dae::State end = dae::integrate(system, with_step(0.01, 0.5)).final;
  EXPECT_NEAR(end.q[0], -0.125 * kG * std::sin(alpha) * std::cos(alpha), 1e-12);
  EXPECT_NEAR(end.lambda[0], 2 * kG * std::cos(alpha), 1e-9);
}

TEST(PlanarRevoluteJoint, HasTheReactionsOfAPhysicalPendulum) {
  // Pivot at the distance s from the centre of mass, φ from the lowest point, released at φ_0:
  // J_p φ̈ = -m g s sin φ, J_p φ̇² = 2 m g s (cos φ - cos φ_0), and the pivot carries m (a - γ).
  const double m = 1.5, s = 0.4, inertia = 0.2, start = 1.1;
  const double about_pivot = inertia + m * s * s;
  for (const auto& group : {kCoordinates, kPose}) {
    dae::System system("pendulum");
    add_body(system, "body", group, s * std::sin(start), -s * std::cos(start), start,
             {.values = {{"m", m}, {"J", inertia}, {"gravity2", -kG}}});
    system.add("pivot", PlanarRevoluteJoint{}, {"ground", "body"}, {.values = {{"b.X2", s}}});
    const auto largest_error = [&](double h) {
      double error = 0;
      for (const dae::State& state : dae::integrate(system, with_step(h, 1)).samples) {
        const double phi = angle_of(state, group, 0);
        const double acceleration = -m * kG * s * std::sin(phi) / about_pivot;
        const double square = 2 * m * kG * s * (std::cos(phi) - std::cos(start)) / about_pivot;
        const double x = m * s * (acceleration * std::cos(phi) - square * std::sin(phi));
        const double y = m * s * (acceleration * std::sin(phi) + square * std::cos(phi)) + m * kG;
        const double now = std::hypot(state.lambda[0] - x, state.lambda[1] - y);
        if (state.t == 0) {
          EXPECT_LE(now, 1e-12);
        }
        error = std::max(error, now);
      }
      return error;
    };
    const double coarse = largest_error(0.01), fine = largest_error(0.005);
    EXPECT_LE(fine, 3e-4 * m * kG);
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1);
  }
}

// Forces and energies.

/// Two pendulums in a row with a spring and a damper from the second to the ground, driven.
dae::System double_pendulum(const lie::NodeGroup& group, double damping) {
  dae::System system("double_pendulum");
  const auto rod = dae::ElementOptions{.values = {{"m", 0.8}, {"J", 0.05}, {"gravity2", -kG}}};
  add_body(system, "upper", group, 0.25, 0, 0, rod);
  add_body(system, "lower", group, 0.75, 0, 0, rod);
  system.add("pivot", PlanarRevoluteJoint{}, {"ground", "upper"}, {.values = {{"b.X1", -0.25}}});
  system.add("hinge", PlanarRevoluteJoint{}, {"upper", "lower"},
             {.values = {{"a.X1", 0.25}, {"b.X1", -0.25}}});
  system.add(
      "spring", PlanarSpring{}, {"lower", "ground"},
      {.values = {
           {"a.X1", 0.25}, {"b.X1", 0.5}, {"b.X2", -1}, {"k", 20}, {"d", damping}, {"l0", 0.6}}});
  return system;
}

TEST(PlanarBody, MovesAlikeOnBothGroups) {
  // The errors of the two differ; their difference falls with the square of the step.
  const auto end = [](const lie::NodeGroup& group, double h) {
    const dae::State state = dae::integrate(double_pendulum(group, 0.5), with_step(h, 0.8)).final;
    return lie::Vec<double, 4>(angle_of(state, group, 0), angle_of(state, group, 1),
                               state.lambda[0], state.lambda[3]);
  };
  std::vector<lie::Vec<double, 4>> gaps;
  for (const double h : {4e-3, 2e-3, 1e-3}) gaps.push_back(end(kCoordinates, h) - end(kPose, h));
  for (int i = 0; i < 4; ++i) {
    EXPECT_GT(std::abs(gaps[0](i)), 1e-7) << "the methods should differ";
    EXPECT_NEAR(std::log2(gaps[0](i) / gaps[1](i)), 2, 0.15) << i;
    EXPECT_NEAR(std::log2(gaps[1](i) / gaps[2](i)), 2, 0.1) << i;
  }
}

TEST(PlanarSpring, KeepsTheEnergyUnlessItDamps) {
  for (const auto& group : {kCoordinates, kPose}) {
    const auto losses = [&](double damping, double h) {
      const dae::System system = double_pendulum(group, damping);
      dae::Outputs outputs(system);
      std::vector<double> out(static_cast<std::size_t>(outputs.size()));
      const auto number = [&](const char* name) {
        return out[static_cast<std::size_t>(outputs.offset(name))];
      };
      // Energy lost, and the work of the damper by the trapezoidal rule over f_d l̇ = d l̇².
      double first = 0, dissipated = 0, power = 0;
      const dae::Solution solution = dae::integrate(system, with_step(h, 1));
      for (const dae::State& state : solution.samples) {
        outputs.evaluate(state, {}, out);
        const double f_d = number("spring.force") - 20 * (number("spring.length") - 0.6);
        const double now = damping > 0 ? f_d * f_d / damping : 0;
        if (state.t == 0)
          first = number("energy");
        else
          dissipated += 0.5 * h * (power + now);
        power = now;
      }
      return std::pair(first - number("energy"), dissipated);
    };
    const auto [coarse, none] = losses(0, 2e-3);
    const auto [fine, still_none] = losses(0, 1e-3);
    EXPECT_LE(std::abs(fine), 2e-4);
    EXPECT_NEAR(std::log2(std::abs(coarse / fine)), 2, 0.3);
    EXPECT_EQ(none + still_none, 0);
    const auto [lost, dissipated] = losses(2, 1e-3);
    EXPECT_GT(lost, 0.5);
    EXPECT_NEAR(lost, dissipated, 1e-4 * lost);
  }
}

/// Numbers of a system at a configuration and a velocity, with v̇ = 0.
class AtRest {
 public:
  explicit AtRest(const dae::System& system)
      : system_(system),
        assembly_(system, Formulation::kIndex3, false, dae::LinearSolverKind::kDense) {}

  double potential(const std::vector<double>& q) { return observed(q).potential; }
  /// The first output of the first element that has any.
  double spring_length(const std::vector<double>& q) {
    observed(q);
    return outputs_[0];
  }
  Eigen::VectorXd rows(const std::vector<double>& q, const std::vector<double>& v) {
    load(q, v);
    assembly_.evaluate(false);
    return Eigen::Map<const Eigen::VectorXd>(assembly_.residual().data(), system_.dof());
  }

 private:
  dae::Assembly::Observed observed(const std::vector<double>& q) {
    load(q, std::vector<double>(static_cast<std::size_t>(system_.dof()), 0.0));
    outputs_.resize(static_cast<std::size_t>(system_.num_element_outputs()));
    return assembly_.observe(outputs_);
  }
  void load(const std::vector<double>& q, const std::vector<double>& v) {
    const std::vector<double> zero(v.size(), 0.0);
    assembly_.set_configuration(q);
    assembly_.set_velocity(v);
    assembly_.set_acceleration(zero);
    assembly_.set_identity_maps();
    assembly_.coefficients() = {};
  }

  const dae::System& system_;
  dae::Assembly assembly_;
  std::vector<double> outputs_;
};

TEST(PlanarForces, AreMinusTheGradientOfTheirPotential) {
  for (const auto& group : {kCoordinates, kPose}) {
    dae::System system("forces");
    add_body(system, "a", group, 0.3, -0.2, 0.7, {.values = {{"gravity1", 3}, {"gravity2", -kG}}});
    add_body(system, "b", kCoordinates, -0.4, 0.5, -0.9);
    system.add("spring", PlanarSpring{}, {"a", "b"},
               {.values = {{"a.X1", 0.3},
                           {"a.X2", -0.7},
                           {"b.X1", -0.4},
                           {"b.X2", 0.2},
                           {"k", 7},
                           {"d", 1.3},
                           {"l0", 0.5}}});
    for (const char* name : {"c", "d"}) system.add_node(name, lie::NodeGroup::rn(1));
    system.set_initial_configuration("c", {0.8});
    system.add("line", SliderSpring{}, {"c", "d"}, {.values = {{"k", 5}, {"d", 0.7}, {"l0", 0.3}}});
    ConstraintChecks random(system);
    AtRest at(system);
    const std::vector<double> q = system.initial_configuration();
    const Eigen::VectorXd w = random.random(system.dof()), v = random.random(system.dof());
    const std::vector<double> rest(static_cast<std::size_t>(system.dof()), 0.0);
    const double slope = static_cast<double>(test::DerivativeAlong<double>::of([&](double epsilon) {
      return Eigen::VectorXd::Constant(1, at.potential(random.moved(q, epsilon * w)));
    })(0));
    EXPECT_NEAR(at.rows(q, rest).dot(w), slope, 1e-9);
    // What the dampers take is d l̇². (Of bodies on SE(2) M v̇ + g has a part ω × U in it, which does no
    // work.)
    const double lengthening =
        static_cast<double>(test::DerivativeAlong<double>::of([&](double epsilon) {
          return Eigen::VectorXd::Constant(1, at.spring_length(random.moved(q, epsilon * v)));
        })(0));
    const double sliding = v(7) - v(6);
    EXPECT_NEAR((at.rows(q, {v.begin(), v.end()}) - at.rows(q, rest)).dot(v),
                1.3 * lengthening * lengthening + 0.7 * sliding * sliding, 1e-9);
  }
}

TEST(PlanarTorque, ActsOnBothBodies) {
  for (const auto& group : {kCoordinates, kPose}) {
    dae::System system("motor");
    add_body(system, "a", group, 1, 0, 0.3, {.values = {{"J", 0.5}}});
    add_body(system, "b", group, 0, 1, 0.2, {.values = {{"J", 2}}});
    system.add("constant", PlanarTorque{}, {"a", "b"}, {.values = {{"T", 3}}});
    system.add("motor", PlanarMotor{}, {"ground", "b"});
    ASSERT_EQ(system.controls(), std::vector<std::string>{"motor.torque"});
    dae::IntegrateOptions options = with_step(0.01, 1);
    options.controls = [](double, std::span<double> u) { u[0] = 1; };
    const dae::State end = dae::integrate(system, options).final;
    const std::size_t omega = is_pose(group) ? 0 : 2;
    EXPECT_NEAR(end.v[omega], -3 / 0.5, 1e-11);
    EXPECT_NEAR(end.v[3 + omega], (3 + 1) / 2.0, 1e-11);
  }
}

TEST(PlanarTrackedPoint, FollowsATurningBody) {
  // The centre moves at (0.4, -0.3), the body turns at 2: the point at the arm r moves at u + 2 Jr and
  // accelerates by -4 r.
  const double angle = 0.6;
  for (const auto& group : {kCoordinates, kPose}) {
    dae::System system("tracked");
    add_body(system, "body", group, 1, 2, angle, {.values = {{"m", 3}, {"J", 0.7}}});
    set_motion(system, "body", group, angle, 0.4, -0.3, 2);
    system.add("point", PlanarTrackedPoint{}, {"body"}, {.values = {{"a.X1", 0.5}}});
    dae::Outputs outputs(system);
    std::vector<double> out(static_cast<std::size_t>(outputs.size()));
    dae::Consistency consistency(system, {}, dae::LinearSolverKind::kAutomatic);
    outputs.evaluate(consistency.initial_state(0, {}), {}, out);
    const auto expect = [&](const char* name, std::vector<double> numbers) {
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        EXPECT_NEAR(out[static_cast<std::size_t>(outputs.offset(name)) + i], numbers[i], 1e-13)
            << name;
      }
    };
    const double r1 = 0.5 * std::cos(angle), r2 = 0.5 * std::sin(angle);
    expect("point.p", {1 + r1, 2 + r2});
    expect("point.u", {0.4 - 2 * r2, -0.3 + 2 * r1});
    expect("point.u_dot", {-4 * r1, -4 * r2});
    expect("momentum.linear", {1.2, -0.9, 0});
    expect("momentum.angular", {0, 0, 0.7 * 2 + 1 * -0.9 - 2 * 1.2});
    expect("energy.kinetic", {0.5 * 3 * 0.25 + 0.5 * 0.7 * 4});
  }
}

// Mistakes.

std::string message_of(const dae::System& system) {
  try {
    dae::integrate(system, with_step(0.01, 0.02));
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no message";
}

TEST(PlanarElements, ComplainAboutValuesThatMakeNoSense) {
  const auto expect = [](const dae::System& system, const std::string& sentence) {
    EXPECT_EQ(message_of(system), sentence);
  };
  dae::System body("body");
  add_body(body, "body", kPose, 0, 0, 0, {.values = {{"m", 0}}});
  expect(body, "element 'body' has mass 0; it must be positive");
  body.set_parameter("body.m", 1);
  body.set_parameter("body.J", -2);
  expect(body, "element 'body' has inertia J = -2; it must be positive");

  dae::System rail("rail");
  add_body(rail, "body", kPose, 0, 0, std::numbers::pi);
  rail.add("rail", PlanarPrismaticJoint{}, {"ground", "body"});
  expect(
      rail,
      "element 'rail' has x axes of a and b that point in opposite directions at the start; turn "
      "one of them by d1 and d2");
  rail.set_parameter("rail.b.d1", -1);
  EXPECT_EQ(message_of(rail), "no message");

  dae::System spring("spring");
  add_body(spring, "body", kPose, 0, 0, 0);
  spring.add("spring", PlanarSpring{}, {"ground", "body"});
  expect(spring,
         "element 'spring' has length 0 at the start, so that its force has no direction; move one "
         "of its ends");
  spring.set_parameter("spring.b.X1", 1);
  spring.set_parameter("spring.k", -1);
  expect(spring, "element 'spring' has k = -1; it must not be negative");

  dae::System rod("rod");
  rod.add_node("rod", kPose);
  rod.add("rod", PlanarSlenderRod{}, {"rod"}, {.values = {{"l", 0}}});
  expect(rod, "element 'rod' has length l = 0; it must be positive");
}

}  // namespace
}  // namespace liegrad::testing
