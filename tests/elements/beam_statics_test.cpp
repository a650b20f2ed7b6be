// Static equilibria and vibrations of beams beside solutions by other means: closed ones, a boundary value
// problem of a rod solved by shooting, published numbers.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <numbers>

#include "interpreted_kernels.hpp"
#include "liegrad/dae/modal_analysis.hpp"
#include "liegrad/dae/static_equilibrium.hpp"
#include "liegrad/dae/system/element_kind.hpp"
#include "liegrad/dae/system/outputs.hpp"
#include "liegrad/elements/beams/beam_load.hpp"
#include "liegrad/elements/beams/straight_beam.hpp"
#include "liegrad/elements/forces/applied_force.hpp"
#include "liegrad/elements/forces/applied_torque.hpp"
#include "liegrad/elements/frame_along.hpp"
#include "liegrad/elements/joints/point_on_line.hpp"
#include "liegrad/elements/joints/spherical_joint.hpp"
#include "poses.hpp"

namespace liegrad::testing {
namespace {

using elements::HelicoidalInterpolation, elements::LinearInterpolation, elements::SectionFrames;
using lie::NodeGroup;
using Values = std::map<std::string, double>;
using Vector = Eigen::VectorXd;

constexpr double kPi = std::numbers::pi;

struct Section {
  double EA, GA2, GA3, GJ, EI2, EI3, m = 1, J1 = 1, J2 = 1, J3 = 1;

  Values values() const {
    return {{"EA", EA}, {"GA2", GA2}, {"GA3", GA3}, {"GJ", GJ}, {"EI2", EI2},   {"EI3", EI3},
            {"m", m},   {"J1", J1},   {"J2", J2},   {"J3", J3}, {"gravity3", 0}};
  }
};

/// A beam along x, clamped at the origin, with a node "tip" at its end.
template <class Interpolation>
dae::System clamped(const NodeGroup& group, double length, int elements, const Section& section) {
  dae::System system("clamped");
  const elements::StraightBeam row{.name = "beam",
                                   .elements = elements,
                                   .from = {"ground"},
                                   .to = {"tip"},
                                   .group = group,
                                   .length = length,
                                   .values = section.values()};
  add_beam_nodes(system, row);
  system.add_node("tip", group);
  system.set_initial_configuration("tip", {1, 0, 0, 0, length, 0, 0});
  add_straight_beam(system, row, elements::Beam<Interpolation>{});
  return system;
}

/// Helices on SE(3) and straight lines on SO(3)×R³, as they are meant.
struct Kind {
  const char* name;
  NodeGroup group;
  dae::System (*make)(const NodeGroup&, double, int, const Section&);
};
const std::vector<Kind>& kinds() {
  static const std::vector<Kind> list = {
      {"helicoidal", NodeGroup::se3(), clamped<HelicoidalInterpolation>},
      {"linear", NodeGroup::so3xr3(), clamped<LinearInterpolation>}};
  return list;
}

Vector output(const dae::System& system, const dae::State& state, const std::string& name) {
  dae::Outputs outputs(system);
  std::vector<double> numbers(static_cast<std::size_t>(outputs.size()));
  outputs.evaluate(state, std::vector<double>(system.controls().size()), numbers);
  return Eigen::Map<const Vector>(numbers.data() + outputs.offset(name), outputs.spec(name).size);
}

dae::State at_rest(const dae::System& system, const dae::StaticOptions& options = {}) {
  const dae::StaticSolution solution = dae::find_equilibrium(system, options);
  EXPECT_TRUE(solution.converged) << solution.message;
  return solution.state;
}

// ---------------------------------------------------------------- roll-up

/// A moment of 2π EI/L makes a straight beam a circle, whatever the number of elements.
TEST(BeamStatics, RollUpToACircle) {
  const Section section{1e4, 5e3, 5e3, 80, 100, 100};
  constexpr double kLength = 2;
  for (const Kind& kind : kinds()) {
    for (const int elements : {4, 10}) {
      SCOPED_TRACE(kind.name);
      dae::System system = kind.make(kind.group, kLength, elements, section);
      system.add("moment", elements::AppliedTorque<>{}, {"tip"},
                 {.values = {{"m3", 2 * kPi * section.EI3 / kLength}}});
      const dae::State state = at_rest(system, {.load_steps = elements});
      EXPECT_LT(output(system, state, "tip.x").norm(), 1e-11);
      EXPECT_NEAR(output(system, state, "beam.beam1.kappa")(2), 2 * kPi / kLength, 1e-11);
    }
  }
}

// ---------------------------------------------------------------- the 45° bend

/// A circular arc of 45° and radius 100 in the plane of x and y with a force of 600 along z at its end. The beam begins
/// along y and turns towards x, so that the tip is at (29.29, 70.71, 0) without load.
template <class Interpolation>
Vec3 tip_of_bend(const NodeGroup& group, int elements, double shear_stiffness) {
  constexpr double kRadius = 100, kForce = 600;
  const Section section{1e7, shear_stiffness, shear_stiffness, 1e7 / 12, 1e7 / 12, 1e7 / 12};
  const auto pose = [&](double angle) {
    return Pose(Rotation::exp(Vec3(0, 0, kPi / 2 - angle)),
                Vec3(kRadius * (1 - std::cos(angle)), kRadius * std::sin(angle), 0));
  };
  const elements::Beam<Interpolation> element{.frames = SectionFrames::kNodes};
  dae::System system("bend");
  // The ground has the axes of the first section: everything is seen from there.
  const Pose root = pose(0);
  std::string previous = "ground";
  for (int i = 1; i <= elements; ++i) {
    const std::string name = i < elements ? "node" + std::to_string(i) : "tip";
    const Pose a = root.inverse() * pose((i - 1) * kPi / 4 / elements),
               b = root.inverse() * pose(i * kPi / 4 / elements);
    system.add_node(name, group);
    system.set_initial_configuration(name, coeffs_of(b));
    Values values = section.values();
    for (const auto& [key, value] :
         element.reference(lie::Frame<double>::of(a), lie::Frame<double>::of(b))) {
      values[key] = value;
    }
    system.add("beam" + std::to_string(i), element, {previous, name}, {.values = values});
    previous = name;
  }
  system.add("force", elements::AppliedForce<>{}, {"tip"}, {.values = {{"f3", kForce}}});
  const Vector tip = output(system, at_rest(system), "tip.x");
  return root.transform_point(Vec3(tip(0), tip(1), tip(2)));
}

/// The displacements of [BatheBolourchi1979], as the case bd_curved_beam of [OpenFastCases] quotes them.
TEST(BeamStatics, BendAsBatheAndBolourchiSay) {
  const Vec3 published = Vec3(29.29, 70.71, 0) + Vec3(-13.4, -23.5, 53.4);
  for (const int elements : {8, 16}) {
    const Vec3 helix = tip_of_bend<HelicoidalInterpolation>(NodeGroup::se3(), elements, 5e6),
               line = tip_of_bend<LinearInterpolation>(NodeGroup::so3xr3(), elements, 5e6);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(helix(i), published(i), 0.01 * published.norm())
          << elements << " helices: " << helix.transpose();
      EXPECT_NEAR(line(i), published(i), 0.01 * published.norm())
          << elements << " straight lines: " << line.transpose();
    }
  }
}

// ---------------------------------------------------------------- large deflections in space

/// A clamped rod, straight or curved without stress, with a dead force f at its tip, by shooting: x' = R (γ + e1), R' = R κ~ with γ and κ from
/// force and moment along it, with Runge and Kutta's steps; the moment at the root is the unknown.
Vec3 tip_by_shooting(const Section& s, double length, const Vec3& force,
                     const Vec3& curvature = Vec3::Zero()) {
  constexpr int kSteps = 400;
  struct Point {
    Vec3 x;
    Mat3 r;
    Vec3 moment;
  };
  const auto rate = [&](const Point& p) {
    const Vec3 n = p.r.transpose() * force, m = p.r.transpose() * p.moment;
    const Vec3 stretch(1 + n(0) / s.EA, n(1) / s.GA2, n(2) / s.GA3);
    const Vec3 kappa = curvature + Vec3(m(0) / s.GJ, m(1) / s.EI2, m(2) / s.EI3);
    const Vec3 slope = p.r * stretch;
    return Point{slope, p.r * lie::skew<double>(kappa), -slope.cross(force)};
  };
  const auto end = [&](const Vec3& root_moment) {
    Point p{Vec3::Zero(), Mat3::Identity(), root_moment};
    const double h = length / kSteps;
    const auto moved = [](const Point& from, const Point& by, double step) {
      return Point{from.x + step * by.x, from.r + step * by.r, from.moment + step * by.moment};
    };
    for (int i = 0; i < kSteps; ++i) {
      const Point k1 = rate(p), k2 = rate(moved(p, k1, h / 2)), k3 = rate(moved(p, k2, h / 2)),
                  k4 = rate(moved(p, k3, h));
      for (const auto& [k, weight] :
           {std::pair(&k1, 1), std::pair(&k2, 2), std::pair(&k3, 2), std::pair(&k4, 1)}) {
        p = moved(p, *k, weight * h / 6);
      }
    }
    return p;
  };
  // The moment at the tip must vanish; the load is raised in parts.
  Vec3 root = Vec3::Zero();
  const Vec3 whole = force;
  for (int i = 0; i < 20; ++i) {
    const Vec3 miss = end(root).moment;
    Mat3 slope;
    const double step = 1e-6 * length * whole.norm();
    for (int k = 0; k < 3; ++k) {
      slope.col(k) =
          (end(root + step * Vec3::Unit(k)).moment - end(root - step * Vec3::Unit(k)).moment) /
          (2 * step);
    }
    root -= slope.fullPivLu().solve(miss);
  }
  EXPECT_LT(end(root).moment.norm(), 1e-9 * length * whole.norm());
  return end(root).x;
}

/// The bend of Bathe and Bolourchi, by extrapolation from 16 and 32 elements.
TEST(BeamStatics, BendLikeACurvedRod) {
  constexpr double kRadius = 100;
  const Section section{1e7, 5e6, 5e6, 1e7 / 12, 1e7 / 12, 1e7 / 12};
  // Seen from the first section the beam turns about -z.
  const Vec3 exact = tip_by_shooting(section, kRadius * kPi / 4, {0, 0, 600}, {0, 0, -1 / kRadius});
  const auto error = [&](auto tip, const NodeGroup& group) {
    const Vec3 found = (4 * tip(group, 32, 5e6) - tip(group, 16, 5e6)) / 3;
    // From the axes of the first section, whose x is along y.
    return (found - Vec3(-exact(1), exact(0), exact(2))).norm() / exact.norm();
  };
  EXPECT_LT(error(tip_of_bend<HelicoidalInterpolation>, NodeGroup::se3()), 2e-6);
  EXPECT_LT(error(tip_of_bend<LinearInterpolation>, NodeGroup::so3xr3()), 2e-6);
}

/// The bar of the Princeton beam experiments: aluminium, 20 in long and 1/2 by 1/8 in, with a force at the tip at an angle
/// to the long side of its section, which is along z.
struct PrincetonBar {
  static constexpr double kLength = 0.508, kTwoPounds = 8.896, kThreePounds = 13.345;
  static Section section() {
    constexpr double kE = 71.7e9, kG = kE / (2 * 1.31), b = 3.2024e-3, h = 12.3777e-3;
    return {kE * b * h,
            5.0 / 6 * kG * b * h,
            5.0 / 6 * kG * b * h,
            0.281 * kG * h * b * b * b,
            kE * b * h * h * h / 12,
            kE * h * b * b * b / 12};
  }
  static Vec3 force(double size, double degrees) {
    const double angle = degrees * kPi / 180;
    return size * Vec3(0, std::sin(angle), std::cos(angle));
  }
  static Vec3 tip(const Kind& kind, int elements, const Vec3& force) {
    dae::System system = kind.make(kind.group, kLength, elements, section());
    system.add("force", elements::AppliedForce<>{}, {"tip"},
               {.values = {{"f2", force(1)}, {"f3", force(2)}}});
    const Vector x = output(system, at_rest(system), "tip.x");
    return {x(0), x(1), x(2)};
  }
};

/// The displacements of the tip across and along the long side, by beams of Ansys in [ObrezkovMikkolaMatikainen2022], as
/// ANCFBeamTest.py of [ExudynTestModels] quotes them.
TEST(BeamStatics, BendAsPublishedForThePrincetonBar) {
  struct Published {
    double force, degrees, along, across;
  };
  const Published table[] = {
      {PrincetonBar::kTwoPounds, 0, 1.071417630e-2, 0},
      {PrincetonBar::kTwoPounds, 15, 1.061328706e-2, 4.208232124e-2},
      {PrincetonBar::kTwoPounds, 45, 8.837226265e-3, 0.108987937},
      {PrincetonBar::kTwoPounds, 75, 3.538889001e-3, 0.142194370},
      {PrincetonBar::kTwoPounds, 90, 0, 0.146245978},
      {PrincetonBar::kThreePounds, 30, 1.665873206e-2, 0.117735994},
      {PrincetonBar::kThreePounds, 60, 1.157837500e-2, 0.181861627},
      {PrincetonBar::kThreePounds, 90, 0, 0.200677707},
  };
  for (const Kind& kind : kinds()) {
    for (const Published& row : table) {
      const Vec3 tip = PrincetonBar::tip(kind, 16, PrincetonBar::force(row.force, row.degrees));
      const double size = std::hypot(row.along, row.across);
      EXPECT_NEAR(tip(1), row.across, 0.01 * size)
          << kind.name << ", " << row.degrees << " degrees";
      EXPECT_NEAR(tip(2), row.along, 0.01 * size) << kind.name << ", " << row.degrees << " degrees";
    }
  }
}

TEST(BeamStatics, BendInSpaceWithSecondOrderInTheLengthOfElements) {
  const Vec3 force = PrincetonBar::force(PrincetonBar::kTwoPounds, 45);
  const Vec3 exact = tip_by_shooting(PrincetonBar::section(), PrincetonBar::kLength, force);
  // Large enough that linear theory is wrong, and turned by torsion.
  EXPECT_GT(exact(1), 0.1 * PrincetonBar::kLength);
  EXPECT_LT(exact(0), 0.98 * PrincetonBar::kLength);
  for (const Kind& kind : kinds()) {
    const double at_8 = (PrincetonBar::tip(kind, 8, force) - exact).norm(),
                 at_16 = (PrincetonBar::tip(kind, 16, force) - exact).norm();
    EXPECT_LT(at_8, 0.01 * exact(1)) << kind.name;
    EXPECT_NEAR(std::log2(at_8 / at_16), 2, 0.1) << kind.name;
  }
}

// ---------------------------------------------------------------- loads along the beam

/// Small deflections under a load along the beam: f L⁴/8EI + f L²/2GA, and linear in the load.
TEST(BeamStatics, BendUnderALoadAlongTheBeam) {
  const Section section{1e6, 1e3, 1e3, 80, 100, 100};
  constexpr double kLength = 2, kLoad = 1e-6;
  constexpr int kElements = 32;
  const double exact = kLoad * std::pow(kLength, 4) / (8 * section.EI3) +
                       kLoad * kLength * kLength / (2 * section.GA2);
  for (const Kind& kind : kinds()) {
    dae::System system = kind.make(kind.group, kLength, kElements, section);
    for (int i = 1; i <= kElements; ++i) {
      const std::string a = i == 1 ? "ground" : elements::beam_node_name("beam", i - 1),
                        b = i == kElements ? "tip" : elements::beam_node_name("beam", i);
      system.add("load" + std::to_string(i), elements::BeamLoad<>{.frames = SectionFrames::kNodes},
                 {a, b}, {.values = {{"L", kLength}, {"parts", kElements}, {"f2", kLoad}}});
    }
    EXPECT_NEAR(output(system, at_rest(system), "tip.x")(1), exact, 1e-3 * exact) << kind.name;
  }
}

/// Nodes beside the beam, with sections that are offset from them: a force along the line of the nodes bends it.
TEST(BeamStatics, BendUnderAForceBesideTheBeam) {
  const Section section{1e6, 1e5, 1e5, 80, 100, 100};
  constexpr double kLength = 2, kOffset = 0.1, kForce = 1e-3;
  for (const NodeGroup& group : both_groups()) {
    dae::System system("offset");
    system.add_node("tip", group);
    system.set_initial_configuration("tip", {1, 0, 0, 0, kLength, 0, 0});
    system.add_frame("root.section", "ground", {.position = {0, kOffset, 0}});
    system.add_frame("tip.section", "tip", {.position = {0, kOffset, 0}});
    const elements::StraightBeam row{.name = "beam",
                                     .elements = 4,
                                     .from = {"root.section", true},
                                     .to = {"tip.section", true},
                                     .group = group,
                                     .start = Pose(Rotation::identity(), {0, kOffset, 0}),
                                     .length = kLength,
                                     .values = section.values()};
    add_beam_nodes(system, row);
    add_straight_beam(system, row, elements::Beam<>{});
    system.add("force", elements::AppliedForce<>{}, {"tip"}, {.values = {{"f1", kForce}}});
    const dae::State rest = at_rest(system);
    // With y'' = k²(e + y - y(L)), k² = F/EI, as the force passes below the sections.
    const double k = std::sqrt(kForce / section.EI3), turn = kOffset * k * std::tanh(k * kLength);
    const double middle = 1.5 * kLength / 4,
                 moment = kForce * kOffset * std::cosh(k * middle) / std::cosh(k * kLength);
    EXPECT_NEAR(output(system, rest, "beam.beam2.moment")(2), moment, 1e-6 * moment);
    EXPECT_NEAR(output(system, rest, "beam.beam2.force")(0), kForce, 1e-6 * kForce);
    EXPECT_NEAR(2 * std::asin(output(system, rest, "tip.q")(3)), turn, 1e-6 * turn);
  }
}

// ---------------------------------------------------------------- vibrations

/// The frequency next to one that is expected.
double nearest_frequency(const dae::ModalSolution& solution, double expected) {
  double nearest = 1e300;
  for (const dae::Mode& mode : solution.modes) {
    if (std::abs(mode.frequency - expected) < std::abs(nearest - expected))
      nearest = mode.frequency;
  }
  return nearest;
}

TEST(BeamModes, AreThoseOfEulerAndBernoulli) {
  // Slender: shear and rotary inertia change little.
  const Section section{4e6, 2e6, 2e6, 0.8, 1, 2.3, 0.5, 1e-5, 1e-7, 1e-7};
  constexpr double kLength = 1;
  std::vector<double> expected;
  for (const double beta : {1.87510407, 4.69409113, 7.85475744}) {
    for (const double stiffness : {section.EI2, section.EI3}) {
      expected.push_back(beta * beta * std::sqrt(stiffness / section.m) / (2 * kPi));
    }
  }
  expected.push_back(0.25 * std::sqrt(section.GJ / section.J1) / kLength);  // torsion
  expected.push_back(0.25 * std::sqrt(section.EA / section.m) / kLength);   // along the beam
  for (const Kind& kind : kinds()) {
    std::vector<std::vector<double>> errors;
    for (const int elements : {12, 24}) {
      const dae::System system = kind.make(kind.group, kLength, elements, section);
      const dae::ModalSolution solution =
          dae::modal_analysis(system, at_rest(system), {.count = 6 * elements});
      EXPECT_TRUE(solution.undamped);
      EXPECT_EQ(solution.degrees_of_freedom, 6 * elements);
      errors.emplace_back();
      for (const double frequency : expected) {
        const double found = nearest_frequency(solution, frequency);
        errors.back().push_back(std::abs(found - frequency) / frequency);
      }
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
      // A third mode has two elements and a half in each quarter of its waves.
      EXPECT_LT(errors[1][i], 0.013) << kind.name << " at " << expected[i] << " Hz";
      EXPECT_NEAR(std::log2(errors[0][i] / errors[1][i]), 2, 0.15)
          << kind.name << " at " << expected[i] << " Hz";
    }
  }
}

/// On two pins: for waves of the number k = nπ/L Timoshenko's equations are
/// (EI k² + GA - J ω²)(GA k² - m ω²) = (GA k)².
TEST(BeamModes, AreThoseOfTimoshenko) {
  const Section section{1e5, 40, 40, 5, 2, 2, 0.5, 0.2, 0.1, 0.1};
  constexpr double kLength = 1;
  constexpr int kElements = 48;
  for (const NodeGroup& group : both_groups()) {
    dae::System system("pinned");
    const elements::StraightBeam row{.name = "beam",
                                     .elements = kElements,
                                     .from = {"left"},
                                     .to = {"right"},
                                     .group = group,
                                     .length = kLength,
                                     .values = section.values()};
    system.add_node("left", group);
    add_beam_nodes(system, row);
    system.add_node("right", group);
    system.set_initial_configuration("right", {1, 0, 0, 0, kLength, 0, 0});
    add_straight_beam(system, row, elements::Beam<>{});
    system.add_frame("rail", "ground", elements::frame_along({0, 0, 0}, {1, 0, 0}));
    system.add("pin", elements::SphericalJoint{}, {"ground", "left"});
    system.add("roller", elements::PointOnLine{}, {"rail", "right"});
    // It is at rest as it is, free to turn about its axis.
    dae::State state;
    state.q = system.initial_configuration();
    state.lambda.assign(5, 0.0);
    const dae::ModalSolution solution = dae::modal_analysis(system, state, {.count = 100});
    EXPECT_LT(solution.modes[0].frequency, 1e-4);
    for (const int n : {1, 2}) {
      const double k = n * kPi / kLength;
      const double a = section.m * section.J3,
                   b = section.m * (section.EI3 * k * k + section.GA2) +
                       section.J3 * section.GA2 * k * k,
                   c = section.EI3 * k * k * section.GA2 * k * k;
      const double frequency = std::sqrt((b - std::sqrt(b * b - 4 * a * c)) / (2 * a)) / (2 * kPi);
      const double slender = k * k * std::sqrt(section.EI3 / section.m) / (2 * kPi);
      EXPECT_GT(slender, 1.3 * frequency);  // without shear and rotary inertia it would be another
      EXPECT_NEAR(nearest_frequency(solution, frequency), frequency, 2e-3 * frequency);
    }
  }
}

TEST(BeamModes, HaveTheDampingOfRayleigh) {
  const Section section{1e4, 5e3, 5e3, 80, 100, 30};
  const auto damped = [&](double alpha, double tau) {
    dae::System system("damped");
    elements::StraightBeam row{.name = "beam",
                               .elements = 4,
                               .from = {"ground"},
                               .to = {"tip"},
                               .values = section.values()};
    row.values["alpha"] = alpha;
    row.values["tau_E"] = row.values["tau_G"] = tau;
    add_beam_nodes(system, row);
    system.add_node("tip", row.group);
    system.set_initial_configuration("tip", {1, 0, 0, 0, 1, 0, 0});
    add_straight_beam(system, row, elements::Beam<LinearInterpolation>{.damped = true});
    return dae::modal_analysis(system, at_rest(system), {.count = 6});
  };
  const dae::ModalSolution none = damped(0, 0);
  EXPECT_TRUE(none.undamped);
  constexpr double kAlpha = 0.2, kTau = 0.005;
  const dae::ModalSolution both = damped(kAlpha, kTau);
  EXPECT_FALSE(both.undamped);
  for (std::size_t i = 0; i < none.modes.size(); ++i) {
    const double omega = 2 * kPi * none.modes[i].frequency;
    EXPECT_NEAR(both.modes[i].frequency, none.modes[i].frequency, 1e-9 * none.modes[i].frequency);
    EXPECT_NEAR(both.modes[i].damping_ratio, kAlpha / (2 * omega) + kTau * omega / 2, 1e-9);
  }
}

/// A column under an axial force: beyond Euler's load it is unstable when straight.
TEST(BeamModes, GrowBeyondEulersLoad) {
  const Section section{1e7, 5e6, 5e6, 80, 100, 30, 1, 1e-3, 1e-3, 1e-3};
  const double critical = kPi * kPi * section.EI3 / 4;
  const auto lowest = [&](double load) {
    dae::System system = kinds()[0].make(kinds()[0].group, 1, 16, section);
    system.add("force", elements::AppliedForce<>{}, {"tip"}, {.values = {{"f1", -load}}});
    return dae::modal_analysis(system, at_rest(system)).modes[0];
  };
  const dae::Mode below = lowest(0.99 * critical), above = lowest(1.01 * critical);
  EXPECT_GT(below.eigenvalue.imag(), 0.1);
  EXPECT_GT(above.eigenvalue.real(), 0.1);
  EXPECT_LT(above.damping_ratio, 0);
}

/// Beck's column: a force that follows the tip does not buckle a clamped column, but makes it flutter from 20.05 EI/L²
/// on; the matrix of such a load is not symmetric.
TEST(BeamModes, FlutterUnderBecksLoad) {
  const Section section{1e7, 5e6, 5e6, 80, 1e4, 100, 1, 1e-3, 1e-3, 1e-3};
  const auto fastest_growth = [&](double load) {
    dae::System system = kinds()[0].make(kinds()[0].group, 1, 32, section);
    system.add("force", elements::AppliedForce<>{.axes = elements::LoadAxes::kBody}, {"tip"},
               {.values = {{"f1", -load * section.EI3}}});
    double growth = 0;
    for (const dae::Mode& mode : dae::modal_analysis(system, at_rest(system), {.count = 6}).modes) {
      growth = std::max(growth, mode.eigenvalue.real());
    }
    return growth;
  };
  EXPECT_LT(fastest_growth(19.6), 1e-3);
  EXPECT_GT(fastest_growth(20.5), 1);
}

// ---------------------------------------------------------------- what cannot be found

TEST(StaticEquilibrium, IsNotFoundWhereNothingHoldsTheSystem) {
  dae::System system("free");
  system.add_node("a", NodeGroup::so3xr3());
  system.add_node("b", NodeGroup::so3xr3());
  system.set_initial_configuration("b", {1, 0, 0, 0, 1, 0, 0});
  system.add("beam", elements::Beam<>{}, {"a", "b"}, {.values = {{"J1", 1}, {"J2", 1}, {"J3", 1}}});
  const dae::StaticSolution solution = dae::find_equilibrium(system);
  EXPECT_FALSE(solution.converged);
  EXPECT_NE(solution.message.find("can move freely"), std::string::npos) << solution.message;
}

TEST(StaticEquilibrium, RefusesOptionsThatMakeNoSense) {
  const dae::System system = kinds()[0].make(kinds()[0].group, 1, 1, {1, 1, 1, 1, 1, 1});
  dae::StaticOptions options;
  options.load_steps = 0;
  options.smallest_load_step = 2;
  try {
    dae::find_equilibrium(system, options);
    ADD_FAILURE() << "not refused";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(
        error.what(),
        "there are 0 load steps; at least 1 is needed; the smallest load step is 2; it must "
        "be between 0 and 1");
  }
}

}  // namespace
}  // namespace liegrad::testing
