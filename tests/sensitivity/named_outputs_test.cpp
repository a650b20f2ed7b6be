// Numbers read from a motion by name: values against dae::Outputs, derivatives against differences.

#include "liegrad/sensitivity/named_outputs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "liegrad/dae/outputs.hpp"
#include "liegrad/models/models.hpp"
#include "observable_checks.hpp"

namespace liegrad::testing {
namespace {

using sensitivity::named_outputs;

/// Names of all columns that have derivatives.
std::vector<std::string> smooth_columns(const dae::System& system) {
  std::vector<std::string> names;
  for (const std::string& name : dae::Outputs(system).column_names()) {
    if (!name.starts_with("residual.")) names.push_back(name);
  }
  return names;
}

Vector outputs_at(const dae::System& system, const Point& point) {
  dae::System changed = system;
  for (std::size_t i = 0; i < point.parameters.size(); ++i) {
    changed.set_parameter(system.parameters()[i].name, point.parameters[i]);
  }
  dae::Outputs outputs(changed);
  Vector values(index(outputs.size()));
  outputs.evaluate(point.state, point.controls, values);
  return values;
}

TEST_P(EverySystem, HasTheValuesOfItsOutputs) {
  std::mt19937 rng(1);
  const dae::System system = GetParam().make();
  const dae::Outputs outputs(system);
  const std::vector<std::string> names = smooth_columns(system);
  const auto observable = named_outputs(system, names);
  ASSERT_EQ(observable->size(), std::ssize(names));
  for (int k = 0; k < 3; ++k) {
    Point point = some_point(system, rng);
    if (k > 0) point = moved(system, point, some_direction(system, rng), 1);
    go_to(*observable, point);
    const Vector expected = outputs_at(system, point);
    for (std::size_t i = 0; i < names.size(); ++i) {
      EXPECT_DOUBLE_EQ(observable->values()[i], expected[index(outputs.column(names[i]))])
          << names[i];
    }
  }
}

TEST_P(EverySystem, HasOutputsWithExactDerivatives) {
  std::mt19937 rng(2);
  const dae::System system = GetParam().make();
  const auto observable = named_outputs(system, smooth_columns(system));
  check_derivatives(system, *observable, some_point(system, rng), rng);
}

INSTANTIATE_TEST_SUITE_P(Models, EverySystem, ::testing::ValuesIn(all_cases()),
                         [](const auto& one) { return one.param.name; });

TEST(NamedOutputs, StandInTheOrderGivenAndMayRepeat) {
  std::mt19937 rng(4);
  const dae::System system = models::make_model("heavy_top", {.body_group = lie::NodeGroup::se3()});
  const dae::Outputs outputs(system);
  const std::vector<std::string> names = {"energy",  "top.u[2]",         "fixed_point.lambda.3",
                                          "top.q.1", "energy.potential", "top.u.2"};
  const auto all = named_outputs(system, smooth_columns(system));
  const auto some = named_outputs(system, names);
  const Point point = some_point(system, rng);
  go_to(*all, point);
  go_to(*some, point);
  const Vector weights = random_numbers(some->size(), rng);
  const Vector direction = some_direction(system, rng);
  Vector all_weights(index(all->size()), 0.0), tangents(index(all->size()), 0.0);
  all->tangent(1, direction, tangents);
  Vector some_tangents(names.size(), 0.0);
  some->tangent(1, direction, some_tangents);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::size_t column = index(outputs.column(names[i]));
    EXPECT_EQ(some->values()[i], all->values()[column]) << names[i];
    EXPECT_EQ(some_tangents[i], tangents[column]) << names[i];
    all_weights[column] += weights[i];
  }
  expect_near(gradient_of(system, *some, weights), gradient_of(system, *all, all_weights),
              kRoundingTolerance, "gradient");
}

TEST(NamedOutputs, ReadEitherSignOfAQuaternionAsTheSameRotation) {
  std::mt19937 rng(5);
  for (const char* const model : {"spinning_top", "heavy_top"}) {
    const dae::System system = models::make_model(model);
    const auto observable = named_outputs(system, {"top.q.1", "top.q.2", "top.q.3", "top.q.4"});
    const Vector weights = random_numbers(4, rng);
    Point point = some_point(system, rng);
    go_to(*observable, point);
    const Vector values(observable->values().begin(), observable->values().end());
    const Vector gradient = gradient_of(system, *observable, weights);
    EXPECT_GE(values[0], 0);
    EXPECT_NE(dae::max_of(gradient), 0);
    for (std::size_t i = 0; i < 4; ++i) point.state.q[i] = -point.state.q[i];
    go_to(*observable, point);
    EXPECT_EQ(Vector(observable->values().begin(), observable->values().end()), values);
    EXPECT_EQ(gradient_of(system, *observable, weights), gradient);
  }
}

TEST(NamedOutputs, TurnWithTheirAngleAlsoWhereItJumps) {
  const dae::System system = workbench();
  const auto observable = named_outputs(system, {"hinge.theta"});
  const MotionLayout layout(system);
  std::mt19937 rng(6);
  const std::size_t hinge = index(system.node_index("hinge"));
  const int coeff = system.configuration_space().coeff_offset(static_cast<int>(hinge));
  const int dof = system.configuration_space().dof_offset(static_cast<int>(hinge));
  // Half turns of both signs, right angles, and none at all.
  const double circle[][2] = {{-1, 0.0}, {-1, -0.0}, {0, 1}, {0, -1}, {1, 0}, {1, -0.0}};
  for (const auto& [cosine, sine] : circle) {
    Point point = some_point(system, rng);
    point.state.q[index(coeff)] = cosine;
    point.state.q[index(coeff) + 1] = sine;
    go_to(*observable, point);
    EXPECT_EQ(observable->values()[0], std::atan2(sine, cosine));
    Vector expected(index(layout.size), 0.0), second = expected;
    const Vector gradient = gradient_of(system, *observable, {1.0});
    expected[index(layout.q + dof)] = 1;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      EXPECT_NEAR(gradient[i], expected[i], 1e-15) << cosine << " " << sine << " " << i;
    }
    observable->second(Vector{1.0}, expected, second);
    EXPECT_LT(dae::max_of(second), 1e-15);
  }
}

TEST(NamedOutputs, HaveNoDerivativeByWhatTheyCannotDependOn) {
  std::mt19937 rng(7);
  struct Expected {
    std::string name;
    Support support;
  };
  const auto check = [&rng](const dae::System& system, const std::vector<Expected>& list) {
    const MotionLayout layout(system);
    const Point point = some_point(system, rng);
    for (const auto& [name, support] : list) {
      const auto observable = named_outputs(system, {name});
      go_to(*observable, point);
      const Vector gradient = gradient_of(system, *observable, {1.0});
      EXPECT_EQ(support_of(system, gradient), support) << name;
      // The same of perturbations: along what it does not depend on nothing moves.
      Vector direction = random_numbers(layout.size, rng), tangent = {0.0};
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        if (gradient[i] != 0.0) direction[i] = 0;
      }
      observable->tangent(1, direction, tangent);
      EXPECT_EQ(tangent[0], 0.0) << name;
      Vector second(gradient.size(), 0.0);
      observable->second(Vector{1.0}, direction, second);
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        if (direction[i] == 0.0) continue;
        EXPECT_EQ(second[i], 0.0) << name << " " << i;
      }
    }
  };
  check(models::make_model("heavy_top", {.body_group = lie::NodeGroup::se3()}),
        {{"top.x[3]", {.q = true}},
         {"top.q.2", {.q = true}},
         {"top.omega.1", {.v = true}},
         {"top.u.1", {.q = true, .v = true}},
         {"fixed_point.lambda.2", {.lambda = true}},
         {"energy", {.q = true, .v = true, .parameters = true}},
         {"energy.kinetic", {.v = true, .parameters = true}},
         {"energy.potential", {.q = true, .parameters = true}},
         {"momentum.angular.1", {.q = true, .v = true, .parameters = true}}});
  check(workbench(), {{"hinge.omega", {.v = true}},
                      {"filter.c.2", {.v = true}},
                      {"sensor.s.2", {.s = true}},
                      {"sensor.pair.1", {.controls = true, .time = true}},
                      {"sensor.pair.2", {.q = true, .v = true, .s = true}}});
}

TEST(NamedOutputs, AreTheNumbersOfTheMotionThemselvesWhereTheyCan) {
  std::mt19937 rng(8);
  const dae::System system = workbench();
  const MotionLayout layout(system);
  const auto observable = named_outputs(system, {"sensor.lambda", "sensor.s.1", "filter.c.2"});
  go_to(*observable, some_point(system, rng));
  Vector expected(index(layout.size), 0.0);
  expected[index(layout.lambda)] = 2;
  expected[index(layout.s)] = 3;
  expected[index(layout.v_dot - 1)] = 5;
  EXPECT_EQ(gradient_of(system, *observable, {2, 3, 5}), expected);
}

TEST(NamedOutputs, ComplainAboutNamesThatDoNotExist) {
  const dae::System system = models::make_model("heavy_top");
  const auto message = [&system](const std::string& name) {
    return message_of([&] { named_outputs(system, {"energy", name}); });
  };
  EXPECT_EQ(message("top.omga.1"),
            "system 'heavy_top': there is no output 'top.omga.1'; did you mean 'top.omega.1'?");
  EXPECT_EQ(message("energi"),
            "system 'heavy_top': there is no output 'energi'; did you mean 'energy'?");
  // A whole output is not a number.
  EXPECT_EQ(message("fixed_point.lambda"),
            "system 'heavy_top': there is no output 'fixed_point.lambda'; did you mean "
            "'fixed_point.lambda.1', 'fixed_point.lambda.2' or 'fixed_point.lambda.3'?");
}

TEST(NamedOutputs, RefuseResiduals) {
  const dae::System system = models::make_model("heavy_top");
  for (const std::string name : {"residual.position", "residual.velocity"}) {
    EXPECT_EQ(message_of([&] { named_outputs(system, {name}); }),
              "system 'heavy_top': output '" + name +
                  "' is a largest magnitude, which has no derivative; choose another");
  }
}

}  // namespace
}  // namespace liegrad::testing
