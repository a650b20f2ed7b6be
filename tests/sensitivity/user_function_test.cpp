// Numbers read from a motion by a user's function: values against the motion itself, derivatives against
// differences.

#include "liegrad/sensitivity/user_function.hpp"
#include "liegrad/dae/system/element_kind.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "liegrad/models/models.hpp"
#include "liegrad/sensitivity/observe/named_outputs.hpp"
#include "observable_checks.hpp"

namespace liegrad::testing {
namespace {

using sensitivity::named_outputs;
using sensitivity::Snapshot;
using sensitivity::user_function;

/// One number of each node, with second derivatives by positions, velocities, parameters and the rest.
struct MixOfEverything {
  const dae::System* system;

  template <class S>
  std::vector<S> operator()(const Snapshot<S>& at) const {
    std::vector<S> list;
    S sum = at.time() * at.time();
    for (const dae::Node& node : system->nodes()) {
      const auto v = at.velocity(node.name), a = at.acceleration(node.name);
      S number = sum;
      for (Eigen::Index i = 0; i < v.size(); ++i) number += v(i) * a(i) * v(i);
      if (!node.first_order) number *= S(2) + position<S>(at, node);
      sum += number;
      list.push_back(number);
    }
    for (const dae::PlacedElement& element : system->elements()) {
      const dae::ElementShape& shape = system->kind_of(element).shape();
      if (shape.constraints > 0) sum += at.multipliers(element.name).squaredNorm();
      if (shape.algebraic > 0) sum *= at.algebraic(element.name)(0);
    }
    for (const std::string& control : system->controls()) sum += at.control(control) * at.time();
    for (const auto& parameter : system->parameters()) sum += at.parameter(parameter.name) * sum;
    list.push_back(sum);
    return list;
  }

 private:
  template <class S>
  static S position(const Snapshot<S>& at, const dae::Node& node) {
    switch (node.group.kind) {
      case lie::GroupKind::kRn: {
        if (node.group.n == 0) return at.frame(node.name).position(0);
        const auto x = at.coordinates(node.name);
        return x(0) * x(x.size() - 1);
      }
      case lie::GroupKind::kSE2: {
        const lie::PlanarFrame<S> frame = at.planar_frame(node.name);
        return frame.cosine * frame.position(1);
      }
      case lie::GroupKind::kSO2: return S(0);
      case lie::GroupKind::kSO3: return at.rotation(node.name)(0, 1) * at.rotation(node.name)(2, 1);
      default: return at.frame(node.name).position(0) * at.rotation(node.name)(2, 0);
    }
  }
};

TEST_P(EverySystem, GivesUsersFunctionsExactDerivatives) {
  std::mt19937 rng(3);
  const dae::System system = GetParam().make();
  const auto observable = user_function(system, MixOfEverything{&system});
  Point point = some_point(system, rng);
  // Products of many numbers should not grow.
  for (double& parameter : point.parameters) parameter *= 0.01;
  check_derivatives(system, *observable, point, rng);
}

INSTANTIATE_TEST_SUITE_P(Models, EverySystem, ::testing::ValuesIn(all_cases()),
                         [](const auto& one) { return one.param.name; });

/// The point of the top opposite to its fixed one.
struct TipHeight {
  template <class S>
  S operator()(const Snapshot<S>& at) const {
    const S zero(0);
    return at.frame("top").point({zero, at.parameter("top.X2"), zero})(2);
  }
};

TEST(UserFunctions, ReadAMotionByItsNames) {
  std::mt19937 rng(9);
  const dae::System system = models::make_model("heavy_top", {.body_group = lie::NodeGroup::se3()});
  const auto height = user_function(system, TipHeight{});
  const auto outputs =
      named_outputs(system, {"top.x.3", "top.q.1", "top.q.2", "top.q.3", "top.q.4"});
  const Point point = moved(system, some_point(system, rng), some_direction(system, rng), 1);
  go_to(*height, point);
  go_to(*outputs, point);
  ASSERT_EQ(height->size(), 1);
  const auto& q = outputs->values();
  const double across = 2 * (q[3] * q[4] + q[1] * q[2]);  // R_32
  const double arm = point.parameters[index(system.parameter_index("top.X2"))];
  EXPECT_NEAR(height->values()[0], q[0] + arm * across, kRoundingTolerance);
  EXPECT_EQ(support_of(system, gradient_of(system, *height, {1.0})),
            (Support{.q = true, .parameters = true}));
}

TEST(UserFunctions, ReadAllPartsOfAMotion) {
  std::mt19937 rng(10);
  const dae::System system = workbench();
  const auto observable = user_function(system, [](const auto& at) {
    return std::vector{at.velocity("filter")(1),
                       at.acceleration("body")(5),
                       at.multipliers("sensor")(0),
                       at.algebraic("sensor")(1),
                       at.parameter("sensor.gain"),
                       at.control("sensor.drift"),
                       at.time()};
  });
  const MotionLayout layout(system);
  const Point point = some_point(system, rng);
  go_to(*observable, point);
  const dae::State& state = point.state;
  const Vector expected = {state.v.back(),       state.v_dot[5], state.lambda[0], state.s[1], 1.5,
                           point.controls.at(1), state.t};
  EXPECT_EQ(Vector(observable->values().begin(), observable->values().end()), expected);
  Vector gradient(index(layout.size), 0.0);
  const int places[] = {layout.v_dot - 1,  layout.v_dot + 5,    layout.lambda, layout.s + 1,
                        layout.parameters, layout.controls + 1, layout.time};
  Vector weights;
  for (const int place : places) {
    weights.push_back(static_cast<double>(weights.size() + 1));
    gradient[index(place)] = weights.back();
  }
  EXPECT_EQ(gradient_of(system, *observable, weights), gradient);
}

TEST(UserFunctions, ComplainAboutNamesThatDoNotExist) {
  const dae::System system = workbench();
  const auto message = [&system](const auto& read) {
    return message_of([&] { user_function(system, read); });
  };
  EXPECT_EQ(message([](const auto& at) { return at.frame("bodi").position(0); }),
            "system 'workbench': there is no node 'bodi'; did you mean 'body'?");
  EXPECT_EQ(message([](const auto& at) { return at.velocity("filte")(0); }),
            "system 'workbench': there is no node 'filte'; did you mean 'filter'?");
  EXPECT_EQ(message([](const auto& at) { return at.multipliers("senso")(0); }),
            "system 'workbench': there is no element 'senso'; did you mean 'sensor'?");
  EXPECT_EQ(message([](const auto& at) { return at.algebraic("senso")(0); }),
            "system 'workbench': there is no element 'senso'; did you mean 'sensor'?");
  EXPECT_EQ(message([](const auto& at) { return at.parameter("sensor.gian"); }),
            "system 'workbench': there is no parameter 'sensor.gian'; did you mean 'sensor.gain'?");
  EXPECT_EQ(message([](const auto& at) { return at.control("sensor.drif"); }),
            "system 'workbench': there is no control 'sensor.drif'; did you mean 'sensor.drift'?");
}

TEST(UserFunctions, ComplainAboutNodesAndElementsOfAnotherKind) {
  const dae::System system = workbench();
  const auto message = [](const dae::System& of, const auto& read) {
    return message_of([&] { user_function(of, read); });
  };
  EXPECT_EQ(
      message(system, [](const auto& at) { return at.frame("hinge").position(0); }),
      "system 'workbench': node 'hinge' is not what frame() reads; name a rigid body, a point "
      "in R^3 or the ground");
  EXPECT_EQ(message(system, [](const auto& at) { return at.rotation("hinge")(0, 0); }),
            "system 'workbench': node 'hinge' is not what rotation() reads; name a rigid body or a "
            "rotation");
  EXPECT_EQ(
      message(system, [](const auto& at) { return at.planar_frame("body").cosine; }),
      "system 'workbench': node 'body' is not what planar_frame() reads; name a planar body, a "
      "point in R^2 or the ground");
  EXPECT_EQ(message(system, [](const auto& at) { return at.coordinates("body")(0); }),
            "system 'workbench': node 'body' is not what coordinates() reads; name a node in R^n");
  EXPECT_EQ(message(system, [](const auto& at) { return at.coordinates("filter")(0); }),
            "system 'workbench': node 'filter' is a first-order state, whose value is "
            "velocity(\"filter\")");
  const dae::System top = models::make_model("heavy_top");
  EXPECT_EQ(message(top, [](const auto& at) { return at.multipliers("top")(0); }),
            "system 'heavy_top': element 'top' has no multipliers; name one that has");
  EXPECT_EQ(message(top, [](const auto& at) { return at.algebraic("top")(0); }),
            "system 'heavy_top': element 'top' has no algebraic states; name one that has");
}

TEST(UserFunctions, MustReturnNumbersAndCompareNone) {
  const dae::System system = models::make_model("pendulum");
  EXPECT_EQ(message_of([&] {
              user_function(system, [](const auto& at) { return std::vector(0, at.time()); });
            }),
            "function 'user function' returned no outputs");
  EXPECT_EQ(message_of([&] {
              user_function(system, [](const auto& at) {
                const auto x = at.coordinates("mass");
                return x(0) < x(1) ? x(0) : x(1);
              });
            }),
            "function 'user function' compares recorded scalars, which freezes one branch; use "
            "select_lt() instead of if, or set allow_comparisons");
}

TEST(UserFunctions, MayReturnWhatIsNotFinite) {
  std::mt19937 rng(11);
  const dae::System system = models::make_model("pendulum");
  const auto observable = user_function(
      system, [](const auto& at) { return log(-at.coordinates("mass").squaredNorm()); });
  go_to(*observable, some_point(system, rng));
  EXPECT_TRUE(std::isnan(observable->values()[0]));
}

}  // namespace
}  // namespace liegrad::testing
