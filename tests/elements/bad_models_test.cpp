// Mistakes in models of bodies and joints: each is answered with one sentence that names the element.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <string>

#include "interpreted_kernels.hpp"
#include "liegrad/dae/integrate.hpp"
#include "liegrad/elements/bodies/general_rigid_body.hpp"
#include "liegrad/elements/bodies/point_mass.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/bodies/spinning_top.hpp"
#include "liegrad/elements/bodies/torsional_ball.hpp"
#include "liegrad/elements/coordinates/driven_coordinate.hpp"
#include "liegrad/elements/coordinates/table_law.hpp"
#include "liegrad/elements/forces/applied_force.hpp"
#include "liegrad/elements/forces/coordinate_friction.hpp"
#include "liegrad/elements/forces/point_spring.hpp"
#include "liegrad/elements/frame_along.hpp"
#include "liegrad/elements/joints/cylindrical_joint.hpp"
#include "liegrad/elements/joints/distance_joint.hpp"
#include "liegrad/elements/joints/fixed_joint.hpp"
#include "liegrad/elements/joints/plane_joint.hpp"
#include "liegrad/elements/joints/point_on_line.hpp"
#include "liegrad/elements/joints/prismatic_joint.hpp"
#include "liegrad/elements/joints/revolute_joint.hpp"
#include "liegrad/elements/joints/universal_joint.hpp"
#include "liegrad/elements/planar/pendulum.hpp"
#include "liegrad/elements/planar/planar_body.hpp"
#include "liegrad/elements/planar/planar_fixed_joint.hpp"
#include "liegrad/elements/planar/planar_point_on_line.hpp"
#include "liegrad/elements/planar/planar_prismatic_joint.hpp"
#include "liegrad/elements/planar/planar_spring.hpp"
#include "liegrad/elements/planar/slender_rod.hpp"
#include "liegrad/elements/planar/slider.hpp"

namespace liegrad::testing {
namespace {

/// The sentence of a mistake in building or in starting a run; empty if there is none.
std::string message_of(const std::function<void(dae::System&)>& build) {
  try {
    dae::System system("model");
    system.add_node("crank", lie::NodeGroup::so3xr3());
    system.add_node("rod", lie::NodeGroup::se3());
    build(system);
    dae::IntegrateOptions options = dae::alpha_steps();
    options.t_end = 1e-3;
    (void)dae::integrate(system, options);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

/// Bodies with the values of the element under test for the crank.
template <class Body = elements::RigidBody>
std::string message_of_body(const std::map<std::string, double>& values) {
  return message_of([&](dae::System& system) {
    system.add("flywheel", Body{}, {"crank"}, {.values = values});
    system.add("rod", elements::RigidBody{}, {"rod"});
  });
}
/// A joint between two good bodies.
std::string message_of_joint(const std::function<void(dae::System&)>& add_joint) {
  return message_of([&](dae::System& system) {
    system.add("crank", elements::RigidBody{}, {"crank"});
    system.add("rod", elements::RigidBody{}, {"rod"});
    add_joint(system);
  });
}

TEST(BadModels, WithoutMistakesThereIsNoSentence) {
  EXPECT_EQ(message_of_joint([](dae::System& system) {
              system.add_frame("crank.tip", "crank");
              system.add("hinge", elements::RevoluteJoint{}, {"crank.tip", "rod"});
            }),
            "");
  EXPECT_EQ(message_of_body<elements::GeneralRigidBody>({{"J12", 0.3}, {"J33", 1.2}}), "");
}

TEST(BadModels, NameANodeThatIsNotThere) {
  EXPECT_EQ(message_of_joint([](dae::System& system) {
              system.add("hinge", elements::RevoluteJoint{}, {"crank", "rodd"});
            }),
            "element 'hinge': there is no node 'rodd'; did you mean 'rod'?");
}

TEST(BadModels, UseANameTwice) {
  EXPECT_EQ(message_of_joint([](dae::System& system) {
              system.add("crank", elements::RevoluteJoint{}, {"crank", "rod"});
            }),
            "there are two elements named 'crank'; names must differ");
  EXPECT_EQ(
      message_of_joint([](dae::System& system) { system.add_node("rod", lie::NodeGroup::se3()); }),
      "there are two nodes or frames named 'rod'; names must differ");
  EXPECT_EQ(message_of_joint([](dae::System& system) {
              system.add_frame("crank.tip", "crank");
              system.add_frame("crank.tip", "rod");
            }),
            "there are two nodes or frames named 'crank.tip'; names must differ");
}

TEST(BadModels, HaveBodiesWithoutMass) {
  EXPECT_EQ(message_of_body({{"m", 0}}), "element 'flywheel' has mass 0; it must be positive");
  EXPECT_EQ(message_of_body<elements::GeneralRigidBody>({{"m", -2.5}}),
            "element 'flywheel' has mass -2.5; it must be positive");
  EXPECT_EQ(message_of([](dae::System& system) {
              system.add_node("ball", lie::NodeGroup::rn(3));
              system.add("ball", elements::PointMass{}, {"ball"}, {.values = {{"m", 0}}});
            }),
            "element 'ball' has mass 0; it must be positive");
  EXPECT_EQ(message_of([](dae::System& system) {
              system.add_node("bob", lie::NodeGroup::rn(2));
              system.add("bob", elements::PlanarPointMass{}, {"bob"}, {.values = {{"m", -1}}});
            }),
            "element 'bob' has mass -1; it must be positive");
  EXPECT_EQ(message_of([](dae::System& system) {
              system.add_node("ball", lie::NodeGroup::so3());
              system.add("ball", elements::TorsionalBall{}, {"ball"}, {.values = {{"m", 0}}});
            }),
            "element 'ball' has inertia m = 0; it must be positive");
}

TEST(BadModels, HaveInertiaTensorsThatAreNotSymmetric) {
  lie::Mat<double, 3> inertia;
  inertia << 1, 0.3, 0, 0.2, 1, 0, 0, 0, 1;
  const auto message = [&inertia] {
    return message_of_joint([&inertia](dae::System& system) {
      system.add_node("flywheel", lie::NodeGroup::se3());
      system.add("flywheel", elements::GeneralRigidBody{}, {"flywheel"},
                 {.values = elements::inertia_values("flywheel", inertia)});
    });
  };
  EXPECT_EQ(message(),
            "element 'flywheel' has an inertia tensor with J12 = 0.3 and J21 = 0.2; it must be "
            "symmetric");
  inertia(1, 0) = 0.3;
  EXPECT_EQ(message(), "");
  inertia(2, 1) = -0.1;
  EXPECT_EQ(message(),
            "element 'flywheel' has an inertia tensor with J23 = 0 and J32 = -0.1; it must be "
            "symmetric");
  inertia(1, 2) = -0.1;
  EXPECT_EQ(elements::inertia_values("flywheel", inertia),
            (std::map<std::string, double>{
                {"J11", 1}, {"J22", 1}, {"J33", 1}, {"J12", 0.3}, {"J13", 0}, {"J23", -0.1}}));
  // What holds for six values holds for those of a tensor.
  inertia(0, 1) = inertia(1, 0) = 1.5;
  inertia(1, 2) = inertia(2, 1) = 0;
  EXPECT_EQ(message(),
            "element 'flywheel' has an inertia tensor with the eigenvalue -0.5; all must be "
            "positive");
}

TEST(BadModels, HaveInertiaThatNoBodyHas) {
  EXPECT_EQ(message_of_body({{"J2", 0}}),
            "element 'flywheel' has inertia J2 = 0; it must be positive");
  EXPECT_EQ(message_of_body({{"J3", 2.5}}),
            "element 'flywheel' has inertia J3 = 2.5, more than the other two together (2); no "
            "distribution of mass has that");
  // A plate, up to rounding; a thin rod.
  EXPECT_EQ(message_of_body({{"J1", 0.1}, {"J2", 0.2}, {"J3", 0.3}}), "");
  EXPECT_EQ(message_of_body({{"J1", 0.1}, {"J2", 0.1}, {"J3", 1e-9}}), "");

  EXPECT_EQ(message_of_body<elements::GeneralRigidBody>({{"J12", 1.5}}),
            "element 'flywheel' has an inertia tensor with the eigenvalue -0.5; all must be "
            "positive");
  // Eigenvalues 0.25, 1 and 1.75.
  EXPECT_EQ(message_of_body<elements::GeneralRigidBody>({{"J12", 0.75}}),
            "element 'flywheel' has an inertia tensor whose largest eigenvalue 1.75 is more than "
            "the other two together (1.25); no distribution of mass has that");
}

TEST(BadModels, HaveTopsThatNoOneCanSpin) {
  const auto message = [](const std::map<std::string, double>& values) {
    return message_of([&](dae::System& system) {
      system.add("crank", elements::RigidBody{}, {"crank"});
      system.add("rod", elements::RigidBody{}, {"rod"});
      system.add_node("top", lie::NodeGroup::so3());
      system.add("top", elements::SpinningTop{}, {"top"}, {.values = values});
    });
  };
  EXPECT_EQ(message({}), "");  // a disc: J1 + J3 = J2
  EXPECT_EQ(message({{"m", 0}}), "element 'top' has mass 0; it must be positive");
  EXPECT_EQ(message({{"J1", -1}}), "element 'top' has inertia J1 = -1; it must be positive");
}

TEST(BadModels, JoinABodyWithItself) {
  EXPECT_EQ(message_of_joint([](dae::System& system) {
              system.add("hinge", elements::RevoluteJoint{}, {"crank", "crank"});
            }),
            "element 'hinge' connects node 'crank' with itself; it needs different nodes");
  EXPECT_EQ(message_of_joint([](dae::System& system) {
              system.add_frame("crank.tip", "crank");
              system.add("hinge", elements::RevoluteJoint{}, {"crank", "crank.tip"});
            }),
            "element 'hinge' connects node 'crank' with itself; it needs different nodes");
}

TEST(BadModels, HaveRodsOfNoLength) {
  EXPECT_EQ(
      message_of_joint([](dae::System& system) {
        system.add("link", elements::DistanceJoint{}, {"crank", "rod"}, {.values = {{"l", 0}}});
      }),
      "element 'link' has length l = 0; it must be positive (use a spherical joint for points "
      "that coincide)");
  EXPECT_EQ(
      message_of_joint([](dae::System& system) {
        system.add("link", elements::DistanceJoint{}, {"crank", "rod"}, {.values = {{"l", 0.5}}});
      }),
      "element 'link' has both ends at the same point at the start, so that the rod has no "
      "direction; place them 0.5 apart");
}

/// A planar body at rest in the origin, and an element under test between it and the ground.
template <class E>
std::string message_of_planar(const E& element, const std::map<std::string, double>& values) {
  return message_of_joint([&](dae::System& system) {
    system.add_node("plate", lie::NodeGroup::se2());
    system.add("plate", elements::PlanarBody{}, {"plate"});
    system.add("rail", element, {"ground", "plate"}, {.values = values});
  });
}
std::string zero_direction_of(const std::string& side) {
  return "element 'rail' has the direction (0, 0) as x axis of its frame " + side +
         "; it may have any length but zero";
}

TEST(BadModels, HavePlanarFramesWithoutDirection) {
  using namespace elements;
  for (const std::string side : {"a", "b"}) {
    EXPECT_EQ(message_of_planar(PlanarPrismaticJoint{}, {{side + ".d1", 0}}),
              zero_direction_of(side));
    EXPECT_EQ(message_of_planar(PlanarFixedJoint{}, {{side + ".d1", 0}}), zero_direction_of(side));
  }
  EXPECT_EQ(message_of_planar(PlanarPointOnLine{}, {{"a.d1", 0}}), zero_direction_of("a"));
  EXPECT_EQ(message_of_planar(PlanarPointOnLine{}, {{"a.d1", 0}, {"a.d2", 1e-9}}), "");
  EXPECT_EQ(message_of_planar(PlanarPrismaticJoint{}, {{"a.d1", -1}}),
            "element 'rail' has x axes of a and b that point in opposite directions at the start; "
            "turn one of them by d1 and d2");
  EXPECT_EQ(message_of_joint([](dae::System& system) {
              system.add_node("plate", lie::NodeGroup::se2());
              system.add_node("slide", lie::NodeGroup::rn(1));
              system.add("plate", PlanarBody{}, {"plate"});
              system.add("slide", Slider{}, {"slide"});
              system.add("rail", PlanarRodOnSlider{}, {"ground", "slide", "plate"},
                         {.values = {{"a.d1", 0}}});
            }),
            zero_direction_of("a"));
}

TEST(BadModels, HavePlanarRodsOfNoLength) {
  using namespace elements;
  EXPECT_EQ(message_of_planar(PlanarRodJoint{}, {{"l", 0}}),
            "element 'rail' has length l = 0; it must be positive");
  const auto rod = [](double l, double x) {
    return message_of_joint([&](dae::System& system) {
      system.add_node("bob", lie::NodeGroup::rn(2));
      system.set_initial_configuration("bob", {x, 0});
      system.add("bob", PlanarPointMass{}, {"bob"});
      system.add("string", PlanarRod{}, {"bob"}, {.values = {{"l", l}}});
    });
  };
  EXPECT_EQ(rod(0, 0), "element 'string' has length l = 0; it must be positive");
  EXPECT_EQ(rod(0.5, 0),
            "element 'string' has its point at the origin at the start, so that the rod has no "
            "direction; place it 0.5 away");
  EXPECT_EQ(rod(0.5, 0.5), "");
}

TEST(BadModels, HaveSpringsOfNoLength) {
  EXPECT_EQ(message_of_joint([](dae::System& system) {
              system.add("buffer", elements::PointSpring{}, {"crank", "rod"});
            }),
            "element 'buffer' has length 0, and thus no direction; move one of its ends");
  // Both ends in the same place, off the centres.
  EXPECT_EQ(message_of_joint([](dae::System& system) {
              system.set_initial_configuration("rod", {1, 0, 0, 0, 0.3, 0, 0});
              system.add_frame("crank.tip", "crank", {.position = {0.3, 0.1, 0}});
              system.add_frame("rod.tip", "rod", {.position = {0, 0.1, 0}});
              system.add("buffer", elements::PointSpring{}, {"crank.tip", "rod.tip"});
            }),
            "element 'buffer' has length 0, and thus no direction; move one of its ends");
  for (const double x : {0.0, 0.3}) {
    EXPECT_EQ(message_of_planar(elements::PlanarSpring{}, {{"a.X1", x}, {"b.X1", x}}),
              "element 'rail' has length 0 at the start, so that its force has no direction; move "
              "one of its ends");
  }
}

// Drives.

/// A slider that is driven by a law.
template <class Law>
std::string message_of_drive(const Law& law, const std::map<std::string, double>& values = {}) {
  return message_of_joint([&](dae::System& system) {
    system.add_node("slide", lie::NodeGroup::rn(1));
    system.add("slide", elements::Slider{}, {"slide"});
    system.add("motor", elements::DrivenCoordinate<Law>{law}, {"slide"}, {.values = values});
  });
}

TEST(BadModels, HaveLawsWhoseTableMakesNoSense) {
  using elements::TableLaw, elements::LinearTableLaw;
  EXPECT_EQ(message_of_drive(TableLaw({0, 1, 1, 2}, {0, 1, 2, 3})),
            "element 'motor' has a law with a table that jumps at t = 1, where it has two knots; "
            "take one of them away or move it");
  EXPECT_EQ(message_of_drive(TableLaw({0, 2, 1}, {0, 1, 2})),
            "element 'motor' has a law with a table that goes back from t = 2 to t = 1; its times "
            "must increase");
  EXPECT_EQ(message_of_drive(TableLaw({0, 1}, {0})),
            "element 'motor' has a law with a table of 2 times and 1 values; it needs as many of "
            "both");
  EXPECT_EQ(message_of_drive(LinearTableLaw({}, {})),
            "element 'motor' has a law with a table of 0 knots; it needs at least two");
  EXPECT_EQ(message_of_drive(TableLaw({0, NAN}, {0, 1})),
            "element 'motor' has a law with a table whose time 1 is nan; it must be finite");
  EXPECT_EQ(message_of_drive(TableLaw({0, 1}, {0, NAN})),
            "the value of parameter 'motor.y1' is not finite; give it a number");
  EXPECT_EQ(message_of_drive(elements::PolynomialLaw(0)),
            "element 'motor' has a polynomial law of 0 coefficients; it needs at least one");
  // Of loads too.
  EXPECT_EQ(message_of_joint([](dae::System& system) {
              system.add("push",
                         elements::AppliedForce<LinearTableLaw>{
                             .law = LinearTableLaw({0, 1, 1}, {0, 1, 0})},
                         {"crank"});
            }),
            "element 'push' has a law with a table that jumps at t = 1, where it has two knots; "
            "take one of them away or move it");
  // The tables of two drives are told apart, although their times are equal.
  EXPECT_EQ(message_of_joint([](dae::System& system) {
              using Drive = elements::DrivenCoordinate<TableLaw>;
              for (const char* const name : {"first", "second"}) {
                system.add_node(name, lie::NodeGroup::rn(1));
                system.add(name, elements::Slider{}, {name});
              }
              system.add("good", Drive{TableLaw({0, 1}, {0, 0})}, {"first"});
              system.add("bad", Drive{TableLaw({0, 1}, {0})}, {"second"});
            }),
            "element 'bad' has a law with a table of 2 times and 1 values; it needs as many of "
            "both");
}

/// A law of a user: a step of the given derivative at the time p0, of the size p1.
template <int kDerivative>
struct StepLaw {
  static constexpr int kContinuousDerivatives = elements::kAnyDerivative;  // which is not true
  bool operator==(const StepLaw&) const = default;

  std::vector<dae::ParameterSpec> parameters(const std::string& unit) const {
    return {{"when", 1, "s"}, {"size", 0.5, unit}};
  }
  template <class S>
  S value(std::span<const S> p, const S& t) const {
    S after = p[1];
    for (int k = 1; k <= kDerivative; ++k) after *= (t - p[0]) / S(k);
    return lie::select_lt(t, p[0], S(0), after);
  }
};
/// The same where a harmonic function passes 1/2 for the first time, at t = 1/12.
struct TriggeredLaw {
  static constexpr int kContinuousDerivatives = elements::kAnyDerivative;
  bool operator==(const TriggeredLaw&) const = default;

  std::vector<dae::ParameterSpec> parameters(const std::string&) const { return {}; }
  template <class S>
  S value(std::span<const S>, const S& t) const {
    using std::sin;
    const S trigger = sin(S(2 * std::numbers::pi) * t);
    return lie::branch_lt(
        trigger, S(0.5), [] { return S(0); }, [] { return S(2); });
  }
};

TEST(BadModels, HaveDrivesWhoseLawJumps) {
  const auto jump = [](const std::string& what, const std::string& when) {
    return "element 'motor' has a law whose " + what + " jumps at t = " + when +
           "; value, speed and acceleration of a drive must not jump, so smooth the law there";
  };
  EXPECT_EQ(message_of_drive(StepLaw<0>{}), jump("value", "1 from 0 to 0.5"));
  EXPECT_EQ(message_of_drive(StepLaw<1>{}), jump("speed", "1 from 0 to 0.5"));
  EXPECT_EQ(message_of_drive(StepLaw<2>{}, {{"when", 0.3}, {"size", -1e-3}}),
            jump("acceleration", "0.3 from 0 to -0.001"));
  EXPECT_EQ(message_of_drive(StepLaw<3>{}), "");
  EXPECT_EQ(message_of_drive(TriggeredLaw{}), jump("value", "0.0833333 from 0 to 2"));
  // What was before the start is over.
  EXPECT_EQ(message_of_drive(StepLaw<2>{}, {{"when", 0}, {"size", 0.5}}), "");
  // Corners of a table.
  using elements::LinearTableLaw;
  EXPECT_EQ(message_of_drive(LinearTableLaw({0, 1, 2}, {0, 50, 0})),
            jump("speed", "1 from 50 to -50"));
  EXPECT_EQ(message_of_drive(LinearTableLaw({1, 2, 3}, {0, 50, 0})),
            jump("speed", "1 from 0 to 50"));
  EXPECT_EQ(message_of_drive(LinearTableLaw({0, 1}, {0, 0})),
            "element 'motor' has a law with 0 continuous derivatives; a drive needs two, as its "
            "acceleration must not jump");
}

TEST(BadModels, HaveFrictionOfReactionsThatTheJointHasNot) {
  const auto message = [](const elements::ReactionFriction& friction) {
    return message_of_joint([&friction](dae::System& system) {
      system.add_node("angle", lie::NodeGroup::rn(1));
      system.add("angle", elements::Slider{}, {"angle"});
      system.add("hinge", elements::RevoluteJoint{}, {"crank", "rod"});
      system.add("rubbing", friction, {"angle"}, {.reads_multipliers_of = {"hinge"}});
    });
  };
  EXPECT_EQ(message({.multipliers = 5, .first = 0, .count = 3}), "");
  EXPECT_EQ(message({.multipliers = 5, .first = 3, .count = 3}),
            "element 'rubbing' reads the multipliers 3 to 5 of a joint with 5, which are counted "
            "from 0; they must be among them");
  EXPECT_EQ(message({.multipliers = 5, .first = -1, .count = 2}),
            "element 'rubbing' reads the multipliers -1 to 0 of a joint with 5, which are counted "
            "from 0; they must be among them");
  EXPECT_EQ(message({.multipliers = 5, .first = 0, .count = 0}),
            "element 'rubbing': no function of an element of type 'reaction_friction' reads the "
            "multipliers of other elements; take it out of shape(), or is the name of a function "
            "misspelt?");
  EXPECT_EQ(message({.multipliers = 3, .first = 0, .count = 3}),
            "element 'rubbing' reads 3 multipliers; the elements it is given have 5");
}

TEST(BadModels, SetAParameterOfAFrameThroughAnElement) {
  EXPECT_EQ(message_of_joint([](dae::System& system) {
              system.add_frame("crank.tip", "crank");
              system.add("hinge", elements::RevoluteJoint{}, {"crank.tip", "rod"},
                         {.values = {{"a.X1", 0.5}}});
            }),
            "element 'hinge': parameter 'a.X1' belongs to the frame it is attached to; change it "
            "there");
}

TEST(BadModels, PutElementsOnNodesOfAnotherKind) {
  EXPECT_EQ(message_of_joint([](dae::System& system) {
              system.add_node("ball", lie::NodeGroup::rn(3));
              system.add("hinge", elements::RevoluteJoint{}, {"crank", "ball"});
            }),
            "element 'hinge': node 2 of an element of type 'revolute_joint' must be a rigid body "
            "(SO(3)xR^3 or SE(3)) or the ground");
  EXPECT_EQ(message_of_joint(
                [](dae::System& system) { system.add("mass", elements::PointMass{}, {"crank"}); }),
            "element 'mass': node 1 of an element of type 'point_mass' must be coordinates in R^3");
  EXPECT_EQ(message_of_joint([](dae::System& system) {
              system.add("hinge", elements::RevoluteJoint{}, {"crank"});
            }),
            "element 'hinge': an element of type 'revolute_joint' connects 2 nodes, not 1");
}

/// A frame of the named side without orientation.
template <class E>
std::string message_of_zero_quaternion(const std::string& side) {
  return message_of_joint([&side](dae::System& system) {
    system.add("hinge", E{}, {"crank", "rod"}, {.values = {{side + ".e0", 0}}});
  });
}
std::string zero_quaternion_of(const std::string& side) {
  return "element 'hinge' has the quaternion (0, 0, 0, 0) as orientation of its frame " + side +
         "; it may have any length but zero";
}

TEST(BadModels, HaveFramesWithoutOrientation) {
  using namespace elements;
  for (const char* side : {"a", "b"}) {
    EXPECT_EQ(message_of_zero_quaternion<RevoluteJoint>(side), zero_quaternion_of(side));
    EXPECT_EQ(message_of_zero_quaternion<UniversalJoint>(side), zero_quaternion_of(side));
    EXPECT_EQ(message_of_zero_quaternion<PrismaticJoint>(side), zero_quaternion_of(side));
    EXPECT_EQ(message_of_zero_quaternion<CylindricalJoint>(side), zero_quaternion_of(side));
    EXPECT_EQ(message_of_zero_quaternion<PlaneJoint>(side), zero_quaternion_of(side));
    EXPECT_EQ(message_of_zero_quaternion<FixedJoint>(side), zero_quaternion_of(side));
  }
  EXPECT_EQ(message_of_zero_quaternion<PointOnLine>("a"), zero_quaternion_of("a"));
  // Through a frame of the system.
  EXPECT_EQ(message_of_joint([](dae::System& system) {
              system.add_frame("tip", "crank", {.orientation = {0, 0, 0, 0}});
              system.add("hinge", RevoluteJoint{}, {"tip", "rod"});
            }),
            zero_quaternion_of("a"));
}

}  // namespace
}  // namespace liegrad::testing
