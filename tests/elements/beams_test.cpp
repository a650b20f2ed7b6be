// Beams: strain does not see rigid motions, forces derive from the energy, inertia from the kinetic energy and
// the momentum, on nodes of both groups and on turned and offset sections; what is refused.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <numbers>

#include "force_checks.hpp"
#include "interpreted_kernels.hpp"
#include "liegrad/dae/integrate.hpp"
#include "liegrad/elements/beams/beam.hpp"
#include "liegrad/elements/beams/beam_load.hpp"

namespace liegrad::testing {
namespace {

using elements::Beam, elements::BeamLoad, elements::DiagonalSection, elements::FullSection,
    elements::HelicoidalInterpolation, elements::LinearInterpolation, elements::LoadAxes,
    elements::SectionFrames;
using lie::NodeGroup;
using Values = std::map<std::string, double>;

/// Nothing special, and no two equal.
const Values kSectionValues = {{"EA", 7}, {"GA2", 5}, {"GA3", 4},
                               {"GJ", 2}, {"EI2", 3}, {"EI3", 1.5}};
const Values kInertiaValues = {{"m", 1.3}, {"J1", 0.5}, {"J2", 0.3}, {"J3", 0.4}};
const Values kNoWeight = {{"gravity3", 0}};
const Values kCurved = {{"L", 1.8},       {"parts", 2},    {"gamma1", 0.02}, {"gamma2", -0.1},
                        {"gamma3", 0.05}, {"kappa1", 0.2}, {"kappa2", -0.4}, {"kappa3", 0.3}};

Values merged(std::initializer_list<Values> lists) {
  Values all;
  for (const Values& list : lists) {
    for (const auto& [name, value] : list) all[name] = value;
  }
  return all;
}

const dae::BodyFrame kFrameA = {{0.1, -0.2, 0.15}, {0.95, 0.1, -0.2, 0.15}},
                     kFrameB = {{-0.15, 0.1, 0.2}, {0.9, -0.2, 0.2, 0.1}};

/// Two nodes about a length apart, with an element between them.
template <class E>
dae::System two_nodes(const NodeGroup& group, const E& element, const Values& values) {
  dae::System system("beam");
  for (const auto& [name, x] : {std::pair("a", -0.5), std::pair("b", 0.5)}) {
    system.add_node(name, group);
    system.set_initial_configuration(name, {1, 0, 0, 0, x, 0.1 * x, -0.2 * x});
  }
  std::vector<std::string> ends = {"a", "b"};
  if (element.frames == SectionFrames::kAttached) {
    system.add_frame("a.section", "a", kFrameA);
    system.add_frame("b.section", "b", kFrameB);
    ends = {"a.section", "b.section"};
  }
  system.add("beam", element, ends, {.values = values});
  return system;
}

/// M v̇ + g, energies, momentum and outputs of a system at any motion.
class Motions {
 public:
  explicit Motions(const dae::System& system)
      : system_(system),
        assembly_(system, dae::Formulation::kIndex3, false, dae::LinearSolverKind::kDense) {}

  struct Motion {
    std::vector<double> q;
    Eigen::VectorXd v, v_dot;
  };
  /// τ later, to first order.
  Motion after(const Motion& at, double tau) const {
    Motion moved = at;
    const Eigen::VectorXd w = tau * at.v;
    system_.configuration_space().plus<double>(
        at.q, std::span<const double>(w.data(), static_cast<std::size_t>(w.size())), moved.q);
    moved.v += tau * at.v_dot;
    return moved;
  }
  Eigen::VectorXd rows(const Motion& at) {
    load(at);
    assembly_.evaluate(false);
    return Eigen::Map<const Eigen::VectorXd>(assembly_.residual().data(), system_.dof());
  }
  dae::Assembly::Observed observe(const Motion& at) {
    load(at);
    outputs_.resize(static_cast<std::size_t>(system_.num_element_outputs()));
    return assembly_.observe(outputs_);
  }
  Eigen::VectorXd outputs(const Motion& at) {
    observe(at);
    return Eigen::Map<const Eigen::VectorXd>(outputs_.data(), std::ssize(outputs_));
  }

 private:
  void load(const Motion& at) {
    const auto span = [](const Eigen::VectorXd& x) {
      return std::span<const double>(x.data(), static_cast<std::size_t>(x.size()));
    };
    assembly_.set_configuration(at.q);
    assembly_.set_velocity(span(at.v));
    assembly_.set_acceleration(span(at.v_dot));
    assembly_.set_identity_maps();
  }

  const dae::System& system_;
  dae::Assembly assembly_;
  std::vector<double> outputs_;
};

/// f for all interpolations and sections, on nodes of both groups, with frames and without.
template <class Interpolation, class Section, class F>
void for_each_of(const char* name, F&& f) {
  for (const NodeGroup& group : both_groups()) {
    for (const SectionFrames frames : {SectionFrames::kNodes, SectionFrames::kAttached}) {
      SCOPED_TRACE(std::string(name) + " on " + name_of(group) +
                   (frames == SectionFrames::kAttached ? " with frames" : ""));
      f(group, Beam<Interpolation, Section>{.frames = frames});
    }
  }
}
template <class F>
void for_each_beam(F&& f) {
  for_each_of<HelicoidalInterpolation, DiagonalSection>("helicoidal", f);
  for_each_of<LinearInterpolation, DiagonalSection>("linear", f);
}

TEST(Beam, HasForcesThatDeriveFromItsEnergy) {
  for_each_beam([](const NodeGroup& group, const auto& beam) {
    const dae::System system =
        two_nodes(group, beam, merged({kSectionValues, kInertiaValues, kCurved}));
    ForceChecks(system).expect_gradient_of_potential();
  });
}

TEST(Beam, HasForcesOfAFullSectionThatDeriveFromItsEnergy) {
  lie::Mat<double, 6> k = lie::Mat<double, 6>::Identity() * 5;
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < i; ++j) k(i, j) = k(j, i) = std::sin(3 * i + j);
  }
  const Values values = elements::stiffness_values("beam", k);
  for_each_of<HelicoidalInterpolation, FullSection>(
      "full", [&](const NodeGroup& group, const auto& beam) {
        const dae::System system = two_nodes(group, beam, merged({values, kCurved}));
        ForceChecks(system).expect_gradient_of_potential(1);
      });
}

TEST(Beam, HasForcesInEquilibrium) {
  for_each_beam([](const NodeGroup& group, auto beam) {
    beam.damped = true;
    const dae::System system = two_nodes(
        group, beam, merged({kSectionValues, kCurved, {{"m", 0}, {"tau_E", 0.3}, {"tau_G", 0.2}}}));
    ForceChecks(system).expect_third_law();
  });
}

/// Work is energy, and momentum changes by the total of the forces: for any motion, also one that the
/// forces do not lead to.
TEST(Beam, HasInertiaThatDerivesFromItsEnergyAndItsMomentum) {
  for_each_beam([](const NodeGroup& group, const auto& beam) {
    const dae::System system =
        two_nodes(group, beam, merged({kSectionValues, kInertiaValues, kCurved, kNoWeight}));
    ForceChecks random(system);
    Motions motions(system);
    for (int i = 0; i < 3; ++i) {
      const Motions::Motion at = {random.random_configuration(), 2 * random.random(12),
                                  random.random(12)};
      const Eigen::MatrixXd rates =
          test::DerivativeAlong<double>::of([&](double tau) -> Eigen::VectorXd {
            const auto seen = motions.observe(motions.after(at, tau));
            Eigen::VectorXd all(7);
            all << seen.kinetic + seen.potential, seen.linear_momentum, seen.angular_momentum;
            return all;
          }).template cast<double>();
      const Eigen::VectorXd rows = motions.rows(at);
      const double size = 1e-9 * (1 + rows.norm());
      EXPECT_GT(std::abs(rates(0)), 0.01);
      EXPECT_NEAR(rates(0), rows.dot(at.v), size);
      for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(rates(1 + k), rows.dot(random.rigid_motion(at.q, Vec3::Zero(), Vec3::Unit(k))),
                    size);
        EXPECT_NEAR(rates(4 + k), rows.dot(random.rigid_motion(at.q, Vec3::Unit(k), Vec3::Zero())),
                    size);
      }
    }
  });
}

TEST(Beam, LosesWhatItsDampingTakes) {
  constexpr double kTauE = 0.3, kTauG = 0.2, kAlpha = 0.7;
  const double length = kCurved.at("L") / kCurved.at("parts");
  const auto k = [](const char* name) { return kSectionValues.at(name); };
  Eigen::VectorXd viscosity(6);
  viscosity << kTauE * k("EA"), kTauG * k("GA2"), kTauG * k("GA3"), kTauG * k("GJ"),
      kTauE * k("EI2"), kTauE * k("EI3");
  for_each_beam([&](const NodeGroup& group, auto beam) {
    beam.damped = true;
    dae::System system =
        two_nodes(group, beam, merged({kSectionValues, kCurved, kInertiaValues, kNoWeight}));
    ForceChecks random(system);
    Motions::Motion at = {random.random_configuration(), 2 * random.random(12),
                          Eigen::VectorXd::Zero(12)};
    Motions motions(system);
    const Eigen::VectorXd rate =
        test::DerivativeAlong<double>::of([&](double tau) -> Eigen::VectorXd {
          return motions.outputs(motions.after(at, tau)).head(6);
        }).template cast<double>();
    const double without = motions.rows(at).dot(at.v), kinetic = motions.observe(at).kinetic;

    system.set_parameter("beam.tau_E", kTauE);
    system.set_parameter("beam.tau_G", kTauG);
    const double taken = length * viscosity.dot(rate.cwiseAbs2());
    EXPECT_GT(taken, 0.1);
    EXPECT_NEAR(Motions(system).rows(at).dot(at.v) - without, taken, 1e-8 * taken);

    system.set_parameter("beam.tau_E", 0);
    system.set_parameter("beam.tau_G", 0);
    system.set_parameter("beam.alpha", kAlpha);
    EXPECT_NEAR(Motions(system).rows(at).dot(at.v) - without, 2 * kAlpha * kinetic,
                1e-12 * (1 + kinetic));
  });
}

/// The patch test: a beam without stress, moved rigidly by any amount.
TEST(Beam, HasNoStrainAndNoForceAfterARigidMotion) {
  for_each_beam([](const NodeGroup& group, auto beam) {
    beam.frames = SectionFrames::kNodes;
    std::mt19937 rng(3);
    const Pose a = Pose::exp((lie::Vec<double, 6>() << 0.3, -0.2, 0.4, 0.1, 0.2, -0.3).finished());
    const Pose b =
        a * Pose::exp((lie::Vec<double, 6>() << 0.4, 0.5, -0.6, 1, 0.1, -0.1).finished());
    const auto frame = [](const Pose& pose) { return lie::Frame<double>::of(pose); };
    const dae::System system = two_nodes(
        group, beam, merged({kSectionValues, kNoWeight, beam.reference(frame(a), frame(b))}));
    Motions motions(system);
    for (int i = 0; i < 20; ++i) {
      const Pose rigid = lie::random<Pose>(rng);
      std::vector<double> q = coeffs_of(rigid * a);
      const std::vector<double> of_b = coeffs_of(rigid * b);
      q.insert(q.end(), of_b.begin(), of_b.end());
      const Motions::Motion at = {q, Eigen::VectorXd::Zero(12), Eigen::VectorXd::Zero(12)};
      EXPECT_LT(motions.outputs(at).cwiseAbs().maxCoeff(), 1e-13);
      EXPECT_LT(motions.rows(at).cwiseAbs().maxCoeff(), 1e-13);
      EXPECT_LT(std::abs(motions.observe(at).potential), 1e-24);
    }
  });
}

/// The helix has no error on a circle: sections a quarter of a turn apart.
TEST(Beam, HasTheCurvatureOfACircle) {
  constexpr double kRadius = 2, kAngle = std::numbers::pi / 2;
  dae::System system = two_nodes(NodeGroup::se3(), Beam<>{.frames = SectionFrames::kNodes},
                                 merged({kSectionValues, {{"L", kRadius * kAngle}}}));
  const double half = kAngle / 2;
  system.set_initial_configuration("a", {1, 0, 0, 0, 0, 0, 0});
  system.set_initial_configuration("b",
                                   {std::cos(half), 0, 0, std::sin(half), kRadius, kRadius, 0});
  const Eigen::VectorXd outputs = Motions(system).outputs(
      {system.initial_configuration(), Eigen::VectorXd::Zero(12), Eigen::VectorXd::Zero(12)});
  Eigen::VectorXd expected = Eigen::VectorXd::Zero(12);
  expected(5) = 1 / kRadius;
  expected(11) = kSectionValues.at("EI3") / kRadius;
  EXPECT_LT((outputs - expected).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(BeamLoad, HasItsTotalAndFollowsTheSections) {
  const Values load = {{"L", 1.2},  {"f1", 0.3}, {"f2", -0.5}, {"f3", 0.7},
                       {"m1", 0.2}, {"m2", 0.4}, {"m3", -0.1}, {"value", 2}};
  const Vec3 force = 1.2 * 2 * Vec3(0.3, -0.5, 0.7), torque = 1.2 * 2 * Vec3(0.2, 0.4, -0.1);
  for (const NodeGroup& group : both_groups()) {
    for (const LoadAxes axes : {LoadAxes::kInertial, LoadAxes::kBody}) {
      const dae::System system = two_nodes(group, BeamLoad<>{.axes = axes}, load);
      ForceChecks checks(system);
      const std::vector<double> q = checks.random_configuration();
      const Pose a = checks.pose(q, "a") * pose_of(kFrameA),
                 b = checks.pose(q, "b") * pose_of(kFrameB);
      const auto half = [&](const Pose& end, const Vec3& of) {
        return Vec3(0.5 * (axes == LoadAxes::kBody ? end.transform_vector(of) : of));
      };
      const auto wrench = checks.wrench(q, checks.rows(q, Eigen::VectorXd::Zero(12)));
      EXPECT_LT((wrench.tail<3>() - half(a, force) - half(b, force)).norm(), 1e-13);
      // An end has two thirds of its own axes and one of those of the other.
      const auto at_end = [&](const Pose& one, const Pose& other) {
        const Vec3 f = (2 * half(one, force) + half(other, force)) / 3;
        const Vec3 m = (2 * half(one, torque) + half(other, torque)) / 3;
        return Vec3(one.translation().cross(f) + m);
      };
      EXPECT_LT((wrench.head<3>() - at_end(a, b) - at_end(b, a)).norm(), 1e-13);
    }
  }
}

template <class B = Beam<>>
void expect_validation_message(const std::string& text, const Values& values, const B& beam = {},
                               const std::function<void(dae::System&)>& change = {}) {
  dae::System system("bad");
  for (const auto& [name, x] : {std::pair("a", 0.0), std::pair("b", 1.0)}) {
    system.add_node(name, NodeGroup::so3xr3());
    system.set_initial_configuration(name, {1, 0, 0, 0, x, 0, 0});
  }
  system.add("beam", beam, {"a", "b"},
             {.values = merged({{{"J1", 1}, {"J2", 1}, {"J3", 1}}, values})});
  if (change) change(system);
  dae::IntegrateOptions options = dae::alpha_steps();
  options.t_end = options.step = 1e-3;
  try {
    dae::integrate(system, options);
    ADD_FAILURE() << "no validation_message: " << text;
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

TEST(BadBeams, AreRefusedInOneSentence) {
  expect_validation_message("element 'beam' has L = 0; it must be positive", {{"L", 0}});
  expect_validation_message("element 'beam' has EA = -1; it must be positive", {{"EA", -1}});
  expect_validation_message("element 'beam' has GA3 = 0; it must be positive", {{"GA3", 0}});
  expect_validation_message("element 'beam' has m = -2; it must not be negative", {{"m", -2}});
  expect_validation_message("element 'beam' has tau_G = -1; it must not be negative",
                            {{"tau_G", -1}}, Beam<>{.damped = true});
  expect_validation_message("has a section stiffness with the eigenvalue -1; all must be positive",
                            {{"K11", 1}, {"K22", 1}, {"K12", 2}},
                            Beam<HelicoidalInterpolation, FullSection>{});
  expect_validation_message("has the length 3 but ends that are 1 apart at the start", {{"L", 3}});
  expect_validation_message("has both ends at the same point at the start; place them 1 apart", {},
                            Beam<>{}, [](dae::System& system) {
                              system.set_initial_configuration("b", {1, 0, 0, 0, 0, 0, 0});
                            });
  expect_validation_message("has end b behind end a", {}, Beam<>{}, [](dae::System& system) {
    system.set_initial_configuration("b", {1, 0, 0, 0, -1, 0, 0});
  });
  expect_validation_message("half a turn or more, where its curvature has no direction", {},
                            Beam<>{}, [](dae::System& system) {
                              system.set_initial_configuration("b", {0, 1, 0, 0, 1, 0, 0});
                            });
  lie::Mat<double, 6> k = lie::Mat<double, 6>::Identity();
  k(0, 4) = 0.1;
  try {
    elements::stiffness_values("spar", k);
    ADD_FAILURE() << "no validation_message";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(),
                 "element 'spar' has a section stiffness with K15 = 0.1 and K51 = 0; it must be "
                 "symmetric");
  }
}

}  // namespace
}  // namespace liegrad::testing
