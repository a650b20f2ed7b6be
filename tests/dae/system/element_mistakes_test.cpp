// Mistakes in the functions of a user's element: each is answered with one sentence when the element is added,
// in every build. Those that do not compile are in tests/mistakes.

#include <gtest/gtest.h>

#include <string>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/system/element.hpp"
#include "liegrad/elements/attached_frame.hpp"
#include "liegrad/elements/joints/fixed_point.hpp"

namespace liegrad::testing {
namespace {

using dae::Balance;
using dae::ElementShape;
using dae::Motion;
using dae::NodeRole;
using dae::Position;

/// A system with one node of each kind.
dae::System workshop() {
  dae::System system("workshop");
  system.add_node("body", lie::NodeGroup::so3xr3());
  system.add_node("ball", lie::NodeGroup::so3());
  system.add_node("plate", lie::NodeGroup::se2());
  system.add_node("x", lie::NodeGroup::rn(2));
  return system;
}

template <class E>
std::string message_of(const E& element, const std::vector<std::string>& nodes = {"x"}) {
  dae::System system = workshop();
  try {
    system.add("it", element, nodes);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

const dae::NodeSlot kX = {NodeRole::kCoordinates, 2};

// What an element declares and what it has.

/// A mass that has all that a shape can declare and reads it.
struct Whole {
  ElementShape shape() const {
    return {.type = "whole",
            .nodes = {kX},
            .parameters = {{"m", 1}},
            .controls = {"u"},
            .constraints = 1,
            .algebraic = 1,
            .outputs = {{"speed", 2}}};
  }
  template <class S>
  void residual(const Motion<S>& at, Balance<S>& balance) const {
    balance.row(0, 0) +=
        at.parameter(0) * at.acceleration_coordinates(0)(0) + at.algebraic(0) - at.control(0);
  }
  template <class S>
  lie::Vec<S, 1> constraint(const Position<S>& at) const {
    return lie::Vec<S, 1>(at.coordinates(0)(1));
  }
  template <class S>
  lie::Vec<S, 1> algebraic(const Motion<S>& at) const {
    return lie::Vec<S, 1>(at.algebraic(0) - at.coordinates(0)(0));
  }
  template <class S>
  lie::Vec<S, 2> outputs(const Motion<S>& at) const {
    return at.velocity_coordinates(0);
  }
};

struct Declares : Whole {
  ElementShape other;
  explicit Declares(ElementShape shape) : other(std::move(shape)) {}
  bool operator==(const Declares&) const { return false; }
  ElementShape shape() const { return other; }
};

/// The whole element with another shape.
template <class Change>
std::string message_of_shape(const Change& change) {
  ElementShape shape = Whole{}.shape();
  change(shape);
  return message_of(Declares(shape));
}

TEST(ElementMistakes, WithoutMistakesThereIsNoSentence) { EXPECT_EQ(message_of(Whole{}), ""); }

TEST(ElementMistakes, FunctionsThatTheShapeDoesNotDeclare) {
  EXPECT_EQ(message_of_shape([](ElementShape& shape) { shape.constraints = 0; }),
            "element 'it': an element of type 'whole' has a function constraint(), but its shape() "
            "says .constraints = 0; say there how many numbers the function returns");
  EXPECT_EQ(message_of_shape([](ElementShape& shape) { shape.algebraic = 0; }),
            "element 'it': an element of type 'whole' has a function algebraic(), but its shape() "
            "says .algebraic = 0; say there how many numbers the function returns");
  EXPECT_EQ(message_of_shape([](ElementShape& shape) { shape.outputs.clear(); }),
            "element 'it': an element of type 'whole' has a function outputs(), but its shape() "
            "says .outputs = 0; say there how many numbers the function returns");
}

TEST(ElementMistakes, OtherNumbersThanTheShapeDeclares) {
  EXPECT_EQ(message_of_shape([](ElementShape& shape) { shape.constraints = 2; }),
            "element 'it': the constraint() of an element of type 'whole' returns 1 numbers; its "
            "shape() says 2");
  EXPECT_EQ(message_of_shape([](ElementShape& shape) { shape.algebraic = 3; }),
            "element 'it': the algebraic() of an element of type 'whole' returns 1 numbers; its "
            "shape() says 3");
  EXPECT_EQ(message_of_shape([](ElementShape& shape) { shape.outputs[0].size = 1; }),
            "element 'it': the outputs() of an element of type 'whole' returns 2 numbers; its "
            "shape() says 1");
  EXPECT_EQ(message_of_shape([](ElementShape& shape) { shape.constraints = -1; }),
            "element 'it': the shape() of an element of type 'whole' says .constraints = -1, which "
            "must not be negative");
  EXPECT_EQ(message_of_shape([](ElementShape& shape) { shape.outputs[0].size = 0; }),
            "element 'it': output 'speed' of an element of type 'whole' has 0 numbers; it needs at "
            "least one");
}

/// Its constraint has another name.
struct NoConstraint {
  ElementShape shape() const { return {.type = "rod", .nodes = {kX}, .constraints = 1}; }
  template <class S>
  void residual(const Motion<S>& at, Balance<S>& balance) const {
    balance.row(0, 0) += at.acceleration_coordinates(0)(0);
  }
  template <class S>
  lie::Vec<S, 1> constaint(const Position<S>& at) const {
    return lie::Vec<S, 1>(at.coordinates(0)(1));
  }
};

TEST(ElementMistakes, ShapesThatNoFunctionFulfils) {
  EXPECT_EQ(message_of(NoConstraint{}),
            "element 'it': the shape() of an element of type 'rod' says .constraints = 1, but it "
            "has no function constraint(); is its name misspelt?");
}

TEST(ElementMistakes, WhatIsDeclaredAndNeverRead) {
  const std::string before = "element 'it': no function of an element of type 'whole' reads ";
  const std::string after = "; take it out of shape(), or is the name of a function misspelt?";
  EXPECT_EQ(message_of_shape([](ElementShape& shape) {
              shape.parameters.push_back({"k", 3});
            }),
            before + "its parameter 'k'" + after);
  EXPECT_EQ(message_of_shape([](ElementShape& shape) { shape.controls.push_back("brake"); }),
            before + "its control 'brake'" + after);
  EXPECT_EQ(message_of_shape([](ElementShape& shape) { shape.multipliers_read = 1; }),
            before + "the multipliers of other elements" + after);
}

/// A damper whose residual is misspelt: only its output is there.
struct Damper {
  ElementShape shape() const {
    return {.type = "damper",
            .nodes = {kX, {NodeRole::kRigidBody}},
            .parameters = {{"c", 2}},
            .outputs = {{"speed", 1}}};
  }
  template <class S>
  void residul(const Motion<S>& at, Balance<S>& balance) const {
    balance.row(0, 0) += at.parameter(0) * at.velocity_coordinates(0)(0);
  }
  template <class S>
  lie::Vec<S, 1> outputs(const Motion<S>& at) const {
    return lie::Vec<S, 1>(at.velocity_coordinates(0)(0));
  }
};
struct DamperWithoutParameter : Damper {
  ElementShape shape() const {
    ElementShape shape = Damper::shape();
    shape.parameters.clear();
    return shape;
  }
};

TEST(ElementMistakes, MisspeltFunctionsShowInWhatIsNotRead) {
  EXPECT_EQ(message_of(Damper{}, {"x", "body"}),
            "element 'it': no function of an element of type 'damper' reads its parameter 'c'; "
            "take it out of shape(), or is the name of a function misspelt?");
  EXPECT_EQ(
      message_of(DamperWithoutParameter{}, {"x", "body"}),
      "element 'it': no function of an element of type 'damper' reads node 1, counted from 0, "
      "or adds to its equations; take it out of shape(), or is the name of a function "
      "misspelt?");
}

/// A force that reads nothing of its node, one that is switched on by time, and one with a moment, which has no
/// effect on a point.
struct Weight {
  ElementShape shape() const { return {.type = "weight", .nodes = {kX}, .parameters = {{"W", 1}}}; }
  template <class S>
  void residual(const Motion<S>& at, Balance<S>& balance) const {
    balance.row(0, 1) += at.parameter(0);
  }
};
struct Shot {
  ElementShape shape() const { return {.type = "shot", .nodes = {kX}}; }
  template <class S>
  void residual(const Motion<S>& at, Balance<S>& balance) const {
    balance.row(0, 1) -= lie::select_lt(at.time(), S(0.5), S(0), S(3));
  }
};
struct Wrench {
  ElementShape shape() const {
    return {.type = "wrench", .nodes = {{NodeRole::kPoint}}, .parameters = {{"F", 1}, {"M", 1}}};
  }
  template <class S>
  void residual(const Motion<S>& at, Balance<S>& balance) const {
    const S zero(0);
    balance.apply_force(0, {at.parameter(0), zero, zero});
    balance.apply_torque(0, {at.parameter(1), zero, zero});
  }
};

/// Reads of a frame its origin, and of the multipliers of a joint the first.
struct Follower {
  ElementShape shape() const {
    return {.type = "follower",
            .nodes = {{NodeRole::kFrame, 0, "a"}},
            .parameters = elements::frame_parameters("a"),
            .multipliers_read = 3};
  }
  template <class S>
  void residual(const Motion<S>& at, Balance<S>& balance) const {
    balance.apply_force_at(0, at.parameter3(0), {at.multiplier(0), S(0), S(0)});
  }
};

TEST(ElementMistakes, AreNotSeenInForcesThatReadLittle) {
  EXPECT_EQ(message_of(Weight{}), "");
  EXPECT_EQ(message_of(Shot{}), "");
  dae::System system = workshop();
  system.add_node("point", lie::NodeGroup::rn(3));
  system.add("on body", Wrench{}, {"body"});
  system.add("on point", Wrench{}, {"point"});
  system.add("joint", elements::FixedPoint{}, {"body"});
  system.add("follower", Follower{}, {"body"}, {.reads_multipliers_of = {"joint"}});
}

// What an element asks for.

/// Calls a function of a user in residual().
template <class F>
struct Asks {
  NodeRole role;
  int n;
  F ask;
  bool operator==(const Asks&) const { return false; }
  ElementShape shape() const {
    return {.type = "asking",
            .nodes = {{role, n}},
            .parameters = {{"a", 1}, {"b", 2}},
            .controls = {"u"}};
  }
  template <class S>
  void residual(const Motion<S>& at, Balance<S>& balance) const {
    ask(at, balance);
  }
};
/// The sentence without its beginning.
template <class F>
std::string asking(const std::string& node, const F& ask) {
  const NodeRole role = node == "body"    ? NodeRole::kRigidBody
                        : node == "ball"  ? NodeRole::kRotation
                        : node == "plate" ? NodeRole::kPlanarBody
                                          : NodeRole::kCoordinates;
  const std::string message = message_of(Asks<F>{role, node == "x" ? 2 : 0, ask}, {node});
  const std::string start = "element 'it': an element of type 'asking' calls ";
  return message.substr(0, start.size()) == start ? message.substr(start.size()) : message;
}

TEST(ElementMistakes, IndicesThatAreNotThere) {
  EXPECT_EQ(asking("x", [](const auto& at, auto&) { at.parameter(2); }),
            "parameter(2), but its parameters are counted from 0 to 1");
  EXPECT_EQ(asking("x", [](const auto& at, auto&) { at.parameter(-1); }),
            "parameter(-1), but its parameters are counted from 0 to 1");
  EXPECT_EQ(asking("x", [](const auto& at, auto&) { at.parameter3(0); }),
            "parameter(2), but its parameters are counted from 0 to 1");
  EXPECT_EQ(asking("x", [](const auto& at, auto&) { at.parameter("c"); }),
            "element 'it': an element of type 'asking' reads a parameter by name: there is no "
            "parameter 'c'; choose 'a' or 'b'");
  EXPECT_EQ(asking("x", [](const auto& at, auto&) { at.parameter3("a"); }),
            "element 'it': an element of type 'asking' reads a parameter by name: there is no "
            "parameter 'a1'; choose 'a' or 'b'");
  EXPECT_EQ(asking("x", [](const auto& at, auto&) { at.control(1); }),
            "control(1), but its controls are counted from 0 to 0");
  EXPECT_EQ(asking("x", [](const auto& at, auto&) { at.multiplier(0); }),
            "multiplier(0), but it has none");
  EXPECT_EQ(asking("x", [](const auto& at, auto&) { at.algebraic(3); }),
            "algebraic(3), but it has none");
  EXPECT_EQ(asking("x", [](const auto& at, auto&) { at.coordinates(1); }),
            "coordinates(1), but its nodes are counted from 0 to 0");
  EXPECT_EQ(asking("x", [](const auto& at, auto&) { at.velocity_coordinates(-2); }),
            "velocity_coordinates(-2), but its nodes are counted from 0 to 0");
  EXPECT_EQ(asking("x", [](const auto& at, auto&) { at.coordinates(0)(2); }),
            "coordinates(0)(2), but its components are counted from 0 to 1");
  EXPECT_EQ(asking("x", [](const auto& at, auto&) { at.acceleration_coordinates(0)[-1]; }),
            "acceleration_coordinates(0)(-1), but its components are counted from 0 to 1");
  EXPECT_EQ(asking("x", [](const auto&, auto& balance) { balance.row(0, 2) += 1.0; }),
            "row(0, 2), but the equations of that node are counted from 0 to 1");
  EXPECT_EQ(asking("x", [](const auto&, auto& balance) { balance.row(1, 0) += 1.0; }),
            "row(1), but its nodes are counted from 0 to 0");
}

TEST(ElementMistakes, NodesOfAnotherKind) {
  EXPECT_EQ(
      asking("body", [](const auto& at, auto&) { at.coordinates(0); }),
      "coordinates(0), but node 0, counted from 0, is a rigid body (SO(3)xR^3); coordinates() "
      "is for nodes in R^n");
  EXPECT_EQ(asking("x", [](const auto& at, auto&) { at.frame(0); }),
            "frame(0), but node 0, counted from 0, is in R^2; frame() is for rigid bodies, points "
            "in R^3 and the ground");
  EXPECT_EQ(asking("ball", [](const auto& at, auto&) { at.frame(0); }),
            "frame(0), but node 0, counted from 0, is a rotation (SO(3)); frame() is for rigid "
            "bodies, points in R^3 and the ground");
  EXPECT_EQ(asking("plate", [](const auto& at, auto&) { at.rotation(0); }),
            "rotation(0), but node 0, counted from 0, is a planar body (SE(2)); rotation() is for "
            "rigid bodies, rotations, points in R^3 and the ground");
  EXPECT_EQ(asking("ball", [](const auto& at, auto&) { at.velocity(0); }),
            "velocity(0), but node 0, counted from 0, is a rotation (SO(3)); velocity() is for "
            "rigid bodies, points in R^3 and the ground");
  EXPECT_EQ(asking("plate", [](const auto& at, auto&) { at.omega(0); }),
            "omega(0), but node 0, counted from 0, is a planar body (SE(2)); omega() is for rigid "
            "bodies, rotations, points in R^3 and the ground");
  EXPECT_EQ(asking("body", [](const auto& at, auto&) { at.planar_frame(0); }),
            "planar_frame(0), but node 0, counted from 0, is a rigid body (SO(3)xR^3); "
            "planar_frame() is for planar bodies, points in R^2 and the ground");
  EXPECT_EQ(asking("ball", [](const auto& at, auto&) { at.planar_velocity(0); }),
            "planar_velocity(0), but node 0, counted from 0, is a rotation (SO(3)); "
            "planar_velocity() is for planar bodies, points in R^2 and the ground");
  EXPECT_EQ(asking("plate",
                   []<class S>(const Motion<S>&, Balance<S>& balance) {
                     balance.apply_torque(0, lie::Vec<S, 3>::Zero());
                   }),
            "apply_torque(0), but node 0, counted from 0, is a planar body (SE(2)); apply_torque() "
            "is for rigid bodies, rotations, points in R^3 and the ground");
  EXPECT_EQ(asking("x",
                   []<class S>(const Motion<S>&, Balance<S>& balance) {
                     balance.apply_force(0, lie::Vec<S, 3>::Zero());
                   }),
            "apply_force(0), but node 0, counted from 0, is in R^2; apply_force() is for rigid "
            "bodies, points in R^3 and the ground");
  EXPECT_EQ(asking("body",
                   []<class S>(const Motion<S>&, Balance<S>& balance) {
                     balance.apply_planar_force(0, lie::Vec<S, 2>::Zero());
                   }),
            "apply_planar_force(0), but node 0, counted from 0, is a rigid body (SO(3)xR^3); "
            "apply_planar_force() is for planar bodies, points in R^2 and the ground");
}

/// Its validation message, which is asked at the start of a run, reads what is not there.
struct Complains {
  ElementShape shape() const { return {.type = "complains", .nodes = {kX}}; }
  template <class S>
  void residual(const Motion<S>& at, Balance<S>& balance) const {
    for (int i = 0; i < 2; ++i) balance.row(0, i) += at.acceleration_coordinates(0)(i);
  }
  std::string validation_message(const Position<double>& at) const {
    return at.parameter(0) > 0 ? "" : "has no mass";
  }
};

TEST(ElementMistakes, InValidationMessagesAreFoundAtTheStart) {
  dae::System system("it");
  system.add_node("x", lie::NodeGroup::rn(2));
  system.add("mass", Complains{}, {"x"});
  try {
    (void)dae::integrate(system, {});
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "element 'mass' calls parameter(0), but it has none");
  }
}

}  // namespace
}  // namespace liegrad::testing
