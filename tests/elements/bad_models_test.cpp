// Mistakes in models of bodies and joints: each is answered with one sentence that names the element.

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>

#include "interpreted_kernels.hpp"
#include "liegrad/dae/integrate.hpp"
#include "liegrad/elements/bodies/general_rigid_body.hpp"
#include "liegrad/elements/bodies/point_mass.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/bodies/spinning_top.hpp"
#include "liegrad/elements/frame_along.hpp"
#include "liegrad/elements/joints/cylindrical_joint.hpp"
#include "liegrad/elements/joints/distance_joint.hpp"
#include "liegrad/elements/joints/fixed_joint.hpp"
#include "liegrad/elements/joints/plane_joint.hpp"
#include "liegrad/elements/joints/point_on_line.hpp"
#include "liegrad/elements/joints/prismatic_joint.hpp"
#include "liegrad/elements/joints/revolute_joint.hpp"
#include "liegrad/elements/joints/universal_joint.hpp"

namespace liegrad::testing {
namespace {

/// The sentence of a mistake in building or in starting a run; empty if there is none.
std::string message_of(const std::function<void(dae::System&)>& build) {
  try {
    dae::System system("model");
    system.add_node("crank", lie::NodeGroup::so3xr3());
    system.add_node("rod", lie::NodeGroup::se3());
    build(system);
    dae::IntegrateOptions options;
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
