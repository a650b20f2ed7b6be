#include "observable_checks.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/dae/system/element.hpp"
#include "liegrad/models/models.hpp"

#include "side_by_side.hpp"

namespace liegrad::testing {
namespace {

/// Of extrapolated differences, whose own error is about 1e-11.
constexpr double kDifferenceTolerance = 1e-8;

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

Vector part(const Vector& motion, int first, int end) {
  return {motion.begin() + first, motion.begin() + end};
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

}  // namespace

dae::System workbench() {
  dae::System system("workbench");
  system.add_node("body", lie::NodeGroup::se3());
  system.add_node("hinge", lie::NodeGroup::so2());
  system.add_first_order_state("filter", 2);
  system.add("sensor", Sensor{}, {"body", "filter"});
  return system;
}

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

Vector random_numbers(int count, std::mt19937& rng, double scale) {
  std::normal_distribution<double> normal(0, scale);
  Vector numbers(index(count));
  for (double& number : numbers) number = normal(rng);
  return numbers;
}

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

/// Central differences with three lengths, extrapolated twice.
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

Vector gradient_of(const dae::System& system, Observable& observable, const Vector& weights) {
  Vector gradient(index(MotionLayout(system).size), 0.0);
  observable.adjoint(weights, gradient);
  return gradient;
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

void check_derivatives(const dae::System& system, Observable& observable, const Point& point,
                       std::mt19937& rng) {
  const MotionLayout layout(system);
  const std::size_t size = index(observable.size());
  const Vector directions[2] = {some_direction(system, rng), some_direction(system, rng)};
  const Vector both = side_by_side({directions[0], directions[1]});
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
    const Vector tangent = column(tangents, c, 2);
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

}  // namespace liegrad::testing
