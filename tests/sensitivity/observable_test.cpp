// Numbers read from a motion, by name and by a user's function: values against dae::Outputs, derivatives
// against differences of values, second derivatives against differences of gradients.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "liegrad/dae/numbers.hpp"
#include "liegrad/dae/outputs.hpp"
#include "liegrad/models/models.hpp"
#include "liegrad/sensitivity/named_outputs.hpp"
#include "liegrad/sensitivity/user_function.hpp"

namespace liegrad::testing {
namespace {

using dae::index;
using sensitivity::MotionLayout;
using sensitivity::named_outputs;
using sensitivity::Observable;
using sensitivity::Snapshot;
using sensitivity::user_function;
using Vector = std::vector<double>;

/// Of extrapolated differences, whose own error is about 1e-11.
constexpr double kDifferenceTolerance = 1e-8;
/// Of sums of rounded numbers.
constexpr double kRoundingTolerance = 1e-13;

/// Reads all that an element can read, so that outputs depend on all of it.
struct Sensor {
  dae::ElementShape shape() const {
    return {.type = "sensor",
            .nodes = {{dae::NodeRole::kRigidBody}, {dae::NodeRole::kCoordinates, 2}},
            .parameters = {{"gain", 1.5}},
            .controls = {"bias", "drift"},
            .constraints = 1,
            .algebraic = 2,
            .outputs = {{"signal", 1, "of everything"}, {"pair", 2, "of a part of it"}}};
  }
  template <class S>
  lie::Vec<S, 1> constraint(const dae::Position<S>& at) const {
    return lie::Vec<S, 1>(at.frame(0).position(0) - at.coordinates(1)(0));
  }
  template <class S>
  lie::Vec<S, 2> algebraic(const dae::Motion<S>& at) const {
    return {at.algebraic(0) - at.time(), at.algebraic(1) - at.control(0)};
  }
  template <class S>
  lie::Vec<S, 3> outputs(const dae::Motion<S>& at) const {
    using std::sin;
    const lie::Vec<S, 3> x = at.frame(0).position, a = at.acceleration(0);
    const S filtered = at.velocity_coordinates(1)(0);
    return {at.parameter(0) * lie::rotation::dot<S>(x, a) * sin(at.control(0)) +
                at.multiplier(0) * at.algebraic(1) * filtered,
            sin(at.time() * at.control(1)), at.algebraic(0) * at.velocity(0)(2)};
  }
};

/// What the models do not have: SO(2), a first-order state, algebraic states, controls.
dae::System workbench() {
  dae::System system("workbench");
  system.add_node("body", lie::NodeGroup::se3());
  system.add_node("hinge", lie::NodeGroup::so2());
  system.add_first_order_state("filter", 2);
  system.add("sensor", Sensor{}, {"body", "filter"});
  return system;
}

struct Case {
  std::string name;
  std::function<dae::System()> make;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

std::vector<Case> all_cases() {
  const auto model = [](const std::string& name, const models::Structure& structure = {}) {
    return [name, structure] { return models::make_model(name, structure); };
  };
  return {{"workbench", workbench},
          {"heavy_top_SO3xR3", model("heavy_top")},
          {"heavy_top_SE3", model("heavy_top", {.body_group = lie::NodeGroup::se3()})},
          {"pendulum", model("pendulum")},
          {"slider_crank_3d", model("slider_crank_3d", {.body_group = lie::NodeGroup::se3()})},
          {"andrews_R3", model("andrews")},
          {"andrews_SE2", model("andrews", {.planar_group = lie::NodeGroup::se2()})},
          {"spinning_top", model("spinning_top")},
          {"torsional_ball", model("torsional_ball")},
          {"chain", model("chain", {.bodies = 3})}};
}

/// All that an observable reads.
struct Point {
  dae::State state;
  Vector parameters, controls;
};

Vector random_numbers(int count, std::mt19937& rng, double scale = 1) {
  std::normal_distribution<double> normal(0, scale);
  Vector numbers(index(count));
  for (double& number : numbers) number = normal(rng);
  return numbers;
}

/// Anywhere near the initial configuration; equations and constraints do not matter.
Point some_point(const dae::System& system, std::mt19937& rng) {
  Point point;
  dae::State& state = point.state;
  state.t = 0.3;
  state.q = system.initial_configuration();
  const Vector shift = random_numbers(system.dof(), rng, 0.3);
  system.configuration_space().plus<double>(state.q, shift, state.q);
  state.v = random_numbers(system.dof(), rng);
  state.v_dot = random_numbers(system.dof(), rng);
  state.lambda = random_numbers(system.num_multipliers(), rng);
  state.s = random_numbers(system.num_algebraic(), rng);
  point.parameters = system.parameter_values();
  point.controls = random_numbers(static_cast<int>(system.controls().size()), rng);
  return point;
}

Vector some_direction(const dae::System& system, std::mt19937& rng) {
  const MotionLayout layout(system);
  Vector direction = random_numbers(layout.size, rng);
  // Lengths, inertias and unit vectors stay what they are.
  for (int i = layout.parameters; i < layout.controls; ++i) direction[index(i)] *= 0.1;
  return direction;
}

Vector part(const Vector& motion, int first, int end) {
  return {motion.begin() + first, motion.begin() + end};
}

Point moved(const dae::System& system, const Point& from, const Vector& direction, double epsilon) {
  const MotionLayout layout(system);
  Point to = from;
  const auto add = [&](int first, Vector& numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] += epsilon * direction[index(first) + i];
    }
  };
  Vector delta(index(system.dof()), 0.0);
  add(layout.q, delta);
  system.configuration_space().plus<double>(from.state.q, delta, to.state.q);
  add(layout.v, to.state.v);
  add(layout.v_dot, to.state.v_dot);
  add(layout.lambda, to.state.lambda);
  add(layout.s, to.state.s);
  add(layout.parameters, to.parameters);
  add(layout.controls, to.controls);
  to.state.t += epsilon * direction[index(layout.time)];
  return to;
}

void go_to(Observable& observable, const Point& point) {
  observable.set_parameters(point.parameters);
  observable.set_state(point.state, point.controls);
}

/// df/dε at 0 by central differences with three lengths, extrapolated twice.
Vector derivative_by_differences(const std::function<Vector(double)>& f) {
  constexpr double kLength = 0.002;
  const auto difference = [&f](double length) {
    Vector plus = f(length);
    const Vector minus = f(-length);
    for (std::size_t i = 0; i < plus.size(); ++i) plus[i] = (plus[i] - minus[i]) / (2 * length);
    return plus;
  };
  const Vector a = difference(kLength), b = difference(kLength / 2), c = difference(kLength / 4);
  Vector result(a.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double ab = (4 * b[i] - a[i]) / 3, bc = (4 * c[i] - b[i]) / 3;
    result[i] = (16 * bc - ab) / 15;
  }
  return result;
}

/// The gradient at a moved point, in the chart of the point itself: there q∘exp(δ + dδ) is
/// q∘exp(δ)∘exp(T(δ) dδ), so that the gradient by δ is T(δ)ᵀ times that in the chart there.
Vector gradient_in_chart(const dae::System& system, Observable& observable, const Point& point,
                         const Vector& direction, double epsilon, const Vector& weights) {
  const MotionLayout layout(system);
  go_to(observable, moved(system, point, direction, epsilon));
  Vector gradient(index(layout.size), 0.0);
  observable.adjoint(weights, gradient);
  Vector delta = part(direction, layout.q, layout.v), column(delta.size()), result = gradient;
  for (double& number : delta) number *= epsilon;
  for (std::size_t j = 0; j < delta.size(); ++j) {
    Vector unit(delta.size(), 0.0);
    unit[j] = 1;
    system.configuration_space().apply_tangent_operator<double>(delta, unit, column);
    result[j] = 0;
    for (std::size_t i = 0; i < column.size(); ++i) result[j] += column[i] * gradient[i];
  }
  return result;
}

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void expect_near(const Vector& actual, const Vector& expected, double tolerance,
                 const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  const double scale = dae::max_of(expected);
  EXPECT_GT(scale, 0) << what << " is zero: nothing would be shown";
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_NEAR(actual[i], expected[i], tolerance * scale) << what << " " << i;
  }
}

/// All derivatives of an observable at a point.
void check_derivatives(const dae::System& system, Observable& observable, const Point& point,
                       std::mt19937& rng) {
  const MotionLayout layout(system);
  const std::size_t size = index(observable.size());
  const Vector directions[2] = {some_direction(system, rng), some_direction(system, rng)};
  Vector both = directions[0];
  both.insert(both.end(), directions[1].begin(), directions[1].end());
  const Vector weights = random_numbers(observable.size(), rng);

  // Results are added to what is there.
  go_to(observable, point);
  Vector tangents(2 * size, 1.0), gradient(index(layout.size), 1.0), second = gradient;
  observable.tangent(2, both, tangents);
  observable.adjoint(weights, gradient);
  observable.second(weights, directions[0], second);
  for (Vector* result : {&tangents, &gradient, &second}) {
    for (double& number : *result) number -= 1;
  }

  for (std::size_t c = 0; c < 2; ++c) {
    const Vector tangent(tangents.begin() + static_cast<std::ptrdiff_t>(c * size),
                         tangents.begin() + static_cast<std::ptrdiff_t>((c + 1) * size));
    const Vector differences = derivative_by_differences([&](double epsilon) {
      go_to(observable, moved(system, point, directions[c], epsilon));
      return Vector(observable.values().begin(), observable.values().end());
    });
    go_to(observable, point);
    ASSERT_EQ(differences.size(), size);
    for (std::size_t i = 0; i < size; ++i) {
      const double scale = std::abs(differences[i]) + std::abs(observable.values()[i]);
      EXPECT_NEAR(tangent[i], differences[i], kDifferenceTolerance * scale) << "tangent " << i;
    }
    EXPECT_NE(dae::max_of(tangent), 0);
    const double product = dot(weights, tangent);
    EXPECT_NEAR(dot(gradient, directions[c]), product, kRoundingTolerance * (1 + std::abs(product)))
        << "adjoint";
  }

  const Vector differences = derivative_by_differences([&](double epsilon) {
    return gradient_in_chart(system, observable, point, directions[0], epsilon, weights);
  });
  expect_near(second, differences, kDifferenceTolerance, "second derivative");
}

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

Vector gradient_of(const dae::System& system, Observable& observable, const Vector& weights) {
  Vector gradient(index(MotionLayout(system).size), 0.0);
  observable.adjoint(weights, gradient);
  return gradient;
}

template <class F>
std::string message_of(const F& f) {
  try {
    f();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

class EverySystem : public ::testing::TestWithParam<Case> {};

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

/// Which parts of MotionLayout a gradient has.
struct Support {
  bool q = false, v = false, v_dot = false, lambda = false, s = false;
  bool parameters = false, controls = false, time = false;
  bool operator==(const Support&) const = default;
};
Support support_of(const dae::System& system, const Vector& gradient) {
  const MotionLayout layout(system);
  const auto has = [&gradient](int first, int end) {
    // Not within rounding: exactly.
    return std::any_of(gradient.begin() + first, gradient.begin() + end,
                       [](double number) { return number != 0.0; });
  };
  return {has(layout.q, layout.v),           has(layout.v, layout.v_dot),
          has(layout.v_dot, layout.lambda),  has(layout.lambda, layout.s),
          has(layout.s, layout.parameters),  has(layout.parameters, layout.controls),
          has(layout.controls, layout.time), has(layout.time, layout.size)};
}
std::ostream& operator<<(std::ostream& out, const Support& s) {
  return out << s.q << s.v << s.v_dot << s.lambda << s.s << s.parameters << s.controls << s.time;
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
