// Building a system: what is refused leaves no trace, and what was made for a system notices that it changed.

#include "liegrad/dae/system/system.hpp"
#include "liegrad/dae/system/element_kind.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/system/outputs.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/joints/fixed_point.hpp"
#include "liegrad/elements/joints/revolute_joint.hpp"
#include "liegrad/elements/planar/pendulum.hpp"

namespace liegrad::testing {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

dae::System two_bodies() {
  dae::System system("two");
  system.add_node("a", lie::NodeGroup::so3xr3());
  system.add_node("b", lie::NodeGroup::se3());
  system.add("a", elements::RigidBody{}, {"a"});
  return system;
}

/// All that can be seen of a system.
std::string description(const dae::System& system) {
  std::string text;
  for (const dae::Node& node : system.nodes()) text += "node " + node.name + "\n";
  for (const dae::ParameterSpec& parameter : system.parameters()) {
    text += "parameter " + parameter.name + " = " + std::to_string(parameter.value) + "\n";
  }
  for (const std::string& control : system.controls()) text += "control " + control + "\n";
  for (const dae::PlacedElement& element : system.elements()) text += element.name + "\n";
  return text + std::to_string(system.kinds().size()) + " kinds, " +
         std::to_string(system.num_multipliers()) + " multipliers, " +
         std::to_string(system.num_algebraic()) + " states, " +
         std::to_string(system.initial_configuration().size()) + " coefficients";
}

std::string message_of(dae::System& system, const std::function<void(dae::System&)>& change) {
  try {
    change(system);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

/// Two parameters of one name.
struct Twins {
  dae::ElementShape shape() const {
    return {.type = "twins",
            .nodes = {{dae::NodeRole::kRigidBody}},
            .parameters = {{"k", 1}, {"c", 1}, {"k", 2}}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    balance.row(0, 0) += at.parameter(0) * at.parameter(1) * at.parameter(2);
  }
};

TEST(System, IsWhatItWasWhenSomethingIsRefused) {
  dae::System system = two_bodies();
  const std::string before = description(system);
  const auto refuse = [&](const std::string& message,
                          const std::function<void(dae::System&)>& change) {
    EXPECT_EQ(message_of(system, change), message);
    EXPECT_EQ(description(system), before) << message;
  };
  using elements::RevoluteJoint, elements::RigidBody;
  refuse("the value of parameter 'b.J2' is not finite; give it a number", [](dae::System& s) {
    s.add("b", RigidBody{}, {"b"}, {.values = {{"J2", kNaN}}});
  });
  refuse(
      "element 'b': there is no parameter 'J4'; choose 'm', 'J1', 'J2', 'J3', 'gravity1', "
      "'gravity2' "
      "or 'gravity3'",
      [](dae::System& s) {
        s.add("b", RigidBody{}, {"b"}, {.values = {{"J4", 1}}});
      });
  refuse("system 'two': there is no parameter 'a.mm'; did you mean 'a.m'?", [](dae::System& s) {
    s.add("b", RigidBody{}, {"b"}, {.bind = {{"J3", "a.mm"}}});
  });
  refuse("there are two parameters named 'twins.k'; names must differ",
         [](dae::System& s) { s.add("twins", Twins{}, {"b"}); });
  refuse(
      "element 'hinge' reads the multipliers of 'door', which is not an element of the system; "
      "add it first",
      [](dae::System& s) {
        s.add("hinge", RevoluteJoint{}, {"ground", "b"}, {.reads_multipliers_of = {"door"}});
      });
  refuse("element 'hinge' connects node 'ground' with itself; it needs different nodes",
         [](dae::System& s) {
           s.add("hinge", RevoluteJoint{}, {"ground", "ground"});
         });
  refuse("element 'hinge' is on the ground alone, which cannot move; name a body",
         [](dae::System& s) { s.add("hinge", elements::FixedPoint{}, {"ground"}); });
  refuse("the value of parameter 'tip.e1' is not finite; give it a number", [](dae::System& s) {
    s.add_frame("tip", "ground", {.orientation = {1, kNaN, 0, 0}});
  });
  // What was refused can be added when it is right, to a system that never saw it.
  system.add("b", RigidBody{}, {"b"}, {.values = {{"J2", 2}}});
  system.add("hinge", RevoluteJoint{}, {"ground", "b"});
  dae::System other = two_bodies();
  other.add("b", RigidBody{}, {"b"}, {.values = {{"J2", 2}}});
  other.add("hinge", RevoluteJoint{}, {"ground", "b"});
  EXPECT_EQ(description(system), description(other));
}

TEST(System, TakesOnlyParametersThatAreNumbers) {
  dae::System system("it");
  EXPECT_EQ(message_of(system,
                       [](dae::System& s) {
                         s.add_parameter({"g", kNaN});
                       }),
            "the value of parameter 'g' is not finite; give it a number");
  EXPECT_EQ(message_of(system,
                       [](dae::System& s) {
                         s.add_parameter({"g", HUGE_VAL});
                       }),
            "the value of parameter 'g' is not finite; give it a number");
  EXPECT_TRUE(system.parameters().empty());
}

TEST(System, TakesOnlyNodesThatHaveCoordinates) {
  dae::System system("it");
  EXPECT_EQ(message_of(system, [](dae::System& s) { s.add_node("x", lie::NodeGroup::rn(-1)); }),
            "node 'x' is in R^-1; it needs at least one coordinate");
  EXPECT_EQ(message_of(system, [](dae::System& s) { s.add_first_order_state("c", 0); }),
            "node 'c' is in R^0; it needs at least one coordinate");
  EXPECT_TRUE(system.nodes().empty());
}

TEST(System, KeepsAModelAsItWasWhenItIsEdited) {
  dae::System system = two_bodies();
  const std::shared_ptr<const dae::Model> model = system.build();
  system.set_parameter("a.m", 3);
  system.add_node("c", lie::NodeGroup::se3());
  EXPECT_EQ(model->parameter("a.m"), two_bodies().parameter("a.m"));
  EXPECT_EQ(model->nodes().size(), two_bodies().nodes().size());
  EXPECT_EQ(system.parameter("a.m"), 3);
  EXPECT_EQ(system.nodes().size(), model->nodes().size() + 1);
  EXPECT_NO_THROW(model->check_current("it was"));
}

TEST(System, CopiesAndMovesItsModel) {
  dae::System system = two_bodies();
  const dae::Outputs outputs(system);
  dae::System copy = system;
  copy.set_parameter("a.m", 3);
  const dae::Model& model = system;
  EXPECT_NO_THROW(model.check_current("it was"));  // the copy has a model of its own
  const std::size_t nodes = system.nodes().size();
  const dae::System moved = std::move(system);
  EXPECT_EQ(moved.nodes().size(), nodes);
  EXPECT_TRUE(system.nodes().empty());  // NOLINT(bugprone-use-after-move)
}

class OutputsOfAPendulum : public ::testing::Test {
 protected:
  OutputsOfAPendulum() {
    system.add_node("bob", lie::NodeGroup::rn(2));
    system.add("bob", elements::PlanarPointMass{}, {"bob"}, {.values = {{"m", 2}}});
    system.add("rod", elements::PlanarRod{}, {"bob"});
    system.set_initial_configuration("bob", {1, 0});
    system.set_initial_velocity("bob", {0, 3});
    state.q = {1, 0};
    state.v = {0, 3};
    state.v_dot = {0, 0};
    state.lambda = {0};
  }
  std::string message(dae::Outputs& outputs, std::span<double> out,
                      std::span<const double> controls = {}) {
    return message_of(system, [&](dae::System&) { outputs.evaluate(state, controls, out); });
  }

  dae::System system{"pendulum"};
  dae::State state;
};

TEST_F(OutputsOfAPendulum, TakeOtherValuesOfParameters) {
  dae::Outputs outputs(system);
  std::vector<double> numbers(static_cast<std::size_t>(outputs.size()));
  const auto kinetic = static_cast<std::size_t>(outputs.column("energy.kinetic"));
  outputs.evaluate(state, {}, numbers);
  EXPECT_DOUBLE_EQ(numbers[kinetic], 9);
  std::vector<double> parameters = system.parameter_values();
  parameters[static_cast<std::size_t>(system.parameter_index("bob.m"))] = 4;
  outputs.set_parameters(parameters);
  outputs.evaluate(state, {}, numbers);
  EXPECT_DOUBLE_EQ(numbers[kinetic], 18);
}

TEST_F(OutputsOfAPendulum, SayThatTheSystemChanged) {
  const std::string sentence =
      "system 'pendulum' was changed after its Outputs were made from it; make new ones, or make "
      "them from System::build(), which keeps the model as it was";
  dae::Outputs outputs(system);
  dae::Outputs kept(*system.build());
  std::vector<double> numbers(static_cast<std::size_t>(outputs.size()));
  EXPECT_EQ(message(outputs, numbers), "");
  dae::System other = system;
  dae::Outputs of_other(other);
  other.set_parameter("bob.m", 4);
  EXPECT_EQ(message(of_other, numbers), sentence);
  other = system;
  dae::Outputs of_another(other);
  other.add_node("other", lie::NodeGroup::se3());
  EXPECT_EQ(message(of_another, numbers), sentence);
  system.set_parameter("bob.m", 4);
  EXPECT_EQ(message(kept, numbers), "");
}

TEST_F(OutputsOfAPendulum, SayWhichSizeIsWrong) {
  dae::Outputs outputs(system);
  const int size = outputs.size();
  std::vector<double> numbers(static_cast<std::size_t>(size) - 1);
  EXPECT_EQ(message(outputs, numbers), "Outputs of system 'pendulum' need " + std::to_string(size) +
                                           " numbers as span to write to, not " +
                                           std::to_string(size - 1));
  numbers.push_back(0);
  EXPECT_EQ(message(outputs, numbers, std::vector<double>{1}),
            "Outputs of system 'pendulum' need 0 numbers as controls, not 1");
  state.lambda.clear();
  EXPECT_EQ(message(outputs, numbers),
            "Outputs of system 'pendulum' need 1 numbers as lambda of the state, not 0");
  state.q.push_back(0);
  EXPECT_EQ(message(outputs, numbers),
            "Outputs of system 'pendulum' need 2 numbers as q of the state, not 3");
}

}  // namespace
}  // namespace liegrad::testing
